internal import APNs
internal import PushModel
internal import Synchronization

/// Lets the requests of one delivery through until something stops it; asked on the senders' threads.
///
/// It is open for ``DeliveryPermit/grace`` after each time that the lock certainly held, and shut for good by a
/// refusal that means the whole delivery, or when too many tokens are another environment's.
final class DeliveryGate: Sendable {
    private let isShut = Atomic<Bool>(false)
    private let openUntil = Atomic<Int64>(Int64.min)
    private let accepted: Atomic<Int>
    private let answers: Atomic<Int>
    private let badTokens: Atomic<Int>
    private let cause = Mutex<DeliveryStop?>(nil)
    private let isStopped: @Sendable () -> Bool
    private let elapsed: @Sendable () -> Duration

    /// A gate that is closed until ``keepOpen(since:)``.
    ///
    /// - Parameters:
    ///   - accepted, answers, badTokens: what the delivery's earlier runs came to.
    ///   - isStopped: whether the run was asked to end.
    ///   - elapsed: time since any fixed moment, on a clock that nobody sets.
    init(
        accepted: Int, answers: Int, badTokens: Int, isStopped: @escaping @Sendable () -> Bool,
        elapsed: @escaping @Sendable () -> Duration
    ) {
        self.accepted = Atomic(accepted)
        self.answers = Atomic(answers)
        self.badTokens = Atomic(badTokens)
        self.isStopped = isStopped
        self.elapsed = elapsed
        checkEnvironment()
    }

    /// Why it was shut for good; nil: it was not.
    var stop: DeliveryStop? { cause.withLock { $0 } }

    /// Whether a bad token is the token's own fault: at least 90 % of the answers so far are acceptances.
    var isEnvironmentKnown: Bool {
        let count = answers.load(ordering: .relaxed)
        return count > 0 && accepted.load(ordering: .relaxed) * 10 >= count * 9
    }

    /// Opens it for a while, counted from when the question whether the lock holds was asked.
    func keepOpen(since asked: Duration) {
        openUntil.store((asked + DeliveryPermit.grace).milliseconds, ordering: .relaxed)
    }

    /// Shuts it for good; the first cause stays.
    func shut(_ stop: DeliveryStop) {
        cause.withLock { $0 = $0 ?? stop }
        isShut.store(true, ordering: .releasing)
    }

    /// Whether a request may start, not later than `end`.
    func isOpen(until end: Duration) -> Bool {
        guard !isShut.load(ordering: .acquiring), !isStopped() else { return false }
        let now = elapsed()
        return now < end && now.milliseconds < openUntil.load(ordering: .relaxed)
    }

    /// Counts an answer, and shuts the gate when it means the whole delivery.
    func note(_ answer: SendAnswer) {
        switch answer {
        case .accepted:
            accepted.add(1, ordering: .relaxed)
            answers.add(1, ordering: .relaxed)
        case .refused(let refusal):
            if refusal.stopsDelivery { return shut(.refused(refusal)) }
            answers.add(1, ordering: .relaxed)
            guard refusal.isBadToken else { return }
            badTokens.add(1, ordering: .relaxed)
            checkEnvironment()
        case .notSent, .inDoubt: break
        }
    }

    /// Over 20 % of bad tokens after 200 answers: Apple closes such connections.
    private func checkEnvironment() {
        let bad = badTokens.load(ordering: .relaxed)
        let count = answers.load(ordering: .relaxed)
        if count >= 200, bad * 5 > count { shut(.wrongEnvironment(bad: bad, answers: count)) }
    }
}

/// The gate of one batch: no request of it starts later than others give it up.
struct BatchGate: SendGate {
    let delivery: DeliveryGate
    let end: Duration

    var isOpen: Bool { delivery.isOpen(until: end) }

    func note(_ answer: SendAnswer) { delivery.note(answer) }
}
