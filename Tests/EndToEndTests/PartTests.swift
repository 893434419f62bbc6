import Base
import Foundation
import ProgramTesting
import Push
import Testing

/// Deliveries in stages and by local time by the built program, straight to a simulated Apple.
@Suite struct PartTests {
    private static func files(_ rollout: String) -> [String: String] {
        [
            "a.yaml": .giants,
            "one.yaml": .campaign("one", more: "expiration: {after: 7d}\nrollout: \(rollout)"),
        ]
    }

    @Test func aRolloutReachesEverybodyOnceAndTheLedgerKeepsItsVerdicts() async throws {
        let files = Self.files("{stages: [10%, 50%, 100%], bake: 0s, stopWhen: {refused: 2%}, minimum: 20}")
        try await AppleWorld.run(files, app: "5ca1e001", devices: 600) { world in
            let plan = try await world.bugle("plan", "--format", "markdown")
            #expect(plan.output.contains("10%, 50%, 100%; 0s between stages"), "\(plan.everything)")
            #expect(
                plan.output.contains("<td>50%</td><td align=\"right\">240</td><td align=\"right\">40 %</td>"),
                "\(plan.everything)")
            try await world.apply()
            #expect(try await world.received() == (600, 600, 0))
            let status = try await world.status("one")
            #expect(status["state"] == "sent")
            let verdicts = status["verdicts"]?.array ?? []
            #expect(verdicts.map { $0["decision"] } == ["go", "go"], "\(status)")
            let sent = verdicts.reduce(0) { $0 + ($1["accepted"]?.integer ?? 0) }
            #expect((200...400).contains(sent))
            try await world.apply()
            #expect(try await world.received() == (600, 600, 0))
        }
    }

    /// What the calendar of a plan made now says of each part: its name, the action, and whether its time is an estimate.
    private static func calendar(_ world: AppleWorld) async throws -> [[JSONValue?]] {
        let plan = try await world.bugle("plan", "--format", "json")
        let entries = try JSONValue(parsing: plan.output)["calendar"]?["entries"]?.array ?? []
        return entries.map { [$0["part"], $0["action"], $0["estimate"]] }
    }

    @Test func betweenStagesTheCalendarShowsThoseThatAreLeft() async throws {
        let files = Self.files("{stages: [10%, 50%, 100%], bake: 20m, stopWhen: {refused: 2%}, minimum: 20}")
        try await AppleWorld.run(files, app: "5ca1e002", devices: 600) { world in
            #expect(
                try await Self.calendar(world) == [
                    ["10%", "send", nil], ["50%", "send", true], ["100%", "send", true],
                ])
            let first = try await world.apply()
            let sent = try await world.received().devices
            #expect(
                first.output.contains("▶ campaign one")
                    && first.output.contains("stage 1 of 3 sent, \(sent) devices; judged at "),
                "\(first.everything)")
            let plan = try await world.bugle("plan")
            let line = "stage 1/3 baking: \(sent) accepted, 0 refused; verdict "
            #expect(plan.status == 0 && plan.output.contains(line), "\(plan.everything)")
            #expect(!plan.output.contains("No changes"), "\(plan.everything)")
            let shown = try await world.bugle("status")
            #expect(shown.output.contains(line.dropLast()), "\(shown.everything)")
            let status = try await world.status("one")
            #expect(status["devices"] == 600 && status["successes"]?.integer == Int64(sent), "\(status)")
            #expect(status["part"]?["number"] == 1 && status["part"]?["of"] == 3, "\(status)")
            // Nobody is asked before the stage is judged.
            for answer in ["sent", "unsent", "proceed", "abandoned"] {
                let early = try await world.bugle("resolve", "one", "--as", answer, "--reason", "r")
                let words = "one@1 is under way: stage 1 is not judged yet: it bakes until "
                #expect(early.status == 64 && early.errors.contains(words), "\(early.everything)")
                #expect(early.errors.contains("next: bugle apply --due"), "\(early.everything)")
            }
            #expect(try await world.received().devices == sent)
            let chinese = try await world.bugle("status", "--language", "zh-Hans")
            #expect(chinese.output.contains("第 1 / 3 阶段观察中：\(sent) 台已接受"), "\(chinese.everything)")
            #expect(try await Self.calendar(world) == [["50%", "wait", nil], ["100%", "wait", true]])
        }
    }

    @Test func aRolloutThatHaltsGoesOnWhenAPersonSaysSoAndEndsWhenAbandoned() async throws {
        let files = Self.files("{stages: [20%, 60%, 100%], bake: 0s, stopWhen: {deadTokens: 2%}, minimum: 20}")
        try await AppleWorld.run(files, app: "5ca1e003") { world in
            try await world.devices(0..<540)
            try await world.devices(540..<600, isKnown: false)
            let halted = try await world.apply(expecting: 7)
            #expect(halted.unfolded.contains("bugle resolve one@1 --as proceed|abandoned"), "\(halted.everything)")
            let first = try await world.received()
            #expect((60..<180).contains(first.devices) && first.duplicates == 0)
            #expect(try await world.status("one")["state"] == "halted")
            #expect(try await world.bugle("status").status == 7)
            // Nothing more is sent, and the plan says what to do.
            let plan = try await world.bugle("plan")
            #expect(plan.everything.contains("was halted: stage 1: deadTokens is"), "\(plan.everything)")
            #expect(plan.status == 7 && !plan.everything.contains("No changes"), "\(plan.everything)")
            for more in ["--keep-going", "--due"] {
                let again = try await world.apply(more, expecting: 7)
                #expect(again.output.contains("bugle resolve one@1 --as proceed|abandoned"), "\(again.everything)")
            }
            #expect(try await world.received() == first)
            // An answer for another question is refused.
            #expect(try await world.bugle("resolve", "one", "--as", "sent", "--reason", "x").status == 64)
            let proceed = try await world.bugle("resolve", "one", "--as", "proceed", "--reason", "old test devices")
            #expect(proceed.status == 0 && proceed.output.contains("the next apply goes on"), "\(proceed.everything)")
            try await world.apply(expecting: 7)
            let second = try await world.received()
            #expect(second.devices > first.devices && second.duplicates == 0)
            let abandoned = try await world.bugle("resolve", "one", "--as", "abandoned", "--reason", "enough")
            #expect(abandoned.status == 0, "\(abandoned.everything)")
            let status = try await world.status("one")
            #expect(status["state"] == "sent" && (status["missed"]?.integer ?? 0) > 0, "\(status)")
            try await world.apply()
            #expect(try await world.received() == second)
        }
    }

    @Test func aStageWithTooFewAnswersHoldsAndThePlanSaysSoBefore() async throws {
        let files = Self.files("{stages: [20%, 100%], bake: 0s, stopWhen: {refused: 2%}}")
        try await AppleWorld.run(files, app: "5ca1e004", devices: 50) { world in
            let plan = try await world.bugle("plan")
            #expect(
                plan.everything.contains("stage 1 of one has about 10 devices: too few to judge, it will hold"),
                "\(plan.everything)")
            try await world.apply(expecting: 7)
            #expect(try await world.status("one")["state"] == "holding")
            // The campaign is removed: the rest is never sent.
            try FileManager.default.removeItem(atPath: world.path("one.yaml"))
            let before = try await world.received()
            try await world.apply()
            #expect(try await world.received() == before)
            #expect(try await world.status("one")["state"] == "sent")
        }
    }

    @Test func eachDeviceIsSentToWhenItsOwnClockShowsTheTime() async throws {
        // What the clocks in Shanghai show now, which those in Los Angeles will show in 15 or 16 hours.
        let shown = LocalTime(seconds: (AppleWorld.now.seconds + 8 * 3600) / 60 * 60)
        let campaign = String.campaign(
            "one",
            more: """
                expiration: {after: 7d}
                schedule: {at: \(shown.text), zone: device, otherwise: Asia/Shanghai, window: 2h}
                """)
        try await AppleWorld.run(["a.yaml": .giants, "one.yaml": campaign], app: "5ca1e005") { world in
            try await world.devices(0..<30, fields: ["timeZone": "Asia/Shanghai"])
            try await world.devices(30..<40, fields: ["timeZone": "Mars/Olympus"])
            try await world.devices(40..<100, fields: ["timeZone": "America/Los_Angeles"])
            let plan = try await world.bugle("plan", "--format", "markdown")
            let wave = plan.output.firstMatch(of: /<td>UTC\+08:00<\/td><td>[^<]+<\/td><td align="right">40<\/td>/)
            #expect(wave != nil, "\(plan.everything)")
            let first = try await world.apply()
            #expect(first.output.contains("wave 1 of 2 sent, 40 devices; the next opens at "), "\(first.everything)")
            #expect(try await world.received() == (40, 40, 0))
            #expect(try await world.status("one")["state"] == "sending")
            let waiting = try await world.bugle("plan")
            #expect(
                waiting.everything.contains("wave 1/2 sent: 40 accepted, 0 refused; next "), "\(waiting.everything)")
            #expect(try await Self.calendar(world) == [[nil, "wait", nil]])
            try await world.apply(expecting: nil)
            #expect(try await world.received() == (40, 40, 0))
            // The campaign is removed: the waves that have not opened are missed.
            try FileManager.default.removeItem(atPath: world.path("one.yaml"))
            try await world.apply(expecting: nil)
            let status = try await world.status("one")
            #expect(status["state"] == "sent" && status["missed"] == 60, "\(status)")
            #expect(try await world.received() == (40, 40, 0))
        }
    }

    @Test func devicesWhoseWaveWasMissedAreToldOnceByTheApplyThatFindsThem() async throws {
        // What the clocks in Shanghai showed three hours ago, which those in Los Angeles will show in half a day.
        let shown = LocalTime(seconds: (AppleWorld.now.seconds + 5 * 3600) / 60 * 60)
        let campaign = String.campaign(
            "one",
            more: """
                expiration: {after: 7d}
                schedule: {at: \(shown.text), zone: device, otherwise: Asia/Shanghai, window: 1h}
                """)
        try await AppleWorld.run(["a.yaml": .giants, "one.yaml": campaign]) { world in
            try await world.devices(0..<30, fields: ["timeZone": "Asia/Shanghai"])
            try await world.devices(30..<70, fields: ["timeZone": "America/Los_Angeles"])
            let plan = try await world.bugle("plan")
            #expect(plan.output.contains("UTC+08:00 30 · UTC−"), "\(plan.everything)")
            let first = try await world.apply("--json-result", "result.json", expecting: 8)
            #expect(first.output.contains("30 missed"), "\(first.everything)")
            let json = try JSONValue(parsing: [UInt8](Data(contentsOf: world.folder.appending(path: "result.json"))))
            let result = try #require(json["results"]?.array?.last, "\(json)")
            #expect(result["result"] == "partly" && result["figures"]?["missed"] == 30, "\(json)")
            let status = try await world.status("one")
            #expect(status["state"] == "sending" && status["missed"] == 30, "\(status)")
            try await world.apply(expecting: 0)
            #expect(try await world.status("one")["missed"] == 30)
            #expect(try await world.received() == (0, 0, 0))
        }
    }

    /// 20 devices were seen now, 20 a hundred days ago, 10 two hundred.
    @Test(arguments: [("", 20, 30), (", stale: 30d", 20, 30), (", stale: 180d", 40, 10), (", stale: never", 50, 0)])
    func whoWasNotSeenForAsLongAsTheRegistrySaysIsCountedAndGetsNothing(
        stale: String, reached: Int, left: Int
    ) async throws {
        let files = ["a.yaml": String.giants, "one.yaml": .campaign("one", more: "expiration: {after: 7d}")]
        try await AppleWorld.run(files, registry: "{sqlite: devices.sqlite\(stale)}") { world in
            let day = 86_400
            for (indices, age) in [(0..<20, 0), (20..<40, 100), (40..<50, 200)] {
                try await world.devices(indices, since: AppleWorld.now - .seconds(age * day))
            }
            let plan = try JSONValue(parsing: try await world.bugle("plan", "--format", "json").output)
            let audience = plan["changes"]?.array?.first { $0["name"] == "one" }?["audience"]
            #expect(audience?["devices"] == .integer(Int64(reached)), "\(plan)")
            #expect(audience?["leftOut"]?["stale"] == (left > 0 ? .integer(Int64(left)) : nil), "\(plan)")
            let run = try await world.apply()
            #expect(run.output.contains("\(left) not seen for") == (left > 0), "\(run.everything)")
            #expect(try await world.received() == (reached, reached, 0))
        }
    }

    @Test func ofTwoCampaignsUnderACapTheSecondIsBlockedAndGoesWhenItMay() async throws {
        let files = [
            "a.yaml": String.giants, "one.yaml": .campaign("one", more: "expiration: {after: 7d}"),
            "two.yaml": .campaign("two", more: "expiration: {after: 7d}"),
        ]
        try await AppleWorld.run(files, policy: "{frequency: [{most: 1, per: 24h}]}", devices: 50) { world in
            let applied = try await world.apply("--json-result", "result.json", expecting: 6)
            #expect(
                applied.unfolded.contains("50 capped: blocked: minAudience: 0 devices are fewer than minAudience 1"),
                "\(applied.everything)")
            let json = try JSONValue(parsing: [UInt8](Data(contentsOf: world.folder.appending(path: "result.json"))))
            let results = json["results"]?.array ?? []
            let campaigns = results.filter { ["one", "two"].contains($0["name"]) }
            #expect(campaigns.map { $0["result"] } == ["done", "skipped"], "\(json)")
            #expect(campaigns.last?["figures"]?["leftOut"] == ["capped": 50], "\(json)")
            #expect(try await world.status("two")["state"] == "unsent")
            #expect(try await world.received() == (50, 50, 0))
            // The plan says why, and sends nothing.
            try await world.apply(expecting: 6)
            #expect(try await world.received() == (50, 50, 0))
            try world.write("bugle.yaml", world.workspace(policy: "{frequency: [{most: 2, per: 24h}]}"))
            try await world.apply()
            #expect(try await world.received() == (50, 100, 0))
            #expect(try await world.status("two")["state"] == "sent")
            try await world.apply()
            #expect(try await world.received() == (50, 100, 0))
        }
    }

    @Test func theRestOfATestGetsTheWinnerThatALaterApplyFinds() async throws {
        func campaign(_ more: String = "") -> String {
            let variants = "{plain: {share: 20%}, emoji: {share: 30%, message: {title: Hey}}}"
            return .campaign(
                "one", more: "expiration: {after: 7d}\nvariants: \(variants)\ndecideBy: 1d\notherwise: abandon\n\(more)"
            )
        }
        try await AppleWorld.run(
            ["a.yaml": .giants, "one.yaml": campaign("winner: emoji")], app: "5ca1e006", devices: 600
        ) { world in
            // Nobody can know the winner before the test.
            let early = try await world.bugle("plan")
            #expect(
                early.everything.contains("it names a winner before its variants were tested"), "\(early.everything)")
            try world.write("one.yaml", campaign())
            let first = try await world.apply()
            #expect(first.output.contains("; a winner may be named until "), "\(first.everything)")
            let tested = try await world.received()
            #expect((180..<420).contains(tested.devices) && tested.duplicates == 0)
            let waiting = try await world.bugle("plan")
            #expect(waiting.everything.contains("a winner may be named until"), "\(waiting.everything)")
            try await world.apply(expecting: nil)
            #expect(try await world.received() == tested)
            let variants = try await world.status("one")["variants"]?.array ?? []
            #expect(variants.map { $0["name"] } == ["emoji", "plain"])
            #expect(variants.reduce(0) { $0 + Int($1["accepted"]?.integer ?? 0) } == tested.devices)
            try world.write("one.yaml", campaign("winner: emoji"))
            let plan = try await world.bugle("plan")
            let line = "the winner is emoji, for \(600 - tested.devices) more devices: emoji "
            #expect(plan.everything.contains(line), "\(plan.everything)")
            try await world.apply()
            #expect(try await world.received() == (600, 600, 0))
            let status = try await world.status("one")
            #expect(status["state"] == "sent" && status["verdicts"]?.array?.first?["winner"] == "emoji", "\(status)")
            try world.write("one.yaml", campaign("winner: plain"))
            let other = try await world.apply()
            #expect(other.everything.contains("the rest of one was given 'emoji'"), "\(other.everything)")
            #expect(try await world.received() == (600, 600, 0))
        }
    }
}
