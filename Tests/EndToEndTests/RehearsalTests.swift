import Base
import DeviceRegistry
import Foundation
import Push
import PushServer
import Testing

/// `bugle migrate --rehearse`: whom each campaign reaches on both sides, and the turn step by step.
@Suite struct RehearsalTests {
    private static let score = """
        kind: Campaign
        name: score
        audience: {channels: [Giants]}
        message: {body: It is now 2-2}
        expiration: {after: 7d}
        hold: true
        ---
        kind: Channel
        name: Giants
        """

    /// A rehearsal after a copy of 30 devices and what `change` makes of it.
    private func rehearsal(
        files: [String: String] = ["score.yaml": score], accepting: String = "", language: String = "en",
        _ change: (World, Registry) async throws -> Void = { _, _ in },
        _ check: (World, Registry, DomainRelay, Run) async throws -> Void
    ) async throws {
        try await World.run(files.merging(["p.yaml": World.apple]) { $1 }) { world in
            try await world.devices(30)
            try await world.withNewServer { new, relay, _ in
                let text = try String(contentsOfFile: world.path("bugle.yaml"), encoding: .utf8)
                try world.write("bugle.yaml", text + "\n" + accepting)
                try await world.startLedger()
                try await world.copy(into: new)
                try await change(world, new)
                _ = world.takeSeen()
                let run = try await world.migrate(relay, "--rehearse", "--language", language)
                #expect(world.takeSeen().allSatisfy { $0.method == "GET" }, "the old service is only read")
                try await check(world, new, relay, run)
            }
        }
    }

    private static func ids(_ registry: Registry, _ count: Int) async throws -> [String] {
        var query = ObjectQuery()
        query.limit = count
        return try await registry.find(query, in: .installation, as: .master).results.compactMap {
            $0["objectId"]?.string
        }
    }

    private static func set(
        _ members: JSONObject, of ids: [String], in registry: Registry, at time: Instant = World.noon
    )
        async throws
    {
        for id in ids { _ = try await registry.update(id, in: .installation, with: members, as: .master, at: time) }
    }

