import Base
import Delivery
import Push
import Testing

/// A certificate or a key that is not where the files say.
@Suite struct CredentialChecksTests {
    private static func diagnostics(_ credential: DeviceProfile.Credential, isNeeded: Bool) -> [Diagnostic] {
        let profile = DeviceProfile(
            name: "driver", origin: Origin(file: "profile.yaml", line: 1), environment: .production,
            topic: "com.example.driver", credential: credential)
        let reading = CredentialReader(SecretReader(environment: [:], folder: "/nowhere"))
        return CredentialChecks(reading, now: Instant(seconds: 0), isNeeded: isNeeded).check([profile]).diagnostics
    }

    private static let key = DeviceProfile.Credential.token(
        teamId: "ABCDE12345", keyId: "F4K3K3Y1D0", key: .file(.path("keys/wrong.p8")))
    private static let certificate = DeviceProfile.Credential.certificate(
        source: .file(.path("wrong.p12")), key: nil, passphrase: nil)

    @Test(arguments: [key, certificate])
    func aPathWithoutAFileIsAnErrorWhereItIsNeededAndElseAWarning(_ credential: DeviceProfile.Credential) throws {
        for (isNeeded, severity) in [(true, Severity.error), (false, .warning)] {
            let found = try #require(Self.diagnostics(credential, isNeeded: isNeeded).first)
            #expect(found.severity == severity && found.code == .certificate)
            #expect(found.message.hasPrefix("driver: there is no file "))
        }
    }

    @Test func aVariableThatIsNotSetStaysANote() throws {
        for source in [SecretSource.environment("P8"), .file(.environment("P8_PATH"))] {
            let token = DeviceProfile.Credential.token(teamId: "ABCDE12345", keyId: "F4K3K3Y1D0", key: source)
            let found = try #require(Self.diagnostics(token, isNeeded: true).first)
            #expect(found.severity == .note && found.code == .certificateNotChecked)
        }
    }
}
