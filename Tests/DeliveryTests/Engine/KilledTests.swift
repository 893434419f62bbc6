import Base
import DeliveryTesting
import DeviceRegistry
import Push
import Testing

@testable import Delivery

@Suite struct KilledTests {
    /// What must hold of a delivery whose runs were killed, however often: nobody twice, nobody forgotten, and at most
    /// two batches in doubt for each kill.
    static func check(
        _ world: World, _ figures: JournalFigures, kills: Int, batch: Int = 1000, lost: Int = 0
    ) async throws {
        let received = world.apple.received
        #expect(
            ExactlyOnce.violations(figures, received: received, kills: kills, batchSize: batch, lost: lost) == [])
        let unaccepted = try await world.unaccepted
        for token in world.tokens {
            switch unaccepted[token] {
            case nil: #expect(received[token] == 1)
            case .refused: #expect(received[token] == nil)
            case .inDoubt: break
            case .waits: Issue.record("\(token) was forgotten")
            }
        }
    }

    @Test(arguments: 0..<60)
    func aRunThatIsKilledAtAnyActIsGoneOnWith(_ acts: Int) async throws {
        // Batches of 10, so that 60 acts hold several of everything.
        let world = try await World(devices: 45)
        let job = world.job(world.order { $0.throttle = 5 })
        let life = Life(acts: acts)
        let ending = try await world.run(job, life)
        guard ending.figures == nil else { return }
        let figures = try #require(try await world.run(job, run: "second").figures)
        try await Self.check(world, figures, kills: 1, batch: 10)
    }

    @Test(arguments: [UInt64(1), 2, 3, 4, 5, 6])
    func aDeliveryThatIsKilledAgainAndAgainReachesEverybodyOnce(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let world = try await World(devices: 6000, .unreliable)
        var kills = 0
        while true {
            let acts = kills < 12 ? Int.random(in: 0...1500, using: &random) : Int.max
            if let figures = try await world.run(run: "run\(kills)", Life(acts: acts)).figures {
                try await Self.check(world, figures, kills: kills, lost: world.apple.requests / 250 + 1)
                return
            }
            kills += 1
        }
    }
}
