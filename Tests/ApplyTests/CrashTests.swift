import Apply
import Push
import RemoteTesting
import Testing

/// `kill -9` at every write, and a later apply.
@Suite struct CrashTests {
    private static let hour = Duration.seconds(3600)
    private static let channel = Channel(name: "Giants", origin: Sample.origin("channels"))
    private static let oldChannel = Channel(name: "Mets", origin: Sample.origin("channels"))

    /// What was applied before: two pushes are pending, a channel is recorded.
    static let before = Sample.workspace([
        Sample.campaign("dropped", at: Sample.start + hour * 10),
        Sample.campaign("moved", at: Sample.start + hour * 10),
    ]) { $0.channels = [oldChannel] }

    /// A plan with create, delete, cancel, reschedule, schedule and send.
    static let after = Sample.workspace([
        Sample.campaign("later", at: Sample.start + hour * 12),
        Sample.campaign("moved", at: Sample.start + hour * 11),
        Sample.campaign("now"),
    ]) { $0.channels = [channel] }

    private static let applied = Task {
        let service = FakeService()
        await Applier().apply(before, to: service)
        return service
    }

    /// A service on which ``before`` was applied.
    static func prepared() async -> FakeService { FakeService(copying: await applied.value) }

    /// Applies until there is nothing left to do, fires what is scheduled, and checks what the devices have.
    static func expectExactlyOnce(
        _ service: FakeService, _ comment: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for _ in 0..<3 where try await service.plan(after).hasChanges {
            await Applier(name: "last").apply(after, to: service)
        }
        #expect(try await service.plan(after).changes.isEmpty, "\(comment)", sourceLocation: sourceLocation)
        service.advance(hour * 24)
        let expected = ["later@1": 1, "moved@1": 1, "now@1": 1]
        #expect(service.received == expected, "\(comment)", sourceLocation: sourceLocation)
        #expect(service.with { $0.resources.map(\.name) } == ["Giants"], "\(comment)", sourceLocation: sourceLocation)
    }

    /// The points that an undisturbed apply reaches.
    private static func points(_ recordDelay: Duration) async -> [FakeRemote.WritePoint] {
        let service = await prepared()
        service.with { $0.recordDelay = recordDelay }
        return await Applier().apply(after, to: service).remote.points
    }

    @Test func anUndisturbedApplyReachesEveryKindOfWrite() async throws {
        let service = await Self.prepared()
        let writes = await Applier().apply(Self.after, to: service).remote.writes
        #expect(
            writes == [
                "acquireLock", "save Giants", "update cancelling", "cancel", "update cancelled", "update cancelling",
                "cancel", "update cancelled", "update sending", "send", "update scheduled", "insert sending", "send",
                "update sent", "insert sending", "send", "update scheduled", "delete Mets", "update scheduled",
                "update scheduled",
                "update sent", "release",
            ])
        try await Self.expectExactlyOnce(service, "undisturbed")
    }

    @Test(
        arguments: [Duration.seconds(130), .seconds(300), .seconds(660)], [Duration.zero, .seconds(150), .seconds(400)])
    func aKillAtAnyWriteLosesAndDoublesNothing(pause: Duration, recordDelay: Duration) async throws {
        for (number, point) in await Self.points(recordDelay).enumerated() {
            let service = await Self.prepared()
            service.with { $0.recordDelay = recordDelay }
            let first = await Applier { _, index in index == number ? .die : .live }.apply(Self.after, to: service)
            #expect(first.remote.isDead)
            service.advance(pause)
            try await Self.expectExactlyOnce(service, "killed \(point), again after \(pause)")
        }
    }

    @Test(arguments: zip([1, 3], [Duration.seconds(130), .seconds(660)]))
    func withLateListsAKillAtAnyWriteLosesAndDoublesNothing(late: Int, pause: Duration) async throws {
        for (number, point) in await Self.points(.zero).enumerated() {
            let service = await Self.prepared()
            service.with { $0.listsAreLateBy = late }
            await Applier { _, index in index == number ? .die : .live }.apply(Self.after, to: service)
            service.advance(pause)
            for _ in 0..<2 { await Applier(name: "bob").apply(Self.after, to: service) }
            try await Self.expectExactlyOnce(service, "killed \(point), lists late by \(late)")
        }
    }

    @Test func aSecondKillAtAnyWriteLosesAndDoublesNothing() async throws {
        for (number, point) in await Self.points(.zero).enumerated() {
            let once = await Self.prepared()
            await Applier { _, index in index == number ? .die : .live }.apply(Self.after, to: once)
            once.advance(.seconds(130))
            for second in 0..<60 {
                let service = FakeService(copying: once)
                let killed = await Applier(name: "bob") { _, index in index == second ? .die : .live }
                    .apply(Self.after, to: service)
                guard killed.remote.isDead else { break }
                service.advance(second.isMultiple(of: 2) ? .seconds(130) : .seconds(660))
                try await Self.expectExactlyOnce(service, "killed \(point), then at write \(second)")
            }
        }
    }

    @Test func anApplyRightAfterAKillIsLockedOutUntilTheLockIsFreed() async throws {
        let service = await Self.prepared()
        await Applier { point, _ in point.name == "send" ? .die : .live }.apply(Self.after, to: service)
        let locked = await Applier(name: "bob").apply(Self.after, to: service)
        #expect(locked.ending == "held by ann")
        #expect(locked.remote.writes == ["acquireLock"])
        let fence = try #require(service.with { $0.lock?.fence })
        #expect(try await FakeRemote(service).unlock(fence: fence + 1) == false)
        #expect(try await FakeRemote(service).unlock(fence: fence))
        try await Self.expectExactlyOnce(service, "unlocked")
    }

    @Test(arguments: [Duration.seconds(130), .seconds(300), .seconds(660)])
    func aKillWithALostAnswerAtAnySendLosesAndDoublesNothing(pause: Duration) async throws {
        for lost in 0..<3 {
            for answer in [FakeAnswer.lostAnswer, .lostRequest, .late(.seconds(40))] {
                let service = await Self.prepared()
                let answers = Array(repeating: FakeAnswer.accept, count: lost) + [answer]
                service.with { $0.answers = answers }
                await Applier { point, _ in point.name == "send" && service.with { $0.answers.isEmpty } ? .die : .live }
                    .apply(Self.after, to: service)
                service.advance(pause)
                try await Self.expectExactlyOnce(service, "\(answer) at send \(lost)")
            }
        }
    }
}

extension Applier {
    /// An applier with a hook.
    init(
        name: String = "ann", _ hook: @escaping @Sendable (FakeRemote.WritePoint, Int) async -> FakeRemote.Fate
    ) {
        self.init()
        self.name = name
        self.hook = hook
    }
}
