import Base
import DeviceRegistry
import Foundation
import ProgramTesting
import RegistryTesting
import Testing

/// The first page and those it leads to, whose commands are run as they are printed; what is the reader's own stands for
/// itself in capitals.
@Suite struct ReadmeTests {
    /// The commands of the block of a page that holds a text.
    private static func commands(of page: String = "README.md", with text: String) throws -> [String] {
        let blocks = try PrintedPage(page).blocks.map(\.commands)
        return try #require(blocks.first { block in block.contains { $0.contains(text) } }, "no block has '\(text)'")
    }

    private static func run(_ line: String, in folder: URL, _ environment: [String: String]) async throws {
        let run = try await PrintedPage.shell(line, in: folder, environment)
        #expect(run.status == 0, "\(line)\n\(run.output)")
    }

    /// A command that is added is run by one of these, or somebody says who runs it.
    @Test func everyBlockOfCommandsIsRunBySomething() throws {
        let counts = [
            "README.md": 4, "docs/start/install.md": 3, "docs/start/five-minutes.md": 4, "docs/server/README.md": 1,
            "docs/apple/README.md": 1, "docs/server/running.md": 1,
        ]
        for (page, count) in counts {
            #expect(try PrintedPage(page).blocks.count { $0.language == "sh" } == count, "\(page)")
        }
        // On a bare Debian, by the package's test.
        let test = try String(contentsOf: PrintedPage.root.appending(path: ".ci/test-package"), encoding: .utf8)
        let install = try Self.commands(of: "docs/start/install.md", with: "sudo apt install")
        #expect(install.count == 2 && test.contains("bugle init ") && test.contains("bugle validate -C "))
        #expect(try Self.commands(with: "sudo apt install").first == install.first)
        for command in try Self.commands(of: "docs/server/running.md", with: "sudoedit").dropFirst().dropLast() {
            #expect(test.contains(command.replacing("sudo -u bugle ", with: "as_user ")), "\(command)")
        }
        // By CI.
        let makefile = try String(contentsOf: PrintedPage.root.appending(path: "Makefile"), encoding: .utf8)
        let ci = try String(contentsOf: PrintedPage.root.appending(path: ".ci/run"), encoding: .utf8)
        let stages = ci.matches(of: /stages=\(([a-z -]+)\)/).flatMap {
            $0.output.1.split(separator: " ").map(String.init)
        }
        let sources = try Self.commands(of: "docs/start/install.md", with: "make demo")
        for command in sources {
            let target = command.split(separator: " ")[1]
            #expect(makefile.contains("\n\(target): ") && stages.contains(String(target)), "\(command)")
        }
        #expect(try Self.commands(with: "make demo") == sources.filter { !$0.contains("package") })
    }

    /// What the first page says in one block, the page that explains it says in steps.
    @Test func fiveMinutesAreTheSameOnBothPages() throws {
        let short = try Self.commands(with: "bugle-server demo") + Self.commands(with: "bugle init push")
        let long = try PrintedPage("docs/start/five-minutes.md").blocks.filter { $0.language == "sh" }.flatMap(
            \.commands)
        #expect(short == long)
    }

    @Test func theCampaignOfTheFirstPageIsValid() async throws {
        let yaml = try #require(try PrintedPage("README.md").blocks.first { $0.lines.first == "kind: Campaign" })
        try await World.run(["a.yaml": .giants]) { world in
            try world.write("giants-score.yaml", yaml.lines.joined(separator: "\n"))
            try await Self.run("bugle validate", in: world.folder, PrintedPage.environment([:]))
        }
    }

