import Base
import Push
import SwiftASN1
import Testing
import X509

@testable import Delivery

@Suite struct CertificateFactsTests {
    typealias Topic = CertificateIdentity.Topic

    func identity(_ certificate: TestCertificate) throws -> CertificateIdentity {
        try .read(Array(try certificate.pemWithKey().utf8), passphrase: nil)
    }

    @Test func aUniversalCertificateNamesItsTopicsAndBothEnvironments() throws {
        var certificate = TestCertificate()
        certificate.subject.insert((TestCertificate.userID, "com.example.app"), at: 0)
        let topics = try TestCertificate.topics([
            ("com.example.app", ["app"]), ("com.example.app.voip", ["voip"]),
            ("com.example.app.complication", ["complication", "widget"]), ("com.example.bare", []),
        ])
        certificate.extensions = [
            TestCertificate.apple(1), TestCertificate.apple(2), TestCertificate.apple(6, topics),
        ]
        let identity = try identity(certificate)
        #expect(identity.uid == "com.example.app")
        #expect(identity.commonName == "Apple Push Services: com.example.app")
        #expect((identity.notBefore, identity.notAfter) == (1_700_000_000, 1_731_536_000))
        #expect(identity.environments == [.development, .production])
        #expect(
            identity.topics == [
                Topic(name: "com.example.app", kind: "app"), Topic(name: "com.example.app.voip", kind: "voip"),
                Topic(name: "com.example.app.complication", kind: "complication"),
                Topic(name: "com.example.app.complication", kind: "widget"), Topic(name: "com.example.bare"),
            ])
        #expect(
            identity.topicNames
                == ["com.example.app", "com.example.app.voip", "com.example.app.complication", "com.example.bare"])
        #expect(identity.fingerprint.count == 64)
    }

    @Test func additionalTopicsAndAStrangeUIDAreAddedOnce() throws {
        var certificate = TestCertificate()
        certificate.subject.append((TestCertificate.userID, "com.apple.mgmt.External.1"))
        certificate.extensions = [
            TestCertificate.apple(4, try TestCertificate.topics([("com.example.app.voip", ["voip"])])),
            TestCertificate.apple(6, try TestCertificate.topics([("com.example.app", ["app"])])),
        ]
        #expect(
            try identity(certificate).topics == [
                Topic(name: "com.example.app", kind: "app"), Topic(name: "com.example.app.voip", kind: "voip"),
                Topic(name: "com.apple.mgmt.External.1"),
            ])
    }

    /// The extension's value, and that it is no fault.
    @Test(
        arguments: [
            [], [0x05, 0x00], [0x30, 0x00], [0x30, 0x05, 0x0C], [0x30, 0x02, 0x05, 0x00], [0x0C, 0x01, 0x41],
            [0x30, 0x02, 0x30, 0x00],
        ] as [[UInt8]])
    func aTopicExtensionInAnotherFormGivesNoTopics(_ value: [UInt8]) throws {
        var certificate = TestCertificate()
        certificate.subject = [(TestCertificate.userID, "com.example.app")]
        certificate.extensions = [TestCertificate.apple(6, value)]
        #expect(try identity(certificate).topics == [Topic(name: "com.example.app")])
    }

    @Test(
        arguments: [
            ("Apple Development IOS Push Services: com.example.app", "com.example.app", [.development]),
            ("Apple Sandbox Push Services: com.example.app", "com.example.app", [.development]),
            ("Apple Production IOS Push Services: com.example.app", "com.example.app", [.production]),
            ("Apple Push Services: com.example.app", "com.example.app", [.development, .production]),
            ("VoIP Services: com.example.app", "com.example.app.voip", [.development, .production]),
            ("VoIP Services: com.example.app.voip", "com.example.app.voip", [.development, .production]),
            ("WatchKit Services: com.example.w", "com.example.w.complication", [.development, .production]),
            ("Pass Type ID: pass.com.example", "pass.com.example", [.production]),
            ("Website Push ID: web.com.example", "web.com.example", [.production]), ("APSP:1234", nil, []),
            ("Apple Push Services", nil, []), ("Apple Push Services: ", nil, []),
        ] as [(String, String?, Set<PushEnvironment>)])
    func theCommonNameTellsWhatExtensionsDoNot(_ row: (String, String?, Set<PushEnvironment>)) throws {
        var certificate = TestCertificate()
        certificate.subject = [(.RDNAttributeType.commonName, row.0)]
        let identity = try identity(certificate)
        #expect(identity.topicNames == (row.1.map { [$0] } ?? []))
        #expect(identity.environments == row.2)
    }

    @Test func extensionsAndUIDDecideOverTheCommonName() throws {
        var certificate = TestCertificate()
        certificate.subject.append((TestCertificate.userID, "com.example.other"))
        certificate.extensions = [TestCertificate.apple(2)]
        let identity = try identity(certificate)
        #expect(identity.topicNames == ["com.example.other"])
        #expect(identity.environments == [.production])
    }

    // MARK: Problems

    /// A production certificate for com.example.app.
    func production() throws -> CertificateIdentity {
        try identity(TestCertificate(extensions: [TestCertificate.apple(2)]))
    }

    @Test(
        arguments: [
            (1_700_000_000, []), (1_731_536_000, []), (1_715_000_000, []),
            (1_699_999_999, [.notYetValid(from: 1_700_000_000)]), (1_731_536_001, [.expired(at: 1_731_536_000)]),
            (.max, [.expired(at: 1_731_536_000)]), (.min, [.notYetValid(from: 1_700_000_000)]),
        ] as [(Int64, [CredentialProblem])])
    func itIsValidFromItsFirstToItsLastSecond(_ row: (Int64, [CredentialProblem])) throws {
        let identity = try production()
        #expect(identity.problems(topic: "com.example.app", environment: .production, at: row.0) == row.1)
    }

    @Test func topicAndEnvironmentMustFit() throws {
        let identity = try production()
        #expect(
            identity.problems(topic: "com.example.apple", environment: .development, at: 1_715_000_000) == [
                .topicMissing("com.example.apple", found: ["com.example.app"]),
                .wrongEnvironment(.development, found: [.production]),
            ])
        #expect(
            identity.problems(topic: "com.example.app.voip", environment: .production, at: 1_715_000_000)
                == [.topicMissing("com.example.app.voip", found: ["com.example.app"])])
    }

    @Test func aCertificateThatNamesNothingLacksTheTopicButFitsAnyEnvironment() throws {
        let identity = try identity(TestCertificate(subject: []))
        for environment in PushEnvironment.allCases {
            #expect(
                identity.problems(topic: "com.example.app", environment: environment, at: 1_715_000_000)
                    == [.topicMissing("com.example.app", found: [])])
        }
    }

    @Test(
        arguments: [(0, false), (999, false), (1000, false), (1001, true), (.max, true), (.min, false)]
            as [(Int64, Bool)])
    func expiryWithinATimeIsCountedFromNow(_ row: (Int64, Bool)) throws {
        #expect(try production().expires(within: row.0, of: 1_731_535_000) == row.1)
    }

    @Test(
        arguments: [
            (
                .expired(at: 1_731_536_000),
                "the certificate expired at 2024-11-13T22:13:20Z; make a new one in Apple's developer account"
            ),
            (
                .notYetValid(from: 0),
                "the certificate is not valid before 1970-01-01T00:00:00Z; "
                    + "check the clock, or use the older one until then"
            ),
            (
                .topicMissing("a.b", found: []),
                "the certificate names no topic, so it cannot push to a.b; use an Apple Push Services certificate"
            ),
            (
                .topicMissing("a.b", found: ["a.c", "a.d"]),
                "the certificate is not for topic a.b but for a.c, a.d; "
                    + "use that app's certificate, or correct the topic"
            ),
            (
                .wrongEnvironment(.production, found: [.development]),
                "the certificate is not for production but for development; "
                    + "use one for production, or correct the environment"
            ),
        ] as [(CredentialProblem, String)])
    func problemsSayWhatToDo(_ row: (CredentialProblem, String)) {
        #expect(row.0.description == row.1)
    }
}
