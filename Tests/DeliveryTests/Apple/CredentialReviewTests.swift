import Crypto
import Push
import Testing

@testable import Delivery

/// What `bugle doctor` says of a credential.
@Suite struct CredentialReviewTests {
    private static let now: Int64 = 1_710_000_000

    private func identity(_ change: (inout TestCertificate) throws -> Void = { _ in }) throws -> CertificateIdentity {
        var certificate = TestCertificate()
        certificate.extensions = [TestCertificate.apple(2)]
        try change(&certificate)
        return try CertificateIdentity.read(Array(try certificate.pemWithKey().utf8), passphrase: nil)
    }

    private func findings(
        _ identity: CertificateIdentity, topic: String = "com.example.app", types: [PushType] = [.alert],
        environment: PushEnvironment = .production, at now: Int64 = now, ahead: Duration? = nil
    ) -> [String] {
        CredentialReview.findings(
            .certificate(identity), topic: topic, types: types, environment: environment, at: Instant(seconds: now),
            clockAhead: ahead
        ).map { "\($0.severity): \($0)" }
    }

    @Test func aGoodCertificateHasNoFinding() throws {
        #expect(findings(try identity()) == [])
    }

    @Test func everyProblemIsListedAtOnce() throws {
        let certificate = try identity()
        let found = findings(certificate, topic: "com.other", environment: .development, at: 1_800_000_000)
        #expect(found.count == 3)
        #expect(found[0].hasPrefix("error: the certificate expired at 2024-11-13T"))
        #expect(found[1].contains("is not for topic com.other but for com.example.app"))
        #expect(found[2].contains("is not for development but for production"))
        #expect(findings(certificate, at: 1_600_000_000).first?.contains("is not valid before") == true)
    }

    @Test func aPushTypeNeedsItsTopicInTheCertificate() throws {
        let plain = try identity()
        #expect(
            findings(plain, types: [.alert, .voip]).map { $0.contains("is not for topic com.example.app.voip") } == [
                true
            ])
        let both = try identity {
            $0.extensions.append(
                TestCertificate.apple(
                    6, try TestCertificate.topics([("com.example.app", ["app"]), ("com.example.app.voip", ["voip"])])))
        }
        #expect(findings(both, types: [.alert, .voip, .background]) == [])
        #expect(findings(both, topic: "com.example.app.voip", types: [.voip]) == [])
        #expect(findings(both, topic: "com.example.app.voip", types: [.alert]).count == 1)
    }

    @Test func aLocationPushNeedsAKey() throws {
        #expect(findings(try identity(), types: [.location]).contains { $0.contains("with a key only") })
    }

    @Test func aCertificateThatEndsSoonIsWarnedOf() throws {
        let certificate = try identity()
        let found = findings(certificate, at: certificate.notAfter - 10 * 86_400)
        #expect(
            found == ["warning: the certificate expires in 10 days; make the next one in Apple's developer account"])
    }

    @Test func aKeyNeedsItsIdsAndARightClock() throws {
        let key = try SigningKey.read(Array(P256.Signing.PrivateKey().pemRepresentation.utf8))
        func findings(_ team: String, _ keyID: String, ahead: Duration? = nil) -> [String] {
            CredentialReview.findings(
                .token(key: key, teamID: team, keyID: keyID), topic: "com.example.app", environment: .production,
                at: Instant(seconds: Self.now), clockAhead: ahead
            ).map(\.description)
        }
        #expect(findings("ABCDE12345", "F4K3K3Y1D0", ahead: .seconds(299)) == [])
        #expect(findings("abcde12345", "F4K3K3Y1D0").map { $0.hasPrefix("teamId is not 10") } == [true])
        #expect(findings("ABCDE12345", "AuthKey_F4K3K3Y1D0.p8").map { $0.hasPrefix("keyId is not 10") } == [true])
        #expect(
            findings("ABCDE12345", "F4K3K3Y1D0", ahead: .seconds(400)).map {
                $0.hasPrefix("this machine's clock is 6 min 40 s ahead of Apple's")
            } == [true])
    }
}
