import Base
import Delivery
import DeviceRegistry
import Push
import PushServer
import Testing

@testable import APNsSimulator

/// Pushes of LeanCloud's API that go to Apple.
@Suite struct ApplePushTests {
    @Test func aPushReachesApplesDevicesAndItsRecordCountsThem() async throws {
        try await AppleWorld.run { (world) async throws in
            let first = try await world.device(1)
            let second = try await world.device(2)
            let dead = try await world.device(3)
            try world.apple.unregister(token: dead, at: Instant.system.advanced(bySeconds: 60).milliseconds)
            _ = try await world.server.call(
                "POST", "/installations", ["deviceType": "android", "installationId": "b1"])
            let record = try await world.push(["data": ["alert": "hello", "news": 1], "expiration_interval": 3600])
            #expect(record["status"] == "done")
            #expect(record["devices"] == 3)
            #expect(record["successes"] == 2)
            #expect(record["iosSuccesses"] == 2)
            #expect(record["lcSuccesses"] == 0)
            #expect(record["leftOut"] == ["notApple": 1])
            #expect(record["simulated"] == nil)
            #expect(record["invalidTokens"] == 1)
            #expect(record["refused"] == ["Unregistered": 1])
            #expect(record["errors"] == "部分推送被 APNs 拒绝，拒绝原因是: Unregistered")
            #expect(record["inDoubt"] == nil)
            for token in [first, second] {
                #expect(try world.payloads(token) == [["aps": ["alert": "hello"], "news": 1]])
                let got = try #require(world.apple.inbox(of: token).first)
                #expect(got.topic == "com.example.app")
                #expect(got.pushType == "alert")
                #expect(got.priority == 10)
                let expiration = try #require(got.expiration)
                #expect(abs(expiration - AppleWorld.now.seconds - 3600) < 600)
                // Nothing is simulated beside what is real.
                #expect(try await world.server.inbox(token).isEmpty)
            }
            #expect(try await world.server.inbox("b1").isEmpty)
            #expect(world.apple.deliveries(to: dead) == 0)
        }
    }

    @Test func aDeadTokenIsLeftOutUntilADeviceComesWithItAnew() async throws {
        try await AppleWorld.run { (world) async throws in
            let token = try await world.device(1)
            try world.apple.unregister(token: token, at: Instant.system.advanced(bySeconds: 60).milliseconds)
            #expect(try await world.push(["data": ["alert": "x"]])["invalidTokens"] == 1)
            #expect(try await world.push(["data": ["alert": "x"]])["devices"] == 0)
            #expect(world.apple.statistics.requests == 1)
            // The app was installed again.
            try world.apple.forget(token: token)
            try world.apple.register(token: token, topic: "com.example.app")
            try await world.server.device(token)
            let record = try await world.push(["data": ["alert": "x"]])
            #expect(record["iosSuccesses"] == 1)
            #expect(world.apple.deliveries(to: token) == 1)
        }
    }

    @Test func eachDeviceGoesByItsProfileAndThoseThatNameNoneByTheDefault() async throws {
        let profiles = [
            AppleWorld.profile("driver", topic: "com.example.driver"),
            AppleWorld.profile("passenger", topic: "com.example.passenger", isDefault: true),
            AppleWorld.profile("gone", topic: "com.example.gone", isHere: false),
        ]
        try await AppleWorld.run(profiles: profiles) { (world) async throws in
            let driver = try await world.device(1, ["deviceProfile": "driver"], topic: "com.example.driver")
            let passenger = try await world.device(2, topic: "com.example.passenger")
            try await world.device(3, ["deviceProfile": "gone"])
            try await world.device(4, ["deviceProfile": "unheard_of"])
            let record = try await world.push(["data": ["alert": "x"]])
            #expect(record["devices"] == 2)
            #expect(record["iosSuccesses"] == 2)
            #expect(record["leftOut"] == ["otherProfile": 2])
            #expect(world.apple.inbox(of: driver).map(\.topic) == ["com.example.driver"])
            #expect(world.apple.inbox(of: passenger).map(\.topic) == ["com.example.passenger"])
        }
    }

