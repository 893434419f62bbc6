internal import Base
internal import HTTPTesting
internal import Push
internal import Synchronization

@testable internal import Delivery

/// A gate that counts, and closes after so many answers.
final class TestGate: SendGate {
    private let state: Mutex<(closesAfter: Int, answers: [Verdict])>

    init(closesAfter: Int = .max) { state = Mutex((closesAfter, [])) }

    var isOpen: Bool { state.withLock { $0.answers.count < $0.closesAfter } }
    var answers: [Verdict] { state.withLock { $0.answers } }

    func note(_ answer: Verdict) { state.withLock { $0.answers.append(answer) } }
}

/// Tokens `t1`, `t2`, …: a new one each time one is called expired.
final class TestTokens: ProviderTokenProviding {
    private let state = Mutex((number: 1, renewals: 0, returns: 0))

    var renewals: Int { state.withLock { $0.renewals } }
    var returns: Int { state.withLock { $0.returns } }

    func token() -> Secret { state.withLock { Secret("t\($0.number)") } }

    func renewedToken(insteadOf expired: Secret) -> Secret {
        state.withLock { state in
            state.number += 1
            state.renewals += 1
            return Secret("t\(state.number)")
        }
    }

    func earlierToken(insteadOf token: Secret) -> Secret {
        state.withLock { state in
            state.number -= 1
            state.returns += 1
            return Secret("t\(state.number)")
        }
    }
}

/// What a test sends.
enum SenderSample {
    static func notification(
        topic: String = "com.example.app", collapseID: String? = nil, body: NotificationBody = .same(Array("{}".utf8))
    ) -> PushNotification {
        PushNotification(
            topic: topic, pushType: .alert, priority: 10, expiration: 1_800_000_000, collapseID: collapseID,
            body: body)
    }

    /// So many devices whose tokens are numbers from `first`, with badges.
    static func targets(_ count: Int, from first: Int = 0) -> [SendTarget] {
        (first..<(first + count)).map { number in
            let token = World.token(number)
            return SendTarget(
                token: token, id: APNsID(delivery: "d", token: token), fillings: [Array("\(number)".utf8)])
        }
    }

    /// What Apple answers when it takes a notification, with a byte of a body that Apple's has not: libcurl 7.88 resets the
    /// stream of each answer without one, and NIO closes a connection with 200 resets in half a minute.
    static func accept(_ seen: Seen) -> Reply {
        .answer(200, headers: [("apns-id", seen.headers["apns-id"] ?? "")], body: [0x20])
    }

    /// What Apple answers when it does not.
    static func refuse(_ status: Int, _ reason: String) -> Reply {
        .answer(status, body: Array(#"{"reason":"\#(reason)"}"#.utf8))
    }
}

extension Seen {
    /// The number of the device.
    var number: Int { Int(path.split(separator: "/").last ?? "", radix: 16) ?? -1 }
    /// The provider token.
    var bearer: String { headers["authorization"] ?? "" }
}

extension PushSender.Configuration {
    /// For a server of this machine: nothing to wait for.
    static func local(_ server: TestServer, tokens: (any ProviderTokenProviding)? = TestTokens()) throws -> Self {
        Self(
            endpoint: "127.0.0.1:\(server.port)",
            credential: tokens.map { .token($0) } ?? .certificate(chainPEM: Secret(""), keyPEM: Secret("")),
            connections: 1, caFile: try ServerCertificate.trusted.caFile, connectTimeout: .seconds(100),
            requestTimeout: .seconds(200),
            retries: .init(connectAttempts: 2, pause: .milliseconds(5), spacing: .milliseconds(1)))
    }
}

/// Runs `body` with a sender to a server that follows a script, and closes both.
func withSender<Value>(
    _ script: Script, _ transport: Transport = .http2, certificate: ServerCertificate? = nil,
    maximumStreams: Int? = nil,
    tokens: any ProviderTokenProviding = TestTokens(),
    change: (inout PushSender.Configuration) -> Void = { _ in },
    _ body: (PushSender) async throws -> Value
) async throws -> Value {
    try await TestServer.run(transport, script, certificate: certificate, maximumStreams: maximumStreams) { server in
        var configuration = try PushSender.Configuration.local(server, tokens: tokens)
        change(&configuration)
        let sender = try PushSender(configuration)
        let value = try await body(sender)
        await sender.close()
        return value
    }
}

/// The verdicts on so many devices of a server that follows a script.
func verdicts(
    _ count: Int, _ script: Script, maximumStreams: Int? = nil, tokens: any ProviderTokenProviding = TestTokens(),
    through gate: TestGate = TestGate(), change: (inout PushSender.Configuration) -> Void = { _ in }
) async throws -> [Verdict] {
    try await withSender(script, maximumStreams: maximumStreams, tokens: tokens, change: change) { sender in
        await sender.send(SenderSample.notification(), to: SenderSample.targets(count), through: gate)
    }
}
