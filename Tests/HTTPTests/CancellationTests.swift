internal import HTTPTesting
internal import Testing

@testable internal import HTTP

/// Requests end when their task or client does.
@Suite(.timeLimit(.minutes(10)))
struct CancellationTests {
    @Test(arguments: Transport.allCases)
    func cancellingTheTaskEndsItsRequestOnly(_ transport: Transport) async throws {
        let script = Script { seen in seen.path == "/held" ? .hold : .answer(200) }
        try await TestServer.with(transport, script) { server, client in
            let task = Task { await client.outcome(HTTPRequest(.post, server.url("/held"), body: [1])) }
            await script.requests(1)
            task.cancel()
            #expect(await task.value == .failed(.cancelled, .possibly))
            #expect(await client.outcome(HTTPRequest(.post, server.url("/next"), body: [1])) == .answered(200))
        }
        #expect(script.seen.map(\.path) == ["/held", "/next"])
    }

    @Test
    func aCancelledTaskSendsNothing() async throws {
        let script = Script { _ in .answer(200) }
        try await TestServer.with(.plain, script) { server, client in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await client.outcome(HTTPRequest(.post, server.url("/"), body: [1]))
            }
            #expect(await task.value == .failed(.cancelled, .nothing))
        }
        #expect(script.seen.isEmpty)
    }

    @Test
    func aRequestThatWaitsItsTurnIsCancelledAtOnce() async throws {
        let script = Script { _ in .hold }
        try await TestServer.with(.plain, script, configuration: .init(maximumInFlight: 1)) { server, client in
            let first = Task { await client.outcome(HTTPRequest(.post, server.url("/1"), body: [1])) }
            await script.requests(1)
            let second = Task { await client.outcome(HTTPRequest(.post, server.url("/2"), body: [1])) }
            second.cancel()
            #expect(await second.value == .failed(.cancelled, .nothing))
            first.cancel()
            #expect(await first.value == .failed(.cancelled, .possibly))
        }
        #expect(script.seen.map(\.path) == ["/1"])
    }

    @Test(arguments: Transport.allCases)
    func closingEndsEverything(_ transport: Transport) async throws {
        let script = Script { _ in .hold }
        let configuration = HTTPClient.Configuration(maximumInFlight: 4)
        try await TestServer.with(transport, script, configuration: configuration) { server, client in
            let outcomes = await withTaskGroup(of: Outcome.self) { group in
                for number in 0..<20 {
                    group.addTask { await client.outcome(HTTPRequest(.post, server.url("/\(number)"), body: [1])) }
                }
                await script.requests(4)
                client.close()
                return await group.reduce(into: [Outcome]()) { $0.append($1) }
            }
            #expect(outcomes.filter { $0 == .failed(.cancelled, .possibly) }.count == 4)
            #expect(outcomes.filter { $0 == .failed(.cancelled, .nothing) }.count == 16)
            #expect(await client.outcome(HTTPRequest(.get, server.url("/"))) == .failed(.cancelled, .nothing))
            client.close()
        }
    }

    @Test
    func aThousandCancellationsLeaveAClientThatWorks() async throws {
        let script = Script { seen in .answer(200, body: seen.body) }
        try await TestServer.with(.http2, script) { server, client in
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<1000 {
                    let task = Task {
                        await client.outcome(HTTPRequest(.post, server.url("/\(number)"), body: [1]))
                    }
                    group.addTask {
                        if number % 2 == 0 { task.cancel() }
                        let outcome = await task.value
                        if number % 2 == 1 { #expect(outcome == .answered(200)) }
                    }
                }
            }
            #expect(await client.outcome(HTTPRequest(.get, server.url("/last"))) == .answered(200))
        }
        #expect(Set(script.seen.map(\.path)).count == script.seen.count)
    }

    /// Its place in line stays: a later request may have the same address in memory.
    @Test
    func aRequestThatLeftTheLineAndCameAgainIsTakenOnce() async throws {
        let target = try RequestTarget("http://127.0.0.1/", plainToLoopback: true)
        let outcome = await withCheckedContinuation { continuation in
            let job = Job(
                ticket: Ticket(), request: HTTPRequest(.get, "http://127.0.0.1/"), target: target,
                deadline: .now + .seconds(60), continuation: continuation)
            var line = WaitingLine()
            line.append(job)
            #expect(line.remove(job.ticket) != nil)
            line.append(job)
            for job in line.removeAll() { job.refuse(.cancelled, "") }
        }
        #expect(throws: TransportError.self) { try outcome.get() }
    }
}
