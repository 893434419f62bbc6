import Base
import DeliveryTesting
import DeviceRegistry
import Foundation
import Push
import Testing

@testable import Delivery

/// The engine over a registry's file, as an apply uses it.
@Suite struct RegistryFileTests {
    /// Kills runs at random acts until one lives to the end, and compares the journal with what the devices got.
    private func deliver(devices: Int, kills: Int, seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let site = try Site(.unreliable)
        #expect(try await site.registry.seed(devices: devices, at: FakeClock.start) > 0)
        for kill in 0... {
            let acts = kill < kills ? Int.random(in: 0...(2 * devices / max(1, kills)), using: &random) : Int.max
            guard let figures = try await site.run("run\(kill)", Life(acts: acts)).figures else { continue }
            #expect(
                ExactlyOnce.violations(
                    figures, received: site.apple.received, kills: kill, lost: site.apple.requests / 250 + 1) == [])
            return
        }
    }

    @Test(arguments: [UInt64(1), 2])
    func aDeliveryWhoseRunsAreKilledReachesEverybodyOnce(_ seed: UInt64) async throws {
        try await deliver(devices: 5000, kills: 6, seed: seed)
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["BUGLE_LONG_TESTS"] == "1"))
    func aDeliveryToAHundredThousandWhoseRunsAreKilledTwentyTimesReachesEverybodyOnce() async throws {
        try await deliver(devices: 100_000, kills: 20, seed: 7)
    }

    @Test(arguments: ["", "-wal"])
    func aRegistryThatIsTakenAwayBetweenBatchesStopsTheDelivery(ending: String) async throws {
        let site = try Site()
        _ = try await site.registry.seed(devices: 5000, at: FakeClock.start)
        let path = site.folder + "/devices.sqlite" + ending
        let end = try await site.run("run", batchSize: 100) { _ in _ = rename(path, path + "-elsewhere") }
        let error = try #require(end.stopWhileSending?.registryError, "it ended as \(end)")
        #expect(error.isFileLost, "\(error)")
        // Two batches were open.
        #expect((1...200).contains(site.apple.received.count))
        // What is put back goes on: nobody gets it twice.
        #expect(rename(path + "-elsewhere", path) == 0)
        let figures = try #require(try await site.run("second").figures)
        #expect(figures.inDoubt <= 200 && figures.accepted + figures.inDoubt == figures.targets)
        #expect(site.apple.received.values.allSatisfy { $0 == 1 })
    }

    @Test func aDeadTokenIsDeadInTheRegistryAndTheNextDeliveryLeavesItOut() async throws {
        let site = try Site(FakeApple { _, request in request == 3 ? .refuse(410, "Unregistered") : .accept })
        _ = try await site.registry.seed(devices: 50, at: FakeClock.start)
        let figures = try #require(try await site.run("first").figures)
        #expect(figures.refused == ["Unregistered": 1])
        let audience = try #require(site.job().freeze?.audience)
        #expect(try await site.store.count(audience, at: site.clock.now).devices == figures.targets - 1)
    }

    @Test func aWrongEnvironmentWipesNothing() async throws {
        let site = try Site(FakeApple { _, _ in .refuse(400, "BadDeviceToken") })
        _ = try await site.registry.seed(devices: 2000, at: FakeClock.start)
        let audience = try #require(site.job().freeze?.audience)
        let before = try await site.store.count(audience, at: site.clock.now).devices
        #expect(try await site.run("first").stopBeforeSending?.kind == "wrongEnvironment")
        #expect(try await site.store.count(audience, at: site.clock.now).devices == before)
    }
}
