internal import Base
internal import Push
internal import Synchronization

/// Lets the requests of one delivery through until something stops it; called on the senders' threads.
///
/// It is open while the last ``Permission`` lasts, and is shut for good by a refusal that concerns the whole delivery, or
/// when too many tokens belong to another environment.
final class DeliveryGate: Sendable {
    private let isShut = Atomic<Bool>(false)
    private let openFrom = Atomic<Int64>(Int64.min)
    private let openUntil = Atomic<Int64>(Int64.min)
    private let state: Mutex<State>
    private let isStopped: @Sendable () -> Bool
    private let elapsed: @Sendable () -> Duration

    private struct State {
        var judge: EnvironmentJudge
        var stop: DeliveryStop?
        /// The number of times in a row that Apple asked to wait.
        var waits = 0
    }

    /// Creates a gate that stays closed until ``keepOpen(until:)``.
    ///
    /// - Parameters:
    ///   - judge: the counts of the delivery's earlier runs.
    ///   - isStopped: true once the run was asked to stop.
    ///   - elapsed: the time since a fixed moment on a monotonic clock.
    init(
        _ judge: EnvironmentJudge, isStopped: @escaping @Sendable () -> Bool,
        elapsed: @escaping @Sendable () -> Duration
    ) {
        state = Mutex(State(judge: judge))
        self.isStopped = isStopped
        self.elapsed = elapsed
        if judge.isWrongEnvironment { shut(.wrongEnvironment(bad: judge.badTokens, answers: judge.answers)) }
    }

    /// The reason it was shut for good; nil while it was not.
    var stop: DeliveryStop? { state.withLock { $0.stop } }

    /// True when a bad token is the token's own fault, as far as the answers show.
    var isRightEnvironment: Bool { state.withLock { $0.judge.isRightEnvironment } }

    /// The remaining time during which Apple wants nothing of this delivery; at zero or less, sending may continue.
    var hold: Duration { .milliseconds(openFrom.load(ordering: .relaxed)) - elapsed() }

    /// Keeps the gate open until a time.
    func keepOpen(until end: Duration) { openUntil.store(end.milliseconds, ordering: .relaxed) }

    /// Shuts the gate for good; the first cause is kept.
    func shut(_ stop: DeliveryStop) {
        state.withLock { $0.stop = $0.stop ?? stop }
        isShut.store(true, ordering: .releasing)
    }

    /// True while a request may start.
    var isOpen: Bool {
        guard !isShut.load(ordering: .acquiring), !isStopped() else { return false }
        let now = elapsed().milliseconds
        return now < openUntil.load(ordering: .relaxed) && now >= openFrom.load(ordering: .relaxed)
    }

    /// The time on the gate's clock.
    var now: Duration { elapsed() }

    /// Counts an answer, and shuts the gate when it concerns the whole delivery.
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
            // By this point, another provider token on another connection has got the same answer.
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

    /// Holds back new requests for a while; of many simultaneous answers that ask for it, the first counts.
    private func wait(_ delay: Backoff) {
        state.withLock { state in
            guard hold <= .zero else { return }
            state.waits += 1
            openFrom.store((elapsed() + delay.pause(after: state.waits)).milliseconds, ordering: .relaxed)
        }
    }
}
