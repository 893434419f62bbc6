import Synchronization

/// A number that tasks share.
package final class Counter: Sendable {
    private let number = Atomic<Int>(0)

    package init() {}

    package var value: Int { number.load(ordering: .sequentiallyConsistent) }

    /// Adds one; returns the sum.
    @discardableResult package func next() -> Int { number.add(1, ordering: .sequentiallyConsistent).newValue }

    package func raise(to value: Int) { number.max(value, ordering: .sequentiallyConsistent) }
}
