import Base
import Foundation
import Push
import Testing

/// `bugle comment`.
@Suite struct CommentCommandTests {
    private static func planned(
        _ files: [String: String] = GitHubRecipeTests.files, _ test: (World) async throws -> Void
    ) async throws {
        try await World.run(files) { world in
            try await world.devices(1)
            let plan = try await world.bugle("plan", "--out", world.path("plan.json"))
            #expect([0, 6].contains(plan.status), "\(plan.everything)")
            try await test(world)
        }
    }

    @Test func theBodySaysWhatWasPlannedFromWhatAndUntilWhen() async throws {
        try await Self.planned { world in
            let address = "https://ci.example/artifacts/1"
            let run = try await world.bugle(
                "comment", "plan.json", "--commit", "0123456789abcdef", "--artifact", address)
            #expect(run.status == 0, "\(run.everything)")
            #expect(run.output.hasPrefix("<!-- bugle:plan -->\n"))
            for part in [
                "one", "`0123456789`", "is valid until 2026-11-22T12:00:00Z", "(<\(address)>)", "bugle apply PLAN",
            ] {
                #expect(run.output.contains(part), "\(part)")
            }
            #expect(!run.output.contains(World.masterKey))
            let json = try await world.bugle(
                "comment", "plan.json", "--json", "--commit", "0123456789abcdef", "--artifact", address)
            #expect(try JSONValue(parsing: json.output) == ["body": .string(run.output)])
        }
    }

    @Test func theCommitIsWhatCISays() async throws {
        try await Self.planned { world in
            for variable in ["GITHUB_SHA", "CI_COMMIT_SHA"] {
                let run = try await world.bugle(["comment", "plan.json"], environment: [variable: "abcdef0123456"])
                #expect(run.output.contains("`abcdef0123`"))
                let hostile = try await world.bugle(["comment", "plan.json"], environment: [variable: "`@all`"])
                #expect(!hostile.output.contains("@all"))
            }
        }
    }

    @Test func severalFilesAreOneCommentUnderTheLimit() async throws {
        let many = (1...120).map { (name: "c\($0)", body: String(repeating: "score! 🎉 ", count: 30)) }
        let files = Dictionary(
            uniqueKeysWithValues: many.map { ("\($0.name).yaml", String.campaign($0.name, body: $0.body)) })
        try await Self.planned(["a.yaml": .giants].merging(files) { $1 }) { world in
            let run = try await world.bugle("comment", "plan.json", "plan.json", "plan.json")
            #expect(run.status == 0, "\(run.everything)")
            #expect(run.output.utf16.count <= 65_000)
            #expect(run.output.utf16.count > 40_000, "the room is used")
            #expect(run.output.contains("is valid until"), "the foot is never cut off")
        }
    }

    @Test func theMarkerAlone() async throws {
        try await World.run { world in
            let usual = try await world.bugle("comment", "--marker")
            #expect(usual.output == "<!-- bugle:plan -->\n")
            let other = try await world.bugle("comment", "--marker", "--id", "apps-2")
            #expect(other.output == "<!-- bugle:apps-2 -->\n")
        }
    }

    @Test(arguments: [
        ["--id", "a b"], ["--id", "-->"], ["--id", "a--b"], ["--id", ""], ["--commit", "@all"],
        ["--artifact", "javascript:alert(1)"], ["--artifact", "https://a.example/)[x"],
        ["--artifact", "https://a.example/\n"], ["--exit-code", "-1"], ["--marker", "--json"],
        ["--find", "comments.json"], ["--author", "bot"], ["--find-run", "artifacts.json", "--name", "x"],
        ["--marker", "plan.json"],
    ])
    func wrongUsageIsRefused(options: [String]) async throws {
        let run = try await Program.run(["comment"] + options)
        #expect(run.status == 64, "\(run.everything)")
        #expect(run.output == "")
    }

