import Base
import DeliveryTesting
import DeviceRegistry
import Foundation
import Push
import RegistryTesting
import Testing

/// Kills of deliveries in parts over SQLite; PostgreSQL's are in `PostgresPartTests`.
@Suite struct PartKillTests {
    /// A registry in memory with devices of all zones.
    private func trial(_ count: Int) async throws -> PartTrial {
        let registry = try Registry.testInMemory(isInline: true)
        let devices = try await PartTrial.Device.register(count, in: registry, zones: PartTrial.zones)
        return try await PartTrial(devices) { now in Journal(registry, clock: now) }
    }

    @Test(arguments: PartTrial.Division.allCases)
    func aRunThatIsKilledAtAnyActIsGoneOnWith(_ division: PartTrial.Division) async throws {
        #expect(try await trial(12).violations(killing: division, every: 1) == [])
    }

    @Test(arguments: PartTrial.Division.allCases, [UInt64(1), 2, 3])
    func runsThatAreKilledJoinedAndLateReachNobodyTwice(_ division: PartTrial.Division, _ seed: UInt64) async throws {
        let trial = try await trial(300)
        #expect(try await trial.violations(disturbing: division, batchSize: 20, seed: seed) == [])
    }

    @Test(
        .enabled(if: ProcessInfo.processInfo.environment["BUGLE_LONG_TESTS"] == "1"),
        arguments: PartTrial.Division.allCases)
    func aHundredThousandDevicesWhoseRunsAreKilledJoinedAndLateAreReachedOnce(
        _ division: PartTrial.Division
    ) async throws {
        let trial = try await trial(100_000)
        #expect(try await trial.violations(disturbing: division, batchSize: 1000, seed: 9) == [])
    }
}
