import Base
import DeviceRegistry
import Foundation
import HTTPTesting
import ProgramTesting
import Push
import Testing

/// The commands around a delivery straight to Apple.
@Suite struct AppleCommandTests {
    private static let files = ["a.yaml": String.giants, "one.yaml": String.campaign("one")]

    // MARK: The registry

    @Test func aRegistryIsMadeOnPurposeOnly() async throws {
        try await AppleWorld.run(Self.files) { world in
            try FileManager.default.removeItem(atPath: world.path("devices.sqlite"))
            for arguments in [["plan"], ["apply", "--auto-approve"], ["status"]] {
                let run = try await Program.run(arguments, folder: world.folder)
                #expect(run.status == 1, "\(arguments): \(run.everything)")
                #expect(run.errors.contains("bugle registry init"), "\(run.errors)")
                #expect(!FileManager.default.fileExists(atPath: world.path("devices.sqlite")))
            }
            #expect(try await world.bugle("registry", "init").status == 0)
            #expect(try await world.bugle("registry", "init").status == 0)
            // Nobody has registered yet.
            #expect(try await world.bugle("plan").status == 6)
        }
    }

    @Test func aRegistryInAFileOfARunnerIsWarnedOf() async throws {
        try await AppleWorld.run(Self.files, devices: 1) { world in
            let run = try await Program.run(
                ["apply", "--auto-approve"], environment: ["CI": "true"], folder: world.folder)
            #expect(run.status == 0 && run.errors.contains("[registry-on-runner]"), "\(run.everything)")
        }
    }

    // MARK: doctor

    @Test func doctorFindsNothingWhereAllIsRight() async throws {
        try await AppleWorld.run(Self.files, devices: 3) { world in
            let run = try await world.bugle("doctor")
            #expect(run.status == 0, "\(run.everything)")
            #expect(run.output.contains("Apple accepts the credential"), "\(run.output)")
            #expect(run.output.contains("3 devices, 3 sendable (3 ios)"), "\(run.output)")
            #expect(try await world.received().messages == 0)
        }
    }

    /// 2 devices were seen a hundred days ago; a warning where nobody else is.
    @Test(arguments: [
        (3, "✓", "5 devices, 3 sendable (3 ios); 2 not seen for 90 days"),
        (0, "!", "2 devices, 0 sendable; 2 not seen for 90 days"),
    ])
    func doctorSaysWhoIsLeftOut(_ devices: Int, _ mark: String, _ words: String) async throws {
        try await AppleWorld.run(Self.files, devices: devices) { world in
            try await world.devices(3..<5, since: AppleWorld.now - .seconds(100 * 86_400))
            let run = try await world.bugle("doctor")
            let line = run.output.split(separator: "\n").first { $0.contains(words) }
            #expect(line?.hasPrefix(mark) == true, "\(run.everything)")
        }
    }

    @Test func doctorCountsOneAsOne() async throws {
        try await AppleWorld.run(Self.files, devices: 1) { world in
            try await world.apply()
            let run = try await world.bugle("doctor")
            #expect(run.output.contains("1 device, 1 sendable (1 ios)"), "\(run.everything)")
            #expect(run.output.contains(": 1 delivery in the ledger"), "\(run.everything)")
        }
    }

    @Test func aKeyThatIsNotThereIsAnErrorToAPlanAndNoneToValidate() async throws {
        try await AppleWorld.run(Self.files) { world in
            try FileManager.default.removeItem(atPath: world.path("key.p8"))
            let plan = try await world.bugle("plan")
            #expect(plan.status == 3 && plan.everything.contains("there is no file"), "\(plan.everything)")
            let validate = try await world.bugle("validate")
            #expect(validate.status == 0, "\(validate.everything)")
        }
    }

    @Test func doctorTellsAWrongKeyAndAWrongTeam() async throws {
        try await AppleWorld.run(Self.files) { world in
            for profile in [world.profile(keyID: "ABCDE12345"), world.profile(team: "ABCDE12345")] {
                try world.write("profile.yaml", profile)
                let run = try await world.bugle("doctor")
                #expect(run.status == 4, "\(run.everything)")
                #expect(run.everything.contains("InvalidProviderToken"), "\(run.everything)")
            }
        }
    }

    @Test func doctorTellsAClockThatIsOffAndAnotherEnvironment() async throws {
        try await AppleSimulator.run { simulator in
            try await AppleWorld.run(Self.files, on: simulator) { world in
                let fault = try await simulator.fault("refuse", ["status": 403, "reason": "BadEnvironmentKeyInToken"])
                let other = try await world.bugle("doctor")
                #expect(other.status == 4, "\(other.everything)")
                #expect(other.everything.contains("environment"), "\(other.everything)")
                try await simulator.call("DELETE", "/faults/\(fault)")
                try await simulator.call("POST", "/clock", ["advance": 7200])
                let late = try await world.bugle("doctor")
                #expect(late.status == 4, "\(late.everything)")
                #expect(late.everything.contains("clock"), "\(late.everything)")
            }
        }
    }

