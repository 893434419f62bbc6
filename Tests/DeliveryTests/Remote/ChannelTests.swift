import Base
import DeviceRegistry
import HTTP
import Push
import RemoteTesting
import Testing

@testable import Delivery

@Suite struct ChannelTests {
    private let world: RemoteWorld
    private let lease: Lease

    init() async throws {
        world = try RemoteWorld()
        lease = try await world.lease()
    }

    private func channel(_ storage: String = "none", topic: String = "com.example.app") -> ResourceRecord {
        ResourceRecord(
            kind: .channel, name: "Scores",
            fields: ["broadcast": ["topic": .string(topic), "storage": .string(storage)]])
    }

    private var ids: [String] { world.channels.with { $0.channels["com.example.app"]?.keys.sorted() ?? [] } }

    @Test func aBroadcastChannelIsMadeOnceAndDeletedForReal() async throws {
        try await world.writer().save(channel(), under: lease)
        try await world.writer().save(channel(), under: lease)
        #expect(ids == ["channel1=="])
        #expect(try await world.reader().resources() == [channel()])
        try await world.writer().delete(channel(), under: lease)
        #expect(ids == [])
        #expect(try await world.reader().resources() == [])
        #expect(try await world.store.records(.broadcast, of: "giants") == [])
    }

    @Test func anOrdinaryChannelIsNobodysBusinessAtApple() async throws {
        try await world.writer().save(ResourceRecord(kind: .channel, name: "Giants", fields: [:]), under: lease)
        try await world.writer().delete(ResourceRecord(kind: .channel, name: "Giants", fields: [:]), under: lease)
        #expect(world.channels.with { $0.calls }.isEmpty)
    }

    @Test func aChannelIsMadeInEveryEnvironmentThatHasAProfile() async throws {
        let profiles = [
            RemoteWorld.profile("app"), RemoteWorld.profile("app-dev", .development),
            RemoteWorld.profile("x", topic: "com.x"),
        ]
        try await world.writer(profiles: profiles).save(channel(), under: lease)
        let keys = try await world.store.records(.broadcast, of: "giants").map(\.key)
        #expect(keys == ["development/Scores", "production/Scores"])
    }

    @Test func anotherStorageIsAnotherChannel() async throws {
        try await world.writer().save(channel(), under: lease)
        try await world.writer().save(channel("mostRecent"), under: lease)
        #expect(world.channels.with { $0.channels["com.example.app"] } == ["channel2==": 1])
        try await world.writer().save(ResourceRecord(kind: .channel, name: "Scores", fields: [:]), under: lease)
        #expect(ids == [])
    }

    @Test func aLostAnswerIsLookedUpAndTheChannelAdopted() async throws {
        world.channels.with { state in
            state.channels["com.example.app"] = ["foreign==": 0]
            state.scripts = [.loseAnswer]
        }
        try await world.writer().save(channel(), under: lease)
        #expect(ids == ["channel1==", "foreign=="])
        let record = try #require(try await world.store.records(.broadcast, of: "giants").first)
        #expect(record.document["id"] == "channel1==")
    }

    @Test func aLostRequestMakesTheChannelByTheNextApply() async throws {
        world.channels.with { $0.scripts = [.loseRequest] }
        await #expect(throws: RemoteError.self) { try await world.writer().save(channel(), under: lease) }
        #expect(try await world.reader().resources() == [])
        try await world.writer().save(channel(), under: lease)
        #expect(ids == ["channel1=="])
    }

    @Test func twoNewChannelsAfterALostAnswerAreForAPerson() async throws {
        world.channels.with { $0.scripts = [.loseRequest] }
        await #expect(throws: RemoteError.self) { try await world.writer().save(channel(), under: lease) }
        world.channels.with { $0.channels["com.example.app"] = ["a==": 0, "b==": 0] }
        let error = await #expect(throws: RemoteError.self) { try await world.writer().save(channel(), under: lease) }
        #expect(error?.kind == .unknownOutcome)
        #expect(ids == ["a==", "b=="])
    }

    @Test func aChannelOfAnotherWorkspaceOfTheAppIsNotAdopted() async throws {
        world.channels.with { $0.scripts = [.loseRequest] }
        await #expect(throws: RemoteError.self) { try await world.writer().save(channel(), under: lease) }
        // The other workspace of the registry makes its own before the next apply.
        let others = try await world.lease("other", of: "tigers")
        try await world.writer(of: "tigers").save(channel(), under: others)
        try await world.writer().save(channel(), under: lease)
        #expect(ids == ["channel1==", "channel2=="])
        for (workspace, id) in [("tigers", "channel1=="), ("giants", "channel2==")] as [(String, JSONValue)] {
            let record = try #require(try await world.store.records(.broadcast, of: workspace).first)
            #expect(record.document["id"] == id)
        }
    }

    @Test func aRefusalLeavesNothingBehind() async throws {
        world.channels.with { $0.scripts = [.answer(400, "CannotCreateChannelConfig")] }
        let error = await #expect(throws: RemoteError.self) { try await world.writer().save(channel(), under: lease) }
        #expect(error?.description.contains("10,000") == true)
        #expect(try await world.store.records(.broadcast, of: "giants") == [])
    }

    @Test func aDeletionWhoseAnswerWasLostIsRepeated() async throws {
        try await world.writer().save(channel(), under: lease)
        world.channels.with { state in
            state.scripted = .delete
            state.scripts = [.loseAnswer]
        }
        try await world.writer().delete(channel(), under: lease)
        #expect(ids == [])
    }

    @Test func aChannelWithoutAProfileOfItsTopicIsRefused() async throws {
        let error = await #expect(throws: RemoteError.self) {
            try await world.writer(profiles: []).save(channel(), under: lease)
        }
        #expect(error?.kind == .refused)
        try await world.writer().save(channel(), under: lease)
        await #expect(throws: RemoteError.self) { try await world.writer(profiles: []).delete(channel(), under: lease) }
        #expect(ids == ["channel1=="])
    }

    @Test func anAnswerWithoutAReasonOfApplesMayHaveMadeTheChannel() async throws {
        world.channels.with { $0.scripts = [.answer(403, "Forbidden by the proxy")] }
        let error = await #expect(throws: RemoteError.self) { try await world.writer().save(channel(), under: lease) }
        #expect(error?.kind == .unknownOutcome)
        try await world.writer().save(channel(), under: lease)
        #expect(ids == ["channel1=="])
    }
}
