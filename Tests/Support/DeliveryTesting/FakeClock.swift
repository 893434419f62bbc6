internal import Base
internal import DeviceRegistry
package import Push
internal import Synchronization

/// A clock that waits move.
package final class FakeClock: Sendable {
    private let passed = Mutex(Duration.zero)

    /// A clock that shows ``start``.
    package init() {}

    /// 2026-11-20T12:00:00Z.
    package static let start = Instant(milliseconds: 1_795_176_000_000)

    /// Time since it began.
    package var elapsed: Duration { passed.withLock { $0 } }

    /// The time.
    package var now: Instant { Instant(milliseconds: Self.start.milliseconds + elapsed.milliseconds) }

    /// Lets time pass.
    package func advance(_ duration: Duration) { passed.withLock { $0 += duration } }
}

/// Moves the clock instead of waiting, and ends when the run is asked to.
package struct FakePause: Pausing {
    private let clock: FakeClock
    private let isOver: @Sendable () -> Bool

    /// Waits on a clock, until `isOver`.
    package init(clock: FakeClock, isOver: @escaping @Sendable () -> Bool = { false }) {
        self.clock = clock
        self.isOver = isOver
    }

    package func pause(for duration: Duration) async throws(CancellationError) {
        if isOver() || Task.isCancelled { throw CancellationError() }
        clock.advance(duration)
        await Task.yield()
    }
}

/// Ends at once: a run without a heartbeat.
package struct NoPause: Pausing {
    /// Makes one.
    package init() {}

    package func pause(for duration: Duration) async throws(CancellationError) { throw CancellationError() }
}

/// The life of a run: one that was killed does nothing any more.
package final class Life: Sendable {
    private let state = Mutex((left: Int.max, isOver: false))
    private let isOverElsewhere: @Sendable () -> Bool
    private let actElsewhere: @Sendable () -> Void

    /// Lives until so many of its acts have happened.
    package init(acts: Int = .max) {
        (isOverElsewhere, actElsewhere) = ({ false }, {})
        state.withLock { $0.left = acts }
    }

    /// Lives as long as somebody else says, who hears of each act.
    package init(isOver: @escaping @Sendable () -> Bool, act: @escaping @Sendable () -> Void) {
        (isOverElsewhere, actElsewhere) = (isOver, act)
    }

    /// True once it was killed.
    package var isOver: Bool { isOverElsewhere() || state.withLock { $0.isOver } }

    /// Kills it now.
    package func end() { state.withLock { $0.isOver = true } }

    /// One act; false when the run was dead, or dies of it.
    package func act() -> Bool {
        actElsewhere()
        state.withLock { state in
            if state.left == 0 { state.isOver = true }
            state.left -= 1
        }
        return !isOver
    }
}