    @Test func doctorTellsThatAppleCannotBeReached() async throws {
        try await AppleWorld.run(Self.files) { world in
            try await DeafPort.with { port in
                try world.write("bugle.yaml", world.workspace(url: "https://127.0.0.1:\(port)"))
                let run = try await world.bugle("doctor")
                #expect(run.status == 1, "\(run.everything)")
                #expect(run.everything.contains("cannot be reached"), "\(run.everything)")
            }
        }
    }

    // MARK: test

    @Test func aTestReachesOneDeviceAndNoLedger() async throws {
        let campaign = String.campaign("one", more: "expiration: {after: 7d}\nenvironment: development")
        try await AppleWorld.run(
            ["a.yaml": .giants, "one.yaml": campaign], environment: "development", devices: 2
        ) { world in
            let run = try await world.bugle("test", "one", "--device", world.token(1))
            #expect(run.status == 0, "\(run.everything)")
            #expect(try await world.received() == (1, 1, 0))
            #expect(try await world.simulator.texts(world.token(1)).count == 1)
            let status = try await world.bugle("status", "--format", "json")
            #expect(try JSONValue(parsing: status.output)["deliveries"]?.array?.isEmpty == true)
            let refused = try await world.bugle("test", "one", "--device", String(repeating: "ab", count: 32))
            #expect(refused.status == 1, "\(refused.everything)")
            #expect(refused.everything.contains("BadDeviceToken"), "\(refused.everything)")
        }
    }

    @Test func aTestOfAnEnvironmentWithoutAProfileIsRefused() async throws {
        try await AppleWorld.run(Self.files, devices: 1) { world in
            let run = try await world.bugle("test", "one", "--device", world.token(0))
            #expect(run.status == 3, "\(run.everything)")
            #expect(run.errors.contains("environment development"), "\(run.errors)")
            #expect(try await world.received().messages == 0)
        }
    }

    // MARK: Stopping

    /// Held by a throttle until it is told to stop.
    private static let slow = [
        "a.yaml": String.giants,
        "one.yaml": String.campaign("one", more: "expiration: {after: 7d}\nthrottle: {perSecond: 20}"),
    ]

    /// Returns when Apple has seen so many of the world's notifications.
    private func messages(_ count: Int, in world: AppleWorld) async throws {
        try await eventually { try await world.received().messages >= count }
    }

    @Test func sigtermEndsADeliveryInItsMiddleAndTheNextApplyGoesOn() async throws {
        try await AppleSimulator.run { simulator in
            try await AppleWorld.run(Self.slow, on: simulator, devices: 400) { world in
                // Two throttled batches of 40 are open at most, and of almost every one somebody is answered late: it
                // lasts for minutes, whenever the signal comes.
                try await simulator.fault("delay", ["milliseconds": 30_000, "rate": 0.1])
                let process = Promise<Int32>()
                async let running = world.apply(expecting: 8, started: process.fulfil)
                try await messages(10, in: world)
                // Meanwhile nobody else may apply.
                let second = try await world.apply(expecting: 11)
                #expect(second.errors.contains("bugle unlock"), "\(second.errors)")
                kill(await process.value, SIGTERM)
                _ = try await running
                let sent = try await world.received()
                #expect(sent.messages < 400 && sent.duplicates == 0)
                try await simulator.call("DELETE", "/faults")
                try world.write("one.yaml", .campaign("one"))
                try await world.apply()
                #expect(try await world.received() == (400, 400, 0))
            }
        }
    }

    @Test func aThrottledDeliveryReachesEveryDevice() async throws {
        try await AppleWorld.run(Self.slow, devices: 60) { world in
            try await world.apply()
            #expect(try await world.received() == (60, 60, 0))
        }
    }

    // MARK: Time

