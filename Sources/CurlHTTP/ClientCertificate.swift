/// What a client shows of itself when a TLS connection is made.
package struct ClientCertificate: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The certificate and then its issuers, as PEM.
    package let chainPEM: [UInt8]
    /// The unencrypted private key, as PEM.
    package let keyPEM: [UInt8]

    /// Joins the two.
    package init(chainPEM: [UInt8], keyPEM: [UInt8]) {
        self.chainPEM = chainPEM
        self.keyPEM = keyPEM
    }

    /// Never its content.
    package var description: String { "ClientCertificate" }

    /// Without children, so that `dump` and reflection do not reach the key.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
