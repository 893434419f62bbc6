import Testing

@testable internal import APNsSimulator

@Suite struct InboxTests {
    @Test func aDeviceKeepsWhatItReceived() async throws {
        try await Sample.connected { simulator, client in
            let push = TestRequest.push(Sample.token, Sample.provider())
                .with("apns-id", "9f2c1b7e-0000-4000-8000-00000000000a").with("apns-collapse-id", "news")
            _ = await client.send(push.with("apns-expiration", "0").with("apns-priority", "5"))
            _ = await client.send(push)
            let inbox = simulator.inbox(of: Sample.token)
            #expect(inbox.map(\.expiration) == [0, nil])
            #expect(inbox.map(\.priority) == [5, 10])
            #expect(inbox.map(\.isCollapsed) == [true, false])
            #expect(inbox.map(\.isRepeated) == [false, true])
            #expect(inbox.allSatisfy { $0.payload == push.body && $0.receivedAt == Sample.now * 1000 })
            let whole = simulator.inboxSummary()
            #expect(whole == InboxSummary(devices: 1, messages: 2, duplicates: 1))
            #expect(simulator.inboxSummary(collapseID: "other") == InboxSummary())
            #expect(simulator.inboxSummary(topic: Sample.bundle, collapseID: "news") == whole)
            simulator.emptyInboxes()
            #expect(simulator.inboxSummary() == InboxSummary())
        }
    }

    @Test(arguments: Recording.allCases) func countsTellWhoWasMissedAndWhoGotItTwice(_ recording: Recording)
        async throws
    {
        let tokens = (0..<100).map { String(repeating: "0", count: 61) + String(0x100 + $0, radix: 16) }
        try await Sample.connected({
            $0.acceptsEveryToken = true
            $0.recording = recording
        }) { simulator, client in
            let provider = Sample.provider()
            let id = "9f2c1b7e-0000-4000-8000-00000000000a"
            let pushes = (tokens.dropLast(3) + tokens.prefix(2)).map { token in
                TestRequest.push(token, provider).with("apns-id", id)
            }
            #expect(await client.send(all: pushes).allSatisfy { $0.text == "200" })
            #expect(simulator.missed(among: tokens) == Array(tokens.suffix(3)))
            #expect(simulator.deliveryHistogram() == [1: 95, 2: 2])
            #expect(simulator.inboxSummary() == InboxSummary(devices: 97, messages: 99, duplicates: 2))
            #expect(simulator.inbox(of: tokens[0]).isEmpty == (recording == .counts))
        }
    }
}
