internal import Base

/// The devices of one batch, in packed form.
///
/// Per device: two bytes with the length of its token, the token's bytes, and the difference between its installation's
/// row and the previous one as a variable-length integer; 35 bytes for most.
package struct TargetPack: Sendable {
    /// The packed bytes.
    package private(set) var bytes: [UInt8] = []
    /// The rows of the installations, 0 for unregistered devices.
    package private(set) var rows: [Int64] = []
    private var tokens: [Range<Int>] = []

    /// Creates an empty pack.
    package init(reserving devices: Int) {
        bytes.reserveCapacity(devices * 36)
        rows.reserveCapacity(devices)
        tokens.reserveCapacity(devices)
    }

    /// The number of devices.
    package var count: Int { rows.count }

    /// Adds a device; its token has an even number of hexadecimal digits, see ``isToken(_:)``.
    package mutating func append(token digits: [UInt8], row: Int64) {
        let length = digits.count / 2
        bytes.append(UInt8(truncatingIfNeeded: length))
        bytes.append(UInt8(truncatingIfNeeded: length >> 8))
        let start = bytes.count
        digits.withUnsafeBufferPointer { digits in
            func value(_ place: Int) -> UInt8 { digits[place].hexadecimalValue ?? 0 }
            for index in 0..<length { bytes.append(value(index * 2) << 4 | value(index * 2 + 1)) }
        }
        tokens.append(start..<bytes.count)
        let difference = row &- (rows.last ?? 0)
        var rest = UInt64(bitPattern: difference << 1 ^ difference >> 63)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
        rows.append(row)
    }

    /// Decodes packed bytes; nil when they are damaged.
    package init?(_ written: [UInt8]) {
        bytes = written
        rows.reserveCapacity(bytes.count / 34)
        tokens.reserveCapacity(bytes.count / 34)
        let isWhole = bytes.withUnsafeBufferPointer { bytes in
            var (position, row) = (0, Int64(0))
            while position < bytes.count {
                guard position + 2 <= bytes.count else { return false }
                let start = position + 2
                position = start + Int(bytes[position]) + Int(bytes[position + 1]) << 8
                guard position < bytes.count else { return false }
                tokens.append(start..<position)
                var (rest, shift, isLast) = (UInt64(0), UInt64(0), false)
                while !isLast {
                    guard position < bytes.count, shift < 64 else { return false }
                    rest |= UInt64(bytes[position] & 0x7F) << shift
                    isLast = bytes[position] < 0x80
                    shift += 7
                    position += 1
                }
                row &+= Int64(bitPattern: rest >> 1) ^ -Int64(bitPattern: rest & 1)
                rows.append(row)
            }
            return true
        }
        guard isWhole else { return nil }
    }

    /// The token of a device, in lower-case hexadecimal.
    package func token(_ index: Int) -> String {
        bytes.withUnsafeBufferPointer { bytes in
            let range = tokens[index]
            return String(unsafeUninitializedCapacity: range.count * 2) { text in
                for offset in 0..<range.count {
                    let byte = bytes[range.lowerBound + offset]
                    text[offset * 2] = (byte >> 4).hexadecimalDigit
                    text[offset * 2 + 1] = (byte & 15).hexadecimalDigit
                }
                return range.count * 2
            }
        }
    }

    /// The tokens as a PostgreSQL array literal: `{00ff,01fe}`.
    package func list(except failed: Set<Int> = []) -> String {
        String(unsafeUninitializedCapacity: 2 * bytes.count + 2) { text in
            bytes.withUnsafeBufferPointer { bytes in
                text[0] = UInt8(ascii: "{")
                var end = 1
                for (index, range) in tokens.enumerated() where failed.isEmpty || !failed.contains(index) {
                    if end > 1 {
                        text[end] = UInt8(ascii: ",")
                        end += 1
                    }
                    for byte in bytes[range] {
                        text[end] = (byte >> 4).hexadecimalDigit
                        text[end + 1] = (byte & 15).hexadecimalDigit
                        end += 2
                    }
                }
                text[end] = UInt8(ascii: "}")
                return end + 1
            }
        }
    }

    /// True for a device token: an even number of hexadecimal digits.
    ///
    /// Source: docs/background/apple/requests.md#request.
    package static func isToken(_ text: [UInt8]) -> Bool {
        guard !text.isEmpty, text.count % 2 == 0, text.count / 2 <= UInt16.max else { return false }
        return text.withUnsafeBufferPointer { $0.allSatisfy(\.isHexadecimal) }
    }
}
