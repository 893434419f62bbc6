internal import Basics
internal import PushModel
internal import Synchronization

/// Lets the requests of one delivery through until something stops it; asked on the senders' threads.
///
/// It is open as long as the last ``Permission`` says and the delivery's own time lasts, and shut for good by a refusal
/// that means the whole delivery, or when too many tokens are another environment's.
final class DeliveryGate: Sendable {
    private let isShut = Atomic<Bool>(false)
    private let openFrom = Atomic<Int64>(Int64.min)
    private let openUntil = Atomic<Int64>(Int64.min)
    private let overFrom = Atomic<Int64>(Int64.max)
    private let state: Mutex<State>
    private let isStopped: @Sendable () -> Bool
    private let elapsed: @Sendable () -> Duration

    private struct State {
        var judge: EnvironmentJudge
        var stop: DeliveryStop?
        /// How often in a row Apple asked to wait.
        var waits = 0
    }

    /// A gate that is closed until ``keepOpen(until:)``.
    ///
    /// - Parameters:
    ///   - judge: what the delivery's earlier runs came to.
    ///   - isStopped: whether the run was asked to end.
    ///   - elapsed: time since any fixed moment, on a clock that nobody sets.
    init(
        _ judge: EnvironmentJudge, isStopped: @escaping @Sendable () -> Bool,
        elapsed: @escaping @Sendable () -> Duration
    ) {
        state = Mutex(State(judge: judge))
        self.isStopped = isStopped
        self.elapsed = elapsed
        if judge.isWrongEnvironment { shut(.wrongEnvironment(bad: judge.badTokens, answers: judge.answers)) }
    }

    /// Why it was shut for good; nil: it was not.
    var stop: DeliveryStop? { state.withLock { $0.stop } }

    /// Whether a bad token is the token's own fault, as far as the answers tell.
    var isRightEnvironment: Bool { state.withLock { $0.judge.isRightEnvironment } }

    /// How long Apple wants nothing of this delivery; zero or less: it may go on.
    var hold: Duration { .milliseconds(openFrom.load(ordering: .relaxed)) - elapsed() }

    /// Opens it until then.
    func keepOpen(until end: Duration) { openUntil.store(end.milliseconds, ordering: .relaxed) }

    /// Says when the delivery is over; nil: never.
    func end(at end: Duration?) { overFrom.store(end?.milliseconds ?? .max, ordering: .relaxed) }

    /// Shuts it for good; the first cause stays.
    func shut(_ stop: DeliveryStop) {
        state.withLock { $0.stop = $0.stop ?? stop }
        isShut.store(true, ordering: .releasing)
    }

    /// Whether a request may start.
    var isOpen: Bool {
        guard !isShut.load(ordering: .acquiring), !isStopped() else { return false }
        let now = elapsed().milliseconds
        return now < min(openUntil.load(ordering: .relaxed), overFrom.load(ordering: .relaxed))
            && now >= openFrom.load(ordering: .relaxed)
    }

    /// Time on the gate's clock.
    var now: Duration { elapsed() }

    /// Counts an answer, and shuts the gate when it means the whole delivery.
    func note(_ answer: Verdict) {
        switch answer {
        case .notSent, .unknown, .refused(.noBodyGiven), .refused(.streamRefused), .refused(.leanCloud),
            .refused(.record):
            return
        case .accepted:
            state.withLock { state in
                state.judge.note(answer)
                state.waits = 0
            }
        case .refused(.apple(let reason, _)):
            switch reason.row.decision {
            // One that comes this far was answered so again with another provider token, on another connection.
            case .giveUp, .renew: shut(.refused(reason))
            case .wait(let delay): wait(delay)
            case .dropToken, .dropTokenIfEnvironmentIsRight, .refuseToken, .retry, .reconnect: break
            }
            let judge = state.withLock { state in
                state.judge.note(answer)
                return state.judge
            }
            if judge.isWrongEnvironment { shut(.wrongEnvironment(bad: judge.badTokens, answers: judge.answers)) }
        }
    }

    /// Nothing starts for a while; of many answers that ask for it at once the first counts.
    private func wait(_ delay: Backoff) {
        state.withLock { state in
            guard hold <= .zero else { return }
            state.waits += 1
            openFrom.store((elapsed() + delay.pause(after: state.waits)).milliseconds, ordering: .relaxed)
        }
    }
}
