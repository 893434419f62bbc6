import Base
import DeviceRegistry
import Foundation
import ProgramTesting
import Push
import RegistryTesting
import Testing

@testable import APNsSimulator
@testable import PushServer

/// Three built servers on one database, of which one is killed with -9 again and again, and whose database is restarted.
@Suite struct KilledCopiesTests {
    @Test func whatWasAnsweredIsTrueAndNothingHappensTwice() async throws {
        try await Self.endure { load, copies, database in
            try await load.advance(by: 60)
            try await copies.restart(0)
            try await load.advance(by: 60)
            try await database.restart(.fast)
            try await load.advance(by: 60)
            try await database.restart(.immediate)
            try await load.advance(by: 60)
            try await copies.restart(0)
        }
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["BUGLE_LONG_TESTS"] != nil))
    func whatWasAnsweredIsTrueAfterManyKills() async throws {
        let kills = 24
        try await Self.endure { load, copies, database in
            for kill in 1...kills {
                try await Task.sleep(for: .seconds(5))
                try await copies.restart(0)
                if kill == kills / 3 { try await database.restart(.fast) }
                if kill == 2 * kills / 3 { try await database.restart(.immediate) }
            }
        }
    }

    private static func endure(
        _ events: @escaping @Sendable (CopiesLoad, ServerCopies, PostgresServer) async throws -> Void
    ) async throws {
        let database = PostgresServer()
        let copies = try await ServerCopies(try await database.databaseURL(like: PostgresServer.template))
        defer { copies.kill() }
        let load = CopiesLoad(copies)
        print("killed copies: \(try await load.run { try await events(load, copies, database) })")
        try await load.check()
    }

    @Test func aPushToAppleGoesOnAfterTheDatabaseWasAway() async throws {
        let count = 3000
        var configuration = SimulatorConfiguration()
        configuration.acceptsEveryToken = true
        configuration.recording = .counts
        let database = PostgresServer()
        let url = try await database.databaseURL(like: PostgresServer.template)
        let registry = Registry(try await PostgresRegistry.openMigrated(PostgresAddress(url), width: 4))
        _ = try await registry.seed(devices: count, at: .system)
        try await APNsSimulator.with(configuration) { apple in
            try await inFolder { (folder) async throws in
                let copies = try await ServerCopies(url, try AppleRestartTests.workspace(in: folder, apple))
                defer { copies.kill() }
                apple.add(Fault(.delay(milliseconds: 40)))
                let push: JSONValue = ["data": ["alert": "x"], "notification_id": "n1"]
                async let answer = copies.call("POST", "/push", push)
                await apple.wait { $0.processed > 100 }
                try await database.restart(.immediate)
                _ = try await answer
                var record: JSONValue = [:]
                try await eventually {
                    record = try await copies.call("GET", "/notifications/n1").body
                    return record["status"] == "done" || record["status"] == "error"
                }
                try Self.expectOnce(record, apple, mostDoubtful: 2000)
            }
        }
        await registry.shutDown()
    }

    /// Checks that nobody got a push twice, nobody is forgotten, and only so many are in doubt.
    private static func expectOnce(_ record: JSONValue, _ apple: APNsSimulator, mostDoubtful: Int64) throws {
        #expect(record["status"] == "done", "\(record)")
        let (devices, doubtful) = (record["iosSuccesses"]?.integer ?? 0, record["inDoubt"]?.integer ?? 0)
        let reached = apple.deliveryHistogram()
        #expect(Set(reached.keys) == [1])
        #expect(Int64(reached[1] ?? 0) >= devices)
        #expect(Int64(reached[1] ?? 0) <= devices + doubtful)
        #expect(doubtful <= mostDoubtful)
        #expect(record["devices"] == record["successes"].map { .integer(($0.integer ?? 0) + doubtful) })
    }

    @Test func whatACopyDiedOfIsFreeAndLookedForWithinThirtySeconds() {
        #expect(PushClaim.length + PushDispatcher.tick * PushDispatcher.ticksBetweenLooks <= .seconds(30))
    }

    @Test func aPushToAppleThatItsCopyDiedOfIsTakenOver() async throws {
        let count = 15_000
        var configuration = SimulatorConfiguration()
        configuration.acceptsEveryToken = true
        configuration.recording = .counts
        let (url, registry) = try await Registry.database()
        _ = try await registry.seed(devices: count, at: .system)
        try await APNsSimulator.with(configuration) { apple in
            try await inFolder { (folder) async throws in
                let copies = try await ServerCopies(url, try AppleRestartTests.workspace(in: folder, apple))
                defer { copies.kill() }
                apple.add(Fault(.delay(milliseconds: 40)))
                let push: JSONValue = ["data": ["alert": "x"], "notification_id": "n1"]
                async let answer = copies[0].call("POST", "/push", push)
                await apple.wait { $0.processed > 300 }
                try await copies.restart(0)
                _ = try? await answer
                let before = apple.statistics.processed
                await apple.wait { $0.processed > before + 100 }
                // Killed again while any copy may be sending.
                try await copies.restart(1)
                var record: JSONValue = [:]
                try await eventually {
                    record = try await copies.call("GET", "/notifications/n1").body
                    return record["status"] == "done" || record["status"] == "error"
                }
                // Of each killed copy at most two batches are in doubt.
                try Self.expectOnce(record, apple, mostDoubtful: 4000)
            }
        }
        await registry.shutDown()
    }
}
