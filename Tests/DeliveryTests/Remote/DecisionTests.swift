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
        for _ in 0..<2 { try await world.writer().proceed(entry, reason: "few, and fine", under: lease) }
        let verdict = try await judged(entry, lease)
        #expect(verdict.stage == 2 && verdict.decision == .hold)
    }
}
