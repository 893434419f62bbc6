import Apply
import Base
import DeliveryTesting
import DeviceRegistry
import Push
import RemoteTesting
import Testing

@testable import Delivery

@Suite struct SendingTests {
    private let world: RemoteWorld

    init() throws { world = try RemoteWorld() }

    @Test func aDeliveryReachesEveryDeviceAndItsFiguresSayHow() async throws {
        try await world.register(60)
        world.apple.with { state in
            state.answers[World.token(1)] = .refused(.service(.apple(.unregistered), since: nil))
            state.answers[World.token(2)] = .unknown("the connection was reset")
        }
        let lease = try await world.lease()
        let outcome = await world.writer().send(world.sending(world.entry(), lease))
        #expect(
            outcome
                == .delivered(DeliveryFigures(devices: 60, successes: 58, invalidTokens: 1, inDoubt: 1, missed: 0)))
        #expect(Set(world.apple.with { $0.taken }).count == 58)
        let query = ObjectQuery(where: ["deviceToken": .string(World.token(1))])
        let found = try await world.registry.find(query, in: .installation, as: .master)
        #expect(found.results.first?["valid"] == false)
    }

    @Test func anInterruptedDeliveryGoesOnUnderTheNextFence() async throws {
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

    @Test(arguments: [0..<12, 13..<Int.max])
    func anAudienceOfAnotherSizeThanAllowedIsNotSentAndNothingIsLeftOfIt(_ allowed: Range<Int>) async throws {
        try await world.register(12)
        let entry = world.entry()
        let lease = try await world.lease()
        var sending = world.sending(entry, lease)
        sending.allowed = allowed
        #expect(
            await world.writer().send(sending)
                == .outsideLimits(DeliveryFigures(devices: 12, successes: 0, invalidTokens: 0)))
        #expect(try await world.reader().journal(of: entry) == .unbegun)
        #expect(try await world.writer().conclude(entry, under: lease).successes == 0)
        #expect(world.apple.with { $0.taken }.isEmpty)
        // Nothing stands in the way of another try.
        sending.allowed = 12..<13
        #expect(
            await world.writer().send(sending)
                == .delivered(DeliveryFigures(devices: 12, successes: 12, invalidTokens: 0)))
    }

    @Test(arguments: [(500, "HTTP 500"), (503, "HTTP 503"), (503, "Service down"), (504, "HTTP 504")])
    func aServerErrorWithoutItsReasonIsADoubtAfterOneRequest(status: Int, word: String) async throws {
        try await world.register(20)
        world.apple.with { $0.answers[World.token(2)] = Refusal(status: status, reason: word).verdict }
        let lease = try await world.lease()
        let entry = world.entry()
        let doubt = SendOutcome.delivered(
            DeliveryFigures(devices: 20, successes: 19, invalidTokens: 0, inDoubt: 1))
        #expect(await world.writer().send(world.sending(entry, lease)) == doubt)
        world.clock.advance(.seconds(3000))
        #expect(await world.writer().send(world.sending(entry, try await world.lease("later"))) == doubt)
        #expect(world.apple.with { $0.requests } == 20)
    }

    @Test func aDeliveryThatOnlyWaitsForAppleIsLeftToALaterApply() async throws {
        try await world.register(20)
        world.apple.with { $0.script = [.refused(.service(.apple(.serviceUnavailable), since: nil))] }
        let entry = world.entry()
        let due = world.clock.now + .seconds(900)
        let lease = try await world.lease()
        #expect(
            await world.writer().send(world.sending(entry, lease))
                == .interrupted(
                    reason: "its devices wait for a retry", until: due,
                    DeliveryFigures(devices: 20, successes: 19, invalidTokens: 0)))
        try await world.writer().release(lease, lastApplied: nil)
        world.clock.advance(.seconds(900))
        #expect(
            await world.writer().send(world.sending(entry, try await world.lease("later")))
                == .delivered(DeliveryFigures(devices: 20, successes: 20, invalidTokens: 0)))
        #expect(world.apple.with { $0.taken }.count == 20)
    }

    @Test func aDeliveryBeginsWithinTheWindowOfItsTimeHoweverLateItsIntentIs() async throws {
        try await world.register(3)
        var entry = world.entry()
        entry.dueAt = entry.intendedAt - .seconds(3000)
        world.clock.advance(.seconds(601))
        let lease = try await world.lease()
        _ = await world.writer().send(world.sending(entry, lease))
        #expect(world.apple.with { $0.taken }.isEmpty)
        #expect(try await world.reader().journal(of: entry) == .unbegun)
        entry.dueAt = entry.intendedAt - .seconds(2900)
        #expect(
            await world.writer().send(world.sending(entry, lease))
                == .delivered(DeliveryFigures(devices: 3, successes: 3, invalidTokens: 0)))
    }

    @Test func aDeliveryThatWasNeverBegunHasAnEmptyJournal() async throws {
        #expect(try await world.reader().journal(of: world.entry()) == .unbegun)
    }

    @Test func devicesAreReachedWhetherTheRegistryKnowsThemOrNot() async throws {
        let tokens = [World.token(5), World.token(6)]
        let entry = world.entry(world.order { $0.target = .devices(tokens) })
        let outcome = await world.writer().send(world.sending(entry, try await world.lease()))
        #expect(outcome == .delivered(DeliveryFigures(devices: 2, successes: 2, invalidTokens: 0)))
        #expect(Set(world.apple.with { $0.taken }) == Set(tokens))
    }

    @Test func whatStopsADeliveryDecidesWhatBecomesOfIt() async throws {
        let refusals: [(Verdict, Remedy)] = [
            (.refused(.service(.apple(.invalidProviderToken), since: nil)), .credentials),
            (.refused(.service(.apple(.badTopic), since: nil)), .none),
            (.notSent(.noBodyGiven("no route to Apple")), .again(after: nil)),
        ]
        for (answer, remedy) in refusals {
            let world = try RemoteWorld()
            try await world.register(20)
            world.apple.with { $0.answer = answer }
            let outcome = await world.writer().send(world.sending(world.entry(), try await world.lease()))
            guard case .answered(let ended) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(ended.remedy == remedy)
            if case .unknown = ended.verdict { Issue.record("\(ended)") }
            #expect(world.apple.with { $0.taken }.isEmpty)
        }
    }

    @Test func aCredentialThatCannotBeUsedIsSaidWithItsProfile() async throws {
        let writer = world.writer(senders: ["app": SenderError("the environment variable KEY is not set")])
        let outcome = await writer.send(world.sending(world.entry(), try await world.lease()))
        let reason = "DeviceProfile app: the environment variable KEY is not set"
        #expect(
            outcome == .answered(SendAnswer(.notSent(.noBodyGiven(reason)), reason: reason, remedy: .credentials)))
    }

    @Test func whatTheMachineLacksIsTriedAgainAndIsNoCredential() async throws {
        let reason = "no thread could be started"
        let writer = world.writer(senders: ["app": SenderError(reason, isOfTheMachine: true)])
        let outcome = await writer.send(world.sending(world.entry(), try await world.lease()))
        #expect(
            outcome
                == .answered(
                    SendAnswer(.notSent(.noBodyGiven(reason)), reason: reason, remedy: .again(after: nil))))
    }

    @Test func aRequestThatCannotBeReadSendsNothing() async throws {
        var entry = world.entry()
        entry.request?.body["surprise"] = 1
        let outcome = await world.writer().send(world.sending(entry, try await world.lease()))
        #expect(outcome.refusal?.contains("surprise") == true)
    }

    @Test func anAudienceThatTheRegistryCannotReadIsRefused() async throws {
        let entry = world.entry(world.order { $0.target = .condition(["scores": ["$near": 1]]) })
        #expect(await world.writer().send(world.sending(entry, try await world.lease())).refusal != nil)
    }

    @Test func concludingCountsTheRestAsMissedAndMayBeRepeated() async throws {
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
        try await world.register(20)
        world.apple.with { $0.answers[World.token(2)] = .unknown("no answer in time") }
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

    /// A delivery that whoever holds the lock has begun.
    private func underWay() async throws -> (entry: LedgerEntry, lease: Lease) {
        let lease = try await world.lease("holder")
        var entry = world.entry()
        entry.fence = lease.fence
        try await world.writer().insert(entry, under: lease)
        return (entry, lease)
    }

    @Test func helpersNeedARegistryThatOthersReach() async throws {
        await #expect(throws: RemoteError.self) {
            try await world.writer(canBeJoined: false)
                .join(DeliveryHelper(run: "helper", isStopped: { false }) { _ in })
        }
        // Nothing is under way.
        #expect(
            try await world.writer().join(DeliveryHelper(run: "helper", isStopped: { false }) { _ in }) == nil)
    }

    @Test func aHelperSharesTheDeliveryOfWhoeverHoldsTheLock() async throws {
        try await world.register(2500)
        let (open, lease) = try await underWay()
        async let held = world.writer(settings: .patient).send(world.sending(open, lease))
        async let helped = world.writer(settings: .patient)
            .join(DeliveryHelper(run: "helper", isStopped: { false }) { _ in })
        let (outcome, _) = (await held, try await helped)
        #expect(outcome == .delivered(DeliveryFigures(devices: 2500, successes: 2500, invalidTokens: 0)))
        #expect(world.apple.with { $0.taken }.count == 2500)
    }

    @Test func aDeliveryThatTheHolderHasNotTakenUpIsNotHelped() async throws {
        try await world.register(20)
        let first = try await world.lease("first")
        try await world.writer().insert(world.entry(), under: first)
        try await world.writer().release(first, lastApplied: nil)
        // The next holder finds that it must wait, for the end of the quiet hours say.
        _ = try await world.lease("second")
        #expect(try await world.writer().join(DeliveryHelper(run: "helper", isStopped: { false }) { _ in }) == nil)
        #expect(world.apple.with { $0.requests } == 0)
    }

    @Test func aHelperThatCannotSendSaysWhyAndGoes() async throws {
        try await world.register(20)
        _ = try await underWay()
        let writer = world.writer(senders: ["app": SenderError("the environment variable KEY is not set")])
        let error = await #expect(throws: RemoteError.self) {
            try await writer.join(DeliveryHelper(run: "helper", isStopped: { false }) { _ in })
        }
        #expect(error?.description.contains("KEY") == true)
    }

    @Test func aHelperSendsNothingOutsideTheFenceInItsFiles() async throws {
        try await world.register(20)
        _ = try await underWay()
        let error = await #expect(throws: RemoteError.self) {
            try await world.writer().join(
                DeliveryHelper(run: "helper", fence: ["tester": true], isStopped: { false }) { _ in })
        }
        #expect(error?.description.contains("outside the remote's 'audience'") == true)
        #expect(world.apple.with { $0.requests } == 0)
    }
}

extension SendOutcome {
    /// Why it was refused before anything was sent.
    var refusal: String? {
        guard case .answered(let answer) = self, case .refused = answer.verdict else { return nil }
        return answer.reason
    }
}
