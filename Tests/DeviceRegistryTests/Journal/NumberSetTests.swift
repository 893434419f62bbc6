import Base
import Testing

@testable import DeviceRegistry

@Suite struct NumberSetTests {
    private static func sets(_ random: inout SeededGenerator) -> [[Int64]] {
        let dense = (0..<1000).map { Int64(5_000_000 + $0) }
        let sparse = Set((0..<1000).map { _ in Int64.random(in: 1...10_000_000, using: &random) }).sorted()
        let wide = Set((0..<50).map { _ in Int64.random(in: 1...Int64.max, using: &random) }).sorted()
        let jump: [Int64] = Array(1...900) + [1 << 40, Int64.max - 1, .max]
        let holes = dense.filter { _ in Int.random(in: 0..<10, using: &random) > 0 }
        return [[], [1], [.max], [1, .max], dense, sparse, wide, jump, holes]
    }

    @Test func aSetIsReadAsItWasWritten() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<20 {
            for set in Self.sets(&random) { #expect(NumberSet.numbers(NumberSet.pack(set)) == set) }
        }
    }

    @Test func aWholeBatchTakesABitANumberAndASparseOneFewMoreThanItsGaps() {
        var random = SeededGenerator(seed: 4)
        let sets = Self.sets(&random)
        #expect(NumberSet.pack(sets[4]).count <= 1000 / 8 + 20)
        // Gaps of 10,000 need 13.3 bits.
        #expect(NumberSet.pack(sets[5]).count * 8 < 1000 * 16)
        // One far away costs its own bits only.
        #expect(NumberSet.pack(sets[7]).count < 900 * 45 / 8)
    }

    @Test func aDamagedSetIsNotReadAndNeverTakesLong() {
        var random = SeededGenerator(seed: 5)
        let packed = NumberSet.pack(Self.sets(&random)[8])
        for length in 1..<packed.count { #expect(NumberSet.numbers(Array(packed.prefix(length))) == nil) }
        for _ in 0..<2000 {
            var damaged = packed
            damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            if let numbers = NumberSet.numbers(damaged) {
                #expect(numbers.count <= damaged.count * 8)
                #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
            }
        }
        #expect(NumberSet.numbers(Array(repeating: 0xFF, count: 40)) == nil)
    }

    @Test func countsAreThoseOfNaiveSets() {
        var random = SeededGenerator(seed: 6)
        var (counts, naive) = (ReachCounts(), [Int64: Int]())
        for _ in 0..<5 {
            var set = ReachedSet()
            var numbers: Set<Int64> = []
            for _ in 0..<30 {
                let some = Set((0..<40).map { _ in Int64.random(in: 1...200_000, using: &random) }).sorted()
                set.insert(some)
                numbers.formUnion(some)
            }
            var listed: [Int64] = []
            set.eachBlock { _, some in listed += some }
            #expect(listed == numbers.sorted())
            counts.add(set)
            for number in numbers { naive[number, default: 0] += 1 }
        }
        for number in (0..<2000).map({ _ in Int64.random(in: 1...200_000, using: &random) }) + naive.keys {
            #expect(counts[number] == naive[number] ?? 0)
        }
        #expect(counts[0] == 0)
    }

    @Test func moreDeliveriesThanAByteCountsAreMany() {
        var (set, counts) = (ReachedSet(), ReachCounts())
        set.insert([7])
        for _ in 0..<300 { counts.add(set) }
        #expect(counts[7] == 255)
        #expect(counts[8] == 0)
    }
}