    @Test func aScheduledCampaignWaitsUntilAnApplyWhenItIsDue() async throws {
        func campaign(_ at: Date, window: String = "1h") -> String {
            .campaign("one", more: "schedule: {at: \(at.ISO8601Format()), window: \(window)}\nexpiration: {after: 7d}")
        }
        try await AppleWorld.run(["a.yaml": .giants], devices: 2) { world in
            let ahead = Date.now.addingTimeInterval(7200)
            try world.write("one.yaml", campaign(ahead))
            let plan = try await world.bugle("plan")
            #expect(plan.status == 0, "\(plan.everything)")
            #expect(plan.output.contains("\(ahead.ISO8601Format().prefix(10))"), "\(plan.output)")
            try await world.apply()
            #expect(try await world.received().messages == 0)
            // Time passes by moving the plan's instant: it is due, and a timer's apply sends it.
            try world.write("one.yaml", campaign(Date.now.addingTimeInterval(-60)))
            try await world.apply("--due")
            #expect(try await world.received() == (2, 2, 0))
            // Another is past its window: missed.
            try world.write(
                "two.yaml",
                .campaign(
                    "two",
                    more: "schedule: {at: \(Date.now.addingTimeInterval(-7200).ISO8601Format()), window: 1h}\n"
                        + "expiration: {after: 7d}"))
            let missed = try await world.apply()
            #expect(missed.output.contains("missed"), "\(missed.output)")
            #expect(try await world.received().messages == 2)
        }
    }

    // MARK: Saved plans

    @Test func aSavedPlanIsAppliedOnceAndIsStaleThen() async throws {
        try await AppleWorld.run(Self.files, devices: 2) { world in
            #expect(try await world.bugle("plan", "--out", "plan.json").status == 0)
            #expect(try await world.bugle("apply", "plan.json").status == 0)
            #expect(try await world.received() == (2, 2, 0))
            let stale = try await world.bugle("apply", "plan.json")
            #expect(stale.status == 9, "\(stale.everything)")
            #expect(try await world.received() == (2, 2, 0))
        }
    }