    @Test func anAudienceThatIsTheSameOnBothSidesIsSaidWithItsIDs() async throws {
        try await rehearsal { _, _, _, run in
            #expect(run.status == 0, "\(run.everything)")
            #expect(
                run.output.contains("✓ campaign score: 30 devices on both sides, 30 of them compared by id"),
                "\(run.output)")
            #expect(run.output.contains("✓ devices: 30 devices on both sides"), "\(run.output)")
            #expect(run.output.contains("✓ campaign score: renders for Apple "), "\(run.output)")
        }
    }

    @Test func aDifferenceThatLosesNobodyIsExplainedAndFine() async throws {
        try await rehearsal { _, new in
            let ids = try await Self.ids(new, 3)
            try await Self.set(["valid": false], of: [ids[0]], in: new)
            // A newer registration of the same device, which gets its token.
            var query = ObjectQuery()
            query.condition = ["objectId": .string(ids[1])]
            let twin = try #require(
                try await new.find(query, in: .installation, as: .master).results.first?.object)
            let later = World.noon + .seconds(1)
            let device = twin.merging(["objectId": "newer1", "updatedAt": .string(later.isoText)]) { $1 }
            _ = try await new.transfer([try TransferredObject(device)], into: .installation)
        } _: { _, _, _, run in
            #expect(run.status == 0, "\(run.everything)")
            #expect(run.output.contains("✓ campaign score: 30 devices at the old service, 29 at the new server: "))
            #expect(run.output.contains("1 are older registrations of a device that is there"), "\(run.output)")
            #expect(run.output.contains("1 have a token that was declared dead"), "\(run.output)")
        }
    }

    @Test func devicesThatWereNotCopiedAreNamedAndToBeDone() async throws {
        try await rehearsal { _, new in
            try await new.delete(try await Self.ids(new, 1), in: .installation, as: .master)
        } _: { _, _, _, run in
            #expect(run.status == 6, "\(run.everything)")
            #expect(
                run.output.contains(
                    "✗ campaign score: 30 devices at the old service, 29 at the new server: 1 are not at the new server"
                ),
                "\(run.output)")
            #expect(run.output.contains("[>] 1. copy, and follow what registers: bugle-server pull --from http"))
        }
    }

    @Test func devicesThatACampaignListsAreLookedForOneByOneInAnySpelling() async throws {
        let tokens = ["a", "b", "c"].map { String(repeating: $0, count: 64) }
        let listed = tokens.map { $0.uppercased() }.joined(separator: ", ")
        let campaign = Self.score.replacing("{channels: [Giants]}", with: "{devices: [\(listed)], platforms: [ios]}")
        for isWhole in [true, false] {
            try await rehearsal(files: ["score.yaml": campaign]) { world, new in
                for token in tokens {
                    _ = try await world.call(
                        "POST", "/installations", ["deviceType": "ios", "deviceToken": .string(token)])
                }
                try await world.copy(into: new)
                guard !isWhole else { return }
                var query = ObjectQuery()
                query.condition = ["deviceToken": .string(tokens[1])]
                let found = try await new.find(query, in: .installation, as: .master).results
                let id = try #require(found.first?["objectId"]?.string)
                try await new.delete([id], in: .installation, as: .master)
            } _: { _, _, _, run in
                #expect(run.status == (isWhole ? 0 : 6), "\(run.everything)")
                let said =
                    isWhole
                    ? "✓ campaign score: 3 devices on both sides, 3 of them compared by id"
                    : "✗ campaign score: 3 devices at the old service, 2 at the new server: 1 are not at the new server"
                #expect(run.output.contains(said), "\(run.output)")
            }
        }
    }

    @Test func aConditionThatIsReadDifferentlyIsToBeDone() async throws {
        try await rehearsal { _, new in
            try await Self.set(["channels": ["Mets"]], of: try await Self.ids(new, 2), in: new)
        } _: { _, _, _, run in
            #expect(run.status == 6 && run.output.contains("only the old service finds them"), "\(run.everything)")
        }
        try await rehearsal { world, new in
            let ids = try await Self.ids(new, 2)
            for id in ids { _ = try await world.call("PUT", "/installations/\(id)", ["channels": ["Mets"]]) }
        } _: { _, _, _, run in
            #expect(run.status == 6 && run.output.contains("only the new server finds them"), "\(run.everything)")
        }
    }

    @Test(arguments: [false, true]) func androidDevicesWithoutAWayAreToBeDoneOrAccepted(isAccepted: Bool) async throws {
        let accepting = isAccepted ? "migration: {accept: [android-without-way]}" : ""
        try await rehearsal(accepting: accepting) { world, new in
            for number in 0..<3 {
                _ = try await world.call(
                    "POST", "/installations",
                    [
                        "deviceType": "android", "installationId": .string("a\(number)"), "vendor": "mi",
                        "registrationId": .string("r\(number)"), "valid": true, "channels": ["Giants"],
                    ])
            }
            try await world.copy(into: new)
        } _: { _, _, _, run in
            let mark = isAccepted ? "✓" : "✗"
            #expect(run.status == (isAccepted ? 0 : 6), "\(run.everything)")
            #expect(run.output.contains("\(isAccepted ? "!" : "✗") Android: 3 devices have no way"), "\(run.output)")
            #expect(
                run.output.contains(
                    "\(mark) campaign score: 33 devices at the old service, 30 at the new server: 3 have no way"),
                "\(run.output)")
        }
    }

    @Test func aCampaignThatTheServerWouldRefuseIsSaidBeforeTheTurn() async throws {
        let files = ["score.yaml": Self.score.replacing("hold: true", with: "hold: true\nenvironment: development")]
        try await rehearsal(files: files) { _, _, _, run in
            #expect(run.status == 6, "\(run.everything)")
            #expect(run.output.contains("✗ campaign score: the new server would refuse it: "), "\(run.output)")
        }
    }

    @Test func whatTheNextApplyWouldSendIsToBeHeld() async throws {
        try await rehearsal(files: ["score.yaml": Self.score.replacing("hold: true", with: "")]) {
            world, _, relay, run in
            #expect(run.status == 6, "\(run.everything)")
            #expect(run.output.contains("✗ campaign: an apply would send score: write 'hold: true'"))
            #expect(run.output.contains("[>] 3. hold the campaigns: write 'hold: true' into score"), "\(run.output)")
        }
    }

    /// Quiet hours end, and the time of a campaign comes, while the domain moves.
    @Test func whatIsBlockedOrWaitsForItsTimeIsToBeHeldToo() async throws {
        let later = """
            kind: Campaign
            name: later
            audience: {devices: [\(String(repeating: "a", count: 64))], platforms: [ios]}
            message: {body: Later}
            schedule: {at: 2026-11-22T20:00:00Z}
            expiration: {after: 7d}
            """
        let files: [String: String] = [
            "a.yaml": .giants, "night.yaml": .campaign("night"), "later.yaml": later, "p.yaml": World.apple,
        ]
        let quiet = "{quietHours: {from: \"11:00\", to: \"13:00\", timeZone: UTC}}"
        try await World.run(files, policy: quiet) { world in
            try await world.devices(3)
            try await world.withNewServer { new, relay, _ in
                try await world.startLedger()
                try await world.copy(into: new)
                let run = try await world.migrate(relay)
                #expect(run.status == 6, "\(run.everything)")
                #expect(run.output.contains("✗ campaign: an apply would send later, night: write"), "\(run.output)")
            }
        }
    }

    @Test func aNewServerThatDoesNotKnowWhatWasDeliveredIsSaidToBlockEverything() async throws {
        try await World.run(["score.yaml": Self.score, "p.yaml": World.apple]) { world in
            try await world.devices(3)
            try await world.withNewServer { new, relay, _ in
                try await world.copy(["_Installation"], into: new)
                let run = try await world.migrate(relay)
                #expect(run.status == 6, "\(run.everything)")
                #expect(run.output.contains("run 'bugle ledger copy --from local --to new'"), "\(run.output)")
                #expect(
                    run.output.contains("[>] 2. carry over what was delivered: bugle ledger copy --from local --to"))
                try await world.startLedger()
                let then = try await world.migrate(relay)
                #expect(then.status == 0 && then.output.contains("[x] 2. carry over"), "\(then.everything)")
            }
        }
    }

    /// What was copied is known to the server that a copy went into.
    @Test func devicesThatRegisteredAfterTheCopyWouldBeLost() async throws {
        let progress = { (time: Instant) in
            TransferProgress(
                name: "https://push.example.com giants _Installation",
                value: ["phase": "done", "time": .string(time.isoText), "first": .string(time.isoText)])
        }
        try await rehearsal { _, new in
            _ = try await new.transfer([], into: .installation, progress: progress(World.noon - .seconds(600)))
        } _: { world, new, relay, run in
            #expect(run.status == 6, "\(run.everything)")
            #expect(
                run.output.contains("✗ lag: 30 devices would be lost if the domain turned now: they registered after"),
                "\(run.output)")
            #expect(run.output.contains("10 min ago: run 'bugle-server pull --follow'"), "\(run.output)")
            let plain = try await world.migrate(relay)
            #expect(
                plain.status == 0 && plain.output.contains("! lag: 30 devices would be lost"), "\(plain.everything)")
            _ = try await new.transfer([], into: .installation, progress: progress(World.noon))
            let near = try await world.migrate(relay, "--rehearse")
            #expect(near.status == 0 && near.output.contains("✓ lag: no device would be lost"), "\(near.everything)")
        }
    }

    @Test func anotherAppIsRefused() async throws {
        try await rehearsal { world, _ in
            let text = try String(contentsOfFile: world.path("bugle.yaml"), encoding: .utf8)
            try world.write("bugle.yaml", text.replacing("appId: giants-demo,", with: "appId: another,"))
        } _: { _, _, _, run in
            #expect(run.status == 4, "\(run.everything)")
            #expect(run.output.contains("✗ remote new: its app id is another, and that of local is giants-demo"))
        }
    }

    @Test func theStepsAreTickedOneAfterTheOther() async throws {
        try await World.run(["score.yaml": Self.score, "p.yaml": World.apple]) { world in
            try await world.devices(30)
            try await world.withNewServer { new, relay, port in
                func steps(_ done: String, _ line: Int = #line) async throws -> JSONValue {
                    let run = try await world.migrate(relay, "--format", "json")
                    let report = try JSONValue(parsing: run.output)
                    let ticks = report["steps"]?.array?.map { $0["done"] == true ? "x" : "-" }.joined()
                    #expect(ticks == done, "line \(line): \(run.everything)")
                    return report
                }
                let first = try await steps("--x---")
                #expect(first["steps"]?.array?[0]["type"]?.string?.hasPrefix("bugle-server pull --from ") == true)
                try await world.copy(into: new)
                _ = try await steps("x-x---")
                try await world.startLedger()
                _ = try await steps("xxx---")
                relay.move(to: port)
                _ = try await steps("xxxx--")
                // A device registers with the new server itself.
                let id = try await Self.ids(new, 1)
                try await Self.set(["badge": 1], of: id, in: new, at: World.noon + .seconds(5))
                _ = try await steps("xxxxx-")
                let words = try await world.migrate(relay, "--language", "zh-Hans")
                #expect(words.output.contains("[>] 第 6 步，恢复推送活动：从 score 中去掉 'hold: true'"), "\(words.output)")
                #expect(words.output.contains("退回的办法（原服务仍在时）"), "\(words.output)")
                try world.write("score.yaml", Self.score.replacing("hold: true", with: ""))
                let last = try await world.migrate(relay)
                #expect(last.status == 0 && last.output.contains("[x] 6. release the campaigns"), "\(last.everything)")
                #expect(last.output.contains("The way back, while the old service lives: lead 127.0.0.1:"))
                #expect(last.output.contains("then run bugle-server return --to http"), "\(last.output)")
            }
        }
    }

    @Test func aDryRunIsPartOfARehearsalOnly() async throws {
        try await World.run { world in
            let run = try await world.bugle("migrate", "--from", "a", "--to", "b", "--dry-run-vendors")
            #expect(run.status == 64 && run.everything.contains("--dry-run-vendors needs --rehearse"))
        }
    }
}
