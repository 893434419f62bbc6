import Base
import Foundation
import ProgramTesting
import SystemPackage
import Testing

/// `bugle completions`: a shell completes what the workspace at hand declares.
@Suite struct CompletionTests {
    private static let workspace = """
        kind: Workspace
        name: giants
        remotes:
          staging: {type: leancloud, url: http://127.0.0.1:1, appId: a, masterKey: {env: KEY}}
          live: {type: leancloud, url: http://127.0.0.1:1, appId: b, masterKey: {env: KEY}}

        """
    /// A name that a shell would run, if it were not quoted.
    private static let hostile = "$(touch stolen) `touch stolen` 'a' \"b\""
    /// The same behind quotation marks that are other characters, because they bear accents.
    private static let accented = "'\u{301}$(touch stolen)'\u{301}"

    private func inWorkspace(_ test: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bugle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let escaped = Self.hostile.replacing("\"", with: "\\\"")
        let labels = "labels: {team: growth, x: \"\(escaped)\", y: \"\(Self.accented)\"}"
        let campaign = String.campaign("one", more: "expiration: {after: 7d}\n\(labels)")
        for (name, text) in [
            ("bugle.yaml", Self.workspace), ("a.yaml", String.giants), ("one.yaml", campaign),
            ("other.yaml", .campaign("other")),
        ] { try Data(text.utf8).write(to: folder.appending(path: name)) }
        try await test(folder)
    }

    /// What bash offers for the last of the words.
    private func offered(_ words: String..., in folder: URL) async throws -> [String] {
        let program = try BuiltProgram.path("bugle").string
        let script = """
            source <("$1" completions bash) || exit 1
            shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
            _bugle "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let run = try await FinishedProgram.run(
            "/bin/bash", ["--norc", "-c", script, "bash", program, program] + words,
            environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"], folder: folder)
        #expect(run.ending == .exited(0) && run.errors.isEmpty, "\(run.errors)")
        return run.output.split(separator: "\n").map(String.init)
    }

    @Test func bashCompletesRemotesCampaignsAndTargets() async throws {
        try await inWorkspace { folder in
            #expect(try await offered("plan", "--remote", "", in: folder) == ["live", "staging"])
            #expect(try await offered("plan", "--remote", "st", in: folder) == ["staging"])
            #expect(try await offered("preview", "o", in: folder) == ["one", "other"])
            #expect(try await offered("status", "-C", folder.path, "ot", in: URL(filePath: "/")) == ["other"])
            #expect(try await offered("plan", "--target", "Campaign/o", in: folder).contains("Campaign/one"))
            let labels = try await offered("plan", "--target", "label", in: folder)
            #expect(labels.contains("label=growth") && labels.contains("label=" + Self.hostile), "\(labels)")
            #expect(labels.contains("label=" + Self.accented), "\(labels)")
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "stolen").path))
        }
    }

    @Test func filesThatCannotBeReadCompleteNothingAndSayNothing() async throws {
        try await inWorkspace { folder in
            try Data("kind: [\n".utf8).write(to: folder.appending(path: "bugle.yaml"))
            #expect(try await offered("plan", "--remote", "", in: folder) == [])
            #expect(try await offered("preview", "o", in: URL(filePath: "/usr")) == [])
        }
    }

    @Test(arguments: ["zsh", "fish"]) func otherShellsAskForTheSame(shell: String) async throws {
        let script = try await Program.run(["completions", shell]).output
        for asked in ["---completion plan -- --remote", "---completion plan -- --target", "---completion preview -- "] {
            #expect(script.contains(asked), "\(asked)")
        }
    }
}
