import Foundation
import ProgramTesting
import Testing

/// What newcomers get wrong on the command line and around the files; `MistakeTableTests` has the files.
@Suite(.timeLimit(.minutes(10)))
struct MistakenCommandTests {
    /// A command, and what it says.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let status: Int32
        let said: String
        /// A file of the workspace.
        var file: (path: String, text: String)?
        var environment: [String: String] = [:]

        var testDescription: String { arguments.joined(separator: " ") }
    }

    private static let profile = """
        kind: DeviceProfile
        name: driver
        environment: production
        topic: com.example.driver
        certificate: {file: certificates/driver.p12}
        """

    static let mistakes = [
        Mistake(arguments: ["aply"], status: 64, said: "Error: there is no command 'aply'; did you mean 'apply'?\n"),
        Mistake(arguments: [], status: 64, said: "Error: name a command: init, dev, validate, plan, show, apply"),
        Mistake(arguments: ["ledger"], status: 64, said: "Error: name a command: copy, start\n"),
        Mistake(
            arguments: ["apply", "--yes"], status: 64,
            said: "Error: there is no such option; did you mean '--auto-approve'?\n"),
        Mistake(
            arguments: ["apply", "--auto-approve", "--force"], status: 64,
            said: "Error: there is no --force: a limit is raised in the files, where it is reviewed\n"),
        Mistake(
            arguments: ["apply", "--auto-approve", "--json-result", "nowhere/result.json"], status: 64,
            said: "bugle: error: nowhere/result.json cannot be written; nothing was done\n"),
        Mistake(
            arguments: ["apply", "--auto-approve", "--format", "json=nowhere/result.json"], status: 64,
            said: "bugle: error: nowhere/result.json cannot be written; nothing was done\n"),
        Mistake(
            arguments: ["plan", "--record", "/"], status: 64,
            said: "bugle: error: / cannot be written; nothing was done\n"),
        Mistake(
            arguments: ["plan", "--out", "plan.json"], status: 4, said: "bugle: error: BUGLE_PLAN_KEY is set but empty",
            environment: ["BUGLE_PLAN_KEY": ""]),
        Mistake(
            arguments: ["validate", "one.yaml"], status: 64,
            said: "Error: 'one.yaml' cannot be checked alone: files depend on each other, so the whole "
                + "workspace is read; leave it out, or name another workspace with -C DIR\n"),
        Mistake(
            arguments: ["plan", "--remotes", "local"], status: 64,
            said: "Error: Unknown option '--remotes'. Did you mean '--remote'?\n"),
        Mistake(
            arguments: ["plan", "--target", "one"], status: 64,
            said: "bugle: error: 'one' is not a target; did you mean 'Campaign/one'?\n"),
        Mistake(
            arguments: ["plan", "--target", "Campaign/once"], status: 64,
            said: "bugle: error: --target Campaign/once matches nothing in the files or on local; "
                + "did you mean 'Campaign/one'?\n"),
        Mistake(
            arguments: ["apply", "--auto-approve", "--target", "label=x"], status: 64,
            said: "bugle: error: --target label=x matches nothing in the files or on local\n"),
        Mistake(
            arguments: ["plan"], status: 4,
            said: "bugle.yaml:9:16: error: local: the environment variable BUGLE_SERVER_KEY is not set "
                + "[missing-variable]\n  help: set it before the command: export BUGLE_SERVER_KEY=…; in CI, from the "
                + "job's secrets\n",
            environment: ["BUGLE_SERVER_KEY": ""]),
        Mistake(
            arguments: ["plan"], status: 4, said: "check appId and masterKey, which comes from BUGLE_SERVER_KEY\n",
            environment: ["BUGLE_SERVER_KEY": "another-key-123456"]),
        Mistake(
            arguments: ["validate"], status: 0,
            said: "profile.yaml:5:21: warning: driver: there is no file certificates/driver.p12 in the workspace "
                + "[certificate]\n",
            file: ("profile.yaml", profile)),
        Mistake(
            arguments: ["validate", "-C", "nowhere"], status: 3,
            said: "error: there is no bugle.yaml in 'nowhere' [workspace-document]\n"
                + "  help: 'bugle init nowhere' writes a small workspace\n"),
    ]

    private static let files = ["channel.yaml": .giants, "one.yaml": String.campaign("one")]

    @Test(arguments: mistakes) func aMistakenCommandIsToldWhatToDo(_ mistake: Mistake) async throws {
        try await World.run(Self.files) { world in
            try await world.devices(1)
            if let file = mistake.file { try world.write(file.path, file.text) }
            let run = try await world.bugle(mistake.arguments, environment: mistake.environment)
            #expect(run.status == mistake.status && run.errors.contains(mistake.said), "\(run.everything)")
            #expect(try await world.inbox("d0").isEmpty)
        }
    }

    /// A disk that is full takes no byte.
    @Test func anOutcomeThatCannotBeWrittenIsPrintedAllTheSame() async throws {
        try await World.run(Self.files) { world in
            try await world.devices(1)
            let run = try await world.bugle("apply", "--auto-approve", "--json-result", "/dev/full")
            #expect(run.status == 1 && run.output.contains("sent"), "\(run.everything)")
            #expect(run.errors.contains("bugle: error: /dev/full cannot be written\n"), "\(run.everything)")
            #expect(try await world.inbox("d0") == ["one": 1])
        }
    }

    @Test func anHTTPSAddressOfAnHTTPServerIsToldApart() async throws {
        try await World.run(Self.files) { world in
            let text = try String(contentsOf: world.folder.appending(path: "bugle.yaml"), encoding: .utf8)
            try world.write("bugle.yaml", text.replacing("url: http:", with: "url: https:"))
            let run = try await world.bugle("plan")
            let said = "the server speaks http there, not https: correct the scheme or the port"
            #expect(run.status == 1 && run.errors.contains(said), "\(run.everything)")
        }
    }

    @Test func aPortInUseIsSaidWithItsAddress() async throws {
        try await World.run { world in
            let address = "127.0.0.1:\(world.port)"
            let run = try await FinishedProgram.run(
                "bugle-server", ["--listen", address, "--data", world.path("other.sqlite"), "--app-id", "giants"],
                environment: ["BUGLE_SERVER_KEY": World.masterKey])
            let said =
                "Error: cannot listen on \(address): another program listens there already; stop it, or choose another "
                + "port with --listen HOST:PORT (port 0: any free one)\n"
            #expect(run.errors.contains(said), "\(run.errors)")
        }
    }

    @Test func anExpirationThatCannotBeReadIsNotCalledMissing() async throws {
        try await World.run(["one.yaml": .giants + "---\n" + .campaign("one", more: "expiration: 7d")]) { world in
            let run = try await world.bugle("validate")
            #expect(run.status == 3 && run.errors.contains("help: write {after: 7d}"), "\(run.everything)")
            #expect(run.errors.contains("1 error\n"), "\(run.everything)")
        }
    }

    @Test func validateSaysWhatItChecked() async throws {
        try await World.run(Self.files) { world in
            let run = try await world.bugle("validate")
            #expect(run.status == 0 && run.output == "3 files, 1 campaign: valid\n", "\(run.everything)")
            let chinese = try await world.bugle("validate", "--language", "zh-Hans")
            #expect(chinese.output == "3 个文件、1 个推送活动：有效\n", "\(chinese.everything)")
            #expect(try await world.bugle("validate", "--format", "json").output.first == "{")
        }
    }
}
