internal import Foundation

/// The devices of one batch, as they are written down.
///
/// Per device: two bytes with the length of its token, the token's bytes, and the difference between its installation's
/// row and the former's as a variable-length number; 35 bytes for most.
struct TargetPack {
    /// How many devices there are.
    private(set) var count = 0
    /// What is written.
    private(set) var bytes: [UInt8] = []
    private var lastRow: Int64 = 0

    /// One device.
    struct Target {
        /// Its token in lower-case hexadecimal.
        let token: String
        /// Its installation's row; 0: the registry does not know it.
        let row: Int64
    }

    /// An empty pack.
    init(reserving devices: Int) {
        bytes.reserveCapacity(devices * 36)
    }

    /// Adds a device whose token is an even number of hexadecimal digits; false for any other, which is not added.
    mutating func append(token digits: some Collection<UInt8>, row: Int64) -> Bool {
        let start = bytes.count
        let length = digits.count / 2
        guard digits.count % 2 == 0, length > 0, length <= UInt16.max else { return false }
        bytes.append(UInt8(truncatingIfNeeded: length))
        bytes.append(UInt8(truncatingIfNeeded: length >> 8))
        var high: UInt8?
        for digit in digits {
            guard let value = Self.value(of: digit) else {
                bytes.removeSubrange(start...)
                return false
            }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        let difference = row &- lastRow
        var rest = UInt64(bitPattern: difference << 1 ^ difference >> 63)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
        lastRow = row
        count += 1
        return true
    }

    /// Reads a pack; nil when it is damaged.
    static func targets(in bytes: Data) -> [Target]? {
        bytes.withUnsafeBytes { bytes in
            var targets: [Target] = []
            targets.reserveCapacity(bytes.count / 34)
            var (position, row) = (0, Int64(0))
            while position < bytes.count {
                guard position + 2 <= bytes.count else { return nil }
                let length = Int(bytes[position]) | Int(bytes[position + 1]) << 8
                let end = position + 2 + length
                guard end < bytes.count else { return nil }
                let token = hexadecimal(bytes[(position + 2)..<end])
                position = end
                var (rest, shift, isLast) = (UInt64(0), UInt64(0), false)
                while !isLast {
                    guard position < bytes.count, shift < 64 else { return nil }
                    rest |= UInt64(bytes[position] & 0x7F) << shift
                    isLast = bytes[position] < 0x80
                    shift += 7
                    position += 1
                }
                row &+= Int64(bitPattern: rest >> 1) ^ -Int64(bitPattern: rest & 1)
                targets.append(Target(token: token, row: row))
            }
            return targets
        }
    }

    private static func hexadecimal(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            var position = 0
            for byte in bytes {
                text[position] = digits[Int(byte >> 4)]
                text[position + 1] = digits[Int(byte & 15)]
                position += 2
            }
            return position
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// The badges of a batch's devices and how often each was tried, as they are written down: four bytes and two.
struct TargetTries {
    /// What is written.
    private(set) var bytes = Data()

    /// Adds a device; no badge is 0.
    mutating func append(badge: Int, attempts: Int) {
        withUnsafeBytes(of: UInt32(clamping: badge).littleEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: UInt16(clamping: attempts).littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Reads those of a batch; nil when they are damaged.
    static func tries(in bytes: Data?, count: Int) -> [(badge: Int, attempts: Int)]? {
        guard let bytes else { return Array(repeating: (0, 0), count: count) }
        guard bytes.count == count * 6 else { return nil }
        return bytes.withUnsafeBytes { bytes in
            (0..<count).map { index in
                (
                    Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 6, as: UInt32.self))),
                    Int(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 6 + 4, as: UInt16.self)))
                )
            }
        }
    }
}
