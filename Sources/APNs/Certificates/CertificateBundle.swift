/// A file of certificates in PEM form, one after the other.
package enum CertificateBundle {
    /// How many certificates it holds whose bytes can be read; other blocks are passed over.
    package static func count(in bytes: [UInt8]) -> Int {
        PEMBlock.blocks(in: bytes).count { block in
            block.label.hasSuffix("CERTIFICATE") && !(block.der ?? []).isEmpty
        }
    }
}
