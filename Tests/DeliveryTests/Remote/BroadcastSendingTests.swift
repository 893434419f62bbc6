import Apply
import Base
import DeliveryTesting
import DeviceRegistry
import Push
import RemoteTesting
import Testing

@testable import Delivery

@Suite struct BroadcastSendingTests {
    private let taken = SendOutcome.delivered(DeliveryFigures(devices: 1, successes: 1, invalidTokens: 0))
    private let doubt = SendOutcome.delivered(DeliveryFigures(devices: 1, successes: 0, invalidTokens: 0, inDoubt: 1))

    private var order: DeliveryOrder {
        .score(to: .broadcast(channel: "Scores", topic: "com.example.app")) {
            $0.payload = ["aps": ["event": "update"]]
            $0.pushType = .liveactivity
            $0.expiration = .after(.zero)
        }
    }

    /// A world whose channel was made.
    private func world() async throws -> (RemoteWorld, Lease) {
        let world = try RemoteWorld()
        let lease = try await world.lease()
        let channel = ResourceRecord(
            kind: .channel, name: "Scores", fields: ["broadcast": ["topic": "com.example.app", "storage": "none"]])
        try await world.writer().save(channel, under: lease)
        return (world, lease)
    }

    @Test func aBroadcastIsOneRequestToAppleChannelAndNeverASecond() async throws {
        let (world, lease) = try await world()
        let entry = world.entry(order)
        #expect(try await world.reader().journal(of: entry) == .unbegun)
        for _ in 0..<2 { #expect(await world.writer().send(world.sending(entry, lease)) == taken) }
        #expect(world.apple.with { $0.taken } == ["channel1=="])
        let sent = try #require(world.apple.with { $0.notifications.first })
        #expect(sent.destination == .broadcastChannels && sent.topic == "com.example.app")
        #expect(sent.expiration == 0)
        #expect(try await world.reader().journal(of: entry).answered == 1)
    }

    @Test(arguments: [(504, "HTTP 504"), (502, "HTTP 502"), (500, "HTTP 500")])
    func aGatewaysErrorIsInDoubtUntilAPersonSaysOtherwise(status: Int, word: String) async throws {
        let (world, lease) = try await world()
        let entry = world.entry(order)
        world.apple.with { $0.script = [Refusal(status: status, reason: word).verdict] }
        for _ in 0..<3 {
            #expect(await world.writer().send(world.sending(entry, lease)) == doubt)
            world.clock.advance(.seconds(20))
        }
        #expect(world.apple.with { $0.requests } == 1)
        #expect(try await world.writer().conclude(entry, under: lease).inDoubt == 1)
        try await world.writer().reopenDoubtful(entry, under: lease)
        #expect(await world.writer().send(world.sending(entry, lease)) == taken)
        #expect(world.apple.with { $0.requests } == 2)
    }

    @Test func aRefusedBroadcastSaysWhyAndMayBeTriedAgain() async throws {
        let (world, lease) = try await world()
        let entry = world.entry(order)
        world.apple.with { $0.script = [.refused(.service(.apple(.badPriority), since: nil))] }
        #expect(await world.writer().send(world.sending(entry, lease)).refusal?.contains("BadPriority") == true)
        #expect(await world.writer().send(world.sending(entry, lease)) == taken)
    }

    @Test func aBroadcastToAChannelThatWasNotMadeIsRefused() async throws {
        let world = try RemoteWorld()
        let outcome = await world.writer().send(world.sending(world.entry(order), try await world.lease()))
        #expect(outcome.refusal?.contains("Scores") == true)
    }

    @Test func aBroadcastWithoutTheLockIsNotSent() async throws {
        let (world, lease) = try await world()
        world.clock.advance(.seconds(130))
        _ = try await world.lease("thief")
        guard case .interrupted = await world.writer().send(world.sending(world.entry(order), lease)) else {
            Issue.record("it was not interrupted")
            return
        }
        #expect(world.apple.with { $0.requests } == 0)
    }
}
