import Base
import Foundation
import ProgramTesting
import Push
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
            #expect(
                made.output.hasSuffix(
                    "Next, in another terminal: bugle-server demo   # prints the key, and what comes then\n"))
        }
    }

    @Test func initLeavesTheSettingsOfAFolderAsTheyAre() async throws {
        try await inFolder { folder in
            try Data("mine\n".utf8).write(to: folder.appending(path: ".gitignore"))
            let made = try await Program.run(["init"], environment: ["BUGLE_SERVER_KEY": "k"], folder: folder)
            #expect(made.status == 0 && made.output.hasSuffix("Next: bugle plan -C .\n"), "\(made.everything)")
            #expect(try String(contentsOf: folder.appending(path: ".gitignore"), encoding: .utf8) == "mine\n")
            let settings = try Data(contentsOf: folder.appending(path: ".vscode/settings.json"))
            #expect(try JSONValue(parsing: settings)["yaml.schemas"]?["./bugle.schema.json"] != nil)
        }
    }

    @Test func initProposesWhatTheXcodeProjectSays() async throws {
        try await inFolder { folder in
            let project = folder.appending(path: "Giants.xcodeproj")
            try FileManager.default.createDirectory(at: project, withIntermediateDirectories: true)
            let text = """
                knownRegions = (
                    en,
                    Base,
                    "zh-Hans",
                );
                PRODUCT_BUNDLE_IDENTIFIER = com.example.giants.widget;
                PRODUCT_BUNDLE_IDENTIFIER = "com.example.giants";
                PRODUCT_BUNDLE_IDENTIFIER = "$(PREFIX).giants";
                DEVELOPMENT_TEAM = GIANTS1234;
                """
            try Data(text.utf8).write(to: project.appending(path: "project.pbxproj"))
            try Data("{}".utf8).write(to: folder.appending(path: "Localizable.xcstrings"))
            let made = try await Program.run(["init", "push"], folder: folder)
            #expect(made.status == 0, "\(made.everything)")
            let file = folder.appending(path: "push/bugle.yaml")
            let written = try String(contentsOf: file, encoding: .utf8)
            for words in [
                "topic: com.example.giants\n", "teamId: GIANTS1234\n", "en, zh-Hans", "Localizable.xcstrings",
            ] {
                #expect(written.contains(words), "\(written)")
            }
            // What is proposed is right once it is uncommented.
            let lines = written.components(separatedBy: "\n")
            let start = try #require(lines.firstIndex(of: "# ---"))
            let taken = lines[..<start] + lines[start...].map { $0.hasPrefix("# ") ? String($0.dropFirst(2)) : $0 }
            for text in [written, taken.joined(separator: "\n")] {
                try Data(text.utf8).write(to: file)
                let validated = try await Program.run(["validate", "-C", "push"], folder: folder)
                #expect(validated.status == 0, "\(validated.everything)")
            }
        }
    }

    /// What an address in a variable holds besides host and path is refused before anything is said of it.
    @Test(arguments: [
        ("https://giants:hunter2@127.0.0.1:1", "no user"), ("https://127.0.0.1:1/?key=hunter2", "no query"),
        ("https://127.0.0.1:1/#hunter2", "no fragment"), ("http://push.example.com/hunter2", "http only"),
    ])
    func anAddressOfTheEnvironmentFollowsTheRulesOfTheFile(url: String, because: String) async throws {
        try await inFolder { folder in
            let text = """
                kind: Workspace
                name: giants
                remotes:
                  production: {type: leancloud, url: {env: PUSH_URL}, appId: a, masterKey: {env: KEY}}
                """
            try Data(text.utf8).write(to: folder.appending(path: "bugle.yaml"))
            for command in [["doctor", "-v"], ["plan", "-v"], ["status", "-v"]] {
                let run = try await Program.run(
                    command, environment: ["PUSH_URL": url, "KEY": "0123456789abcdef"], folder: folder)
                #expect(run.status != 0 && run.everything.contains(because), "\(command): \(run.everything)")
                #expect(!run.everything.contains("hunter2"), "\(command): \(run.everything)")
            }
        }
    }

    @Test func aFileThatIsTooLargeIsNotReadFirst() async throws {
        try await inFolder { folder in
            let plan = folder.appending(path: "plan.json")
            #expect(FileManager.default.createFile(atPath: plan.path, contents: nil))
            let file = try FileHandle(forWritingTo: plan)
            // Sparse: it takes no room, and reading it would take memory.
            try file.truncate(atOffset: 2 << 30)
            try file.close()
            let run = try await Program.run(["show", plan.path], folder: folder)
            #expect(run.status == 1 && run.errors.contains("larger than 256 MiB"), "\(run.everything)")
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
        ["unlock"], ["preview"], ["preview", "x", "--platform", "windows"], ["migrate"],
        ["migrate", "--from", "a", "--to", "a"], ["help", "foo"], ["help", "ledger", "foo"], ["help", "plan", "foo"],
        ["completions", "tcsh"], ["completions"], ["init", "x", "--url", "http://push.example.com"],
        ["init", "--ci", "jenkins"],
    ])
    func wrongUsageEndsWith64(arguments: [String]) async throws {
        #expect(try await Program.run(arguments).status == 64)
    }

    @Test(arguments: [
        [], ["validate"], ["plan"], ["show"], ["apply"], ["status"], ["history"], ["resolve"], ["unlock"], ["ledger"],
        ["init"],
        ["import"], ["preview"], ["fmt"], ["expand"], ["schema"], ["comment"], ["version"], ["migrate"],
        ["ledger", "copy"], ["ledger", "start"], ["completions"], ["explain"],
    ])
    func everyCommandHasHelp(command: [String]) async throws {
        let run = try await Program.run(command + ["--help"])
        #expect(run.status == 0)
        #expect(run.output.contains("OVERVIEW"))
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completionsAreGenerated(shell: String) async throws {
        let run = try await Program.run(["completions", shell])
        #expect(run.status == 0 && run.output.contains("validate"), "\(run.everything)")
        #expect(try await Program.run(["--generate-completion-script", shell]).output == run.output)
    }

    @Test(arguments: [["help"], ["help", "plan"], ["help", "ledger", "copy"]])
    func helpOfACommandIsPrinted(arguments: [String]) async throws {
        let run = try await Program.run(arguments)
        #expect(run.status == 0 && run.output.contains("OVERVIEW"), "\(run.everything)")
    }

    @Test func aDiagnosticIsExplained() async throws {
        let run = try await Program.run(["explain", "unknown-key"])
        #expect(run.status == 0 && run.output.hasPrefix("unknown-key: A key that the schema does not know.\n\nWhy\n  "))
        #expect(run.output.contains("\nExample\n  audience: {chanels: [Giants]}\n\nMend\n  "), "\(run.output)")
        #expect(try await Program.run(["explain", "[unknown-key]"]).output == run.output)
        let chinese = try await Program.run(["explain", "unknown-key", "--language", "zh-Hans"])
        #expect(chinese.output.contains("\n处理\n  按提示改正"), "\(chinese.output)")
        let unknown = try await Program.run(["explain", "unknown-kee"])
        #expect(
            unknown.status == 64
                && unknown.errors.contains("explain: there is no diagnostic 'unknown-kee'; did you mean 'unknown-key'?"),
            "\(unknown.everything)")
    }

    /// The codes that validation alone gives, and the file before the example of each.
    private static let judged: [(DiagnosticCode, String)] = {
        let named = "kind: Campaign\nname: a\n"
        let audience = "audience: {channels: [Giants]}\n"
        let (message, expiration) = ("message: {body: x}\n", "expiration: {after: 1d}\n")
        let (worded, addressed) = ("\(named)\(message)\(expiration)", "\(named)\(audience)\(expiration)")
        let whole = "\(worded)\(audience)"
        let token = "token:\n  teamId: ABCDE12345\n  keyId: ABCDE12345\n  "
        let remote = "kind: Workspace\nname: a\nremotes:\n  a:\n    type: leancloud\n    url: https://a.com\n    "
        return [
            (.yamlSyntax, addressed), (.duplicateKey, "\(addressed)message:\n  "),
            (.unknownTag, "\(addressed)message:\n  "), (.notANumber, "\(addressed)message:\n  body: x\n  "),
            (.unknownAlias, worded), (.invalidMerge, whole), (.unknownKey, worded),
            (.invalidValue, "\(named)\(audience)\(message)"), (.missingKey, ""), (.conflictingKeys, worded),
            (.invalidName, ""), (.unknownReference, worded), (.unknownKind, ""),
            (.invalidCondition, "kind: Segment\nname: s\n"), (.portability, ""), (.pushType, addressed),
            (.emptyMessage, addressed), (.reservedKey, "\(addressed)message:\n  body: x\n  "),
            (.fileOutside, "kind: DeviceProfile\nname: a\nenvironment: production\ntopic: a.b\n\(token)"),
            (.notSupported, whole), (.adjusted, whole), (.undocumentedOnLeanCloud, addressed),
            (.policyRequireExpiration, "name: a\n\(audience)\(message)"), (.policyAllowEveryone, worded),
            (.policyQuietHours, whole), (.wrongType, "kind: Workspace\nname: a\npolicy:\n  "),
            (.plainSecret, "\(remote)appId: a\n    "), (.secretReference, remote),
        ]
    }()

    @Test(arguments: judged) func theExampleOfAnArticleGivesItsCode(code: DiagnosticCode, before: String) async throws {
        let example = try #require(DiagnosticArticle(code)).example
        let indentation = String(before.reversed().prefix { $0 == " " })
        let file = before + example.replacing("\n", with: "\n" + indentation) + "\n"
        let workspace = """
            kind: Workspace
            name: giants
            remotes: {a: {type: leancloud, url: "http://127.0.0.1:8710", appId: a, masterKey: {env: KEY}}}
            policy:
              allowEveryone: false
              requireExpiration: true
              quietHours: {from: 22:00, to: 08:00, timeZone: Asia/Shanghai}

            """
        try await inFolder { folder in
            var files = ["bugle.yaml": workspace, "giants.yaml": String.giants]
            files[file.hasPrefix("kind: Workspace") ? "bugle.yaml" : "a.yaml"] = file
            for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
            let run = try await Program.run(["validate"], folder: folder)
            #expect(run.everything.contains("[\(code.rawValue)]"), "\(file)\(run.everything)")
        }
    }

    @Test func theVersionIsPrinted() async throws {
        let said = try await Program.run(["version"])
        #expect(said.status == 0, "\(said.everything)")
        // Only a package knows its commit.
        #expect(
            said.output.wholeMatch(
                of: /bugle 0\.1\.0\ncommit (unknown|[0-9a-f]{40})\nlibcurl [78]\.[0-9.]+\nlibyaml 0\.[0-9.]+\n/) != nil,
            "\(said.output)")
        // Without the libraries, which are not loaded for it.
        let short = try await Program.run(["--version"]).output
        #expect(short.split(separator: "\n").count == 2 && said.output.hasPrefix(short), "\(short)")
        let server = try await FinishedProgram.run("bugle-server", ["--version"], environment: [:])
        #expect(server.output == "bugle-server" + short.dropFirst("bugle".count))
    }
}
