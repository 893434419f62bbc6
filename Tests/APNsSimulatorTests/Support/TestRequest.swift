@testable internal import APNsSimulator

/// A request that a simulator takes, to be spoiled one part at a time.
struct TestRequest: Sendable {
    var method = "POST"
    var path: String
    var headers: [(String, String)]
    var body: [UInt8]

    /// A push of an alert.
    static func push(_ token: String = Sample.token, _ provider: String? = nil) -> TestRequest {
        TestRequest(
            path: "/3/device/" + token,
            headers: [
                ("apns-topic", Sample.bundle), ("apns-push-type", "alert"), ("apns-priority", "10"),
            ] + (provider.map { [("authorization", "bearer " + $0)] } ?? []),
            body: Array(#"{"aps":{"alert":"Hello"}}"#.utf8))
    }

    /// Something about channels.
    static func channel(
        _ method: String, _ path: String, _ provider: String, id: String? = nil, body: String = ""
    ) -> TestRequest {
        TestRequest(
            method: method, path: path,
            headers: [("authorization", "bearer " + provider)] + (id.map { [("apns-channel-id", $0)] } ?? []),
            body: Array(body.utf8))
    }

    /// The same with a header set, or without it when the value is nil.
    func with(_ name: String, _ value: String?) -> TestRequest {
        var copy = self
        copy.headers.removeAll { $0.0 == name }
        if let value { copy.headers.append((name, value)) }
        return copy
    }

    /// The same to another path.
    func at(_ path: String) -> TestRequest {
        var copy = self
        copy.path = path
        return copy
    }

    /// The same with another body.
    func with(body: String) -> TestRequest {
        var copy = self
        copy.body = Array(body.utf8)
        return copy
    }

    /// The same with a body of so many bytes.
    func with(bodyOf count: Int) -> TestRequest {
        let (start, end) = (#"{"aps":{},"x":""#, #""}"#)
        return with(body: start + String(repeating: "a", count: count - start.utf8.count - end.utf8.count) + end)
    }

    var fields: [(String, String)] {
        [(":method", method), (":scheme", "https"), (":path", path), (":authority", "localhost")] + headers
    }
}

/// What most tests start from.
enum Sample {
    static let bundle = "com.example.app"
    static let token = String(repeating: "ab", count: 32)
    static let key = ProviderSigningKey(id: "ABCDEFGHJK", team: "TEAM234567")
    /// 2026-01-01, in seconds of UNIX time.
    static let now: Int64 = 1_767_225_600

    /// Where time stands still.
    static var configuration: SimulatorConfiguration {
        var configuration = SimulatorConfiguration()
        configuration.clock = SimulatorClock(standingAt: now * 1000)
        return configuration
    }

    /// A provider token of now, or so many seconds later.
    static func provider(_ later: Int64 = 0) -> String { (try? key.token(issuedAt: now + later)) ?? "" }

    /// Runs `body` with a simulator that knows the key and the device, and a connection to it.
    static func connected<Value>(
        _ change: (inout SimulatorConfiguration) -> Void = { _ in },
        _ body: (APNsSimulator, ProviderClient) async throws -> Value
    ) async throws -> Value {
        var configuration = configuration
        change(&configuration)
        return try await APNsSimulator.with(configuration) { simulator in
            simulator.register(key.registered)
            try simulator.register(token: token, topic: bundle)
            return try await ProviderClient.with(simulator) { try await body(simulator, $0) }
        }
    }
}

extension StreamEnd {
    /// The answer; one of status 0 when there was none.
    var reply: Reply { if case .answer(let reply) = self { reply } else { Reply() } }
    /// `<status> <reason>`, or what became of the request.
    var text: String {
        switch self {
        case .answer(let reply):
            let reason = reply.body.split(separator: "\"").dropFirst(3).first ?? ""
            return reason.isEmpty ? "\(reply.status)" : "\(reply.status) \(reason)"
        case .reset(let code): return "\(code)"
        case .lost: return "lost"
        }
    }
}
