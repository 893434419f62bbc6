internal import Base
internal import Crypto
internal import Synchronization

final class DeviceBook: Sendable {
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
        /// Where only counts are kept: the totals of all, and of each topic.
        var total = InboxSummary()
        var totals: [String: InboxSummary] = [:]
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

    /// Adds a notification of a topic to a device's inbox.
    func deliver(_ token: DeviceToken, topic: String, _ push: @autoclosure () -> ReceivedPush) {
        switch recording {
        case .counts:
            state.withLock { state in
                let isFirst = state.counts[token, default: 0] == 0
                state.counts[token, default: 0] &+= 1
                state.total.count(isFirst: isFirst)
                state.totals[topic, default: InboxSummary()].count(isFirst: isFirst)
            }
        case .everything:
            var push = push()
            state.withLock { state in
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

    /// The totals of a topic and of a collapse id, which is only known where everything is kept; nil for all.
    func summary(topic: String?, collapseID: String?) -> InboxSummary {
        state.withLock { state in
            switch recording {
            case .counts: return topic.map { state.totals[$0] ?? InboxSummary() } ?? state.total
            case .everything:
                var summary = InboxSummary()
                for inbox in state.inboxes.values {
                    let meant = inbox.filter { push in
                        (topic == nil || push.topic == topic)
                            && (collapseID == nil || push.collapseID == collapseID)
                    }
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
            (state.total, state.totals) = (InboxSummary(), [:])
        }
    }
}

/// A device token in 32 bytes, so that a million tokens take little memory.
///
/// A token of 64 digits is stored as is; any other as the SHA-256 of its digits, and a registration token of FCM, written
/// `fcm:TOKEN`, as that of its text.
struct DeviceToken: Hashable, Sendable {
    private let a: UInt64
    private let b: UInt64
    private let c: UInt64
    private let d: UInt64

    /// The most hexadecimal digits accepted as a token; Apple only says not to assume a length.
    private static let digitLimit = 512

    /// Parses hexadecimal digits of either case; nil for any other character or an odd number of digits.
    init?(_ text: Substring) {
        if let colon = text.firstIndex(of: ":"), VendorPath.vendors.contains(String(text[..<colon])) {
            self.init(vendor: String(text[..<colon]), String(text[text.index(after: colon)...]))
            return
        }
        if text.hasPrefix("fcm:") {
            self.init(fcm: String(text.dropFirst(4)))
            return
        }
        var text = text
        let read = text.withUTF8 { Self.words($0) }
        guard let read else { return nil }
        self = read
    }

    init?(_ text: String) { self.init(text[...]) }

    private init(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
    }

    /// A value that is the same in every run, for seeded draws.
    var mixed: UInt64 { a &+ b &* 0x9E37_79B9_7F4A_7C15 &+ (c ^ d &* 0xBF58_476D_1CE4_E5B9) }

    private static func words(_ digits: UnsafeBufferPointer<UInt8>) -> DeviceToken? {
        guard !digits.isEmpty, digits.count % 2 == 0, digits.count <= digitLimit else { return nil }
        guard digits.count == 64 else { return hashed(digits) }
        guard let a = word(digits, 0), let b = word(digits, 16), let c = word(digits, 32), let d = word(digits, 48)
        else { return nil }
        return DeviceToken(a, b, c, d)
    }

    private static func word(_ digits: UnsafeBufferPointer<UInt8>, _ start: Int) -> UInt64? {
        var word: UInt64 = 0
        var index = start
        while index < start + 16 {
            guard let value = digits[index].hexadecimalValue else { return nil }
            word = word << 4 | UInt64(value)
            index += 1
        }
        return word
    }

    private static func hashed(_ digits: UnsafeBufferPointer<UInt8>) -> DeviceToken? {
        let values = digits.compactMap(\.hexadecimalValue)
        return values.count == digits.count ? DeviceToken(hashing: values) : nil
    }

    /// The SHA-256 of bytes.
    init(hashing bytes: [UInt8]) {
        var words: [UInt64] = [0, 0, 0, 0]
        for (index, byte) in SHA256.hash(data: bytes).enumerated() {
            words[index / 8] = words[index / 8] << 8 | UInt64(byte)
        }
        self.init(words[0], words[1], words[2], words[3])
    }
}

/// A notification that reached a device.
package struct ReceivedPush: Hashable, Sendable {
    /// `apns-id`, generated by the simulator if the request had none; for a broadcast, its `apns-request-id`.
    package var id: String
    /// `apns-topic`.
    package var topic: String
    /// `apns-push-type`; nil when it was absent.
    package var pushType: String?
    /// `apns-priority`; 10 when it was absent.
    package var priority: Int
    /// `apns-expiration`, in seconds of UNIX time; nil when it was absent, which is not zero.
    package var expiration: Int64?
    /// `apns-collapse-id`.
    package var collapseID: String?
    /// The channel of a broadcast.
    package var channelID: String?
    package var payload: [UInt8]
    /// The time of receipt, in milliseconds of UNIX time.
    package var receivedAt: Int64
    /// True when a later notification with the same collapse id has replaced it on screen.
    package var isCollapsed = false
    /// True when the device had already received one with the same `apns-id`.
    package var isRepeated = false
}

/// Totals over the inboxes.
package struct InboxSummary: Hashable, Sendable {
    /// The number of devices that received at least one notification.
    package var devices = 0
    /// The number of notifications received by all devices.
    package var messages = 0
    /// The number of notifications that a device already had: with the same `apns-id`, or any after the first if only
    /// counts are recorded.
    package var duplicates = 0

    /// Counts one more notification, a device's first or a duplicate.
    mutating func count(isFirst: Bool) {
        messages += 1
        if isFirst { devices += 1 } else { duplicates += 1 }
    }
}
