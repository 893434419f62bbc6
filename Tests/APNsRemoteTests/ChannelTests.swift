import APNs
import CurlHTTP
import DeviceRegistry
import JSONValue
import PushModel
import PushRemote
import RemoteTesting
import Testing

@testable import APNsRemote

@Suite struct ChannelTests {
    private func channel(_ storage: String = "none", topic: String = "com.example.app") -> ResourceRecord {
        ResourceRecord(
            kind: .channel, name: "Scores",
            fields: ["broadcast": ["topic": .string(topic), "storage": .string(storage)]])
    }

    private func ids(_ world: World) -> [String] {
        world.channels.with { $0.channels["com.example.app"]?.keys.sorted() ?? [] }
    }

    private var broadcast: DeliveryOrder {
        DeliveryOrder(
            payload: ["aps": ["event": "update"]], pushType: .liveactivity, priority: 10, expiration: .oneAttempt,
            environment: .production,
            routes: [
                DeliveryOrder.Route(
                    profile: "app", topic: "com.example.app", apnsTopic: "com.example.app", isDefault: true)
            ],
            target: .broadcast(channel: "Scores", topic: "com.example.app"))
    }

    @Test func aBroadcastChannelIsMadeOnceAndDeletedForReal() async throws {
        let world = try World()
        let lease = try await world.lease()
        try await world.writer().save(channel(), under: lease)
        try await world.writer().save(channel(), under: lease)
        #expect(ids(world) == ["channel1=="])
        #expect(try await world.reader().resources() == [channel()])
        try await world.writer().delete(channel(), under: lease)
        #expect(ids(world) == [])
        #expect(try await world.reader().resources() == [])
        #expect(try await world.store.records(.broadcast, of: "giants") == [])
    }

    @Test func anOrdinaryChannelIsNobodysBusinessAtApple() async throws {
        let world = try World()
        let lease = try await world.lease()
        try await world.writer().save(ResourceRecord(kind: .channel, name: "Giants", fields: [:]), under: lease)
        try await world.writer().delete(ResourceRecord(kind: .channel, name: "Giants", fields: [:]), under: lease)
        #expect(world.channels.with { $0.calls }.isEmpty)
    }

    @Test func aChannelIsMadeInEveryEnvironmentThatHasAProfile() async throws {
        let world = try World()
        let lease = try await world.lease()
        let profiles = [
            World.profile("app"), World.profile("app-dev", .development), World.profile("x", topic: "com.x"),
        ]
        try await world.writer(profiles: profiles).save(channel(), under: lease)
        let keys = try await world.store.records(.broadcast, of: "giants").map(\.key)
        #expect(keys == ["development/Scores", "production/Scores"])
    }

    @Test func anotherStorageIsAnotherChannel() async throws {
        let world = try World()
        let lease = try await world.lease()
        try await world.writer().save(channel(), under: lease)
        try await world.writer().save(channel("mostRecent"), under: lease)
        #expect(world.channels.with { $0.channels["com.example.app"] } == ["channel2==": 1])
        try await world.writer().save(ResourceRecord(kind: .channel, name: "Scores", fields: [:]), under: lease)
        #expect(ids(world) == [])
    }

    @Test func aLostAnswerIsLookedUpAndTheChannelAdopted() async throws {
        let world = try World()
        world.channels.with { state in
            state.channels["com.example.app"] = ["foreign==": 0]
            state.scripts = [.loseAnswer]
        }
        try await world.writer().save(channel(), under: try await world.lease())
        #expect(ids(world) == ["channel1==", "foreign=="])
        let record = try #require(try await world.store.records(.broadcast, of: "giants").first)
        #expect(record.document["id"] == "channel1==")
    }

    @Test func aLostRequestMakesTheChannelByTheNextApply() async throws {
        let world = try World()
        let lease = try await world.lease()
        world.channels.with { $0.scripts = [.loseRequest] }
        await #expect(throws: RemoteError.self) { try await world.writer().save(channel(), under: lease) }
        #expect(try await world.reader().resources() == [])
        try await world.writer().save(channel(), under: lease)
        #expect(ids(world) == ["channel1=="])
    }

    @Test func twoNewChannelsAfterALostAnswerAreForAPerson() async throws {
        let world = try World()
        let lease = try await world.lease()
        world.channels.with { $0.scripts = [.loseRequest] }
        await #expect(throws: RemoteError.self) { try await world.writer().save(channel(), under: lease) }
        world.channels.with { $0.channels["com.example.app"] = ["a==": 0, "b==": 0] }
        let error = await #expect(throws: RemoteError.self) { try await world.writer().save(channel(), under: lease) }
        #expect(error?.kind == .unknownOutcome)
        #expect(ids(world) == ["a==", "b=="])
    }

    @Test func aRefusalLeavesNothingBehind() async throws {
        let world = try World()
        world.channels.with { $0.scripts = [.answer(400, "CannotCreateChannelConfig")] }
        let lease = try await world.lease()
        let error = await #expect(throws: RemoteError.self) { try await world.writer().save(channel(), under: lease) }
        #expect(error?.description.contains("10,000") == true)
        #expect(try await world.store.records(.broadcast, of: "giants") == [])
    }

