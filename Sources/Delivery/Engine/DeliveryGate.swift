internal import Base
package import Push
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

/// The gate of one batch: no request of it starts later than others give it up.
package final class BatchGate: Sendable {
    private let delivery: DeliveryGate
    private let end: Duration
    private let over: Duration
    private let heldBack = Atomic<Bool>(false)

    /// The gate of a batch whose requests may start until `end`, and while its part is not `over`.
    init(_ delivery: DeliveryGate, until end: Duration, over: Duration) {
        self.delivery = delivery
        self.end = end
        self.over = over
    }

    /// True if the delivery's gate was closed to one of its requests, or its time was over: that those were not sent
    /// says nothing of Apple.
    var wasHeldBack: Bool { heldBack.load(ordering: .acquiring) }

    /// True while a request may start.
    package var isOpen: Bool {
        guard delivery.isOpen, delivery.now < over else {
            heldBack.store(true, ordering: .releasing)
            return false
        }
        return delivery.now < end
    }

    /// Passes on an answer.
    package func note(_ answer: Verdict) { delivery.note(answer) }
}

/// Judges from a delivery's answers whether it uses the right one of Apple's environments, so that a mix-up never wipes
/// a registry.
///
/// A plain counter; every answer must be reported to it.
package struct EnvironmentJudge: Hashable, Sendable {
    /// Answers so far: accepted or refused.
    package private(set) var answers: Int = 0
    /// The number of 200 answers.
    package private(set) var accepted: Int = 0
    /// The number of `BadDeviceToken` answers.
    package private(set) var badTokens: Int = 0

    /// The number of answers from which the share of bad tokens is significant.
    package static let enough = 200

    /// Counts an answer; a request that was not sent or not answered is not counted.
    package mutating func note(_ answer: Verdict) {
        switch answer {
        case .accepted:
            answers += 1
            accepted += 1
        case .refused(let proof):
            answers += 1
            if case .apple(.badDeviceToken, _) = proof { badTokens += 1 }
        case .notSent, .unknown: break
        }
    }

    /// True when the delivery must stop: over 20 % of at least 200 answers were `BadDeviceToken`. Apple closes such
    /// connections.
    package var isWrongEnvironment: Bool { answers >= Self.enough && badTokens * 5 > answers }

    /// True when `BadDeviceToken` marks any token, not only one that was accepted in this environment before: at least
    /// 90 % of the answers were 200.
    package var isRightEnvironment: Bool { answers > 0 && accepted * 10 >= answers * 9 }
}
