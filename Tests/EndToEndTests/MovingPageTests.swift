import Base
import DeviceRegistry
import Foundation
import ProgramTesting
import PushServer
import RegistryTesting
import Testing

/// The page "Moving from LeanCloud", whose commands are run as they are printed.
@Suite struct MovingPageTests {
    static let pages = ["README", "README.zh-CN"]

    private static func blocks(of page: String) throws -> [PrintedPage.Block] {
        try PrintedPage("docs/move/\(page).md").blocks
    }

    @Test func bothLanguagesHaveTheSameFilesAndCommands() throws {
        let pages = try Self.pages.map { page in
            try Self.blocks(of: page).map { block in
                var block = block
                block.lines = block.commands
                return block
            }
        }
        #expect(pages[0] == pages[1] && pages[0].count > 8)
    }

    /// The workspace of the page has the new server as its default remote.
    @Test(arguments: pages) func whatLeanCloudKeepsIsCancelledThere(page: String) throws {
        let path = PrintedPage.root.appending(path: "docs/move/\(page).md")
        let text = try String(contentsOf: path, encoding: .utf8)
        #expect(text.contains("defaultRemote: server\n") && text.contains("`bugle apply --remote leancloud`"))
    }

    /// It is made every day, and an existing file is an error.
    @Test(arguments: pages) func theBackupOfEachDayHasANameOfItsOwn(page: String) throws {
        let lines = try Self.blocks(of: page).flatMap(\.lines).filter { $0.hasPrefix("bugle-server backup ") }
        #expect(lines.count == 1 && lines.allSatisfy { $0.contains("$(date +%F)") }, "\(lines)")
    }

    @Test(arguments: pages) func everyCommandRunsAsItIsPrinted(page: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "moving-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = "master-key-of-the-app"
        let registry = try await Registry.test()
        var configuration = PushServerConfiguration(applicationID: "giants", masterKey: ServerKey(key))
        configuration.limits.bePatient()
        configuration.limits.pushPatience = .seconds(600)
        let leanCloud = PushServer(configuration, registry: registry)
        let port = try await leanCloud.start()
        let relay = try DomainRelay(to: port)
        defer { relay.close() }
        do {
            for number in 0..<3 {
                _ = try await registry.create(
                    ["deviceType": "ios", "deviceToken": .string("t\(number)"), "channels": ["Giants"]],
                    in: .installation, as: .client, at: .system)
            }
            try await Self.export(registry, to: folder)
            let key = "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out AuthKey_F4K3K3Y1D0.p8"
            #expect(try await PrintedPage.shell(key, in: folder, [:]).status == 0)
            try await Self.run(page, in: folder, relay, leanCloud: port)
        } catch {
            await leanCloud.stop()
            throw error
        }
        await leanCloud.stop()
    }

    /// Leaves what the console delivers: two of the devices, and a user.
    private static func export(_ registry: Registry, to folder: URL) async throws {
        var query = ObjectQuery()
        query.limit = 2
        let devices = try await registry.find(query, in: .installation, as: .master).results
        let app = folder.appending(path: "giants")
        try FileManager.default.createDirectory(at: app, withIntermediateDirectories: true)
        let user = #"{"objectId":"u1","createdAt":"2026-01-01T00:00:00.000Z","username":"a","password":"geheim"}"#
        for (name, lines) in [("_Installation", devices.map(\.canonicalText)), ("_User", [user])] {
            let text = (["#filetype:JSON-streaming {\"type\":\"Class\",\"class\":\"\(name)\"}"] + lines).joined(
                separator: "\n")
            try Data(text.utf8).write(to: app.appending(path: "\(name).0.jsonl"))
        }
        #expect(try await PrintedPage.shell("tar czf export.tar.gz giants", in: folder, [:]).status == 0)
    }

    private static func run(_ page: String, in folder: URL, _ relay: DomainRelay, leanCloud port: Int) async throws {
        var environment = try PrintedPage.environment([
            "BUGLE_SERVER_LISTEN": "127.0.0.1:0", "BUGLE_SERVER_OPENING_TIMEOUT": "10m",
        ])
        let domain = "http://127.0.0.1:\(relay.port)"
        var server: BackgroundProgram?
        var (commands, serverPort) = (0, 0)
        for block in try blocks(of: page) {
            if block.language == "yaml" {
                let name = try #require(block.lines.first?.dropFirst(2), "a file begins with its name")
                let file = folder.appending(path: String(name))
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(block.lines.joined(separator: "\n").utf8).write(to: file)
                continue
            }
            // What is typed in another terminal, or written into a file that is there.
            guard block.language == "sh" else { continue }
            // Where the page says that the domain is led to the new server.
            if block.heading == 6, serverPort > 0 { relay.move(to: serverPort) }
            for line in block.lines {
                commands += 1
                if line.hasPrefix("export ") {
                    let name = String(line.dropFirst("export ".count).prefix { $0 != "=" })
                    let value = try await PrintedPage.shell("\(line)\nprintf %s \"$\(name)\"", in: folder, environment)
                    #expect(value.status == 0 && !value.output.isEmpty, "\(line)\n\(value.output)")
                    environment[name] = value.output
                    // What is the reader's own, and here on this machine.
                    environment["API_DOMAIN"] = environment["API_DOMAIN"].map { _ in domain }
                    environment["LEANCLOUD_URL"] = environment["LEANCLOUD_URL"].map { _ in "http://127.0.0.1:\(port)" }
                } else if line.hasPrefix("bugle-server serve ") {
                    let words = line.split(separator: " ").map(String.init)
                    environment["BUGLE_SERVER_DATA"] = nil
                    let started = try await BackgroundProgram.start(
                        "bugle-server",
                        words.dropFirst().map { $0 == "server.yaml" ? folder.appending(path: $0).path : $0 },
                        environment: environment)
                    server = started
                    serverPort = try #require(started.head[0].split(separator: ":").last.flatMap { Int($0) })
                    environment["SERVER_URL"] = "http://127.0.0.1:\(serverPort)"
                } else {
                    let run = try await PrintedPage.shell(line, in: folder, environment)
                    #expect(run.status == 0, "\(line)\n\(run.output)")
                    if line.contains("migrate") {
                        let words = serverPort > 0 && block.heading == 6 ? "has been moved" : "may be moved"
                        #expect(run.output.contains(words), "\(run.output)")
                    }
                }
            }
        }
        await server?.kill()
        #expect(commands > 15)
    }
}
