internal import Base
package import Delivery
package import Push
internal import Synchronization

/// Apple in memory: what each device received, and how each request ends.
package final class FakeApple: Sendable {
    /// The outcome of one request.
    package enum Fate: Hashable, Sendable {
        /// Taken.
        case accept
        /// Answered otherwise; without a reason of Apple's that is not the end of it.
        case refuse(Int, String, timestamp: Int64? = nil)
        /// It never leaves.
        case neverSent
        /// It is lost on the way, and nobody knows.
        case lost
        /// It is taken and the answer is lost.
        case takenInSilence
        /// It is taken and something between answers otherwise.
        case takenAndAnswered(Int, String)
        /// Refused, because what the service takes in a day is used up.
        case usedUp
    }

    /// Everything that can be observed.
    package struct State: Sendable {
        /// The ids of what each device received.
        package var inboxes: [String: [APNsID]] = [:]
        /// The topic under which each device got it last.
        package var topics: [String: String] = [:]
        /// The payload that each device got last.
        package var bodies: [String: [UInt8]] = [:]
        /// The badge that a device got last.
        package func badge(of token: String) -> Int64? {
            bodies[token].flatMap { try? JSONValue(parsing: $0)["aps"]?["badge"]?.integer }
        }

        /// Requests that were made, in all.
        package var requests = 0
        /// The notification, apart from devices.
        package var notifications: Set<PushNotification> = []
    }

    private let state = Mutex(State())
    private let fate: @Sendable (_ token: String, _ request: Int) -> Fate

    /// - Parameter fate: what becomes of a request, by its token and its number from 1.
    package init(_ fate: @escaping @Sendable (String, Int) -> Fate = { _, _ in .accept }) { self.fate = fate }

    /// Looks at it.
    package func with<Value: Sendable>(_ body: (inout State) -> Value) -> Value { state.withLock { body(&$0) } }

    /// The number of notifications of each device.
    package var received: [String: Int] { with { $0.inboxes.mapValues(\.count) } }
    /// Requests that were made, in all.
    package var requests: Int { with { $0.requests } }

    fileprivate func answer(_ token: String, _ target: SendTarget, _ notification: PushNotification) -> Verdict {
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
            return Refusal(status: status, reason: reason, timestamp: timestamp).verdict
        case .neverSent: return .notSent(.noBodyGiven("no connection"))
        case .lost: return .unknown("no answer in time")
        case .takenInSilence:
            take(target, notification)
            return .unknown("the connection was reset")
        case .takenAndAnswered(let status, let reason):
            take(target, notification)
            return Refusal(status: status, reason: reason).verdict
        case .usedUp:
            let reason = VendorReason(.mi, "200001").map(ServiceReason.vendor) ?? .apple(.tooManyRequests)
            return .refused(.service(reason, since: nil))
        }
    }

    private func take(_ target: SendTarget, _ notification: PushNotification) {
        with { state in
            state.inboxes[target.token, default: []].append(target.id)
            state.topics[target.token] = notification.topic
            state.bodies[target.token] = notification.body.filled(with: target.fillings)
        }
    }
}

/// One run's sender: it dies with the run.
package struct FakeSender: NotificationSending {
    private let apple: FakeApple
    private let life: Life
    private let before: @Sendable (SendTarget) async -> Void

    /// Sends to `apple` while the run lives; `before` is called before each request.
    package init(
        apple: FakeApple, life: Life = Life(), before: @escaping @Sendable (SendTarget) async -> Void = { _ in }
    ) {
        self.apple = apple
        self.life = life
        self.before = before
    }

    package func send(
        _ notification: PushNotification, to targets: [SendTarget], through gate: any SendGate
    ) async -> [Verdict] {
        var answers: [Verdict] = []
        for (index, target) in targets.enumerated() {
            if index % 64 == 0 { await Task.yield() }
            await before(target)
            guard gate.isOpen else {
                answers.append(.notSent(.noBodyGiven("held back")))
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

    package func close() async {}
}

/// Gives one sender for every profile.
package struct FakeSenders: SenderProviding {
    private let sender: any NotificationSending
    private let failing: [String: SenderError]

    /// Gives `sender`, but for the profiles that fail.
    package init(sender: any NotificationSending, failing: [String: SenderError] = [:]) {
        self.sender = sender
        self.failing = failing
    }

    package func sender(for profile: String) async throws(SenderError) -> any NotificationSending {
        if let error = failing[profile] { throw error }
        return sender
    }
}

extension NotificationBody {
    /// The bytes for a device with these values.
    package func filled(with fillings: [[UInt8]]) -> [UInt8] {
        switch self {
        case .same(let bytes): bytes
        case .filled(let pieces): pieces.indices.flatMap { ($0 > 0 ? fillings[$0 - 1] : []) + pieces[$0] }
        case .message(let message, _, _): message.canonicalBytes
        }
    }
}
