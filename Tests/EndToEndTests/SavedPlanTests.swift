import Foundation
import Testing

/// A saved plan is applied as it was reviewed, or refused with 9 and what moved.
@Suite struct SavedPlanTests {
    private static let files = [
        "a.yaml": String.giants, "one.yaml": .campaign("one"),
        "later.yaml": .campaign("later", more: "schedule: {at: 2026-12-01T12:00:00Z}\nexpiration: {after: 7d}"),
    ]

    private func stale(
        _ because: String, devices: Int = 1, _ change: (World) async throws -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await World.run(Self.files) { world in
            try await world.devices(devices)
            #expect(try await world.bugle("plan", "--out", world.path("plan.json")).status == 0)
            try await change(world)
            let before = try await world.ledger()
            let run = try await world.bugle("apply", world.path("plan.json"))
            #expect(run.status == 9, "\(run.everything)", sourceLocation: sourceLocation)
            #expect(run.errors.contains(because), "\(run.errors)", sourceLocation: sourceLocation)
            #expect(try await world.ledger() == before, sourceLocation: sourceLocation)
            #expect(try await world.inbox("d0") == [:], sourceLocation: sourceLocation)
        }
    }

    @Test func whatWasReviewedIsApplied() async throws {
        try await World.run(Self.files) { world in
            try await world.devices(1)
            #expect(try await world.bugle("plan", "--out", world.path("plan.json")).status == 0)
            let run = try await world.bugle("apply", world.path("plan.json"))
            #expect(run.status == 0, "\(run.everything)")
            #expect(try await world.inbox("d0") == ["one": 1])
            let again = try await world.bugle("apply", world.path("plan.json"))
            #expect(again.status == 9)
            #expect(try await world.inbox("d0") == ["one": 1])
        }
    }

    @Test func whereThereIsAKeyOnlySignedPlansAreApplied() async throws {
        let key = ["BUGLE_PLAN_KEY": "0123456789abcdef0123456789abcdef"]
        try await World.run(Self.files) { world in
            try await world.devices(1)
            let plan = world.path("plan.json")
            #expect(try await world.bugle("plan", "--out", plan).status == 0)
            let unsigned = try await world.bugle("apply", plan, environment: key)
            #expect(unsigned.status == 9 && unsigned.errors.contains("not signed"), "\(unsigned.everything)")
            #expect(try await world.bugle("plan", "--out", plan, environment: key).status == 0)
            let other = ["BUGLE_PLAN_KEY": "another-key-another-key-another-key"]
            #expect(try await world.bugle("apply", plan, environment: other).status == 9)
            let short = try await world.bugle("apply", plan, environment: ["BUGLE_PLAN_KEY": "short"])
            #expect(short.status == 4 && !short.everything.contains("short\n"), "\(short.everything)")
            #expect(try await world.inbox("d0") == [:])
            // CI leaves a secret that it does not have empty.
            let unchecked = try await world.bugle("show", plan, environment: ["BUGLE_PLAN_KEY": ""])
            #expect(unchecked.status == 0)
            let run = try await world.bugle("apply", plan, environment: key)
            #expect(run.status == 0 && !run.errors.contains("warning"), "\(run.everything)")
            #expect(try await world.inbox("d0") == ["one": 1])
        }
    }

    @Test func aSignatureThatNobodyChecksIsSaid() async throws {
        try await World.run(Self.files) { world in
            try await world.devices(1)
            let key = ["BUGLE_PLAN_KEY": "0123456789abcdef0123456789abcdef"]
            #expect(try await world.bugle("plan", "--out", world.path("plan.json"), environment: key).status == 0)
            let run = try await world.bugle("apply", world.path("plan.json"))
            #expect(run.status == 0 && run.errors.contains("BUGLE_PLAN_KEY is not set"), "\(run.everything)")
        }
    }

    @Test func anEditedFileMakesItStale() async throws {
        try await stale("files") { world in try world.write("one.yaml", .campaign("one", body: "other")) }
    }

    @Test func aMovedScheduleMakesItStale() async throws {
        try await stale("later") { world in
            try world.write(
                "later.yaml", .campaign("later", more: "schedule: {at: 2026-12-01T12:00:01Z}\nexpiration: {after: 7d}"))
        }
    }

    @Test func aCommentDoesNotMakeItStale() async throws {
        try await World.run(Self.files) { world in
            try await world.devices(1)
            #expect(try await world.bugle("plan", "--out", world.path("plan.json")).status == 0)
            try world.write("one.yaml", "# reviewed\n" + .campaign("one"))
            #expect(try await world.bugle("apply", world.path("plan.json")).status == 0)
        }
    }

    @Test func aDamagedPlanIsRefused() async throws {
        try await stale("plan.json") { world in
            var bytes = try Data(contentsOf: URL(filePath: world.path("plan.json")))
            bytes[bytes.count / 2] ^= 1
            try bytes.write(to: URL(filePath: world.path("plan.json")))
        }
    }

    @Test func aLedgerThatMovedMakesItStale() async throws {
        try await World.run(Self.files) { world in
            try await world.devices(1)
            #expect(try await world.bugle("plan", "--out", world.path("plan.json")).status == 0)
            try await world.apply("--target", "Campaign/one")
            let run = try await world.bugle("apply", world.path("plan.json"))
            #expect(run.status == 9, "\(run.everything)")
            #expect(run.errors.contains("campaign one"))
            #expect(try await world.inbox("d0") == ["one": 1])
        }
    }

    @Test func anAudienceThatGrewTooMuchMakesItStale() async throws {
        try await stale("grew from 1 to 151 devices") { world in try await world.devices(150, prefix: "new") }
    }

    @Test func anAudienceThatGrewALittleDoesNot() async throws {
        try await World.run(Self.files) { world in
            try await world.devices(1)
            #expect(try await world.bugle("plan", "--out", world.path("plan.json")).status == 0)
            try await world.devices(50, prefix: "new")
            #expect(try await world.bugle("apply", world.path("plan.json")).status == 0)
        }
    }

    @Test func anOldPlanIsRefused() async throws {
        try await stale("expired") { world in world.advance(.seconds(90_000)) }
    }

    @Test(arguments: [["--now", "2026-11-21T12:00:00Z"]])
    func aSimulatedPlanIsNeverApplied(options: [String]) async throws {
        try await World.run(Self.files) { world in
            try await world.devices(1)
            #expect(try await world.bugle(["plan", "--out", world.path("plan.json")] + options).status == 0)
            let run = try await world.bugle("apply", world.path("plan.json"))
            #expect(run.status == 9)
            #expect(run.errors.contains("--now or --against"))
        }
    }

    @Test func aPlanForAnotherRemoteIsRefused() async throws {
        let other = """
              other:
                type: leancloud
                url: http://127.0.0.1:1
                appId: other
                masterKey: {env: BUGLE_SERVER_KEY}
            """
        try await World.run(Self.files, remotes: other.split(separator: "\n").map { "\($0)" }.joined(separator: "\n")) {
            world in
            try await world.devices(1)
            #expect(try await world.bugle("plan", "--out", world.path("plan.json")).status == 0)
            let text = try String(contentsOf: URL(filePath: world.path("bugle.yaml")), encoding: .utf8)
            try world.write(
                "bugle.yaml",
                text.replacingOccurrences(of: "  local:", with: "  local2:").replacingOccurrences(
                    of: "defaultRemote: local", with: "defaultRemote: local2"))
            let run = try await world.bugle("apply", world.path("plan.json"))
            #expect(run.status == 9, "\(run.everything)")
        }
    }
}
