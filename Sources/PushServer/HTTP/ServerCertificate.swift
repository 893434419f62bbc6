internal import FoundationEssentials
internal import NIOSSL

/// The server's TLS certificate with its key.
///
/// TLS 1.2 and 1.3 are supported, with forward-secret, authenticated ciphers only.
package struct ServerCertificate: Sendable {
    /// The time the certificate expires, in seconds since 1970.
    package let notAfter: Int
    let tls: TLSConfiguration

    /// The ciphers for TLS 1.2; all of 1.3 qualify.
    private static let ciphers = ["AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305"]
        .map { "ECDHE-ECDSA-\($0):ECDHE-RSA-\($0)" }.joined(separator: ":")

    /// Reads a certificate and its key from PEM files.
    ///
    /// - Parameters:
    ///   - path: the certificate, followed by the chain that signed it.
    ///   - keyPath: the private key, without a password.
    /// - Throws: ``PushServerError`` if a file cannot be read, or if certificate and key do not match.
    package init(path: String, keyPath: String) throws(PushServerError) {
        let chain: [NIOSSLCertificate]
        let key: NIOSSLPrivateKey
        do {
            chain = try NIOSSLCertificate.fromPEMBytes(Self.bytes(path, "certificate"))
        } catch let error as PushServerError {
            throw error
        } catch {
            throw PushServerError(description: "the certificate '\(path)' is not a PEM file of certificates")
        }
        do {
            key = try NIOSSLPrivateKey(bytes: Self.bytes(keyPath, "key of the certificate"), format: .pem)
        } catch let error as PushServerError {
            throw error
        } catch {
            throw PushServerError(
                description: "the key of the certificate '\(keyPath)' is not a PEM file of an unencrypted key")
        }
        guard let leaf = chain.first else {
            throw PushServerError(description: "the certificate '\(path)' contains no certificate")
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
