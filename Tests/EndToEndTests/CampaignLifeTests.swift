import JSONValue
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
}
