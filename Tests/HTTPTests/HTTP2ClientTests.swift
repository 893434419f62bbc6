internal import BaseTesting
internal import Foundation
internal import HTTPTesting
internal import NIOHTTP2
internal import Testing

@testable internal import HTTP

/// What an HTTP/2 client says of requests whose connection went wrong: only what the protocol says was not acted on.
@Suite(.timeLimit(.minutes(10)))
struct HTTP2ClientTests {
    /// The time for whatever a test is not about, which a machine that stands still for a minute does not exceed.
    private static let patience = Duration.seconds(250)

    /// Sends one request and, when it is answered, so many more at once on the same connection; how they ended.
    private func send(
        _ count: Int, _ script: Script, lingers: Bool = false, timeout: Duration = Self.patience,
        keepAlive: Duration = Self.patience, wanted: Int = .max
    ) async throws -> [HTTP2Ending?] {
        try await TestServer.run(.http2, script, lingers: lingers) { server in
            try await Self.exchange(count, port: server.port, timeout: timeout, keepAlive: keepAlive, wanted: wanted)
        }
    }

    private static func configuration(
        port: Int, timeout: Duration = Self.patience, keepAlive: Duration = Self.patience,
        pingTimeout: Duration = Self.patience
    ) throws -> HTTP2Configuration {
        HTTP2Configuration(
            endpoint: "https://127.0.0.1:\(port)", caFile: try ServerCertificate.trusted.caFile,
            connectTimeout: Self.patience, requestTimeout: timeout, keepAlive: keepAlive, pingTimeout: pingTimeout)
    }

    private static func exchange(
        _ count: Int, port: Int, timeout: Duration, keepAlive: Duration, pingTimeout: Duration = Self.patience,
        wanted: Int = .max
    ) async throws -> [HTTP2Ending?] {
        let configuration = try configuration(
            port: port, timeout: timeout, keepAlive: keepAlive, pingTimeout: pingTimeout)
        return try await onOneThread { try Self.exchange(count, configuration, wanted) }
    }

