import APNsSimulator
import NIOHTTP2
import Testing

@Suite struct StreamTests {
    @Test func oneStreamIsAllowedUntilATokenIsValid() async throws {
        try await Sample.connected { simulator, _ in
            // Both leave before the client can know the limit.
            let client = try await ProviderClient(simulator, isListening: false)
            let first = client.start(.push(), isOpen: true)
            let second = client.start(.push())
            try await client.listen()
            #expect(await client.log.end(of: second) == .reset(.refusedStream))
            client.send([0x20], on: first, isLast: true)
            #expect(await client.log.end(of: first).text == "403 MissingProviderToken")
            #expect(client.log.streamLimits == [1])
            #expect(await client.send(.push(Sample.token, Sample.provider())).text == "200")
            #expect(await client.log.limits(2) == [1, 1000])
            #expect(simulator.statistics.refusedStreams == 1)
            await client.close()
        }
    }

    @Test func aLowerLimitRefusesWhatIsNotActedOn() async throws {
        try await Sample.connected { simulator, client in
            let push = TestRequest.push(Sample.token, Sample.provider())
            #expect(await client.send(push).text == "200")
            simulator.holdRequests()
            let ids = (0..<6).map { _ in client.start(push) }
            await simulator.requests(1)
            await simulator.wait { $0.mostStreams == 6 }
            await simulator.limitStreams(to: 4)
            for id in ids.suffix(2) { #expect(await client.log.end(of: id) == .reset(.refusedStream)) }
            await simulator.release()
            for id in ids.prefix(4) { #expect(await client.log.end(of: id).text == "200") }
            #expect(await client.log.limits(3) == [1, 1000, 4])
            #expect(simulator.deliveries(to: Sample.token) == 5)
        }
    }

    @Test func goAwayNamesItsReasonAndTheLastStreamThatCounts() async throws {
        try await Sample.connected { simulator, client in
            let push = TestRequest.push(Sample.token, Sample.provider())
            #expect(await client.send(push).text == "200")
            simulator.holdRequests()
            let ids = (0..<5).map { _ in client.start(push) }
            await simulator.requests(6)
            await simulator.goAway(reason: "ServiceUnavailable", refusingNewest: 2)
            let goAway = await client.log.goAway()
            #expect(goAway == .init(last: Int(ids[2]), data: #"{"reason":"ServiceUnavailable"}"#))
            await simulator.release()
            for id in ids.prefix(3) { #expect(await client.log.end(of: id).text == "200") }
            await client.log.end()
            #expect(simulator.deliveries(to: Sample.token) == 4)
        }
    }

    @Test func aShutdownLetsWhatIsUnderWayEnd() async throws {
        try await Sample.connected { simulator, client in
            simulator.holdAnswers()
            let id = client.start(.push(Sample.token, Sample.provider()))
            await simulator.requests(1)
            await simulator.shutDown()
            #expect(await client.log.goAway() == .init(last: Int(id), data: #"{"reason":"Shutdown"}"#))
            await simulator.release()
            #expect(await client.log.end(of: id).text == "200")
            await client.log.end()
        }
    }

    @Test func anIdleConnectionEnds() async throws {
        try await Sample.connected({ $0.idleTimeout = 60 }) { simulator, client in
            #expect(await client.send(.push(Sample.token, Sample.provider())).text == "200")
            await simulator.advance(bySeconds: 59)
            client.ping()
            await simulator.wait { $0.pings == 1 }
            await simulator.advance(bySeconds: 59)
            #expect(
                await client.send(.push(Sample.token, Sample.provider(118))).text == "429 TooManyProviderTokenUpdates")
            await simulator.advance(bySeconds: 60)
            #expect(await client.log.goAway()?.data == #"{"reason":"IdleTimeout"}"#)
            await client.log.end()
        }
    }

    @Test func tooManyBadTokensEndTheConnectionAndDeadOnesDoNot() async throws {
        try await Sample.connected({ $0.badDeviceTokenLimit = 3 }) { simulator, client in
            let provider = Sample.provider()
            try simulator.unregister(token: Sample.token)
            for _ in 0..<10 { #expect(await client.send(.push(Sample.token, provider)).text == "410 Unregistered") }
            for _ in 0..<3 { #expect(await client.send(.push("0a", provider)).text == "400 BadDeviceToken") }
            #expect(await client.log.goAway()?.data == #"{"reason":"BadDeviceToken"}"#)
            await client.log.end()
        }
    }

    @Test func hundredsOfStreamsAreAnsweredAtOnce() async throws {
        try await Sample.connected({ $0.maxConcurrentStreams = 300 }) { simulator, client in
            let provider = Sample.provider()
            #expect(await client.send(.push(Sample.token, provider)).text == "200")
            #expect(await client.log.limits(2) == [1, 300])
            simulator.holdAnswers()
            let ids = (0..<200).map { _ in client.start(.push(Sample.token, provider)) }
            await simulator.requests(201)
            await simulator.release()
            for id in ids where await client.log.end(of: id).reply.status != 200 { Issue.record("no answer") }
            #expect(simulator.statistics.mostStreams == 200)
        }
    }

    @Test func aRequestThatIsTakenBackIsForgotten() async throws {
        try await Sample.connected { simulator, client in
            let provider = Sample.provider()
            client.reset(client.start(.push(Sample.token, provider), isOpen: true))
            #expect(await client.send(.push(Sample.token, provider)).text == "200")
            #expect(simulator.deliveries(to: Sample.token) == 1)
            #expect(simulator.statistics.requests == 1)
        }
    }

    @Test func aBodyMayComeInPieces() async throws {
        try await Sample.connected { simulator, client in
            let push = TestRequest.push(Sample.token, Sample.provider())
            let id = client.start(push, isOpen: true)
            for byte in Array(#"      "#.utf8) { client.send([byte], on: id, isLast: false) }
            client.send([0x20], on: id, isLast: true)
            #expect(await client.log.end(of: id).text == "200")
            #expect(simulator.inbox(of: Sample.token).first?.payload == push.body + [UInt8](repeating: 0x20, count: 7))
        }
    }
}
