import Base
import DeviceRegistry
import Foundation
import ProgramTesting
import PushServer
import RegistryTesting
import Testing

@testable import APNsSimulator

/// A push that is being sent is stopped on its page in the console.
@Suite struct PushStopTests {
    /// A push to many devices that a person stops after the first answers, and what is done about it then.
    private static func stopped(
        _ test: (_ world: AppleWorld, _ person: ConsolePerson, _ push: String) async throws -> Void
    ) async throws {
        let registry = try await Registry.test()
        try await AppleWorld.fill(registry, 4000)
        try await AppleWorld.run(registry: registry) { (world) async throws in
            world.apple.acceptEveryToken()
            let person = try await ConsolePerson(at: world.server.port)
            // Until the first answer a connection has one stream.
            try await world.push(
                ["device_type": "ios", "device_ids": ["bb"], "data": ["alert": "y"]], to: "/push/devices")
            world.apple.holdAnswers()
            async let answer = world.server.call("POST", "/push", ["data": ["alert": "x"]])
            await world.apple.wait { $0.processed > 100 }
            let push = try #require(try await registry.applePushes().first)
            #expect(try await person.page(push).contains("Stop it"))
            let empty = try await person.decide("stop", push, why: " ")
            #expect(empty.contains("Say why"))
            let page = try await person.decide("stop", push, why: "wrong <link>")
            #expect(page.contains("wrong &lt;link&gt;") && page.contains("Go on with the rest"))
            await world.apple.release()
            _ = try await answer
            try await eventually { try await Journal(registry).journal(of: push)?.underWay == 0 }
            let stopped = try await world.server.call("GET", "/tables/Notifications/\(push)").body["stopped"]
            #expect(stopped?["reason"] == "wrong <link>" && stopped?["at"]?.string != nil)
            #expect(stopped?["by"]?.string?.hasPrefix("the console, ") == true)
            let left = world.apple.statistics.processed
            #expect(left < 4000)
            try await test(world, person, push)
        }
    }

    @Test func whatIsStoppedGoesOnWhenAPersonSaysSoAndNobodyGetsItTwice() async throws {
        try await Self.stopped { world, person, push in
            let before = world.apple.statistics.processed
            let again = try await person.decide("stop", push, why: "once more")
            #expect(again.contains("wrong &lt;link&gt;") && !again.contains("once more"))
            #expect(world.apple.statistics.processed == before)
            _ = try await person.decide("proceed", push)
            let record = try await world.record(push)
            #expect(record["status"] == "done" && record["stopped"] == nil, "\(record)")
            #expect(Set(world.apple.deliveryHistogram().keys) == [1])
        }
    }

    @Test func theRestOfWhatIsStoppedCanBeGivenUp() async throws {
        try await Self.stopped { world, person, push in
            let before = world.apple.statistics.processed
            try await eventually {
                _ = try await person.decide("abandon", push)
                return try await world.server.registry.applePush(objectID: push) == nil
            }
            let record = try await world.record(push)
            #expect(record["status"] == "error" && record["stopped"] == nil, "\(record)")
            #expect(record["errors"]?.string?.contains("wrong <link>") == true, "\(record)")
            #expect(world.apple.statistics.processed == before)
            #expect(!(try await person.page(push)).contains("Go on with the rest"))
        }
    }

    @Test func whatWaitsForAnotherTryCanBeStoppedAndGivenUp() async throws {
        try await AppleWorld.run { (world) async throws in
            _ = try await world.device(1)
            world.apple.add(Fault(.refuse(.serviceUnavailable), limit: 1))
            let person = try await ConsolePerson(at: world.server.port)
            let answer = try await world.server.call("POST", "/push", ["data": ["alert": "x"]])
            let push = try #require(answer.body["objectId"]?.string)
            try await eventually { world.apple.statistics.requests == 1 }
            _ = try await person.decide("stop", push, why: "wrong")
            try await eventually {
                _ = try await person.decide("abandon", push)
                return try await world.server.registry.applePush(objectID: push) == nil
            }
            #expect(try await world.record(push)["status"] == "error")
            #expect(world.apple.statistics.processed == 0)
        }
    }

    @Test func aPushThatHasEndedCannotBeStopped() async throws {
        try await AppleWorld.run { (world) async throws in
            _ = try await world.device(1)
            let person = try await ConsolePerson(at: world.server.port)
            let answer = try await world.server.call("POST", "/push", ["data": ["alert": "x"]])
            let push = try #require(answer.body["objectId"]?.string)
            _ = try await world.record(push)
            #expect(!(try await person.page(push)).contains("Stop it"))
            #expect(try await person.decide("stop", push, why: "late").contains("is not being sent"))
            #expect(try await person.decide("proceed", push).contains("is not being sent"))
        }
    }
}
