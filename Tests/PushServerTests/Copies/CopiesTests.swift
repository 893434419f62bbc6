import APNsSimulator
import Base
import Delivery
import DeviceRegistry
import Foundation
import ProgramTesting
import Push
import PushServer
import RegistryTesting
import Testing

/// Copies of the server that share one database.
@Suite struct CopiesTests {
    /// Two copies of a registry with so many devices of Apple's.
    private static func copies(devices count: Int) async throws -> [Registry] {
        let copies = try await Registry.copies(2)
        try await AppleWorld.fill(copies[0], count)
        return copies
    }

    @Test func aPushThatOneCopySendsIsLeftAloneByAnother() async throws {
        let count = 1200
        let copies = try await Self.copies(devices: count)
        try await AppleWorld.run(registry: copies[0]) { (world) async throws in
            world.apple.acceptEveryToken()
            // Until the first answer a connection has one stream.
            try await world.push(
                ["device_type": "ios", "device_ids": ["bb"], "data": ["alert": "y"]], to: "/push/devices")
            world.apple.holdAnswers()
            async let answer = world.server.call("POST", "/push", ["data": ["alert": "x"]])
            await world.apple.wait { $0.processed > 100 }
            // A copy goes on with what it finds when it starts.
            let second = try await world.another(on: copies[1])
            await world.apple.release()
            let id = try #require(try await answer.body["objectId"]?.string)
            try await world.expectEnd(of: id, at: second, on: copies[1], devices: count)
        }
    }

    @Test func whatACopyStoppedInTheMiddleGivesBackAnotherFinishes() async throws {
        let count = 1200
        let copies = try await Self.copies(devices: count)
        try await AppleWorld.run(registry: copies[0]) { (world) async throws in
            world.apple.acceptEveryToken()
            world.apple.holdAnswers()
            async let answer = world.server.call("POST", "/push", ["data": ["alert": "x"]])
            await world.apple.wait { $0.processed > 0 }
            let id = try #require(try await answer.body["objectId"]?.string)
            async let ending = world.server.server.stop()
            await world.apple.release()
            #expect(await ending)
            let second = try await world.another(on: copies[1])
            await second.waitUntil { try await copies[1].applePush(objectID: id) == nil }
            await second.server.stop()
            #expect(world.apple.deliveryHistogram() == [1: count])
        }
    }

    @Test func aPushThatTheDatabaseCutsOffGoesOn() async throws {
        let (url, registry) = try await Registry.database()
        let other = PostgresPool(try PostgresAddress(url), width: 1)
        try await AppleWorld.run(
            registry: registry,
            configure: { $0.apple?.retryPause = Backoff(first: .milliseconds(10), longest: .milliseconds(320)) }
        ) { (world) async throws in
            try await world.device(1)
            try await other.hold("journal")
            async let record = world.push(["data": ["alert": "x"]])
            try await eventually { try await other.cutOff() > 0 }
            try await other.letGo()
            #expect(try await record["status"] == "done")
            #expect(world.apple.deliveryHistogram() == [1: 1])
        }
        await other.close()
    }

