import APNs
import APNsDelivery
import DeviceRegistry
import JSONValue
import PushModel
import PushRemote
import RemoteTesting
import Testing

@testable import APNsRemote

@Suite struct SendingTests {
    @Test func aDeliveryReachesEveryDeviceAndItsFiguresSayHow() async throws {
        let world = try World()
        try await world.register(60)
        world.apple.with { state in
            state.answers[World.token(1)] = .refused(Refusal(status: 410, reason: "Unregistered"))
            state.answers[World.token(2)] = .inDoubt("the connection was reset")
        }
        let lease = try await world.lease()
        let outcome = await world.writer().send(world.sending(world.entry(), lease))
        #expect(
            outcome
                == .delivered(DeliveryFigures(devices: 60, successes: 58, invalidTokens: 1, inDoubt: 1, missed: 0)))
        #expect(Set(world.apple.with { $0.taken }).count == 58)
        var query = ObjectQuery()
        query.condition = ["deviceToken": .string(World.token(1))]
        let found = try await world.registry.find(query, in: .installation, as: .master)
        #expect(found.results.first?["valid"] == false)
    }

    @Test func anInterruptedDeliveryGoesOnUnderTheNextFence() async throws {
        let world = try World()
        try await world.register(50)
        let entry = world.entry(world.order { $0.throttle = 5 })
        let stop = Flag()
        world.apple.with { $0.after = (25, { stop.raise() }) }
        let first = try await world.lease("first")
        let outcome = await world.writer().send(world.sending(entry, first, isStopped: { stop.isRaised }))
        #expect(outcome == .interrupted(reason: "it was asked to stop"))
        let state = try await world.reader().journal(of: entry)
        #expect(state.targets == 50 && state.answered == 25 && state.waiting == 25 && state.inDoubt == 0)
        try await world.writer().release(first, lastApplied: nil)
        let second = try await world.lease("second")
        #expect(
            await world.writer().send(world.sending(entry, second))
                == .delivered(DeliveryFigures(devices: 50, successes: 50, invalidTokens: 0)))
        #expect(world.apple.with { $0.taken }.count == 50)
    }

    @Test func anAudienceOfMoreDevicesThanAllowedIsRefusedWithBothNumbers() async throws {
        let world = try World()
        try await world.register(12)
        let entry = world.entry()
        let lease = try await world.lease()
        var sending = world.sending(entry, lease)
        sending.mostDevices = 11
        let outcome = await world.writer().send(sending)
        guard case .refused(let reason) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(reason.contains("12 devices") && reason.contains("11"), "\(reason)")
        #expect(try await world.reader().journal(of: entry) == .unbegun)
        #expect(try await world.writer().conclude(entry, under: lease).successes == 0)
        #expect(world.apple.with { $0.taken }.isEmpty)
        // With another id, as another try has, it may go.
        sending.entry.notificationID = DeliveryID("bbbbbbbbbbbbbbbb") ?? entry.notificationID
        sending.mostDevices = 12
        #expect(
            await world.writer().send(sending)
                == .delivered(DeliveryFigures(devices: 12, successes: 12, invalidTokens: 0)))
    }

    @Test func aDeliveryThatWasNeverBegunHasAnEmptyJournal() async throws {
        let world = try World()
        #expect(try await world.reader().journal(of: world.entry()) == .unbegun)
    }

    @Test func devicesAreReachedWhetherTheRegistryKnowsThemOrNot() async throws {
        let world = try World()
        let tokens = [World.token(5), World.token(6)]
        let entry = world.entry(world.order { $0.target = .devices(tokens) })
        let outcome = await world.writer().send(world.sending(entry, try await world.lease()))
        #expect(outcome == .delivered(DeliveryFigures(devices: 2, successes: 2, invalidTokens: 0)))
        #expect(Set(world.apple.with { $0.taken }) == Set(tokens))
    }

    @Test func whatStopsADeliveryDecidesWhatBecomesOfIt() async throws {
        let refusals: [(SendAnswer, (SendOutcome) -> Bool)] = [
            (
                .refused(Refusal(status: 403, reason: "InvalidProviderToken")),
                { if case .unauthorized = $0 { true } else { false } }
            ),
            (.refused(Refusal(status: 400, reason: "BadTopic")), { if case .refused = $0 { true } else { false } }),
            (.notSent("no route to Apple"), { if case .deferred = $0 { true } else { false } }),
        ]
        for (answer, isRight) in refusals {
            let world = try World()
            try await world.register(20)
            world.apple.with { $0.answer = answer }
            let outcome = await world.writer().send(world.sending(world.entry(), try await world.lease()))
            #expect(isRight(outcome), "\(outcome)")
            #expect(world.apple.with { $0.taken }.isEmpty)
        }
    }

    @Test func aCredentialThatCannotBeUsedIsSaidWithItsProfile() async throws {
        let world = try World()
        let writer = world.writer(senders: ["app": SenderError("the environment variable KEY is not set")])
        let outcome = await writer.send(world.sending(world.entry(), try await world.lease()))
        #expect(outcome == .unauthorized(reason: "DeviceProfile app: the environment variable KEY is not set"))
    }

    @Test func aRequestThatCannotBeReadSendsNothing() async throws {
        let world = try World()
        var entry = world.entry()
        entry.request?.body["surprise"] = 1
        guard case .refused(let reason) = await world.writer().send(world.sending(entry, try await world.lease()))
        else {
            Issue.record("it was not refused")
            return
        }
        #expect(reason.contains("surprise"))
    }

    @Test func anAudienceThatTheRegistryCannotReadIsRefused() async throws {
        let world = try World()
        let entry = world.entry(world.order { $0.target = .condition(["scores": ["$near": 1]]) })
        guard case .refused = await world.writer().send(world.sending(entry, try await world.lease())) else {
            Issue.record("it was not refused")
            return
        }
    }

    @Test func concludingCountsTheRestAsMissedAndMayBeRepeated() async throws {
        let world = try World()
        try await world.register(50)
        let entry = world.entry(world.order { $0.throttle = 5 })
        let stop = Flag()
        world.apple.with { $0.after = (25, { stop.raise() }) }
        let lease = try await world.lease()
        _ = await world.writer().send(world.sending(entry, lease, isStopped: { stop.isRaised }))
        let figures = try await world.writer().conclude(entry, under: lease)
        #expect(figures == DeliveryFigures(devices: 50, successes: 25, invalidTokens: 0, missed: 25))
        #expect(try await world.writer().conclude(entry, under: lease) == figures)
        #expect(
            try await world.writer().conclude(world.entry(name: "other"), under: lease)
                == DeliveryFigures(devices: 0, successes: 0, invalidTokens: 0))
    }

    @Test func aPersonsWordSendsToTheDevicesInDoubtOnly() async throws {
        let world = try World()
        try await world.register(20)
        world.apple.with { $0.answers[World.token(2)] = .inDoubt("no answer in time") }
        let lease = try await world.lease()
        let entry = world.entry()
        _ = await world.writer().send(world.sending(entry, lease))
        world.apple.with { $0.answers = [:] }
        try await world.writer().reopenDoubtful(entry, under: lease)
        #expect(try await world.reader().journal(of: entry).waiting == 1)
        #expect(
            await world.writer().send(world.sending(entry, lease))
                == .delivered(DeliveryFigures(devices: 20, successes: 20, invalidTokens: 0)))
        #expect(world.apple.with { $0.taken }.count == 20)
    }

    @Test func helpersNeedARegistryThatOthersReach() async throws {
        let world = try World()
        await #expect(throws: RemoteError.self) {
            try await world.writer(canBeJoined: false).join(Joining(run: "helper", isStopped: { false }) { _ in })
        }
        // Nothing is under way.
        #expect(
            try await world.writer().join(Joining(run: "helper", isStopped: { false }) { _ in }) == nil)
    }

    @Test func aHelperSharesTheDeliveryOfWhoeverHoldsTheLock() async throws {
        let world = try World()
        try await world.register(2500)
        let lease = try await world.lease("holder")
        var entry = world.entry()
        entry.fence = lease.fence
        try await world.writer().insert(entry, under: lease)
        let open = entry
        async let held = world.writer().send(world.sending(open, lease))
        async let helped = world.writer().join(Joining(run: "helper", isStopped: { false }) { _ in })
        let (outcome, _) = (await held, try await helped)
        #expect(outcome == .delivered(DeliveryFigures(devices: 2500, successes: 2500, invalidTokens: 0)))
        #expect(world.apple.with { $0.taken }.count == 2500)
    }

    @Test func aDeliveryThatTheHolderHasNotTakenUpIsNotHelped() async throws {
        let world = try World()
        try await world.register(20)
        let first = try await world.lease("first")
        try await world.writer().insert(world.entry(), under: first)
        try await world.writer().release(first, lastApplied: nil)
        // The next holder finds that it must wait, for the end of the quiet hours say.
        _ = try await world.lease("second")
        #expect(try await world.writer().join(Joining(run: "helper", isStopped: { false }) { _ in }) == nil)
        #expect(world.apple.with { $0.requests } == 0)
    }

    @Test func aHelperThatCannotSendSaysWhyAndGoes() async throws {
        let world = try World()
        try await world.register(20)
        let lease = try await world.lease("holder")
        var entry = world.entry()
        entry.fence = lease.fence
        try await world.writer().insert(entry, under: lease)
        let writer = world.writer(senders: ["app": SenderError("the environment variable KEY is not set")])
        let error = await #expect(throws: RemoteError.self) {
            try await writer.join(Joining(run: "helper", isStopped: { false }) { _ in })
        }
        #expect(error?.description.contains("KEY") == true)
    }
}