    @Test func prodChoosesTheEnvironmentUnlessAProfileIsNamed() async throws {
        let identity = try SimulatorIdentity()
        var development = SimulatorConfiguration()
        development.environment = .development
        development.identity = identity
        let profiles = [AppleWorld.profile("app"), AppleWorld.profile("beta", .development)]
        try await APNsSimulator.with(development) { sandbox in
            try await AppleWorld.run(profiles: profiles, identity: identity, development: sandbox) {
                (world) async throws in
                let token = try await world.device(1)
                try sandbox.register(token: token, topic: "com.example.app")
                try await world.push(["data": ["alert": "x"]])
                #expect(world.apple.deliveries(to: token) == 1)
                try await world.push(["data": ["alert": "x"], "prod": "dev"])
                #expect(sandbox.deliveries(to: token) == 1)
                let named: JSONValue = [
                    "device_type": "ios", "device_ids": [.string(token)], "device_profile": "beta",
                    "data": ["alert": "x"],
                ]
                try await world.push(named, to: "/push/devices")
                #expect(sandbox.deliveries(to: token) == 2)
                #expect(world.apple.deliveries(to: token) == 1)
            }
        }
    }

    @Test func eachDevicesBadgeIsRaisedOnceAndSent() async throws {
        try await AppleWorld.run { (world) async throws in
            let first = try await world.device(1, ["badge": 4])
            let second = try await world.device(2)
            let record = try await world.push(["data": ["alert": "x", "badge": "Increment", "k": "v"]])
            #expect(record["iosSuccesses"] == 2)
            #expect(try world.payloads(first) == [["aps": ["alert": "x", "badge": 5], "k": "v"]])
            #expect(try world.payloads(second) == [["aps": ["alert": "x", "badge": 1], "k": "v"]])
            let found = try await world.server.get("/installations", ["where": #"{"badge":5}"#])
            #expect(found.body["results"]?.array?.count == 1)
        }
    }

    @Test func namedDevicesAreReachedWhetherRegisteredOrNot() async throws {
        try await AppleWorld.run { (world) async throws in
            let known = try await world.device(1, ["valid": false])
            let unknown = AppleWorld.token(2)
            try world.apple.register(token: unknown, topic: "com.example.app")
            let record = try await world.push(
                [
                    "device_type": "ios", "device_ids": [.string(known), .string(unknown), .string(known)],
                    "data": ["alert": "x"],
                ], to: "/push/devices")
            #expect(record["devices"] == 2)
            #expect(world.apple.deliveries(to: known) == 1)
            #expect(world.apple.deliveries(to: unknown) == 1)
        }
    }

    @Test func aScheduledPushGoesToAppleAtItsTime() async throws {
        try await AppleWorld.run(allowsFaults: true) { (world) async throws in
            let token = try await world.device(1)
            let time = Instant.system.advanced(bySeconds: 3600)
            let answer = try await world.server.call(
                "POST", "/push", ["data": ["alert": "later"], "push_time": .string(time.isoText)])
            let id = try #require(answer.body["objectId"]?.string)
            #expect(world.apple.deliveries(to: token) == 0)
            try await world.server.advance(3601)
            await world.apple.wait { $0.processed == 1 }
            #expect(try await world.record(id)["status"] == "done")
            #expect(try world.payloads(token) == [["aps": ["alert": "later"]]])
        }
    }

    @Test func whatAppleRefusesAsAWholeIsInTheRecord() async throws {
        try await AppleWorld.run { (world) async throws in
            try await world.device(1)
            world.apple.add(Fault(.refuse(.topicDisallowed)))
            let record = try await world.push(["data": ["alert": "x"]])
            #expect(record["status"] == "error")
            #expect(record["errors"]?.string?.contains("TopicDisallowed") == true)
            #expect(record["successes"] == 0)
        }
    }

    @Test func anAnswerThatIsLostCountsAsInDoubtAndIsNotSentAgain() async throws {
        try await AppleWorld.run { (world) async throws in
            for number in 1...3 { try await world.device(number) }
            world.apple.add(Fault(.reset(processed: true), limit: 1))
            let record = try await world.push(["data": ["alert": "x"]])
            #expect(record["status"] == "done")
            #expect(record["inDoubt"] == 1)
            #expect(record["successes"] == 2)
            #expect(world.apple.deliveryHistogram() == [1: 3])
        }
    }

    @Test func aPushWithAPaceReachesEveryDevice() async throws {
        try await AppleWorld.run { (world) async throws in
            world.apple.acceptEveryToken()
            let tokens = (1...250).map { JSONValue.string(AppleWorld.token($0)) }
            let record = try await world.push(
                ["device_type": "ios", "device_ids": .array(tokens), "data": ["alert": "x"], "flow_control": 0],
                to: "/push/devices")
            #expect(record["iosSuccesses"] == 250)
        }
    }

    @Test func devicesOfOtherMakersAreLeftOutAndNeverCountAsReached() async throws {
        try await AppleWorld.run { (world) async throws in
            _ = try await world.server.call(
                "POST", "/installations", ["deviceType": "android", "installationId": "b1"])
            // Whoever is left out for two reasons is so for the first, as in an audience that is taken apart.
            _ = try await world.server.call(
                "POST", "/installations", ["deviceType": "android", "installationId": "b2", "valid": false])
            let asked = try await world.push(["data": ["alert": "x"], "where": ["deviceType": "android"]])
            try await world.device(1, ["valid": false])
            let mixed = try await world.push(["data": ["alert": "x"]])
            #expect(mixed["leftOut"] == ["notApple": 2] && mixed["devices"] == 0)
            let named = try await world.push(
                ["data": ["alert": "x"], "device_type": "android", "device_ids": ["b1", "b1", "b2"]],
                to: "/push/devices")
            for (record, devices) in [(asked, 2), (named, 2)] {
                #expect(record["status"] == "done")
                #expect(record["devices"] == 0)
                #expect(record["successes"] == 0)
                #expect(record["leftOut"] == ["notApple": .integer(Int64(devices))])
            }
            #expect(world.apple.statistics.connections == 0)
        }
    }

    @Test func aRecordOfARealPushSaysThatAClassOfItsConditionDoesNotExist() async throws {
        try await AppleWorld.run { (world) async throws in
            try await world.device(1)
            let record = try await world.push(
                ["data": ["alert": "x"], "where": ["o": ["$notInQuery": ["className": "Teem", "where": [:]]]]])
            #expect(record["absentClasses"] == ["Teem"])
            #expect(record["iosSuccesses"] == 1)
        }
    }

    /// A firewall that drops what goes to Apple is noticed only when the time for a connection is over.
    @Test func thatAppleNeverAnswersIsInTheRecordWithinTheMinuteThatAnApplyWaitsForIt() {
        let pool = SenderPool(
            profiles: [], settings: SenderPool.Settings(), now: { Instant(seconds: 0) }
        ) { _ throws(SenderError) in throw SenderError("nobody asks for it") }
        let service = AppleService(profiles: [], senders: pool.senders())
        let sender = PushSender.Configuration(
            endpoint: "localhost", credential: .certificate(chainPEM: Secret(""), keyPEM: Secret("")),
            retries: PushSender.Retries(connectAttempts: AppleService.connectAttempts))
        let attempts = sender.retries.connectAttempts
        // Each pause is twice the one before, and a third longer at most.
        let pauses = sender.retries.pause * (2 << attempts)
        let batch = sender.connectTimeout * attempts + pauses
        let batches = service.settings.retries + 1
        #expect(batch * batches < Duration.seconds(55))
    }

    @Test func developmentIsForFewDevices() async throws {
        try await AppleWorld.run(
            profiles: [AppleWorld.profile("app", .development)], configure: { $0.apple?.mostDevelopmentDevices = 2 }
        ) { (world) async throws in
            for number in 1...3 { try await world.device(number) }
            let record = try await world.push(["data": ["alert": "x"], "prod": "dev"])
            #expect(record["status"] == "error")
            #expect(record["errors"] == "dev profile disabled for massive push")
            #expect(world.apple.statistics.requests == 0)
        }
    }
}
