import Synchronization

/// A number that tasks share.
final class Counter: Sendable {
    private let number = Atomic<Int>(0)

    var value: Int { number.load(ordering: .sequentiallyConsistent) }

    /// Adds one, and gives the number before.
    @discardableResult
    func count() -> Int { number.add(1, ordering: .sequentiallyConsistent).oldValue }

    func raise(to value: Int) { number.max(value, ordering: .sequentiallyConsistent) }
}
