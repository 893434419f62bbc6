internal import Crypto

/// The `apns-id` of one notification to one device: a UUID.
///
/// It is derived from the delivery and the token, so that a token that is sent to again gets the same id.
package struct APNsID: Hashable, Sendable {
    /// The first eight bytes.
    private let high: UInt64
    /// The last eight bytes.
    private let low: UInt64

    /// The first 16 bytes of SHA-256 over `delivery \n token`, marked as a version 8 UUID (RFC 9562).
    package init(delivery: String, token: String) {
        self = APNsIDs(delivery: delivery).id(for: token)
    }

    fileprivate init(_ digest: SHA256Digest) {
        // The digest has 32 bytes.
        (high, low) = unsafe digest.withUnsafeBytes { bytes in
            let high = unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
            let low = unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            return (high & ~0xF000 | 0x8000, low & ~(0b11 << 62) | 0b10 << 62)
        }
    }

    /// The lower-case text, 8-4-4-4-12.
    package var text: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the text as 36 bytes of ASCII, without allocating anything else.
    package func append(to result: inout [UInt8]) {
        for index in 0..<16 {
            if index == 4 || index == 6 || index == 8 || index == 10 { result.append(UInt8(ascii: "-")) }
            let word = index < 8 ? high : low
            let byte = UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * (index % 8)))
            result.append(Self.digit(byte >> 4))
            result.append(Self.digit(byte & 15))
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }
}

/// Derives the ids of one delivery; the shared part is hashed once.
package struct APNsIDs {
    private var start = SHA256()

    /// Starts with the delivery's id.
    package init(delivery: String) {
        start.update(delivery)
        start.update("\n")
    }

    /// The id of the delivery's notification to one device.
    package func id(for token: String) -> APNsID {
        var hash = start
        hash.update(token)
        return APNsID(hash.finalize())
    }
}

extension SHA256 {
    /// Hashes a text's UTF-8 without allocating.
    fileprivate mutating func update(_ text: String) {
        var text = text
        // Read only during the call.
        text.withUTF8 { bytes in unsafe update(bufferPointer: UnsafeRawBufferPointer(bytes)) }
    }
}