    @Test func ofThreeCopiesOneSendsAScheduledPush() async throws {
        var servers: [TestServer] = []
        for copy in try await Registry.copies(3) { servers.append(try await TestServer(copy)) }
        try await servers[0].device("a")
        for number in 0..<20 {
            let push: JSONValue = [
                "data": ["alert": .string("\(number)")],
                "push_time": .string(Instant.noon.advanced(bySeconds: 60).isoText),
            ]
            #expect(try await servers[number % 3].call("POST", "/push", push).status == 200)
        }
        await withTaskGroup { group in
            for server in servers { group.addTask { try? await server.advance(120) } }
        }
        for server in servers { #expect(try await server.inbox("a").count == 20) }
        for server in servers { await server.server.stop() }
    }

    @Test func oneRequestThatReachesTwoCopiesIsOnePush() async throws {
        var servers: [TestServer] = []
        for copy in try await Registry.copies(2) { servers.append(try await TestServer(copy)) }
        try await servers[0].device("a")
        let push: JSONValue = ["data": ["alert": "x"], "req_id": "once"]
        let ids = try await withThrowingTaskGroup(of: String?.self) { group in
            for server in servers {
                group.addTask { try await server.call("POST", "/push", push).body["objectId"]?.string }
            }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
        #expect(try await servers[1].inbox("a").count == 1)
        for server in servers { await server.server.stop() }
    }

    @Test func anIndexThatAnotherCopyWasBuildingIsBuiltInTheEnd() async throws {
        let (url, registry) = try await Registry.database()
        let pool = PostgresPool(try PostgresAddress(url), width: 1)
        try await pool.use { session in
            _ = try session.row("SELECT pg_advisory_lock(hashtextextended('bugle index', 16))")
        }
        async let indexed: Void = registry.index(["team"])
        try await pool.use { session in
            let asked = """
                SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                AND query IN ('RESET statement_timeout', 'SELECT pg_try_advisory_lock(hashtextextended(''bugle index'', 16))')
                """
            while try session.row(asked)?.integer(0) == 0 { sched_yield() }
        }
        #expect(try await registry.indexedFields().isEmpty)
        await pool.close()
        try await indexed
        #expect(try await registry.indexedFields() == ["team"])
    }

    @Test func registeringInPostgreSQLIsWhatItIsInAFile() async throws {
        var generator = SeededGenerator(seed: 16)
        let shared = try await Registry.copies(1)[0]
        let file = try Registry.inMemory(changeTimeLimit: .seconds(600))
        var ids: [[String]] = []
        for round in 0..<400 {
            func pick(_ names: [String?]) -> JSONValue? {
                names[Int.random(in: 0..<names.count, using: &generator)].map { .string($0) }
            }
            var members: JSONObject = ["round": .integer(Int64(round)), "runs": ["__op": "Increment", "amount": 1]]
            members["deviceType"] = pick(["ios", "ios", "ios", "android", nil])
            members["deviceToken"] = pick(["aa", "bb", "cc", "dd", "ee", nil])
            members["installationId"] = pick([nil, nil, "x", "y", "z", ""])
            members["channels"] = pick(["news"]).map { [$0] }
            if let known = ids.randomElement(using: &generator), round % 5 == 0 {
                members["objectId"] = .string(known[0])
            }
            func outcome(_ registry: Registry, _ members: JSONObject) async -> (text: String, id: String?) {
                do throws(RegistryError) {
                    let written = try await registry.create(members, in: .installation, as: .client, at: .noon)
                    let keys = written.changedKeys.sorted()
                    return (
                        "\(written.isNew) \(keys) \(JSONValue.object(written.object.fields).canonicalText)",
                        written.object.objectID
                    )
                } catch {
                    return ("\(error.code) \(error.description)", nil)
                }
            }
            let here = await outcome(shared, members)
            let known = members["objectId"]?.string
            if let pair = ids.first(where: { $0[0] == known }) { members["objectId"] = .string(pair[1]) }
            let there = await outcome(file, members)
            #expect(here.text == there.text, "round \(round): \(members)")
            if let id = here.id, let other = there.id { ids.append([id, other]) }
        }
        #expect(try await shared.deviceCount() == file.deviceCount())
    }

    @Test func oneRegistrationThatCannotBeWrittenDoesNotConcernTheOthers() async throws {
        let registry = try await Registry.copies(1)[0]
        // Too large for an index, which only the database finds out.
        var generator = SeededGenerator(seed: 1)
        let large = String((0..<3900).map { _ in "abcdefghijklmnop".randomElement(using: &generator) ?? "a" })
        let written = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let id = number % 10 == 0 ? "\(number)" + large : "id\(number)"
                    let device: JSONObject = [
                        "deviceType": "ios", "deviceToken": .string("t\(number)"), "installationId": .string(id),
                    ]
                    return (try? await registry.create(device, in: .installation, as: .client, at: .noon)) != nil
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(written == 90)
        #expect(try await registry.deviceCount() == 90)
    }

    @Test func aDeviceThatRegistersWithTwoCopiesAtOnceIsOneDevice() async throws {
        let copies = try await Registry.copies(2)
        for round in 0..<30 {
            let ids = try await withThrowingTaskGroup(of: String.self) { group in
                for copy in copies {
                    group.addTask {
                        try await copy.create(
                            ["deviceType": "ios", "deviceToken": .string("t\(round)")], in: .installation, as: .client,
                            at: .noon
                        ).object.objectID
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
        }
        #expect(try await copies[0].deviceCount() == 30)
    }
}