    @Test func aDeletionWhoseAnswerWasLostIsRepeated() async throws {
        let world = try World()
        let lease = try await world.lease()
        try await world.writer().save(channel(), under: lease)
        world.channels.with { state in
            state.scripted = .delete
            state.scripts = [.loseAnswer]
        }
        try await world.writer().delete(channel(), under: lease)
        #expect(ids(world) == [])
    }

    @Test func aChannelWithoutAProfileOfItsTopicIsRefused() async throws {
        let world = try World()
        let lease = try await world.lease()
        let error = await #expect(throws: RemoteError.self) {
            try await world.writer(profiles: []).save(channel(), under: lease)
        }
        #expect(error?.kind == .refused)
        try await world.writer().save(channel(), under: lease)
        await #expect(throws: RemoteError.self) { try await world.writer(profiles: []).delete(channel(), under: lease) }
        #expect(ids(world) == ["channel1=="])
    }

    @Test func aBroadcastIsOneRequestAndNeverASecond() async throws {
        let world = try World()
        let lease = try await world.lease()
        try await world.writer().save(channel(), under: lease)
        let entry = world.entry(broadcast)
        #expect(try await world.reader().journal(of: entry) == .unbegun)
        let id = APNsID(delivery: entry.notificationID.text, token: "Scores").text
        for _ in 0..<2 {
            #expect(await world.writer().send(world.sending(entry, lease)) == .accepted(objectID: id))
        }
        #expect(world.channels.with { $0.broadcasts.map(\.requestID) } == [id])
        #expect(world.channels.with { $0.broadcasts.map(\.channel) } == ["channel1=="])
        #expect(try await world.reader().journal(of: entry).answered == 1)
    }

    @Test func onlyABroadcastOfOurOwnHasARecord() async throws {
        let world = try World()
        let lease = try await world.lease()
        var ours = world.entry(broadcast)
        ours.objectID = "ours"
        try await world.writer().insert(ours, under: lease)
        var copied = world.entry(name: "copied")
        (copied.state, copied.objectID) = (.sent, "push1")
        copied.delivery = DeliveryID(workspace: "giants", campaign: "copied", revision: 1)
        try await world.writer().insert(copied, under: lease)
        #expect(try await world.reader().record(objectID: "ours")?.figures.devices == 1)
        #expect(try await world.reader().record(objectID: "push1") == nil)
        #expect(try await world.reader().record(objectID: "unknown") == nil)
    }

    @Test func aBroadcastWhoseAnswerWasLostIsInDoubtUntilAPersonSaysOtherwise() async throws {
        let world = try World()
        let lease = try await world.lease()
        try await world.writer().save(channel(), under: lease)
        let entry = world.entry(broadcast)
        world.channels.with { $0.scripts = [.loseAnswer] }
        let doubt = SendOutcome.delivered(DeliveryFigures(devices: 1, successes: 0, invalidTokens: 0, inDoubt: 1))
        #expect(await world.writer().send(world.sending(entry, lease)) == doubt)
        #expect(await world.writer().send(world.sending(entry, lease)) == doubt)
        #expect(world.channels.with { $0.broadcasts.count } == 1)
        #expect(try await world.writer().conclude(entry, under: lease).inDoubt == 1)
        try await world.writer().reopenDoubtful(entry, under: lease)
        guard case .accepted = await world.writer().send(world.sending(entry, lease)) else {
            Issue.record("it was not sent again")
            return
        }
        #expect(world.channels.with { $0.broadcasts.count } == 2)
    }

    @Test func aRefusedBroadcastMayBeTriedAgain() async throws {
        let world = try World()
        let lease = try await world.lease()
        try await world.writer().save(channel(), under: lease)
        let entry = world.entry(broadcast)
        world.channels.with { $0.scripts = [.answer(400, "BadPriority"), .refuseConnection] }
        guard case .refused = await world.writer().send(world.sending(entry, lease)),
            case .deferred = await world.writer().send(world.sending(entry, lease)),
            case .accepted = await world.writer().send(world.sending(entry, lease))
        else {
            Issue.record("it was not refused, put off and taken")
            return
        }
    }

    @Test func aBroadcastToAChannelThatWasNotMadeIsRefused() async throws {
        let world = try World()
        guard
            case .refused = await world.writer().send(world.sending(world.entry(broadcast), try await world.lease()))
        else {
            Issue.record("it was not refused")
            return
        }
    }

    @Test func aBroadcastWithoutTheLockIsNotSent() async throws {
        let world = try World()
        let lease = try await world.lease()
        try await world.writer().save(channel(), under: lease)
        world.clock.advance(.seconds(130))
        _ = try await world.lease("thief")
        guard case .interrupted = await world.writer().send(world.sending(world.entry(broadcast), lease)) else {
            Issue.record("it was not interrupted")
            return
        }
        #expect(world.channels.with { $0.broadcasts.isEmpty })
    }
}
