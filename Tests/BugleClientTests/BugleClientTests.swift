import Base
import BugleClient
import DeviceRegistry
import Foundation
import Push
import PushServer
import Testing

/// The client of apps, against a server in this process.
@Suite struct BugleClientTests {
    private static var userInfo: [AnyHashable: Any] {
        ["aps": [String: Any](), "bugle": ["delivery": World.delivery]]
    }

    @Test func aDeviceIsRegisteredOnceAndKeepsItsId() async throws {
        try await World.run { (world) async throws in
            let client = try world.client()
            #expect(await client.sync() == .done)
            #expect(try await client.set("team", to: "Giants") == .waitsForToken)
            #expect(try await client.register(token: Data([0x0A, 0x1B])) == .done)
            let id = try #require(await client.installation)
            let device = try await world.device(id)
            #expect(device["deviceToken"] == "0a1b" && device["deviceType"] == "ios" && device["team"] == "Giants")
            #expect(device["language"]?.string != nil || Locale.preferredLanguages.isEmpty)
            #expect(device["timeZone"]?.string == TimeZone.current.identifier)
            #expect(device["apnsTopic"] == "com.example.app")
            // Apple hands out another token; the app was restarted.
            let again = try world.client()
            #expect(try await again.register(token: Data([0xFF])) == .done)
            #expect(await again.installation == id)
            #expect(try await world.device(id)["deviceToken"] == "ff")
            let requests = world.transport.requests
            #expect(try await again.register(token: Data([0xFF])) == .done)
            #expect(world.transport.requests == requests, "nothing has changed")
            world.time.advance(by: 86_400)
            #expect(try await again.register(token: Data([0xFF])) == .done)
            #expect(world.transport.requests == requests + 1, "it is still there")
        }
    }

    @Test func channelsFieldsAndTheBadgeAreWhatWasSaidLast() async throws {
        try await World.run { (world) async throws in
            let client = try world.client()
            try await client.register(token: Data([1]))
            let id = try #require(await client.installation)
            try await client.subscribe("Giants", "Dodgers")
            try await client.set("goals", to: 3)
            try await client.set("vip", to: true)
            try await client.set("tags", to: .texts(["a", "b"]))
            world.transport.isDown = true
            guard case .later = try await client.unsubscribe("Dodgers") else { throw Unexpected() }
            try await client.subscribe("Cubs")
            try await client.set("goals", to: nil)
            try await client.resetBadge()
            #expect(try await world.device(id)["channels"] == ["Dodgers", "Giants"])
            // The app was killed; what it was told is not lost.
            world.transport.isDown = false
            #expect(await (try world.client()).sync() == .done)
            let device = try await world.device(id)
            #expect(Set(device["channels"]?.array ?? []) == ["Giants", "Cubs"])
            #expect(device["goals"] == nil && device["vip"] == true && device["tags"] == ["a", "b"])
            #expect(device["badge"] == 0)
        }
    }

    @Test func whatTheServerRefusesOfADeviceKeepsNothingElseBack() async throws {
        try await World.run { (world) async throws in
            let client = try world.client()
            try await client.set("bad-name", to: 1)
            try await client.set("team", to: "Giants")
            try await client.subscribe("Cubs")
            guard case .later(_, let message?) = try await client.register(token: Data([1])) else { throw Unexpected() }
            #expect(message.hasPrefix("400") && message.contains("bad-name"))
            let id = try #require(await client.installation)
            let device = try await world.device(id)
            #expect(device["deviceToken"] == "01" && device["team"] == "Giants" && device["channels"] == ["Cubs"])
            world.time.advance(by: 2)
            #expect(try await client.register(token: Data([2])) == .done)
            #expect(try await world.device(id)["deviceToken"] == "02")
            // Nothing is lost: the server may take it one day.
            let again = try world.client()
            guard case .later(_, _?) = await again.sync() else { throw Unexpected() }
        }
    }

    @Test func eventsOfAnExtensionAndTheAppCountOnce() async throws {
        try await World.run { (world) async throws in
            let client = try world.client()
            // A service extension runs in a process of its own, before the app was ever started.
            try EventQueue(folder: world.folder).add(.received, of: Self.userInfo, at: world.time.now)
            #expect(await client.sync() == .done)
            #expect(client.events.count == 1)
            try await client.register(token: Data([1]))
            try await world.deliver(to: ["01"])
            // The delivery did not exist when the event was first told, so that it was refused.
            #expect(try await client.report(.received, of: Self.userInfo) == .done)
            #expect(try await client.report(.opened, of: Self.userInfo) == .done)
            #expect(try await client.report(.opened, of: Self.userInfo) == .done)
            #expect(try await client.report(.opened, of: ["aps": 1, "bugle": "x"]) == .done)
            #expect(client.events.count == 0)
            #expect(try await world.counts() == [1, 1, 0])
        }
    }

