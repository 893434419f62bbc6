/// A compact set of installations, by their numbers in the registry.
///
/// The gaps between neighbours are Golomb-Rice codes: a set without gaps takes one bit a number, one in 10,000 numbers
/// takes about fifteen. Source: R. F. Rice, "Some Practical Universal Noiseless Coding Techniques", 1979.
package enum NumberSet {
    /// A quotient of so many ones is followed by the gap itself.
    private static let longestQuotient: UInt64 = 40

    /// Packs distinct numbers in ascending order.
    package static func pack(_ numbers: [Int64]) -> [UInt8] {
        guard let first = numbers.first else { return [] }
        // The mean length of the gaps: a few large ones do not count for all.
        let lengths = zip(numbers, numbers.dropFirst()).reduce(0) { sum, pair in
            sum + 64 - (UInt64(pair.1 &- pair.0) &- 1).leadingZeroBitCount
        }
        let width = UInt64(numbers.count == 1 ? 0 : lengths / (numbers.count - 1))
        var bits = BitWriter()
        bits.write(UInt64(numbers.count), 64)
        bits.write(UInt64(bitPattern: first), 64)
        bits.write(width, 8)
        for (previous, number) in zip(numbers, numbers.dropFirst()) {
            let gap = UInt64(number &- previous) &- 1
            let quotient = gap >> width
            if quotient < longestQuotient {
                bits.write(1 << quotient - 1, quotient)
                bits.write(0, 1)
                bits.write(gap & (1 << width - 1), width)
            } else {
                bits.write(1 << longestQuotient - 1, longestQuotient)
                bits.write(gap, 64)
            }
        }
        return bits.bytes
    }

    /// Returns the packed numbers, ascending; nil when they are damaged.
    package static func numbers(_ packed: [UInt8]) -> [Int64]? {
        guard !packed.isEmpty else { return [] }
        return packed.withUnsafeBufferPointer { bytes in
            var bits = BitReader(bytes: bytes)
            guard let count = bits.read(64), let first = bits.read(64), let width = bits.read(8), width < 64,
                // Each gap takes at least one bit.
                count > 0, count <= UInt64(bytes.count * 8)
            else { return nil }
            var number = Int64(bitPattern: first)
            var numbers = [number]
            numbers.reserveCapacity(Int(count))
            for _ in 1..<max(count, 1) {
                var quotient: UInt64 = 0
                while quotient < longestQuotient {
                    guard let bit = bits.read(1) else { return nil }
                    if bit == 0 { break }
                    quotient += 1
                }
                let isLong = quotient == longestQuotient
                guard let rest = bits.read(isLong ? 64 : width) else { return nil }
                let gap = isLong ? rest : quotient << width | rest
                let next = number.addingReportingOverflow(Int64(bitPattern: gap &+ 1))
                guard !next.overflow, next.partialValue > number else { return nil }
                number = next.partialValue
                numbers.append(number)
            }
            return numbers
        }
    }
}

/// Writes numbers of few bits one after the other.
private struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var used: UInt64 = 0

    /// Writes the lowest `count` bits of a number, the lowest first.
    mutating func write(_ number: UInt64, _ count: UInt64) {
        var (rest, left) = (number, count)
        while left > 0 {
            if used == 0 { bytes.append(0) }
            let taken = min(8 - used, left)
            bytes[bytes.count - 1] |= UInt8(truncatingIfNeeded: rest & (1 << taken - 1)) << UInt8(used)
            rest >>= taken
            left -= taken
            used = (used + taken) % 8
        }
    }
}

/// Reads what a ``BitWriter`` wrote.
private struct BitReader {
    let bytes: UnsafeBufferPointer<UInt8>
    private var position: UInt64 = 0

    init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Reads a number of `count` bits; nil at the end.
    mutating func read(_ count: UInt64) -> UInt64? {
        guard position + count <= UInt64(bytes.count) * 8 else { return nil }
        var (number, done): (UInt64, UInt64) = (0, 0)
        while done < count {
            let used = position % 8
            let taken = min(8 - used, count - done)
            let part = UInt64(bytes[Int(position / 8)] >> UInt8(used)) & (1 << taken - 1)
            number |= part << done
            done += taken
            position += taken
        }
        return number
    }
}
