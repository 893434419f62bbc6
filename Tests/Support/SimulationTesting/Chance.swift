internal import Base

/// The decisions of a seed.
package struct Chance: Sendable {
    private var generator: SeededGenerator

    /// Decisions of this seed.
    package init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// A number from 0.
    package mutating func number(below end: Int) -> Int {
        // The generator's numbers are even enough for that.
        Int(truncatingIfNeeded: generator.next() % UInt64(max(1, end)))
    }

    /// A number of a range.
    package mutating func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + number(below: range.count)
    }

    /// True as often as the given number in a thousand.
    package mutating func happens(_ perMille: Int) -> Bool { number(below: 1000) < perMille }

    /// One of them.
    package mutating func one<Value>(of values: [Value]) -> Value { values[number(below: values.count)] }

    /// A duration up to so long.
    package mutating func duration(below end: Duration) -> Duration {
        .milliseconds(number(below: Int(end / .milliseconds(1))))
    }
}
