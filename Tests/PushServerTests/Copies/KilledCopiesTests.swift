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

    @Test(.enabled(if: isLong)) func whatWasAnsweredIsTrueAfterManyKills() async throws {
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
        let database = PostgresServer()
        try await Self.push(to: 3000, database) { copies, apple, push in
            async let answer = copies.call("POST", "/push", push)
            await apple.wait { $0.processed > 100 }
            try await database.restart(.immediate)
            _ = try await answer
            try Self.expectOnce(try await Self.record(of: "n1", copies), apple, mostDoubtful: 2000)
        }
    }

    /// Lets Apple take 40 devices a second until the faults are removed, so that a test acts in the middle, however late.
    private static func slowDown(_ apple: APNsSimulator) async {
        // So many at once on each of a sender's two connections, and each for two seconds.
        await apple.limitStreams(to: 40)
        apple.add(Fault(.delay(milliseconds: 2000)))
    }

    /// A database with so many devices, three copies on it and a slow Apple.
    private static func push(
        to devices: Int, _ database: PostgresServer,
        _ test: @escaping @Sendable (ServerCopies, APNsSimulator, _ push: JSONValue) async throws -> Void
    ) async throws {
        var configuration = SimulatorConfiguration()
        configuration.acceptsEveryToken = true
        configuration.recording = .counts
        let url = try await database.databaseURL(like: PostgresServer.template)
        let registry = Registry(try await PostgresRegistry.openMigrated(PostgresAddress(url), width: 4))
        _ = try await registry.seed(devices: devices, at: .system)
        try await APNsSimulator.with(configuration) { apple in
            try await inFolder { (folder) async throws in
                let copies = try await ServerCopies(url, try AppleRestartTests.workspace(in: folder, apple))
                defer { copies.kill() }
                apple.add(Fault(.delay(milliseconds: 40)))
                try await test(copies, apple, ["data": ["alert": "x"], "notification_id": "n1"])
            }
        }
        await registry.shutDown()
    }

    /// The record of a notification once it has ended.
    private static func record(of notification: String, _ copies: ServerCopies) async throws -> JSONValue {
        var record: JSONValue = [:]
        try await eventually {
            record = try await copies.call("GET", "/notifications/\(notification)").body
            return record["status"] == "done" || record["status"] == "error"
        }
        return record
    }

    /// Checks that nobody got a push twice, nobody is forgotten, and only so many are in doubt.
    static func expectOnce(_ record: JSONValue, _ apple: APNsSimulator, mostDoubtful: Int64) throws {
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
        try await Self.push(to: 15_000, .shared) { copies, apple, push in
            await Self.slowDown(apple)
            async let answer = copies[0].call("POST", "/push", push)
            try await eventually { apple.statistics.processed > 300 }
            copies[0].kill()
            _ = try await copies[0].ending
            // What was under way to Apple, at most 80, may still get there.
            let before = apple.statistics.processed
            try await copies.restart(0)
            _ = try? await answer
            try await eventually { apple.statistics.processed > before + 100 }
            // Killed again while any copy may be sending.
            try await copies.restart(1)
            apple.removeFaults()
            // Of each killed copy at most two batches are in doubt.
            try Self.expectOnce(try await Self.record(of: "n1", copies), apple, mostDoubtful: 4000)
        }
    }

    private static let isLong = ProcessInfo.processInfo.environment["BUGLE_LONG_TESTS"] != nil

    @Test(arguments: isLong ? [20_000, 1_000_000] : [20_000])
    func aStopHoldsInEveryCopyThroughKillsAndARestartOfTheDatabase(devices: Int) async throws {
        let database = PostgresServer()
        try await Self.push(to: devices, database) { copies, apple, push in
            await Self.slowDown(apple)
            async let answer = copies[0].call("POST", "/push", push)
            try await eventually { apple.statistics.processed > 300 }
            let id = try #require(try await copies.call("GET", "/notifications/n1").body["objectId"]?.string)
            let page = try await ConsolePerson(at: copies[1].port).decide("stop", id, why: "wrong link")
            #expect(page.contains("wrong link") && page.contains("Go on with the rest"), "\(page)")
            let sent = apple.statistics.processed
            try await copies.restart(0)
            try await database.restart(.immediate)
            try await copies.restart(1)
            _ = try? await answer
            // Whoever sends what is due then looks for what nobody sends, and the dead copy's claim is over.
            let later = Instant.system + PushClaim.length + .seconds(1)
            let probe: JSONValue = [
                "data": ["alert": "y"], "notification_id": "n2", "push_time": .string(later.isoText),
                "where": ["objectId": .string("none")],
            ]
            #expect(try await copies.call("POST", "/push", probe).status == 200)
            _ = try await Self.record(of: "n2", copies)
            let left = apple.statistics.processed
            #expect(left <= sent + 2000, "at most two batches were under way")
            #expect(try await copies.call("GET", "/notifications/n1").body["status"] != "done")
            apple.removeFaults()
            _ = try await ConsolePerson(at: copies[2].port).decide("proceed", id)
            let record = try await Self.record(of: "n1", copies)
            try Self.expectOnce(record, apple, mostDoubtful: 2000)
            #expect(apple.statistics.processed > left)
        }
    }
}

/// Servers of the version before beside those of this one, on one database.
@Suite struct UpgradeTests {
    /// The server of an earlier commit, which `make test-long` builds.
    private static let previous = ProcessInfo.processInfo.environment["BUGLE_PREVIOUS_SERVER"]

    @Test(.enabled(if: previous != nil)) func aRollingUpgradeUnderLoadLosesNothing() async throws {
        let url = try await PostgresServer.databaseURL()
        // The one before makes the tables.
        let copies = try await ServerCopies(url, path: Self.previous)
        defer { copies.kill() }
        let load = CopiesLoad(copies)
        let figures = try await load.run {
            try await load.advance(by: 60)
            let migrated = try await Program.run(["migrate", "--data", url])
            #expect(migrated.status == 0, "\(migrated.errors)")
            for index in 0..<ServerCopies.count {
                try await load.advance(by: 60)
                try await copies.restart(index, after: index == 1 ? SIGKILL : SIGTERM)
            }
            try await load.advance(by: 60)
        }
        print("a rolling upgrade: \(figures)")
        try await load.check()
    }
}
