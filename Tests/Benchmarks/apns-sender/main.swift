internal import Base
internal import CLibrary
internal import CMalloc
internal import CPushBench
internal import Delivery
internal import Push
internal import Synchronization

// Sends notifications through the sender as a delivery does: `apns-sender PORT CA-FILE CONNECTIONS STREAMS COUNT [VENDOR]`.
//
// Batches of 1,000 with two open, to 127.0.0.1:PORT; VENDOR is fcm, or hms, mi or vivo, which take a batch in a call. Prints
// pushes a second, then microseconds of processor time for each push, as plain-apns does. Exit status 1 when a device is
// not accepted.

/// Always the same token.
struct FixedToken: ProviderTokenProviding {
    func token() -> Secret { Secret(PUSH_TOKEN) }
    func renewedToken(insteadOf expired: Secret) -> Secret { expired }
    func earlierToken(insteadOf token: Secret) -> Secret { token }
}

/// Counts what it hears.
final class CountingGate: SendGate {
    private let heard = Atomic<Int>(0)
    var isOpen: Bool { true }
    func note(_ answer: Verdict) { heard.add(1, ordering: .relaxed) }
}

func hex(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 64 - digits.count) + digits
}

// As the programs do.
bugle_malloc_reserve_heaps()
let arguments = CommandLine.arguments
let vendor = arguments.count > 6 ? PushVendor(rawValue: arguments[6]) : .apns
guard (6...7).contains(arguments.count), let connections = Int(arguments[3]), let streams = Int(arguments[4]),
    let count = Int(arguments[5]), let vendor
else {
    print("usage: apns-sender PORT CA-FILE CONNECTIONS STREAMS COUNT [VENDOR]")
    exit(64)
}

/// The sender of Apple's and FCM's devices.
func pushSender() throws -> any NotificationSending {
    try PushSender(
        .init(
            endpoint: "127.0.0.1:\(arguments[1])", path: "/v1/projects/p/messages:send",
            credential: .token(FixedToken()), connections: connections, streams: streams, caFile: arguments[2],
            retries: .init(spacing: .milliseconds(1))))
}

/// The sender of a vendor that takes a batch in a call.
func vendorSender() async throws -> any NotificationSending {
    let profile = DeviceProfile(
        name: "app", origin: Origin(file: "bench", line: 1), environment: .production, topic: "",
        credential: .vendor(
            vendor, ids: Dictionary(uniqueKeysWithValues: vendor.fields.ids.map { ($0, "100001") }),
            secrets: Dictionary(uniqueKeysWithValues: vendor.fields.secrets.map { ($0, .environment("SECRET")) })))
    let hosts = ["huawei", "huaweiToken", "xiaomi", "vivo"].map { ($0, "127.0.0.1:\(arguments[1])") }
    let credential = try CredentialReader(SecretReader(environment: ["SECRET": "secret"], folder: "."))
        .credential(of: profile)
    let pool = SenderPool(
        profiles: [profile],
        settings: .init(
            endpoints: APNsEndpoints(hosts: Dictionary(uniqueKeysWithValues: hosts)), caFile: arguments[2]),
        now: { Instant(seconds: 1_763_700_000) }
    ) { _ in credential }
    return try await pool.senders().sender(for: profile.name)
}

let isApples = vendor == .apns
let isCall = !isApples && vendor != .fcm
let sender = isCall ? try await vendorSender() : try pushSender()
/// A registration token of the usual length, 163 characters.
func registration(_ token: String) -> String { token.prefix(22) + ":APA91b" + token + token }
let message: [[UInt8]] = [
    Array(#"{"message":{"token":""#.utf8),
    Array(
        #"""
        ","android":{"notification":{"tag":"delivery"},"priority":"HIGH"},"data":{"payload":"{\"alert\":\"Game\"}"},\#
        "notification":{"body":"Game"}}}
        """#.utf8),
]

/// What each batch says.
func body(_ number: Int) -> NotificationBody {
    guard isCall else { return isApples ? .same(Array(PUSH_BODY.utf8)) : .filled(message) }
    var content = MessageContent()
    (content.title, content.body) = (.text("Weekend"), .text("Everything in the shop is a little cheaper."))
    return .message(
        VendorMessage.body(vendor, content, own: nil, tag: "delivery", reportedAs: nil), life: .seconds(3600),
        id: "deliveryb\(number)")
}

let tokens = (0..<Int(PUSH_TOKENS)).map(hex)
let registrations = tokens.map(registration)
let ids = tokens.map { APNsID(delivery: "bench", token: $0) }
let gate = CountingGate()
let numbers = Atomic<Int>(0)

let clock = ContinuousClock()
let (start, used) = (clock.now, push_processor_time())
await withTaskGroup(of: Void.self) { group in
    for _ in 0..<2 {
        group.addTask {
            while case let first = numbers.add(1000, ordering: .relaxed).oldValue, first < count {
                let notification = PushNotification(
                    to: isApples ? .devices : isCall ? .vendor : .fcm, topic: PUSH_TOPIC, pushType: .alert,
                    priority: 10,
                    expiration: 1_763_786_400, body: body(first))
                let targets = (first..<min(first + 1000, count)).map { number in
                    let place = number % tokens.count
                    return SendTarget(
                        token: isCall ? registrations[place] : tokens[place], id: ids[place],
                        fillings: vendor == .fcm ? [Array(registrations[place].utf8)] : [])
                }
                for answer in await sender.send(notification, to: targets, through: gate) where answer != .accepted {
                    print("apns-sender: \(answer)")
                    exit(1)
                }
            }
        }
    }
}
let seconds = start.duration(to: clock.now) / .seconds(1)
let each = (push_processor_time() - used) / Double(count) * 1e6
await sender.close()
print("\(Int(Double(count) / seconds)) \((each * 100).rounded() / 100)")