    /// A client belongs to one thread, which it blocks.
    private static func onOneThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
        }
    }

    /// The ending of a request whose connection was over before it could begin.
    private static let notBegun = HTTP2Ending.notGiven("there was no connection any more")

    private static func exchange(
        _ count: Int, _ configuration: HTTP2Configuration, _ wanted: Int
    ) throws -> [HTTP2Ending?] {
        let client = try HTTP2Client(configuration)
        defer { client.close() }
        client.isWanted = { $0 < wanted }
        let headers = try HTTP2Headers([("apns-topic", "t")], ownName: "apns-id")
        let connection = try client.connect(at: .now)
        var endings = [HTTP2Ending?](repeating: nil, count: count + 1)
        let deadline = ContinuousClock.now + .seconds(300)
        func run(until isOver: () -> Bool) {
            while !isOver(), ContinuousClock.now < deadline {
                _ = client.run(milliseconds: 1000)
                for request in client.takeEnded() { endings[request.number] = request.ending }
            }
        }
        func start(_ number: Int) {
            let request = client.place()
            request.body = [1, 2, 3]
            let isBegun = client.start(
                request, path: Array("/\(number)".utf8), own: Array("\(number)".utf8), headers: headers,
                on: connection, at: .now)
            if !isBegun { endings[number] = notBegun }
        }
        run { connection.phase != .opening }
        start(0)
        run { endings[0] != nil }
        for number in 1...count { start(number) }
        run { !endings.contains(nil) }
        return endings
    }

    private func isInDoubt(_ ending: HTTP2Ending?) -> Bool {
        if case .unanswered = ending { true } else { false }
    }

    @Test
    func aRefusedStreamWasCertainlyNotActedOn() async throws {
        let script = Script { $0.path == "/0" ? .answer(200) : .reset(.refusedStream) }
        let endings = try await send(1, script)
        #expect(endings == [.answered(status: 200), .streamRefused])
        #expect(script.seen.map(\.path) == ["/0", "/1"])
    }

    @Test(arguments: [HTTP2ErrorCode.cancel, .noError, .internalError, .http11Required, .enhanceYourCalm])
    func aStreamThatIsResetIsInDoubt(_ code: HTTP2ErrorCode) async throws {
        let script = Script { $0.path == "/0" ? .answer(200) : .reset(code) }
        let endings = try await send(1, script)
        #expect(isInDoubt(endings[1]))
        #expect(script.seen.map(\.path) == ["/0", "/1"])
    }

    @Test(arguments: [HTTP2ErrorCode.cancel, .noError, .internalError])
    func aStreamThatIsResetAfterGoAwayIsInDoubt(_ code: HTTP2ErrorCode) async throws {
        let script = Script { $0.path == "/0" ? .answer(200) : .leaveAndReset(code) }
        let endings = try await send(1, script)
        #expect(endings[0] == .answered(status: 200) && isInDoubt(endings[1]))
        #expect(script.seen.map(\.path) == ["/0", "/1"])
    }

    @Test(arguments: [false, true])
    func aConnectionThatDiesLeavesEveryUnansweredStreamInDoubt(lingers: Bool) async throws {
        // The farewell of TLS ends a connection as well as the end of its socket.
        let taken = Counter()
        let script = Script { seen in
            if seen.path == "/0" { return .answer(200) }
            return taken.next() == 5 ? .close : .hold
        }
        let endings = try await send(5, script, lingers: lingers)
        for ending in endings.dropFirst() { #expect(isInDoubt(ending), "\(String(describing: ending))") }
        #expect(Set(script.seen.map(\.path)).count == script.seen.count && script.seen.count == 6)
    }

    @Test
    func aBodyThatIsNotWantedAnyMoreIsNotGiven() async throws {
        let script = Script { _ in .answer(200) }
        let endings = try await send(3, script, wanted: 1)
        // Of one place that is used again and three, the first alone was wanted.
        #expect(endings[0] == .answered(status: 200))
        #expect(script.seen.allSatisfy { $0.body.isEmpty || $0.path == "/0" || $0.path == "/1" })
        #expect(endings.contains(.notGiven("it was held back")))
    }

    @Test
    func aServerThatIsSilentAndAnswersPingsIsWaitedForUntilTheTimeIsOver() async throws {
        let script = Script { $0.path == "/1" ? .hold : .answer(200) }
        let endings = try await withPatience(until: { $0[0] == .answered(status: 200) }) { limit in
            try await send(1, script, timeout: limit, keepAlive: limit / 5)
        }
        #expect(endings == [.answered(status: 200), .unanswered("timed out")])
    }

    @Test
    func aServerThatAnswersNoPingIsLost() async throws {
        let endings = try await withPatience(
            until: { $0.contains(.answered(status: 200)) && !$0.contains(Self.notBegun) }
        ) { limit in
            try await FrameServer.run(.stalled, seed: 1) { server, _ in
                try await Self.exchange(
                    70, port: server.port, timeout: .seconds(200), keepAlive: limit, pingTimeout: limit)
            }
        }
        #expect(endings.contains(.answered(status: 200)))
        #expect(endings.contains(.unanswered("the server does not answer a PING")))
    }

    /// Of a server that is faster than its client, so that there is always something to read.
    @Test
    func readingStopsAfterAWhileSoThatOthersHaveTheirTurn() async throws {
        let script = Script { _ in .answer(200, body: Array(repeating: 0, count: 10_000)) }
        let (ending, interruptions) = try await TestServer.run(.http2, script) { server in
            let configuration = try Self.configuration(port: server.port)
            return try await Self.onOneThread {
                let client = try HTTP2Client(configuration)
                defer { client.close() }
                // A frame of 10,000 bytes arrives at once, and is read byte by byte.
                client.room = [0]
                let connection = try client.connect(at: .now)
                while connection.phase == .opening { _ = client.run(milliseconds: 1000) }
                let request = client.place()
                let isBegun = client.start(
                    request, path: Array("/".utf8), own: Array("1".utf8), headers: try HTTP2Headers([], ownName: "a"),
                    on: connection, at: .now)
                var interruptions = 0
                while isBegun, request.ending == nil {
                    _ = client.run(milliseconds: 1000)
                    if connection.hasMore { interruptions += 1 }
                }
                return (request.ending, interruptions)
            }
        }
        #expect(ending == .answered(status: 200))
        #expect(interruptions >= 150)
    }
}
