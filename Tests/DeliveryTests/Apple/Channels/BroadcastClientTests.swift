import Base
import HTTP
import Push
import Synchronization
import Testing

@testable import Delivery

private typealias Answer = Result<HTTPResponse, TransportError>

private func answer(_ status: Int, _ body: JSONValue? = nil, headers: HTTPHeaders = [:]) -> Answer {
    .success(HTTPResponse(status: status, headers: headers, body: body?.canonicalBytes ?? [], version: .http2))
}

private func lost(_ sent: TransportError.Sent) -> Answer {
    .failure(TransportError(.timedOut, sent: sent, request: "POST https://a/1", detail: "late"))
}

/// Gives tokens from a list: the next one whenever the current one is said to have expired.
private final class FakeTokens: ProviderTokenProviding {
    private let tokens: Mutex<[String]>

    init(_ tokens: [String]) { self.tokens = Mutex(tokens) }

    func token() -> Secret { Secret(tokens.withLock { $0[0] }) }

    func renewedToken(insteadOf expired: Secret) -> Secret {
        tokens.withLock { if $0.count > 1 { $0.removeFirst() } }
        return token()
    }

    func earlierToken(insteadOf token: Secret) -> Secret { token }
}

@Suite struct BroadcastClientTests {
    private func client(
        _ apple: Peer, _ credential: BroadcastClient.Credential = .certificate,
        _ environment: PushEnvironment = .production, hosts: [String: String] = [:]
    ) -> BroadcastClient {
        BroadcastClient(
            http: apple, endpoints: APNsEndpoints(hosts: hosts), environment: environment, topic: "com.example.app",
            credential: credential, timeout: .seconds(7))
    }

    private func text<Value>(_ outcome: BroadcastClient.Outcome<Value>) -> String {
        switch outcome {
        case .done(let value): value is Void ? "done" : "done \(value)"
        case .refused(let refusal): "refused \(refusal.status) \(refusal.reason)"
        case .notSent: "not sent"
        case .unknown: "unknown"
        }
    }

    private func headers(_ request: HTTPRequest?) -> [String: String] {
        Dictionary(uniqueKeysWithValues: request?.headers ?? [])
    }

