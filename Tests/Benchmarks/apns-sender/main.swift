internal import Base
internal import CLibrary
internal import CMalloc
internal import CPushBench
internal import Delivery
internal import Push
internal import Synchronization

// Sends notifications through the sender as a delivery does: `apns-sender PORT CA-FILE CONNECTIONS STREAMS COUNT [fcm]`.
//
// Batches of 1,000 with two open, to 127.0.0.1:PORT. Prints pushes a second, then microseconds of processor time for each
// push, as plain-apns does. Exit status 1 when an answer is not 200.

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
guard (6...7).contains(arguments.count), let connections = Int(arguments[3]), let streams = Int(arguments[4]),
    let count = Int(arguments[5])
else {
    print("usage: apns-sender PORT CA-FILE CONNECTIONS STREAMS COUNT [fcm]")
    exit(64)
}
let sender = try PushSender(
    .init(
        endpoint: "127.0.0.1:\(arguments[1])", path: "/v1/projects/p/messages:send", credential: .token(FixedToken()),
        connections: connections,
        streams: streams, caFile: arguments[2], retries: .init(spacing: .milliseconds(1))))
let isFCM = arguments.last == "fcm"
/// A registration token of the usual length, 163 characters.
func registration(_ token: String) -> [UInt8] { Array((token.prefix(22) + ":APA91b" + token + token).utf8) }
let message: [[UInt8]] = [
    Array(#"{"message":{"token":""#.utf8),
    Array(
        #"""
        ","android":{"notification":{"tag":"delivery"},"priority":"HIGH"},"data":{"payload":"{\"alert\":\"Game\"}"},\#
        "notification":{"body":"Game"}}}
        """#.utf8),
]
let notification = PushNotification(
    to: isFCM ? .fcm : .devices, topic: PUSH_TOPIC, pushType: .alert, priority: 10, expiration: 1_763_786_400,
    body: isFCM ? .filled(message) : .same(Array(PUSH_BODY.utf8)))
let tokens = (0..<Int(PUSH_TOKENS)).map(hex)
let ids = tokens.map { APNsID(delivery: "bench", token: $0) }
let gate = CountingGate()
let numbers = Atomic<Int>(0)

let clock = ContinuousClock()
let (start, used) = (clock.now, push_processor_time())
await withTaskGroup(of: Void.self) { group in
    for _ in 0..<2 {
        group.addTask {
            while case let first = numbers.add(1000, ordering: .relaxed).oldValue, first < count {
                let targets = (first..<min(first + 1000, count)).map { number in
                    let token = tokens[number % tokens.count]
                    return SendTarget(
                        token: token, id: ids[number % ids.count], fillings: isFCM ? [registration(token)] : [])
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
