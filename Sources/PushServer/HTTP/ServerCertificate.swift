internal import FoundationEssentials
internal import NIOSSL

/// The certificate that a server shows, with its key.
///
/// TLS 1.2 and 1.3 are spoken, with ciphers that keep what was sent secret when the key becomes known, and detect changes.
package struct ServerCertificate: Sendable {
    /// After this time clients refuse it, in seconds since 1970.
    package let notAfter: Int
    let tls: TLSConfiguration

    /// Those of TLS 1.2; all of 1.3 are of this kind.
    private static let ciphers = ["AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305"]
        .map { "ECDHE-ECDSA-\($0):ECDHE-RSA-\($0)" }.joined(separator: ":")

    /// Reads PEM files.
    ///
    /// - Parameters:
    ///   - path: the certificate, followed by those that signed it.
    ///   - keyPath: its key, without a password.
    /// - Throws: ``PushServerError`` when a file cannot be read, or when they do not belong together.
    package init(path: String, keyPath: String) throws(PushServerError) {
        let chain: [NIOSSLCertificate]
        let key: NIOSSLPrivateKey
        do {
            chain = try NIOSSLCertificate.fromPEMBytes(Self.bytes(path, "certificate"))
        } catch let error as PushServerError {
            throw error
        } catch {
            throw PushServerError(description: "the certificate '\(path)' is no PEM file of certificates")
        }
        do {
            key = try NIOSSLPrivateKey(bytes: Self.bytes(keyPath, "key of the certificate"), format: .pem)
        } catch let error as PushServerError {
            throw error
        } catch {
            throw PushServerError(
                description: "the key of the certificate '\(keyPath)' is no PEM file of a key without a password")
        }
        guard let leaf = chain.first else {
            throw PushServerError(description: "the certificate '\(path)' holds none")
        }
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        tls.minimumTLSVersion = .tlsv12
        tls.cipherSuites = Self.ciphers
        tls.applicationProtocols = ["http/1.1"]
        do {
            _ = try NIOSSLContext(configuration: tls)
        } catch {
            throw PushServerError(description: "the key '\(keyPath)' does not belong to the certificate '\(path)'")
        }
        self.tls = tls
        notAfter = leaf.notValidAfter
    }

    private static func bytes(_ path: String, _ name: String) throws(PushServerError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw PushServerError(description: "the \(name) '\(path)' cannot be read")
        }
        return Array(data)
    }
}