    @Test func aSavedPlanOfAnotherRegistryUnderTheSameNameIsRefused() async throws {
        try await AppleWorld.run(Self.files, devices: 2) { world in
            #expect(try await world.bugle("plan", "--out", "plan.json", "--record", "state").status == 0)
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: world.path("devices.sqlite" + suffix))
            }
            // What was recorded needs no registry.
            let recorded = try await world.bugle("plan", "--against", "state", "--out", "simulated.json")
            #expect(recorded.status == 0, "\(recorded.everything)")
            #expect(try await world.bugle("registry", "init").status == 0)
            try await world.devices(2)
            let other = try await world.bugle("apply", "plan.json")
            #expect(other.status == 9, "\(other.everything)")
            #expect(other.errors.contains("another remote"), "\(other.errors)")
            #expect(try await world.received().messages == 0)
        }
    }

    // MARK: Kinds of campaigns

    @Test func everyKindOfPushReachesTheDeviceUnderItsTopic() async throws {
        let kinds = """
            kind: Campaign
            name: wake
            audience: {channels: [Giants], platforms: [ios]}
            message: {contentAvailable: true, data: {refresh: scores}}
            expiration: {after: 1h}
            ---
            kind: Campaign
            name: call
            audience: {channels: [Giants], platforms: [ios]}
            message: {pushType: voip, data: {call: 7}}
            expiration: {after: 0s}
            """
        try await AppleWorld.run(["a.yaml": .giants, "kinds.yaml": kinds]) { world in
            try await world.devices(1, isKnown: false)
            // The device takes notifications of every topic of its app.
            try await world.simulator.call("POST", "/devices", ["token": .string(world.token(0)), "topic": ""])
            try await world.apply()
            let inbox = try await world.simulator.inbox(world.token(0))
            let kinds = Set(inbox.map { "\($0["pushType"]?.string ?? "") \($0["topic"]?.string ?? "")" })
            #expect(kinds == ["background \(world.topic)", "voip \(world.topic).voip"], "\(inbox)")
            let wake = inbox.first { $0["pushType"] == "background" }
            #expect(wake?["priority"] == 5)
            #expect(wake?["data"] == ["aps": ["content-available": 1], "refresh": "scores"])
            #expect(inbox.first { $0["pushType"] == "voip" }?["expiration"] == 0)
        }
    }

    @Test func aLiveActivityIsStartedOnEachDevice() async throws {
        let campaign = """
            kind: Campaign
            name: kick-off
            audience: {channels: [Giants], platforms: [ios]}
            message:
              title: The match begins
              body: Giants against Athletics
              liveActivity:
                event: start
                attributesType: MatchAttributes
                attributes: {home: Giants, away: Athletics}
                contentState: {score: 0-0, inning: 1}
            expiration: {after: 1h}
            """
        try await AppleWorld.run(["a.yaml": .giants, "start.yaml": campaign]) { world in
            try await world.devices(2, isKnown: false)
            for index in 0..<2 {
                // The app got these tokens to start a Live Activity with.
                try await world.simulator.call("POST", "/devices", ["token": .string(world.token(index)), "topic": ""])
            }
            try await world.apply()
            for index in 0..<2 {
                let inbox = try await world.simulator.inbox(world.token(index))
                #expect(inbox.count == 1)
                let push = try #require(inbox.first)
                #expect(push["pushType"] == "liveactivity")
                #expect(push["topic"]?.string == "\(world.topic).push-type.liveactivity")
                let aps = push["data"]?["aps"]
                #expect(aps?["event"] == "start" && aps?["attributes-type"] == "MatchAttributes")
                #expect(aps?["content-state"] == ["score": "0-0", "inning": 1])
                #expect(aps?["attributes"] == ["home": "Giants", "away": "Athletics"])
                #expect(aps?["alert"]?["title"] == "The match begins")
                #expect(abs((aps?["timestamp"]?.integer ?? 0) * 1000 - AppleWorld.now.milliseconds) < 600_000)
            }
            try await world.apply()
            #expect(try await world.simulator.inbox(world.token(0)).count == 1)
        }
    }

    @Test func aBadgeIsRaisedOnEachDevice() async throws {
        let campaign =
            "kind: Campaign\nname: one\naudience: {channels: [Giants], platforms: [ios]}\n"
            + "message: {body: one, badge: increment}\nexpiration: {after: 1h}\n"
        try await AppleWorld.run(["a.yaml": .giants, "one.yaml": campaign]) { world in
            try await world.devices(0..<1, fields: ["badge": 4])
            try await world.devices(1..<2)
            try await world.apply()
            for (index, badge) in [5, 1].enumerated() {
                let push = try #require(try await world.simulator.inbox(world.token(index)).first)
                #expect(push["data"]?["aps"]?["badge"]?.integer == Int64(badge))
                #expect(try await world.device(index)["badge"]?.integer == Int64(badge))
            }
        }
    }

    @Test func aBroadcastChannelIsMadeUsedAndDeleted() async throws {
        func channel(_ storage: String) -> (String) -> String {
            { "kind: Channel\nname: match\nbroadcast: {topic: \($0), storage: \(storage)}\n" }
        }
        try await AppleWorld.run([:]) { world in
            func channels() async throws -> [JSONValue] {
                try await world.simulator.call("GET", "/apps/\(world.topic)/channels")["channels"]?.array ?? []
            }
            try world.write("match.yaml", channel("none")(world.topic))
            try await world.apply()
            #expect(try await channels().count == 1)
            #expect(try await channels().first?["storagePolicy"] == 0)
            try world.write(
                "score.yaml",
                """
                kind: Campaign
                name: score
                audience: {channels: [match]}
                message:
                  liveActivity: {event: update, contentState: {score: 2-2}}
                expiration: {after: 0s}
                """)
            try await world.apply()
            let broadcasts = try #require(try await channels().first?["received"]?.array)
            #expect(broadcasts.count == 1)
            #expect(broadcasts.first?["data"]?["aps"]?["content-state"] == ["score": "2-2"])
            try await world.apply()
            #expect(try await channels().first?["received"]?.array?.count == 1)
            try FileManager.default.removeItem(atPath: world.path("score.yaml"))
            try world.write("match.yaml", channel("mostRecent")(world.topic))
            try await world.apply()
            #expect(try await channels().first?["storagePolicy"] == 1)
            try FileManager.default.removeItem(atPath: world.path("match.yaml"))
            try await world.apply()
            #expect(try await channels().isEmpty)
        }
    }

    @Test func hostileTextInACampaignStaysText() async throws {
        let campaign =
            "kind: Campaign\nname: one\ndescription: \"\\e[31m::error::\"\n"
            + "audience: {channels: [Giants], platforms: [ios]}\nmessage: {body: \"\\e[2J \\u202E ::error::\\n::set\"}\n"
            + "expiration: {after: 1h}\n"
        try await AppleWorld.run(["a.yaml": .giants, "one.yaml": campaign], devices: 1) { world in
            for arguments in [["plan"], ["plan", "--format", "github"], ["apply", "--auto-approve"], ["status"]] {
                let run = try await Program.run(arguments, folder: world.folder)
                #expect(run.status == 0, "\(arguments): \(run.everything)")
                #expect(!run.everything.unicodeScalars.contains("\u{1B}"), "\(arguments)")
                #expect(!run.everything.unicodeScalars.contains("\u{202E}"), "\(arguments)")
                #expect(!run.everything.split(separator: "\n").contains { $0.hasPrefix("::set") }, "\(arguments)")
            }
            // The device gets it as it is.
            #expect(try await world.simulator.texts(world.token(0)).first?.contains("\u{1B}[2J") == true)
        }
    }
}
