import Base
import DeliveryTesting
import DeviceRegistry
import Push
import Testing

@testable import Delivery

@Suite struct BroadcastDeliveryTests {
    private func job(_ world: World, channelID: String? = "aß/+0==") -> DeliveryJob {
        var job = world.job(
            world.order { order in
                order.pushType = .liveactivity
                order.target = .broadcast(channel: "Scores", topic: "com.example.app")
                order.routes[0].isDefault = false
            })
        job.channelID = channelID
        return job
    }

    @Test func aBroadcastIsADeliveryWithOneTarget() async throws {
        let world = try await World(devices: 30)
        let figures = try #require(try await world.run(job(world)).figures)
        #expect(figures.targets == 1 && figures.accepted == 1)
        #expect(world.apple.received == ["aß/+0==": 1])
        let sent = try #require(world.apple.with { $0.notifications.first })
        #expect(sent.destination == .broadcastChannels)
        #expect(sent.topic == "com.example.app")
        // One that says nothing is kept as long as a channel keeps a message.
        #expect(sent.expiration == FakeClock.start.milliseconds / 1000 + 8 * 3600)
        #expect(try await world.run(job(world), run: "second").figures?.accepted == 1)
        #expect(world.apple.requests == 1)
    }

    @Test(arguments: [(504, "HTTP 504"), (503, ""), (500, "Bad Gateway")])
    func aGatewaysErrorLeavesOneRequestAndADoubt(status: Int, word: String) async throws {
        let world = try await World(devices: 0, FakeApple { _, _ in .takenAndAnswered(status, word) })
        for run in ["first", "second", "third"] {
            #expect(try await world.run(job(world), run: run).figures?.inDoubt == 1)
        }
        #expect(world.apple.requests == 1)
    }

    @Test func itGoesOnWithTheChannelThatWasFrozen() async throws {
        let world = try await World(devices: 0, FakeApple { _, request in request == 1 ? .neverSent : .accept })
        world.stop.raise()
        #expect(try await world.run(job(world)) == .interrupted(.asked))
        world.stop.lower()
        #expect(try await world.run(job(world, channelID: nil), run: "second").figures?.accepted == 1)
        #expect(world.apple.received == ["aß/+0==": 1])
    }

    @Test func withoutAChannelNothingIsSent() async throws {
        let world = try await World(devices: 0)
        #expect(try await world.run(job(world, channelID: nil)).stopBeforeSending?.kind == "mismatch")
    }

    @Test(arguments: ["", "a", "channel1==", "é😀"])
    func everyIdComesBackFromTheJournal(id: String) {
        #expect(ChannelToken.channelID(of: ChannelToken.token(of: id)) == id)
    }
}
