import APNsDelivery
import APNsSimulator
import DeviceRegistry
import Foundation
import JSONValue
import PushModel
import PushServer
import RegistryModel
import RegistryTesting
import Testing

/// Copies of the server that share one database.
@Suite struct CopiesTests {
    /// Two copies of a registry with so many devices of Apple's.
    private static func copies(devices count: Int) async throws -> [Registry] {
        let copies = try await Registry.copies(2)
        for number in 1...count {
            _ = try await copies[0].create(
                ["deviceType": "ios", "deviceToken": .string(AppleWorld.token(number))], in: .installation, as: .master,
                at: .system)
        }
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
