internal import Synchronization

/// Raised once, from any task.
package final class Flag: Sendable {
    private let raised = Atomic<Bool>(false)

    /// One that is not raised.
    package init() {}

    /// True once it is raised.
    package var isRaised: Bool { raised.load(ordering: .acquiring) }

    /// Raises it, for good.
    package func raise() { raised.store(true, ordering: .releasing) }
}
