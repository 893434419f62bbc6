import NIOHTTP2
import Testing

@testable internal import APNsSimulator

@Suite struct FaultTests {
    @Test(arguments: [
        (Fault.Effect.refuse(.tooManyRequests), "429 TooManyRequests", 0),
        (.refuse(.unregistered), "410 Unregistered", 0),
        (.refuse(APNsReason(status: 400, name: "BrandNew")), "400 BrandNew", 0),
        (.refuseAtHead(.serviceUnavailable), "503 ServiceUnavailable", 0),
        (.refuseStream, "\(HTTP2ErrorCode.refusedStream)", 0),
        (.reset(processed: false), "\(HTTP2ErrorCode.internalError)", 0),
        (.reset(processed: true), "\(HTTP2ErrorCode.internalError)", 1),
        (.disconnect(processed: false), "lost", 0), (.disconnect(processed: true), "lost", 1),
        (.goAwayProcessed, "lost", 1), (.delay(milliseconds: 1), "200", 1),
    ]) func eachFaultDoesWhatItSays(_ effect: Fault.Effect, _ expected: String, _ deliveries: Int) async throws {
        try await Sample.connected { simulator, client in
            let push = TestRequest.push(Sample.token, Sample.provider())
            let id = simulator.add(Fault(effect, limit: 1))
            #expect(await client.send(push).text == expected)
            #expect(simulator.deliveries(to: Sample.token) == deliveries)
            #expect(simulator.hits(ofFault: id) == 1)
            guard expected != "lost" else { return }
            #expect(await client.send(push).text == "200")
        }
    }

    @Test(arguments: [false, true]) func aStalledPushIsNeverAnswered(_ isProcessed: Bool) async throws {
        try await Sample.connected { simulator, client in
            let push = TestRequest.push(Sample.token, Sample.provider())
            simulator.add(Fault(.stall(processed: isProcessed), limit: 1))
            let stalled = client.start(push)
            await simulator.wait { $0.unanswered == 1 }
            #expect(await client.send(push).text == "200")
            #expect(simulator.deliveries(to: Sample.token) == (isProcessed ? 2 : 1))
            await simulator.disconnectAll()
            #expect(await client.log.end(of: stalled) == .lost)
        }
    }

    @Test func goAwayLeavesOutThePushThatItHits() async throws {
        try await Sample.connected { simulator, client in
            let push = TestRequest.push(Sample.token, Sample.provider())
            #expect(await client.send(push).text == "200")
            simulator.add(Fault(.goAway(reason: "Shutdown")))
            client.start(push)
            #expect(await client.log.goAway() == .init(last: 1, data: #"{"reason":"Shutdown"}"#))
            await client.log.end()
            #expect(simulator.deliveries(to: Sample.token) == 1)
        }
    }

    @Test func anAnswerMayComeBeforeTheBody() async throws {
        try await Sample.connected { simulator, client in
            simulator.add(Fault(.refuseAtHead(.tooManyRequests)))
            let id = client.start(.push(Sample.token, Sample.provider()), isOpen: true)
            #expect(await client.log.end(of: id).text == "429 TooManyRequests")
            #expect(simulator.deliveries(to: Sample.token) == 0)
        }
    }

    @Test func theSameTokensAreHitInEveryRunWhateverTheOrder() async throws {
        let tokens = (0..<100).map { String(0x1000 + $0, radix: 16) }
        func refused(_ tokens: [String], seed: UInt64) async throws -> Set<String> {
            try await Sample.connected({ $0.acceptsEveryToken = true }) { simulator, client in
                simulator.add(Fault(.refuse(.tooManyRequests), rate: 0.25, seed: seed))
                let provider = Sample.provider()
                _ = await client.send(all: tokens.map { .push($0, provider) })
                return Set(simulator.missed(among: tokens))
            }
        }
        let first = try await refused(tokens, seed: 7)
        #expect((10...40).contains(first.count))
        #expect(try await refused(tokens.reversed(), seed: 7) == first)
        #expect(try await refused(tokens, seed: 8) != first)
    }

    @Test func faultsEndWhenTheyAreRemoved() async throws {
        try await Sample.connected { simulator, client in
            let push = TestRequest.push(Sample.token, Sample.provider())
            let id = simulator.add(Fault(.refuse(.shutdown)))
            #expect(await client.send(push).text == "503 Shutdown")
            simulator.removeFault(id)
            #expect(await client.send(push).text == "200")
        }
    }
}
