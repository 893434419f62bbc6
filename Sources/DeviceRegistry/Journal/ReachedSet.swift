/// The installations that one delivery was sent to, by their numbers in the registry.
package struct ReachedSet: Sendable {
    /// Bitmaps of ``width`` numbers each.
    private var blocks: [Int64: [UInt64]] = [:]

    /// The numbers of one block.
    static let width: Int64 = 65_536

    /// Creates an empty set.
    package init() {}

    /// Adds numbers, which are fastest in ascending order.
    package mutating func insert(_ numbers: [Int64]) {
        var start = numbers.startIndex
        while start < numbers.endIndex {
            let block = numbers[start] / Self.width
            let end = numbers[start...].firstIndex { $0 / Self.width != block } ?? numbers.endIndex
            Self.insert(numbers[start..<end], into: &blocks[block, default: Self.empty])
            start = end
        }
    }

    private static let empty = [UInt64](repeating: 0, count: Int(width / 64))

    private static func insert(_ numbers: ArraySlice<Int64>, into bits: inout [UInt64]) {
        for number in numbers {
            let place = Int(number % width)
            bits[place / 64] |= 1 << UInt64(place % 64)
        }
    }

    /// True if it has a number.
    package func contains(_ number: Int64) -> Bool {
        guard number > 0, let bits = blocks[number / Self.width] else { return false }
        let place = Int(number % Self.width)
        return bits[place / 64] & 1 << UInt64(place % 64) != 0
    }

    /// Calls `body` with each block that holds any numbers, and these, ascending.
    package func eachBlock(_ body: (_ block: Int64, _ numbers: [Int64]) throws -> Void) rethrows {
        for block in blocks.keys.sorted() {
            var numbers: [Int64] = []
            for (word, bits) in (blocks[block] ?? []).enumerated() where bits != 0 {
                var rest = bits
                while rest != 0 {
                    numbers.append(block * Self.width + Int64(word * 64 + rest.trailingZeroBitCount))
                    rest &= rest - 1
                }
            }
            if !numbers.isEmpty { try body(block, numbers) }
        }
    }
}

/// The number of deliveries that reached each installation.
///
/// It takes one byte an installation: more than 255 deliveries count as 255.
package struct ReachCounts: Sendable {
    private var blocks: [Int64: [UInt8]] = [:]

    /// Creates counts of no delivery.
    package init() {}

    /// Adds a delivery.
    package mutating func add(_ set: ReachedSet) {
        set.eachBlock { block, numbers in
            Self.add(numbers, to: &blocks[block, default: [UInt8](repeating: 0, count: Int(ReachedSet.width))])
        }
    }

    private static func add(_ numbers: [Int64], to counts: inout [UInt8]) {
        for number in numbers {
            let place = Int(number % ReachedSet.width)
            if counts[place] < .max { counts[place] += 1 }
        }
    }

    /// The number of deliveries that reached the installation with a number; 0 for number 0, which stands for a device
    /// that is not registered.
    package subscript(number: Int64) -> Int {
        guard number > 0, let counts = blocks[number / ReachedSet.width] else { return 0 }
        return Int(counts[Int(number % ReachedSet.width)])
    }
}
