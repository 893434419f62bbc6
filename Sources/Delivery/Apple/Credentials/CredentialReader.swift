internal import Base
internal import FoundationEssentials
package import Push

/// Reads the certificates and keys of profiles.
package struct CredentialReader: Sendable {
    private let secrets: SecretReader

    /// Reads with these secrets.
    package init(_ secrets: SecretReader) { self.secrets = secrets }

    /// The reason a profile's credential cannot be used.
    package enum Failure: Error, CustomStringConvertible {
        /// A file or secret is missing, or cannot be read.
        case unavailable(SecretReader.Unavailable)
        /// The data is no certificate or key, or they do not match.
        case unusable(CredentialError)

        /// The problem, without anything secret.
        package var description: String {
            switch self {
            case .unavailable(let error): error.reason
            case .unusable(let error): error.description
            }
        }
    }

    /// The profile's certificate or key.
    ///
    /// - Throws: ``Failure``, without anything secret.
    package func credential(of profile: DeviceProfile) throws(Failure) -> PushCredential {
        switch profile.credential {
        case .certificate(let source, let key, let passphrase):
            var bytes = try bytes(source)
            if case .environment = source { bytes = Self.decodedBase64(bytes) }
            var secret: Secret?
            if let passphrase {
                do throws(SecretReader.Unavailable) {
                    secret = try secrets.secret(passphrase)
                } catch {
                    throw .unavailable(error)
                }
            }
            var separateKey: [UInt8]?
            if let key { separateKey = try self.bytes(key) }
            do throws(CredentialError) {
                return .certificate(
                    try CertificateIdentity.read(bytes, passphrase: secret, separateKey: separateKey))
            } catch {
                throw .unusable(error)
            }
        case .token(let teamId, let keyId, let key):
            let bytes = try bytes(key)
            do throws(CredentialError) {
                return .token(key: try SigningKey.read(bytes), teamID: teamId, keyID: keyId)
            } catch {
                throw .unusable(error)
            }
        }
    }

    private func bytes(_ source: SecretSource) throws(Failure) -> [UInt8] {
        do throws(SecretReader.Unavailable) {
            return try secrets.bytes(source)
        } catch {
            throw .unavailable(error)
        }
    }

    /// A certificate in a variable is base64; PEM text may stand there as it is.
    private static func decodedBase64(_ bytes: [UInt8]) -> [UInt8] {
        Data(base64Encoded: Data(bytes), options: .ignoreUnknownCharacters).map { Array($0) } ?? bytes
    }
}
