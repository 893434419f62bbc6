/// The certificate that a client presents when a TLS connection is made.
package struct ClientCertificate: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The certificate followed by its issuers, as PEM.
    package let chainPEM: [UInt8]
    /// The unencrypted private key, as PEM.
    package let keyPEM: [UInt8]

    package init(chainPEM: [UInt8], keyPEM: [UInt8]) {
        self.chainPEM = chainPEM
        self.keyPEM = keyPEM
    }

    /// The type's name only, never the content.
    package var description: String { "ClientCertificate" }

    /// Without children, so that `dump` and reflection do not reach the key.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
