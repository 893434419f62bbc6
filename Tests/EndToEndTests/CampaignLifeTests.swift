import Base
import FoundationEssentials
import Testing

@Suite struct CampaignLifeTests {
    private static let one = ["a.yaml": String.giants, "one.yaml": .campaign("one")]

    @Test func editingADeliveredCampaignSendsNothingAndARaisedRevisionSendsOnceMore() async throws {
        try await World.run(Self.one) { world in
            try await world.devices(1)
            try await world.apply()
            try world.write("one.yaml", .campaign("one", body: "two"))
            let edited = try await world.apply()
            #expect(edited.output.contains("edited-after-delivery"))
            #expect(try await world.inbox("d0") == ["one": 1])
            try world.write("one.yaml", .campaign("one", body: "two", more: "revision: 2\nexpiration: {after: 7d}"))
            try await world.apply()
            try await world.apply()
            #expect(try await world.inbox("d0") == ["one": 1, "two": 1])
            try world.write("one.yaml", .campaign("one"))
            #expect(try await world.apply().output.contains("revision-lowered"))
            #expect(try await world.inbox("d0") == ["one": 1, "two": 1])
        }
    }

    /// What a campaign expands to is what counts.
    @Test func extractingAPartOfADeliveredCampaignChangesNothing() async throws {
        try await World.run(Self.one) { world in
            try await world.devices(1)
            try await world.apply()
            let main = try String(contentsOf: world.folder.appending(path: "bugle.yaml"), encoding: .utf8)
            try world.write("bugle.yaml", main + "\nvalues: {text: one}\n")
            try world.write(
                "parts.yaml",
                "kind: Part\nname: giants\ncampaign:\n  audience: {channels: [Giants], platforms: [ios]}\n"
                    + "  expiration: {after: 7d}\n")
            try world.write("one.yaml", "kind: Campaign\nname: one\nuse: [giants]\nmessage: {body: '${text}'}\n")
            let plan = try await world.bugle("plan", "--detailed-exitcode")
            #expect(plan.status == 0 && plan.output.contains("No changes"), "\(plan.everything)")
            let expanded = try await world.bugle("expand", "one")
            #expect(expanded.output.contains("  body: one\n") && !expanded.output.contains("use"))
        }
    }

    @Test func validateLooksAtTheValuesOfEveryRemote() async throws {
        try await World.run(["a.yaml": .giants, "one.yaml": .campaign("one", body: "'${text}'")]) { world in
            try world.write(
                "bugle.yaml",
                "kind: Workspace\nname: giants\ndefaultRemote: a\nremotes:\n"
                    + "  a: {type: direct, registry: {sqlite: a}, values: {text: one}}\n"
                    + "  b: {type: direct, registry: {sqlite: b}}\n")
            let run = try await world.bugle("validate")
            #expect(run.status == 3 && run.everything.contains("value 'text' is not declared for remote 'b'"))
            #expect(try await world.bugle("expand").status == 0)
            #expect(try await world.bugle("expand", "--remote", "b").status == 3)
        }
    }

    @Test func removingAScheduledCampaignCancelsIt() async throws {
        let later = String.campaign("later", more: "schedule: {at: 2026-12-01T12:00:00Z}\nexpiration: {after: 7d}")
        try await World.run(["a.yaml": .giants, "later.yaml": later]) { world in
            try await world.devices(1)
            try await world.apply()
            #expect(try await world.ledger() == ["later": "scheduled"])
            try world.remove("later.yaml")
            // A workspace without any campaign never cancels.
            #expect(try await world.apply(expecting: 6).everything.contains("no campaign at all"))
            try world.write("held.yaml", .campaign("held", more: "hold: true\nexpiration: {after: 7d}"))
            try await world.apply()
            #expect(try await world.ledger() == ["later": "cancelled"])
            world.advance(.seconds(30 * 86_400))
            _ = try await world.call("POST", "/bugle/clock", ["advance": 1])
            #expect(try await world.inbox("d0") == [:])
        }
    }

    @Test func aFreshLedgerDoesNotReplayAYear() async throws {
        var files = ["a.yaml": String.giants]
        for number in 1...50 { files["c\(number).yaml"] = .campaign("c\(number)") }
        try await World.run(files) { world in
            try await world.devices(1)
            let run = try await world.apply(expecting: 6)
            #expect(run.output.contains("maxSendsPerApply"))
            #expect(try await world.inbox("d0") == [:])
        }
    }

    @Test func aCampaignPastItsWindowIsMissed() async throws {
        let late = String.campaign(
            "late", more: "schedule: {at: 2026-11-20T12:00:00Z, window: 1h}\nexpiration: {after: 7d}")
        try await World.run(["a.yaml": .giants, "late.yaml": late]) { world in
            try await world.devices(1)
            let run = try await world.apply()
            #expect(run.output.contains("missed") || run.output.contains("window"), "\(run.output)")
            #expect(try await world.inbox("d0") == [:])
        }
    }