    @Test(arguments: Channel.Broadcast.Storage.allCases)
    func aChannelIsMadeAndItsIdIsTheAnswers(_ storage: Channel.Broadcast.Storage) async throws {
        let apple = Peer([
            answer(201, headers: ["apns-channel-id": "dHN0LXNyY2gtY2hubA==", "apns-request-id": "r"])
        ])
        #expect(text(try await client(apple).create(storage)) == "done dHN0LXNyY2gtY2hubA==")
        let request = try #require(apple.requests.first)
        #expect(request.method == .post && request.timeout == .seconds(7) && request.repetition == .once)
        #expect(request.url == "https://api-manage-broadcast.push.apple.com:2196/1/apps/com.example.app/channels")
        #expect(
            try JSONValue(parsing: request.body ?? []) == [
                "message-storage-policy": storage == .none ? 0 : 1, "push-type": "LiveActivity",
            ])
        #expect(headers(request)["authorization"] == nil)
    }

    @Test func channelsAreListedAndDeleted() async throws {
        let apple = Peer([answer(200, ["channels": ["a", "b"]]), answer(204)])
        let client = client(apple, .token(FakeTokens(["t1"])), .development)
        #expect(text(try await client.list()) == #"done ["a", "b"]"#)
        #expect(text(try await client.delete("a=")) == "done")
        let base = "https://api-manage-broadcast.sandbox.push.apple.com:2195/1/apps/com.example.app"
        #expect(apple.requests.map(\.url) == ["\(base)/all-channels", "\(base)/channels"])
        #expect(apple.requests.map(\.method) == [.get, .delete])
        #expect(apple.requests.map { headers($0)["apns-channel-id"] } == [nil, "a="])
        #expect(apple.requests.allSatisfy { headers($0)["authorization"] == "bearer t1" })
        #expect(apple.requests.allSatisfy { headers($0)["apns-topic"] == nil })
    }

    @Test func whatWasLostIsUnknownAndWhatWasNotSentIsNot() async throws {
        let apple = Peer([
            lost(.possibly), lost(.nothing), answer(500, ["reason": "InternalServerError"]), answer(200),
        ])
        let client = client(apple)
        #expect(text(try await client.create(.none)) == "unknown")
        #expect(text(try await client.create(.none)) == "not sent")
        #expect(text(try await client.create(.none)) == "unknown", "it may have been made before the error")
        #expect(text(try await client.create(.none)) == "unknown", "another success than the documented one")
    }

    @Test func anAnswerWithoutWhatItMustHaveIsUnknown() async throws {
        let apple = Peer([
            answer(201), answer(201, headers: ["apns-channel-id": ""]), answer(200, ["channels": [1]]), answer(200),
        ])
        let client = client(apple)
        #expect(text(try await client.create(.none)) == "unknown")
        #expect(text(try await client.create(.none)) == "unknown")
        #expect(text(try await client.list()) == "unknown")
        #expect(text(try await client.list()) == "unknown")
    }

    @Test func aRefusalIsCarriedThrough() async throws {
        let apple = Peer([
            answer(400, ["reason": "CannotCreateChannelConfig"]), answer(400, ["reason": "ChannelNotRegistered"]),
            answer(404), answer(503, ["reason": "Service Unavailable"]),
        ])
        let client = client(apple)
        #expect(text(try await client.create(.none)) == "refused 400 CannotCreateChannelConfig")
        #expect(text(try await client.delete("a")) == "refused 400 ChannelNotRegistered")
        #expect(text(try await client.list()) == "refused 404 HTTP 404")
        #expect(text(try await client.list()) == "refused 503 Service Unavailable")
    }

    @Test func anExpiredProviderTokenIsReplacedOnce() async throws {
        let expired = answer(403, ["reason": "ExpiredProviderToken"])
        let apple = Peer([expired, answer(204), expired, expired, expired])
        let client = client(apple, .token(FakeTokens(["t1", "t2", "t3"])))
        #expect(text(try await client.delete("a")) == "done")
        #expect(text(try await client.delete("a")) == "refused 403 ExpiredProviderToken")
        #expect(text(try await client.delete("a")) == "refused 403 ExpiredProviderToken", "there is no other token")
        #expect(
            apple.requests.map { headers($0)["authorization"] }
                == ["t1", "t2", "t2", "t3", "t3"].map { "bearer \($0)" })
    }

    @Test(arguments: [(404, ""), (500, "Bad Gateway"), (403, "NewWord"), (429, "")])
    func anAnswerWithoutAReasonOfApplesProvesNothingOfAChange(status: Int, word: String) async throws {
        let body: JSONValue? = word.isEmpty ? nil : ["reason": .string(word)]
        let apple = Peer(Array(repeating: answer(status, body), count: 3))
        let client = client(apple)
        for outcome in [text(try await client.create(.none)), text(try await client.delete("a"))] {
            #expect(outcome.hasPrefix("unknown"), "\(outcome)")
        }
        // What only asks may be refused by anything.
        #expect(text(try await client.list()).hasPrefix("refused \(status)"))
    }

    @Test func theHostsCanBeOthers() {
        let apple = APNsEndpoints()
        #expect(apple.devices(.production) == "https://api.push.apple.com")
        #expect(apple.devices(.development) == "https://api.sandbox.push.apple.com")
        #expect(apple.broadcasts(.development) == "https://api.sandbox.push.apple.com")
        #expect(apple.authority(of: .broadcastChannels, .production) == "api.push.apple.com")
        let own = APNsEndpoints(hosts: [
            "production": "localhost:1", "development": "http://127.0.0.1:2/", "broadcast": "https://b",
            "channels": "[::1]:4",
        ])
        #expect(own.devices(.production) == "https://localhost:1")
        #expect(own.devices(.development) == "http://127.0.0.1:2")
        #expect(own.broadcasts(.production) == "https://b" && own.broadcasts(.development) == "https://b")
        #expect(own.authority(of: .devices, .production) == "localhost:1")
        #expect(own.authority(of: .broadcastChannels, .production) == "b")
        #expect(own.channels(.production) == "https://[::1]:4")
        #expect(APNsEndpoints(hosts: ["production": "p"]).broadcasts(.production) == "https://p")
    }

    @Test func theClockOfAnAnswerIsHeard() async throws {
        let key = try SigningKey.read(Array(TestKey.ec().pem.utf8))
        let source = try ProviderTokenSource(
            key: key, teamID: "T", keyID: "K", now: { Instant(seconds: 1_800_000_000) })
        let apple = Peer([answer(204, headers: ["date": "Fri, 15 Jan 2027 09:00:00 GMT"])])
        _ = try await client(apple, .token(source)).delete("a")
        _ = source.renewedToken(insteadOf: source.token())
        #expect(source.problem?.clockAhead == .seconds(-3600))
    }

    @Test func aWrongClockIsSaidInsteadOfAnExpiredToken() async throws {
        let key = try SigningKey.read(Array(TestKey.ec().pem.utf8))
        let source = try ProviderTokenSource(
            key: key, teamID: "T", keyID: "K", now: { Instant(seconds: 1_800_000_000) })
        let date: HTTPHeaders = ["date": "Fri, 15 Jan 2027 09:30:00 GMT"]
        let client = client(Peer([answer(403, ["reason": "ExpiredProviderToken"], headers: date)]), .token(source))
        await #expect(throws: CredentialError(.clockWrong, clockAhead: .seconds(-5400))) {
            _ = try await client.list()
        }
    }
}

@Suite struct ChannelReconciliationTests {
    @Test func theListsTellWhatBecameOfALostRequest() {
        #expect(ChannelReconciliation(before: ["a"], after: ["a"]) == .notMade)
        #expect(ChannelReconciliation(before: [], after: []) == .notMade)
        #expect(ChannelReconciliation(before: ["a"], after: ["b", "a"]) == .made("b"))
        #expect(ChannelReconciliation(before: ["a"], after: ["b"]) == .made("b"), "another was deleted meanwhile")
        #expect(ChannelReconciliation(before: [], after: ["b", "b"]) == .made("b"))
        #expect(ChannelReconciliation(before: ["a"], after: ["c", "a", "b"]) == .ambiguous(["b", "c"]))
        #expect(ChannelReconciliation(before: [], after: ["b", "c"], known: ["c"]) == .made("b"))
        #expect(ChannelReconciliation(before: [], after: ["c"], known: ["c"]) == .notMade)
    }
}
