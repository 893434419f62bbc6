/// A file of certificates in PEM form, one after the other.
package enum CertificateBundle {
    /// The number of readable certificates in the bundle; other blocks are skipped.
    package static func count(in bytes: [UInt8]) -> Int {
        PEMBlock.blocks(in: bytes).count { block in
            block.label.hasSuffix("CERTIFICATE") && !(block.der ?? []).isEmpty
        }
    }
}