    @Test func anotherRemoteMakesANewLedgerBlocked() async throws {
        let production = """
              production:
                type: leancloud
                url: https://push.example.com
                appId: giants
                masterKey: {env: PRODUCTION_KEY}
            """
        try await World.run(Self.one, remotes: production) { world in
            try await world.devices(1)
            let blocked = try await world.apply(expecting: 6)
            #expect(blocked.output.contains("newLedger") || blocked.output.contains("ledger start"))
            #expect(try await world.inbox("d0") == [:])
            #expect(try await world.bugle("ledger", "start").status == 0)
            try await world.apply()
            #expect(try await world.inbox("d0") == ["one": 1])
            #expect(try await world.bugle("ledger", "start").status == 64)
        }
    }

    @Test func anUnknownOutcomeIsResolvedByAPerson() async throws {
        try await World.run(Self.one) { world in
            try await world.devices(1)
            try await world.apply()
            let object = try #require(try await world.call("GET", "/classes/BugleLedger")["results"]?.array?.first)
            let id = try #require(object["objectId"]?.string)
            _ = try await world.call("PUT", "/classes/BugleLedger/\(id)", ["state": "unknown"])
            #expect(try await world.bugle("plan").status == 7)
            #expect(try await world.bugle("status").status == 7)
            let resolved = try await world.bugle("resolve", "one@1", "--as", "sent", "--reason", "seen on a phone")
            #expect(resolved.status == 0, "\(resolved.everything)")
            #expect(try await world.bugle("plan", "--detailed-exitcode").status == 0)
            #expect(try await world.bugle("resolve", "one", "--as", "sent", "--reason", "x").status == 64)
        }
    }

    // MARK: Renames

    @Test func aChainOfRenamesSendsNothingAgainAtALeanCloudRemote() async throws {
        try await World.run(["a.yaml": .giants, "c.yaml": .campaign("c1", body: "goal")]) { world in
            try await world.devices(3)
            try await Self.chain(world.write) { try await world.apply(expecting: $0) }
            for device in ["d0", "d1", "d2"] { #expect(try await world.inbox(device) == ["goal": 1]) }
            // Every name it had leads to it, also while no apply has recorded the newest one.
            try world.write("c.yaml", .campaign("c4", body: "goal", more: "expiration: {after: 7d}\nformerly: [c3]\n"))
            for name in ["c1", "c3", "c4"] {
                let status = try await world.bugle("status", name)
                #expect(status.status == 0 && status.output.contains("c4"), "\(status.everything)")
            }
            #expect(try await world.bugle("status", "c5").status == 64)
        }
    }

    @Test func aChainOfRenamesSendsNothingAgainStraightToApple() async throws {
        try await AppleWorld.run(["a.yaml": .giants, "c.yaml": .campaign("c1", body: "goal")], devices: 50) { world in
            try await Self.chain(world.write) { try await world.apply(expecting: $0) }
            #expect(try await world.received() == (50, 50, 0))
        }
    }

    /// c1, c2 that says so, c3 that only knows c2, c3 that says nothing any more, and c4 that never says anything.
    private static func chain(
        _ write: (String, String) throws -> Void, _ apply: (Int32) async throws -> Run
    ) async throws {
        func file(_ name: String, _ formerly: String = "") -> String {
            .campaign(name, body: "goal", more: "expiration: {after: 7d}\n" + formerly)
        }
        _ = try await apply(0)
        try write("c.yaml", file("c2", "formerly: [c1]\n"))
        let renamed = try await apply(0).output
        #expect(renamed.contains("~ campaign c2") && renamed.contains("renamed from c1"), "\(renamed)")
        try write("c.yaml", file("c3", "formerly: [c2]\n"))
        #expect(try await apply(0).output.contains("~ campaign c3"))
        try write("c.yaml", file("c3"))
        #expect(try await apply(0).output.contains("No changes"))
        try write("c.yaml", file("c4"))
        #expect(try await apply(6).output.contains("is this c3 renamed?"))
    }

    @Test func aRenamedWorkspaceIsAskedAboutAndThenGoesOnAtALeanCloudRemote() async throws {
        try await World.run(["a.yaml": .giants, "c.yaml": .campaign("one")]) { world in
            try await world.devices(3)
            let main = try String(contentsOfFile: world.path("bugle.yaml"), encoding: .utf8)
            try await Self.renaming(main, world.write) { try await world.apply(expecting: $0) }
            #expect(try await world.inbox("d0") == ["one": 1])
        }
    }

    @Test func aRenamedWorkspaceIsAskedAboutAndThenGoesOnStraightToApple() async throws {
        try await AppleWorld.run(["a.yaml": .giants, "c.yaml": .campaign("one")], devices: 50) { world in
            let main = try String(contentsOfFile: world.path("bugle.yaml"), encoding: .utf8)
            try await Self.renaming(main, world.write) { try await world.apply(expecting: $0) }
            #expect(try await world.received() == (50, 50, 0))
        }
    }

    private static func renaming(
        _ main: String, _ write: (String, String) throws -> Void, _ apply: (Int32) async throws -> Run
    ) async throws {
        _ = try await apply(0)
        try write("bugle.yaml", main.replacing("name: giants\n", with: "name: titans\n"))
        #expect(try await apply(6).output.contains("deliveries of workspace giants: renamed? say 'formerly: [giants]'"))
        try write("bugle.yaml", main.replacing("name: giants\n", with: "name: titans\nformerly: [giants]\n"))
        #expect(try await apply(0).output.contains("No changes"))
    }
}
