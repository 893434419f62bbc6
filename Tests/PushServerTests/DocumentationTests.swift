import Foundation
import ProgramTesting
import PushServer
import Testing

/// The documentation says what the program does.
@Suite struct DocumentationTests {
    private static func file(_ path: String) throws -> String {
        let root = repository
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    private static func text(_ name: String, _ ending: String = "md") throws -> String {
        try file("docs/server/\(name).\(ending)")
    }

    /// English and Chinese.
    private static let endings = ["md", "zh-CN.md"]

    @Test(arguments: Setting.allCases, endings) func everySettingIsDescribed(setting: Setting, ending: String) throws {
        #expect(try Self.text("settings", ending).contains("| `\(setting.rawValue)` |"))
    }

    @Test func everyMetricIsDescribed() async throws {
        try await ServiceServer.run { (server) async throws in
            _ = try await server.call("GET", "/1.1/date")
            let page = try await server.reply(to: "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").body
            let pages = try Self.endings.map { try Self.text("observing", $0) }
            for line in page.split(separator: "\n") where line.hasPrefix("# TYPE ") {
                let words = line.split(separator: " ")
                #expect(pages.allSatisfy { $0.contains("`\(words[2])") }, "\(line)")
            }
        }
    }

    /// The package's settings with the one edit that they need.
    @Test func thePackagedSettingsNeedOneEdit() throws {
        let text = try Self.file(".ci/debian/server.yaml")
        #expect(text.contains("\n# appId: giants\n"))
        let path = "/etc/bugle/server.yaml"
        let file = SettingsFile(Array(text.replacingOccurrences(of: "# appId:", with: "appId:").utf8), file: path)
        #expect(file.diagnostics.isEmpty)
        #expect(file.settings.data == .file("/var/lib/bugle/registry.sqlite"))
        #expect(file.settings.masterKey == .file("/etc/bugle/keys/master"))
        #expect(try Self.file(".ci/debian/bugle-server.service").contains("--config \(path)\n"))
    }

    /// Its ledger is another one, and a remote at an address of this machine is not asked about: all is sent anew.
    @Test(arguments: endings) func whoGoesStraightToAppleTakesTheLedgerAlong(ending: String) throws {
        #expect(try Self.text("pushing-to-apple", ending).contains("`bugle ledger copy --from server --to apple`"))
    }

    /// Variables win over a file: nothing that the image says in them could be changed by one.
    @Test func aMountedFileDecidesWhatTheImageServes() throws {
        let image = try Self.file("Containerfile")
        #expect(!image.contains("BUGLE_SERVER_LISTEN") && !image.contains("BUGLE_SERVER_DATA"))
        let path = "/etc/bugle/server.yaml"
        #expect(image.contains("COPY .ci/container.yaml \(path)\n") && image.contains("\"--config\", \"\(path)\"]"))
        let file = SettingsFile(Array(try Self.file(".ci/container.yaml").utf8), file: path)
        #expect(file.diagnostics.isEmpty)
        #expect(file.settings.data == .file("/var/lib/bugle/registry.sqlite"))
    }

    /// A ConfigMap has the files of one folder only, and what the files lack is ended.
    @Test func theTimerForKubernetesHasTheWholeWorkspace() throws {
        let manifest = try Self.file("examples/kubernetes/due.yaml")
        #expect(!manifest.contains("configMap:"))
        #expect(manifest.contains("COPY campaigns /workspace") && manifest.contains("-C, /workspace]"))
    }

    @Test func theSettingsForKubernetesAreValid() throws {
        let manifest = try Self.file("examples/kubernetes/server.yaml")
        let start = try #require(manifest.range(of: "server.yaml: |\n")).upperBound
        let end = try #require(manifest.range(of: "\n---", range: start..<manifest.endIndex)).lowerBound
        let yaml = manifest[start..<end].split(separator: "\n").map { $0.dropFirst(4) }.joined(separator: "\n")
        let file = SettingsFile(Array(yaml.utf8), file: "server.yaml")
        #expect(file.diagnostics.isEmpty)
        #expect(file.settings.masterKey == .file("/run/keys/master"))
    }
}

/// The units of the package.
@Suite struct ServiceUnitTests {
    /// The settings of the section `[Service]`, by name.
    private func service(_ name: String) throws -> [String: Set<String>] {
        let folder = repository.appending(path: ".ci/debian")
        let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        let section = try #require(text.components(separatedBy: "[Service]\n").last).prefix { $0 != "[" }
        var settings: [String: Set<String>] = [:]
        for line in section.split(separator: "\n") where !line.hasPrefix("#") {
            let sides = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            settings[sides[0], default: []].insert(sides.last ?? "")
        }
        return settings
    }

    /// What one unit is for, and the other is not.
    private static let own = [
        "ExecStart", "EnvironmentFile", "ExecReload", "Restart", "RestartPreventExitStatus", "TimeoutStopSec",
        "User", "Group", "StateDirectory", "LimitNOFILE",
    ]

    @Test(arguments: ["bugle-due@.service", "bugle-run@.service"])
    func aRunnerMayDoNoMoreThanTheServer(unit: String) throws {
        let (server, runner) = (try service("bugle-server.service"), try service(unit))
        for (name, values) in server where !Self.own.contains(name) {
            #expect(runner[name] == values, "\(name)")
        }
        #expect(server["PrivateUsers"] == ["yes"] && server["NoNewPrivileges"] == ["yes"])
    }

    @Test(arguments: ["bugle-due@.service", "bugle-run@.service"])
    func aRunnerHasAUserOfItsOwn(unit: String) throws {
        let (server, runner) = (try service("bugle-server.service"), try service(unit))
        for name in ["User", "Group", "StateDirectory"] {
            let (one, other) = (try #require(server[name]), try #require(runner[name]))
            #expect(one.isDisjoint(with: other), "\(name)")
        }
    }
}