    @Test func damagedAndForeignFilesAreRefused() async throws {
        try await Self.planned { world in
            var plan = try String(contentsOf: URL(filePath: world.path("plan.json")), encoding: .utf8)
            plan = plan.replacingOccurrences(of: "\"devices\": 1", with: "\"devices\": 2")
            for (text, because) in [
                (plan, "altered or damaged"), ("", "not a plan file"), ("{}", "no formatVersion"),
                (#"{"formatVersion":"9.0","diagnostics":[]}"#, "format 9.0"),
                (#"{"formatVersion":"1.0","diagnostics":[{"severity":"loud"}]}"#, "diagnostics[0]"),
                (#"{"formatVersion":"1.0","results":[]}"#, "results"),
            ] {
                try world.write("file.json", text)
                let run = try await world.bugle("comment", "file.json")
                #expect(run.status == 9, "\(text.prefix(60)): \(run.everything)")
                #expect(run.errors.contains("file.json: ") && run.errors.contains(because), "\(run.errors)")
                #expect(run.output == "")
            }
            #expect(try await world.bugle("comment", "none.json").status == 1)
        }
    }

    @Test func hostileTextStaysText() async throws {
        let hostile = "\"<!-- bugle:other --> ``` @all <script> \\u202e\\e[31m \\n::error::x\""
        try await Self.planned(["a.yaml": .giants, "one.yaml": .campaign("one", body: hostile)]) { world in
            let run = try await world.bugle("comment", "plan.json")
            #expect(run.status == 0, "\(run.everything)")
            #expect(!run.output.contains("\u{202e}") && !run.output.contains("\u{1b}"))
            #expect(!run.output.split(separator: "\n").contains { $0.hasPrefix("::") })
            try world.write(
                "comments.json",
                JSONValue.array([
                    ["id": 5, "body": .string(run.output), "user": ["login": "bot"]]
                ]).canonicalText)
            let other = try await world.bugle("comment", "--find", "comments.json", "--author", "bot", "--id", "other")
            #expect(other.output == "", "a marker in a text marks nothing")
        }
    }

    /// A backtick with an accent on it is another character, and ends code in Markdown all the same.
    @Test func theNamesOfAForgedPlanStayCode() async throws {
        try await Self.planned { world in
            let file = URL(filePath: world.path("plan.json"))
            var plan = try Plan.read(saved: Array(Data(contentsOf: file)))
            plan.remote.name = "x`\u{301} @octocat"
            try Data(plan.savedBytes()).write(to: file)
            let run = try await world.bugle("comment", "plan.json")
            #expect(run.status == 0, "\(run.everything)")
            #expect(run.output.contains("`x'\u{301} @octocat`"), "\(run.output)")
        }
    }

    @Test func theCommentIsFoundByMarkerAndAuthor() async throws {
        let marker = "<!-- bugle:plan -->"
        let comments: JSONValue = [
            ["id": 1, "body": .string(marker), "user": ["login": "stranger"]],
            ["id": 2, "body": .string("see " + marker), "user": ["login": "Bot[bot]"]],
            ["id": 3, "body": nil, "user": ["login": "Bot[bot]"]],
            ["id": 4, "body": "<!-- bugle:plan2 -->", "user": ["login": "Bot[bot]"]],
            ["id": 5, "body": .string(marker + "\r\nold"), "user": nil],
            ["id": 7, "body": .string(marker + "\r\nold"), "user": ["login": "Bot[bot]"]],
            ["id": 6, "body": .string(marker + "\nold"), "author": ["username": "bot[bot]"], "system": false],
            ["id": 8, "body": .string(marker), "author": ["username": "ghost"]],
        ]
        try await World.run { world in
            try world.write("comments.json", comments.canonicalText)
            func find(_ author: String) async throws -> String {
                try await world.bugle("comment", "--find", "comments.json", "--author", author).output
            }
            #expect(try await find("bot[bot]") == "6\n")
            #expect(try await find("ghost") == "8\n")
            #expect(try await find("nobody") == "")
            for (text, because) in [
                (#"{"message":"Bad credentials\n::error::x"}"#, "Bad credentials"),
                ("<html>", "not what the API answers"),
                ("[1]", "a list of comments"),
            ] {
                try world.write("comments.json", text)
                let run = try await world.bugle("comment", "--find", "comments.json", "--author", "bot")
                #expect(run.status == 1 && run.output == "")
                #expect(run.errors.contains(because) && !run.errors.contains("\n::"), "\(run.errors)")
            }
        }
    }
}
