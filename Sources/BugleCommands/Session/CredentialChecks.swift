internal import APNs
internal import Diagnostics
internal import FoundationEssentials
internal import PushModel

/// Reads the certificates and keys of a workspace, where they are here, and checks them offline.
struct CredentialChecks: Sendable {
    let secrets: SecretReading
    let now: Instant

    /// The profiles with what was found in their credentials, and what is wrong with them.
    func check(_ profiles: [DeviceProfile]) -> (profiles: [DeviceProfile], diagnostics: [Diagnostic]) {
        var diagnostics: [Diagnostic] = []
        let checked = profiles.map { profile in
            var profile = profile
            switch profile.credential {
            case .certificate(let source, let key, let passphrase):
                profile.facts = certificate(profile, source, key, passphrase, &diagnostics)
            case .token(_, _, let key): profile.facts = token(profile, key, &diagnostics)
            }
            return profile
        }
        return (checked, diagnostics)
    }

    private func certificate(
        _ profile: DeviceProfile, _ source: SecretSource, _ key: SecretSource?, _ passphrase: SecretSource?,
        _ diagnostics: inout [Diagnostic]
    ) -> CredentialFacts? {
        do {
            var bytes = try secrets.bytes(source)
            if case .environment = source { bytes = Self.decodedBase64(bytes) }
            let identity = try CertificateIdentity.read(
                bytes,
                passphrase: try passphrase.map { source throws(SecretReading.Unavailable) in try secrets.secret(source)
                },
                separateKey: try key.map { source throws(SecretReading.Unavailable) in try secrets.bytes(source) })
            for problem in identity.problems(
                topic: profile.topic, environment: .init(profile.environment), at: now.seconds)
            {
                diagnostics.append(
                    Diagnostic(
                        .error, .certificate, "\(profile.name): \(problem)",
                        at: profile.origin.range(of: ["certificate"])))
            }
            return CredentialFacts(
                fingerprint: identity.fingerprint, expiresAt: Instant(seconds: identity.notAfter),
                topics: identity.topicNames)
        } catch let error as SecretReading.Unavailable {
            diagnostics.append(unavailable(error, profile, path: "certificate"))
        } catch {
            diagnostics.append(
                Diagnostic(
                    .error, .certificate, "\(profile.name): \(error)", at: profile.origin.range(of: ["certificate"])))
        }
        return nil
    }

    private func token(
        _ profile: DeviceProfile, _ source: SecretSource, _ diagnostics: inout [Diagnostic]
    ) -> CredentialFacts? {
        do {
            let key = try SigningKey.read(try secrets.bytes(source))
            return CredentialFacts(fingerprint: key.fingerprint, expiresAt: nil)
        } catch let error as SecretReading.Unavailable {
            diagnostics.append(unavailable(error, profile, path: "token"))
        } catch {
            diagnostics.append(
                Diagnostic(
                    .error, .certificate, "\(profile.name): \(error)", at: profile.origin.range(of: ["token", "key"])))
        }
        return nil
    }

    private func unavailable(
        _ error: SecretReading.Unavailable, _ profile: DeviceProfile, path: FieldPathElement
    ) -> Diagnostic {
        Diagnostic(
            error.isAbsent ? .note : .error, error.isAbsent ? .certificateNotChecked : .certificate,
            "\(profile.name) is not checked: \(error.reason)", at: profile.origin.range(of: [path]))
    }

    /// A certificate in a variable is base64; PEM text may stand there as it is.
    private static func decodedBase64(_ bytes: [UInt8]) -> [UInt8] {
        Data(base64Encoded: Data(bytes), options: .ignoreUnknownCharacters).map { Array($0) } ?? bytes
    }
}
