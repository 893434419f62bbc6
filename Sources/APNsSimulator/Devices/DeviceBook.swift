internal import Synchronization

/// The registered devices and their inboxes.
final class DeviceBook: Sendable {
    /// A registered token.
    struct Device {
        var topic: String
        var environment: SimulatedEnvironment
        /// The reason the token is dead, and the time it died in milliseconds of UNIX time.
        var death: (reason: APNsReason, at: Int64)?
    }

    private struct State {
        var acceptsEveryToken: Bool
        var devices: [DeviceToken: Device] = [:]
        var inboxes: [DeviceToken: [ReceivedPush]] = [:]
        var counts: [DeviceToken: UInt32] = [:]
        var messages = 0
    }

    private let state: Mutex<State>
    private let recording: Recording
    private let environment: SimulatedEnvironment

    init(_ configuration: SimulatorConfiguration) {
        recording = configuration.recording
        environment = configuration.environment
        state = Mutex(State(acceptsEveryToken: configuration.acceptsEveryToken))
    }

    func acceptEveryToken(_ isOn: Bool) { state.withLock { $0.acceptsEveryToken = isOn } }

    func register(_ token: DeviceToken, topic: String, environment: SimulatedEnvironment?) {
        state.withLock { $0.devices[token] = Device(topic: topic, environment: environment ?? self.environment) }
    }

    /// Marks a token dead, registering it if it is unknown.
    func kill(_ token: DeviceToken, _ reason: APNsReason, at time: Int64) {
        state.withLock { state in
            state.devices[token, default: Device(topic: "", environment: environment)].death = (reason, time)
        }
    }

    func forget(_ token: DeviceToken) { state.withLock { $0.devices[token] = nil } }

    /// Refuses a push that the token cannot get under a topic (docs/background/apple/reasons.md#reasons).
    func check(_ token: DeviceToken, topic: String) throws(Refusal) {
        let (device, acceptsEvery) = state.withLock { ($0.devices[token], $0.acceptsEveryToken) }
        guard let device else {
            if acceptsEvery { return }
            throw Refusal(.badDeviceToken)
        }
        guard device.environment == environment else { throw Refusal(.badDeviceToken) }
        if !device.topic.isEmpty, device.topic != topic { throw Refusal(.deviceTokenNotForTopic) }
        if let death = device.death { throw Refusal(death.reason, timestamp: death.at) }
    }

    /// Adds a notification to a device's inbox.
    func deliver(_ token: DeviceToken, _ push: @autoclosure () -> ReceivedPush) {
        switch recording {
        case .counts:
            state.withLock { state in
                state.messages += 1
                state.counts[token, default: 0] &+= 1
            }
        case .everything:
            var push = push()
            state.withLock { state in
                state.messages += 1
                var inbox = state.inboxes.removeValue(forKey: token) ?? []
                push.isRepeated = inbox.contains { $0.id == push.id }
                if let id = push.collapseID {
                    for index in inbox.indices where inbox[index].collapseID == id { inbox[index].isCollapsed = true }
                }
                inbox.append(push)
                state.inboxes[token] = inbox
            }
        }
    }

    func inbox(_ token: DeviceToken) -> [ReceivedPush] { state.withLock { $0.inboxes[token] ?? [] } }

    func count(_ token: DeviceToken) -> Int {
        state.withLock { state in
            switch recording {
            case .counts: Int(state.counts[token] ?? 0)
            case .everything: state.inboxes[token]?.count ?? 0
            }
        }
    }

    /// The number of tokens that got one, two, three notifications and so on.
    func histogram() -> [Int: Int] {
        state.withLock { state in
            var result: [Int: Int] = [:]
            switch recording {
            case .counts: for count in state.counts.values { result[Int(count), default: 0] += 1 }
            case .everything: for inbox in state.inboxes.values { result[inbox.count, default: 0] += 1 }
            }
            return result
        }
    }

    func summary(_ isMeant: (ReceivedPush) -> Bool) -> InboxSummary {
        state.withLock { state in
            switch recording {
            case .counts:
                let devices = state.counts.count
                return InboxSummary(devices: devices, messages: state.messages, duplicates: state.messages - devices)
            case .everything:
                var summary = InboxSummary()
                for inbox in state.inboxes.values {
                    let meant = inbox.filter(isMeant)
                    summary.devices += meant.isEmpty ? 0 : 1
                    summary.messages += meant.count
                    summary.duplicates += meant.count { $0.isRepeated }
                }
                return summary
            }
        }
    }

    /// Empties the inboxes and counts; the devices stay registered.
    func empty() {
        state.withLock { state in
            state.inboxes = [:]
            state.counts = [:]
            state.messages = 0
        }
    }
}
