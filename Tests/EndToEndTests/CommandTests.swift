import Foundation
import Testing

@Suite struct CommandTests {
    private func inFolder(_ test: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bugle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await test(folder)
    }

    @Test func initWritesAWorkspaceThatValidates() async throws {
        try await inFolder { folder in
            let made = try await Program.run(["init", "app"], folder: folder)
            #expect(made.status == 0, "\(made.everything)")
            let validated = try await Program.run(["validate", "-C", "app"], folder: folder)
            #expect(validated.status == 0, "\(validated.everything)")
            #expect(try await Program.run(["init", "app"], folder: folder).status == 1)
        }
    }

    @Test func withoutAWorkspaceBothFoldersThatWereTriedAreNamed() async throws {
        try await inFolder { folder in
            let run = try await Program.run(["validate"], folder: folder)
            #expect(run.status == 3)
            #expect(run.errors.contains("'.'") && run.errors.contains("./campaigns"))
        }
    }

    @Test(arguments: [
        ["nonsense"], ["plan", "--format", "yaml"], ["apply", "--now", "2026-11-21T12:00:00Z"],
        ["apply", "plan.json", "--target", "Campaign/a"], ["plan", "--now", "yesterday"], ["apply", "--retries", "-1"],
        ["resolve", "one", "--as", "maybe", "--reason", "x"], ["ledger", "copy", "--from", "a", "--to", "a"],
        ["unlock"], ["preview"], ["preview", "x", "--platform", "windows"],
    ])
    func wrongUsageEndsWith64(arguments: [String]) async throws {
        #expect(try await Program.run(arguments).status == 64)
    }

    @Test(arguments: [
        [], ["validate"], ["plan"], ["show"], ["apply"], ["status"], ["resolve"], ["unlock"], ["ledger"], ["init"],
        ["import"], ["preview"], ["fmt"], ["schema"], ["comment"],
        ["ledger", "copy"], ["ledger", "start"],
    ])
    func everyCommandHasHelp(command: [String]) async throws {
        let run = try await Program.run(command + ["--help"])
        #expect(run.status == 0)
        #expect(run.output.contains("OVERVIEW"))
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completionsAreGenerated(shell: String) async throws {
        let run = try await Program.run(["--generate-completion-script", shell])
        #expect(run.status == 0)
        #expect(run.output.contains("validate"))
    }

    @Test func theVersionIsPrinted() async throws {
        #expect(try await Program.run(["--version"]).output == "0.1.0\n")
    }
}
