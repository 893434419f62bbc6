import Base
import FoundationEssentials
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

    @Test func anApplyThatDoesNothingLeavesNoResultOfAnEarlierOne() async throws {
        try await World.run(["a.yaml": .giants, "one.yaml": .campaign("one")]) { world in
            func result() throws -> JSONValue {
                try JSONValue(parsing: String(contentsOf: world.folder.appending(path: "result.json"), encoding: .utf8))
            }
            try await world.devices(1)
            try await world.apply("--json-result", "result.json")
            #expect(try result()["results"]?.array?.isEmpty == false)
            let idle = try await world.bugle("apply", "--json-result", "result.json", "--format", "json")
            #expect(idle.status == 0, "\(idle.everything)")
            let written = try result()
            #expect(try written["results"]?.array?.isEmpty == true && written == JSONValue(parsing: idle.output))
            try world.write("two.yaml", .campaign("two"))
            let unasked = try await world.bugle("apply", "--json-result", "result.json", "--format", "markdown=md")
            #expect(unasked.status == 10, "\(unasked.everything)")
            #expect(try result()["exitCode"] == 10)
            let comment = try String(contentsOf: world.folder.appending(path: "md"), encoding: .utf8)
            #expect(comment.contains("Nothing was changed."), "\(comment)")
        }
    }
}