    @Test func aLostAnswerAndAKillLoseNothingAndDoubleNothing() async throws {
        try await World.run { (world) async throws in
            let client = try world.client()
            try await client.register(token: Data([1]))
            try await world.deliver(to: ["01"])
            world.transport.losesAnswers = true
            guard case .later = try await client.report(.opened, of: Self.userInfo) else { throw Unexpected() }
            #expect(try await world.counts() == [0, 1, 0])
            #expect(client.events.count == 1)
            world.transport.losesAnswers = false
            let next = try world.client()
            #expect(next.events.count == 1)
            #expect(await next.sync() == .done)
            #expect(next.events.count == 0)
            #expect(try await world.counts() == [0, 1, 0])
        }
    }

    @Test func eventsOfADeliveryUnderWayAreReportedAgain() async throws {
        try await World.run { (world) async throws in
            let client = try world.client()
            try await client.register(token: Data([1]))
            let settle = try await world.begin(to: ["01"])
            #expect(try await client.report(.received, of: Self.userInfo) == .done)
            #expect(client.events.count == 1)
            try await settle()
            // The server looks for answers of Apple once a second.
            while client.events.count > 0 { #expect(await client.sync() == .done) }
            #expect(try await world.counts() == [1, 0, 0])
        }
    }

    @Test func attemptsAfterFailuresWaitLongerEachTime() async throws {
        try await World.run { (world) async throws in
            let client = try world.client()
            world.transport.isDown = true
            var last = world.time.now
            try await client.register(token: Data([1]))
            var pauses: [TimeInterval] = []
            for _ in 0..<14 {
                guard case .later(let until, _) = await client.sync() else { throw Unexpected() }
                pauses.append(until.timeIntervalSince(last))
                let requests = world.transport.requests
                _ = await client.sync()
                #expect(world.transport.requests == requests, "it is not time yet")
                world.time.advance(by: until.timeIntervalSince(world.time.now))
                last = world.time.now
            }
            #expect(Array(pauses.prefix(4)) == [2, 4, 8, 16] && pauses.last == 3600)
            world.transport.isDown = false
            #expect(await client.sync() == .done)
            world.transport.refusal = (429, 7200)
            guard case .later(let until, _) = try await client.subscribe("a") else { throw Unexpected() }
            #expect(until == world.time.now.addingTimeInterval(7200))
        }
    }

    @Test func aClockThatWasAheadHoldsNothingUp() async throws {
        try await World.run { (world) async throws in
            let client = try world.client()
            let year: TimeInterval = 365 * 86_400
            world.time.advance(by: year)
            try await client.register(token: Data([1]))
            let requests = world.transport.requests
            world.time.advance(by: -year)
            #expect(try await client.register(token: Data([1])) == .done)
            #expect(world.transport.requests == requests + 1, "it is still there")
            world.time.advance(by: year)
            world.transport.isDown = true
            guard case .later = try await client.subscribe("a") else { throw Unexpected() }
            world.transport.isDown = false
            world.time.advance(by: -year)
            #expect(await client.sync() == .done)
        }
    }

    @Test func manyEventsGoInRequestsOfAHundredAndDamagedOnesAreDropped() async throws {
        try await World.run { (world) async throws in
            let client = try world.client()
            try await client.register(token: Data([1]))
            let queue = EventQueue(folder: world.folder)
            for number in 0..<1200 {
                try queue.add(.opened, of: ["bugle": ["delivery": "d\(number)"]], at: world.time.now)
            }
            try Data("{".utf8).write(to: world.folder.appending(path: "events/x.json"))
            #expect(queue.count == EventQueue.mostEvents + 1)
            let before = world.transport.requests
            #expect(await client.sync() == .done)
            #expect(world.transport.requests == before + 10)
            #expect(queue.count == 0)
        }
    }

    @Test func aWrongKeyIsSaidAndNothingIsLost() async throws {
        try await World.run { (world) async throws in
            let client = try world.client(key: "wrong")
            guard case .later(_, let message?) = try await client.register(token: Data([1])) else { throw Unexpected() }
            #expect(message.hasPrefix("401"))
            #expect(await (try world.client()).sync() == .done)
        }
    }
}

struct Unexpected: Error {}
