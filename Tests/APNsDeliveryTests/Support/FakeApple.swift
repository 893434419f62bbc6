import APNs
import APNsDelivery
import PushModel
import Synchronization

/// Apple in memory: what each device received, and how each request ends.
final class FakeApple: Sendable {
    /// What becomes of one request.
    enum Fate: Hashable, Sendable {
        case accept
        case refuse(Int, String, timestamp: Int64? = nil)
        /// It never leaves.
        case neverSent
        /// It is lost on the way, and nobody knows.
        case lost
        /// It is taken and the answer is lost.
        case takenInSilence
    }

    struct State: Sendable {
        /// The ids of what each device received.
        var inboxes: [String: [APNsID]] = [:]
        var topics: [String: String] = [:]
        var badges: [String: Int] = [:]
        /// Requests that were made, in all.
        var requests = 0
        var notifications: Set<PushNotification> = []
    }

    private let state = Mutex(State())
    private let fate: @Sendable (_ token: String, _ request: Int) -> Fate

    /// - Parameter fate: what becomes of a request, by its token and its number from 1.
    init(_ fate: @escaping @Sendable (String, Int) -> Fate = { _, _ in .accept }) { self.fate = fate }

    func with<Value: Sendable>(_ body: (inout State) -> Value) -> Value { state.withLock { body(&$0) } }

    var received: [String: Int] { with { $0.inboxes.mapValues(\.count) } }
    var requests: Int { with { $0.requests } }

    func answer(_ token: String, _ target: SendTarget, _ notification: PushNotification) -> SendAnswer {
        let number = with { state in
            state.requests += 1
            state.notifications.insert(notification)
            return state.requests
        }
        switch fate(token, number) {
        case .accept:
            take(target, notification)
            return .accepted
        case .refuse(let status, let reason, let timestamp):
            return .refused(Refusal(status: status, reason: reason, timestamp: timestamp))
        case .neverSent: return .notSent("no connection")
        case .lost: return .inDoubt("no answer in time")
        case .takenInSilence:
            take(target, notification)
            return .inDoubt("the connection was reset")
        }
    }

    private func take(_ target: SendTarget, _ notification: PushNotification) {
        with { state in
            state.inboxes[target.token, default: []].append(target.id)
            state.topics[target.token] = notification.topic
            state.badges[target.token] = target.badge
        }
    }
}

/// One run's sender: it dies with the run.
struct FakeSender: NotificationSending {
    let apple: FakeApple
    var life = Life()
    /// Called before each request.
    var before: @Sendable (SendTarget) async -> Void = { _ in }

    func send(
        _ notification: PushNotification, to targets: [SendTarget], through gate: any SendGate
    ) async -> [SendAnswer] {
        var answers: [SendAnswer] = []
        for (index, target) in targets.enumerated() {
            if index % 64 == 0 { await Task.yield() }
            await before(target)
            guard gate.isOpen else {
                answers.append(.notSent("held back"))
                continue
            }
            // A killed run's requests never leave, and nobody hears of it.
            guard life.act() else { return answers }
            let answer = apple.answer(target.token, target, notification)
            gate.note(answer)
            answers.append(answer)
        }
        return answers
    }

    func close() async {}
}

/// Gives one sender for every profile.
struct FakeSenders: SenderProviding {
    let sender: FakeSender
    var failing: [String: SenderError] = [:]

    func sender(for profile: String) async throws(SenderError) -> any NotificationSending {
        if let error = failing[profile] { throw error }
        return sender
    }
}