    @Test func theWorkflowOfTheFirstPageIsThatOfTheRecipe() throws {
        let steps = try #require(try PrintedPage("README.md").blocks.first { $0.lines.first == "steps:" }).lines
            .dropFirst()
        let recipe = "examples/ci/github/workflows/pull-request.yml"
        let workflow = try String(contentsOf: PrintedPage.root.appending(path: recipe), encoding: .utf8)
        let lines = Set(workflow.split(separator: "\n").map { $0.drop { $0 == " " } })
        #expect(steps.count > 6)
        for line in steps { #expect(lines.contains(line.drop { $0 == " " }), "\(line)") }
    }

    @Test func aLeanCloudOfOnesOwnRunsAsItIsPrinted() async throws {
        try await World.run { world in
            try await world.devices(3)
            let rows = try #require(try await world.call("GET", "/installations?limit=2")["results"]?.array)
            let header = ##"#filetype:JSON-streaming {"type":"Class","class":"_Installation"}"##
            try world.write(
                "giants/_Installation.0.jsonl", ([header] + rows.map(\.canonicalText)).joined(separator: "\n"))
            try await Self.run("tar czf export.tar.gz giants && mkdir backups", in: world.folder, [:])
            try world.write(
                "bugle-server.yaml",
                "appId: giants-demo\nkeys: {master: {env: BUGLE_SERVER_KEY}, app: {env: BUGLE_SERVER_APP_KEY}}\n")
            var environment = try PrintedPage.environment([
                "BUGLE_SERVER_LISTEN": "127.0.0.1:0", "BUGLE_SERVER_DATA": world.path("push.sqlite"),
                "BUGLE_SERVER_APP_KEY": "app", "LEANCLOUD_MASTER_KEY": World.masterKey,
            ])
            var server: BackgroundProgram?
            for command in try Self.commands(of: "docs/server/README.md", with: "bugle-server import") {
                let line = command.replacing("https://push.example.com", with: world.url)
                    .replacing(" ID ", with: " giants-demo ").replacing("…", with: World.masterKey)
                    .replacing("/backups/", with: world.path("backups") + "/")
                if line.hasPrefix("export ") {
                    environment["BUGLE_SERVER_KEY"] = World.masterKey
                } else if line.hasPrefix("bugle-server serve ") {
                    let words = line.replacing(" bugle-server.yaml", with: " " + world.path("bugle-server.yaml"))
                    server = try await BackgroundProgram.start(
                        "bugle-server", words.split(separator: " ").dropFirst().map(String.init),
                        environment: environment)
                } else {
                    try await Self.run(line, in: world.folder, environment)
                }
            }
            await server?.kill()
            #expect(server != nil && FileManager.default.fileExists(atPath: world.path("backups/push.sqlite")))
        }
    }

    @Test(
        .enabled(
            if: PostgresServer.programs != nil, "Debian's package 'postgresql' is not installed: 'make' installs it"))
    func straightToAppleRunsAsItIsPrinted() async throws {
        let database = try await PostgresServer.databaseURL()
        try await AppleWorld.run { apple in
            let remotes = """
                  production: {type: leancloud, url: "ADDRESS", appId: giants-demo, masterKey: {env: BUGLE_SERVER_KEY}}
                  apple:
                    type: apns
                    registry: {postgres: {env: DATABASE_URL}}
                    hosts: {production: "\(apple.simulator.url)", development: "\(apple.simulator.url)"}
                    ca: ca.pem
                """
            try await World.run(["a.yaml": .giants, "b.yaml": .campaign("giants-score")], remotes: remotes) { world in
                for name in ["ca.pem", "key.p8"] {
                    try FileManager.default.copyItem(atPath: apple.path(name), toPath: world.path(name))
                }
                let development = apple.profile("development", environment: "development").replacing(
                    "default: true\n", with: "")
                try world.write("profile.yaml", apple.profile() + "---\n" + development)
                let text = try String(contentsOfFile: world.path("bugle.yaml"), encoding: .utf8)
                try world.write(
                    "bugle.yaml",
                    text.replacing("ADDRESS", with: world.url).replacing("Remote: local", with: "Remote: apple"))
                try await apple.devices(1)
                let environment = try PrintedPage.environment([
                    "DATABASE_URL": database, "BUGLE_SERVER_KEY": World.masterKey,
                ])
                for command in try Self.commands(of: "docs/apple/README.md", with: "bugle registry init") {
                    let line = command.replacing("TOKEN", with: apple.token(0))
                    if line.hasSuffix("bugle apply") {
                        // It asks, and a person says yes.
                        try await Self.run("echo yes | script -qec '\(line)' /dev/null", in: world.folder, environment)
                    } else {
                        try await Self.run(line, in: world.folder, environment)
                    }
                    guard line == "bugle registry init" else { continue }
                    let pool = PostgresPool(try PostgresAddress(database), width: 1)
                    try await pool.add(tokens: [apple.token(0)], channels: ["Giants"])
                    await pool.close()
                }
                #expect(try await apple.simulator.texts(apple.token(0)).contains("giants-score"))
                let forms = try #require(
                    try PrintedPage("docs/reference/output.md").blocks.first { $0.lines[0].contains("comment.md") })
                try await Self.run(forms.lines[0], in: world.folder, environment)
                #expect(FileManager.default.fileExists(atPath: world.path("plan.html")))
            }
        }
    }
}
