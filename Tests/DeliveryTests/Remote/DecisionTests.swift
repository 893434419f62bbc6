import Apply
import Base
import DeliveryTesting
import Push
import RemoteTesting
import Testing

@testable import Delivery

/// What a person decides about a rollout that waits.
@Suite struct DecisionTests {
    private let world: RemoteWorld

    init() throws { world = try RemoteWorld() }

    /// Three stages, none of which has enough devices to be judged.
    private static let rollout = Rollout(
        stages: ["40%", "80%", "100%"].compactMap { Share($0) }, bake: .zero, stopWhen: .init(refused: Share("2%")),
        minimum: 1000, window: .seconds(3600))

    /// The verdict for which a delivery waits after another run.
    private func judged(_ entry: LedgerEntry, _ lease: Lease) async throws -> StageVerdict {
        let outcome = await world.writer().send(world.sending(entry, lease))
        guard case .judged(let verdict, _) = outcome else {
            throw RemoteError(.unexpectedAnswer, "it is not judged: \(outcome)")
        }
        return verdict
    }

    @Test func aDecisionThatIsRepeatedLeavesTheNextStageToItsOwnVerdict() async throws {
        try await world.register(60)
        let entry = world.entry(world.order { $0.timing = .stages(Self.rollout) })
        let lease = try await world.lease()
        #expect(try await judged(entry, lease).stage == 1)
        // The ledger was not told of the first one, so the person is asked again.
        for _ in 0..<2 { _ = try await world.writer().proceed(entry, reason: "few, and fine", under: lease) }
        let verdict = try await judged(entry, lease)
        #expect(verdict.stage == 2 && verdict.decision == .hold)
    }

    /// What the next apply does about a delivery that is wanted.
    private func resumption(of entry: LedgerEntry) async throws -> Resumption {
        Resumption.decide(
            entry, evidence: .journal(try await world.reader().journal(of: entry)),
            context: ResumeContext(.delivered, quietHours: nil), now: world.clock.now)
    }

    @Test func theRestOfAHaltedStageHasItsWindowFromThePersonsDecision() async throws {
        try await world.register(60)
        world.apple.with { $0.script = [.accepted, .refused(.service(.apple(.badTopic), since: nil))] }
        let entry = world.entry(world.order { $0.timing = .stages(Self.rollout) })
        #expect(try await judged(entry, try await world.lease()).decision == .halt)
        world.clock.advance(.seconds(86_400))
        let lease = try await world.lease("person")
        _ = try await world.writer().proceed(entry, reason: "the topic is right now", under: lease)
        let state = try await world.reader().journal(of: entry)
        #expect(try await resumption(of: entry) == .goOn(state))
        #expect(state.waiting == 59)
        // The stage that was halted is sent, and the next one, which is too small to judge.
        #expect(try await judged(entry, lease).stage == 2)
        #expect(try await world.reader().journal(of: entry).waiting < 58)
    }

    @Test func aWaveThatWasStoppedForLongerThanItsWindowIsMissedThoughAPersonLetsItGoOn() async throws {
        try await world.register(20)
        // The clocks of those who report no zone show eight in the evening.
        let evening = LocalSchedule(
            at: LocalTime(seconds: FakeClock.start.seconds + 8 * 3600), otherwise: "Asia/Shanghai")
        let entry = world.entry(
            world.order { order in
                order.timing = .localTime(evening)
                order.throttle = 5
            })
        let stop = Flag()
        world.apple.with { $0.after = (10, { stop.raise() }) }
        _ = await world.writer().send(
            world.sending(entry, try await world.lease(), isStopped: { stop.isRaised }))
        let sent = world.apple.with { $0.taken }.count
        #expect((10..<20).contains(sent))
        world.clock.advance(.seconds(2 * 3600))
        let lease = try await world.lease("person")
        _ = try await world.writer().decided(entry, proceeds: true, reason: "it is fine", under: lease)
        let outcome = await world.writer().send(world.sending(entry, lease))
        #expect(
            outcome
                == .delivered(DeliveryFigures(devices: 20, successes: sent, invalidTokens: 0, missed: 20 - sent)))
        #expect(world.apple.with { $0.taken }.count == sent)
    }

    /// A rollout that expires ten minutes after each stage, and that a person lets proceed the day after its verdict.
    private func decidedADayLater(
        on decision: StageVerdict.Decision, _ state: DeliveryState
    ) async throws -> (LedgerEntry, Lease) {
        try await world.register(60)
        var entry = world.entry(
            world.order { order in
                order.timing = .stages(Self.rollout)
                order.expiration = .after(.seconds(600))
            })
        entry.expiresAt = entry.intendedAt + .seconds(4200)
        #expect(try await judged(entry, try await world.lease()).decision == decision)
        world.clock.advance(.seconds(86_400))
        let lease = try await world.lease("person")
        entry.state = state
        return (try await world.writer().decided(entry, proceeds: true, reason: "it is fine", under: lease), lease)
    }

    @Test func anExpirationCountsFromTheStageThatAPersonOpens() async throws {
        let (decided, lease) = try await decidedADayLater(on: .hold, .holding)
        // The third stage may open an hour after the second, which may do so an hour from now.
        #expect(decided.state == .sending && decided.expiresAt == world.clock.now + .seconds(7800))
        let state = try await world.reader().journal(of: decided)
        #expect(try await resumption(of: decided) == .goOn(state))
        #expect(try await judged(decided, lease).stage == 2)
    }

    @Test func anExpirationOfTheRestOfAHaltedStageCountsFromThePersonsDecision() async throws {
        world.apple.with { $0.script = [.accepted, .refused(.service(.apple(.badTopic), since: nil))] }
        let (decided, lease) = try await decidedADayLater(on: .halt, .halted)
        // The rest may be sent an hour from now, and each of the two stages after it an hour later.
        #expect(decided.expiresAt == world.clock.now + .seconds(11_400))
        #expect(try await judged(decided, lease).stage == 2)
        // Nobody of the stage that was halted is missed.
        let state = try await world.reader().journal(of: decided)
        #expect(state.answered + state.waiting == 60)
    }
}
