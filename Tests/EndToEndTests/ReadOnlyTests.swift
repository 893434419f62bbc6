import Testing

@Suite struct ReadOnlyTests {
    @Test func validatePlanShowAndStatusMakeNoWritingRequest() async throws {
        let files = ["a.yaml": String.giants, "b.yaml": .campaign("one"), "c.yaml": .campaign("two")]
        try await World.run(files) { world in
            try await world.devices(3)
            try await world.apply()
            try world.write("d.yaml", .campaign("three"))
            _ = world.takeSeen()
            let commands = [
                ["validate"], ["plan"],
                ["plan", "--out", world.path("plan.json"), "--record", world.path("state.json")],
                ["plan", "--against", world.path("state.json")], ["plan", "--now", "2026-11-21T13:00:00Z"],
                ["show", world.path("plan.json")], ["status"], ["plan", "--format", "json"],
                ["validate", "--format", "github"], ["status", "--format", "json"],
                ["history"], ["history", "--format", "csv"], ["import", "--dry-run"], ["import"],
            ]
            for command in commands {
                let run = try await world.bugle(command)
                #expect(run.status == 0, "\(command): \(run.everything)")
                let seen = world.takeSeen()
                #expect(seen.allSatisfy { $0.method == "GET" }, "\(command) wrote: \(seen)")
                if command[0] == "validate" || command[0] == "show" || command.contains("--against") {
                    #expect(seen.isEmpty, "\(command) asked the remote")
                }
            }
        }
    }

    @Test func applyWithoutATerminalChangesNothingAndEndsWith10() async throws {
        try await World.run(["a.yaml": .giants, "b.yaml": .campaign("one")]) { world in
            try await world.devices(1)
            _ = world.takeSeen()
            let run = try await world.bugle("apply")
            #expect(run.status == 10, "\(run.everything)")
            #expect(world.takeSeen().allSatisfy { $0.method == "GET" })
        }
    }
}
