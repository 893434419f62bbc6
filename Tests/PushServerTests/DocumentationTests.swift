import Foundation
import PushServer
import Testing

/// The documentation says what the program does.
@Suite struct DocumentationTests {
    private static func text(_ name: String, in file: String = #filePath) throws -> String {
        let root = URL(filePath: file).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = root.appending(path: "Sources/PushServer/Documentation.docc/\(name).md")
        return try String(contentsOf: page, encoding: .utf8)
    }

    @Test(arguments: Setting.allCases) func everySettingIsDescribed(setting: Setting) throws {
        #expect(try Self.text("Settings").contains("| `\(setting.rawValue)` |"))
    }

    @Test func everyMetricIsDescribed() async throws {
        try await ServiceServer.run { (server) async throws in
            _ = try await server.call("GET", "/1.1/date")
            let page = try await server.dialog { port in
                let connection = try RawConnection(port)
                connection.send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
                return try connection.reply().body
            }
            let described = try Self.text("Observing")
            for line in page.split(separator: "\n") where line.hasPrefix("# TYPE ") {
                let words = line.split(separator: " ")
                #expect(described.contains("`\(words[2])"), "\(line)")
            }
        }
    }

    @Test func theSettingsOfTheUnitAreValid() throws {
        let page = try Self.text("RunningAsAService")
        let yaml = try #require(page.split(separator: "```yaml\n").last?.split(separator: "```").first)
        let file = SettingsFile(Array(yaml.utf8), file: "server.yaml")
        #expect(file.diagnostics.isEmpty)
        #expect(file.settings.data == "/var/lib/bugle/registry.sqlite")
        #expect(file.settings.masterKey == .file("/run/credentials/bugle-server.service/master"))
    }
}
