import DeviceRegistry
import PushModel
import PushRemote
import Synchronization

/// A clock that waits move.
final class FakeClock: Sendable {
    private let passed = Mutex(Duration.zero)

    /// 2026-11-20T12:00:00Z.
    static let start = Timestamp(milliseconds: 1_795_176_000_000)

    var elapsed: Duration { passed.withLock { $0 } }

    var now: Timestamp { Timestamp(milliseconds: Self.start.milliseconds + elapsed.milliseconds) }

    func advance(_ duration: Duration) { passed.withLock { $0 += duration } }
}

/// Moves the clock instead of waiting, and ends when the run is asked to.
struct FakePause: Pausing {
    let clock: FakeClock
    var isOver: @Sendable () -> Bool = { false }

    func pause(for duration: Duration) async throws(CancellationError) {
        if isOver() || Task.isCancelled { throw CancellationError() }
        clock.advance(duration)
        await Task.yield()
    }
}

/// Ends at once: a run without a heartbeat.
struct NoPause: Pausing {
    func pause(for duration: Duration) async throws(CancellationError) { throw CancellationError() }
}

/// Whether a run still lives: one that was killed does nothing any more.
final class Life: Sendable {
    private let state = Mutex((left: Int.max, isOver: false))

    /// Lives until so many of its acts have happened.
    init(acts: Int = .max) { state.withLock { $0.left = acts } }

    var isOver: Bool { state.withLock { $0.isOver } }

    func end() { state.withLock { $0.isOver = true } }

    /// One act; false when the run was dead, or dies of it.
    func act() -> Bool {
        state.withLock { state in
            if state.left == 0 { state.isOver = true }
            state.left -= 1
            return !state.isOver
        }
    }
}
