internal import Foundation
internal import HTTPTesting
internal import NIOHTTP2
internal import Testing

@testable internal import CurlHTTP

/// What a pump says of requests whose connection went wrong: only what is certain was not acted on.
@Suite(.timeLimit(.minutes(2)))
struct PumpTests {
    /// Sends one request, which makes the connection, and when it is answered so many more at once on it; how they ended.
    private func send(
        _ count: Int, _ script: Script, lingers: Bool = false, timeout: Duration = .seconds(60)
    ) async throws -> [PumpEnding?] {
        try await TestServer.run(.http2, script, lingers: lingers) { server in
            let configuration = PumpConfiguration(
                endpoint: "https://127.0.0.1:\(server.port)", caFile: try ServerCertificate.trusted.caFile,
                connectTimeout: .seconds(60), requestTimeout: timeout, streams: 100, ownHeader: "apns-id")
            // A pump belongs to one thread, which it blocks.
            return try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(with: Result { try Self.exchange(count, configuration) })
                }
            }
        }
    }

    private static func exchange(
        _ count: Int, _ configuration: PumpConfiguration
    ) throws -> [PumpEnding?] {
        let pump = try RequestPump(configuration)
        defer { pump.close() }
        let headers = try PumpHeaders([])
        let connection = try pump.connect()
        var endings = [PumpEnding?](repeating: nil, count: count + 1)
        func start(_ number: Int) throws {
            let request = try pump.place()
            request.body = [1, 2, 3]
            try pump.start(
                request, path: Array("/\(number)".utf8) + [0], value: Array("\(number)".utf8), headers: headers,
                on: connection)
        }
        func run(until isOver: () -> Bool) {
            let deadline = ContinuousClock.now + .seconds(90)
            while !isOver(), ContinuousClock.now < deadline {
                pump.run(milliseconds: 1000)
                for request in pump.takeEnded() { endings[request.number] = request.ending }
            }
        }
        try start(0)
        run { endings[0] != nil }
        for number in 1...count { try start(number) }
        run { !endings.contains(nil) }
        return endings
    }

    /// Whether the server may have acted on a request that has no answer; nil when there is an answer, or no ending.
    private func sent(_ ending: PumpEnding?) -> TransportError.Sent? {
        if case .unanswered(let error, _) = ending { error.sent } else { nil }
    }

    @Test
    func aRefusedStreamWasCertainlyNotActedOn() async throws {
        let script = Script { $0.path == "/0" ? .answer(200) : .reset(.refusedStream) }
        let endings = try await send(1, script)
        #expect(endings[0] == .answered(status: 200))
        #expect(sent(endings[1]) == .nothing)
        #expect(script.seen.map(\.path) == ["/0", "/1"])
    }

    @Test(arguments: [HTTP2ErrorCode.refusedStream, .cancel, .noError, .internalError])
    func aStreamThatIsResetAfterGoAwayIsInDoubt(_ code: HTTP2ErrorCode) async throws {
        let script = Script { $0.path == "/0" ? .answer(200) : .leaveAndReset(code) }
        let endings = try await send(1, script)
        #expect(endings[0] == .answered(status: 200))
        #expect(sent(endings[1]) == .possibly)
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
        #expect(endings[0] == .answered(status: 200))
        for ending in endings.dropFirst() {
            #expect(sent(ending) == .possibly, "\(String(describing: ending))")
            guard case .unanswered(let error, _) = ending else { continue }
            #expect(error.code != .timedOut, "\(error)")
        }
        #expect(Set(script.seen.map(\.path)).count == script.seen.count && script.seen.count == 6)
    }
}
