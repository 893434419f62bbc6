import Base
import FoundationEssentials
import Push
import Testing

/// A folder of its own for one test, removed with the object.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        let base = FileManager.default.temporaryDirectory.path
        path = base + "/bugle-config-" + UUID().uuidString
        attempt { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file, and the folders above it.
    func write(_ name: String, _ text: String) { write(name, bytes: Array(text.utf8)) }

    /// Writes a file that may be no text.
    func write(_ name: String, bytes: [UInt8]) {
        let file = path + "/" + name
        let folder = file.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        attempt {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(bytes).write(to: URL(filePath: file))
        }
    }

    /// Makes a link.
    func link(_ name: String, to target: String) {
        attempt {
            try FileManager.default.createSymbolicLink(atPath: path + "/" + name, withDestinationPath: target)
        }
    }

    /// Fails the test when its folder cannot be prepared.
    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch { Issue.record(error) }
    }

    /// Loads the folder as the current one would be.
    func load() async -> LoadedWorkspace { await WorkspaceLoader.load(directory: path, displayedAs: ".") }

    /// What is said about the folder.
    func lines() async -> [String] { await load().diagnostics.map(SampleFiles.line) }

    /// A folder with the files of the sample, these beside them, and more at the end of the workspace document.
    static func sample(_ files: KeyValuePairs<String, String> = [:], workspace more: String = "") -> TemporaryFolder {
        let folder = TemporaryFolder()
        folder.write("bugle.yaml", SampleFiles.workspace + more)
        folder.write("resources.yaml", SampleFiles.resources)
        for (name, text) in files { folder.write(name, text) }
        return folder
    }
}

/// A workspace without errors, to which a test adds one document.
enum SampleFiles {
    static let workspace = """
        kind: Workspace
        name: giants
        defaultRemote: local
        remotes:
          local:
            type: leancloud
            url: http://127.0.0.1:8710
            appId: demo
            masterKey: {env: BUGLE_SERVER_KEY}
          apple:
            type: apns
            registry: {sqlite: devices.sqlite}

        """

    static let resources = """
        kind: Channel
        name: Giants
        ---
        kind: Segment
        name: reports
        where: {injuryReports: true}
        ---
        kind: DeviceProfile
        name: driver
        environment: production
        topic: com.example.driver
        certificate: {file: certificates/driver.p12}
        ---
        kind: DeviceProfile
        name: tester
        environment: development
        topic: com.example.driver
        certificate: {file: certificates/driver.p12}
        ---
        kind: DeviceProfile
        name: calls
        environment: production
        topic: com.example.driver.voip
        certificate: {file: certificates/driver.p12}

        """

    /// What is said about one file beside those of the sample.
    static func lines(_ text: String) async -> [String] { await TemporaryFolder.sample(["x.yaml": text]).lines() }

    /// A workspace of these documents.
    static func load(_ texts: [String]) async -> LoadedWorkspace {
        let folder = TemporaryFolder()
        folder.write("bugle.yaml", "kind: Workspace\nname: giants\n")
        return await WorkspaceLoader.load(
            directory: folder.path, displayedAs: "",
            adding: texts.enumerated().map { (path: "\($0.offset).yaml", text: $0.element) })
    }

    /// What is said about a workspace document.
    static func lines(workspace text: String) async -> [String] {
        let folder = TemporaryFolder()
        folder.write("bugle.yaml", text)
        return await folder.lines()
    }

    /// A diagnostic of one of these files in one line; the file's name is left out when it is the tested one.
    static func line(_ diagnostic: Diagnostic) -> String {
        let end = "\(diagnostic.severity.rawValue): \(diagnostic.message) [\(diagnostic.code.rawValue)]"
        guard let range = diagnostic.range else { return end }
        let place = "\(range.start.line):\(range.start.column): "
        return (["x.yaml", "bugle.yaml"].contains(range.file) ? place : "\(range.file):\(place)") + end
    }
}

/// What a time must be, in messages.
let anInstant = "an instant such as 2026-11-27T20:00:00+08:00, but found"
let aDuration = "a duration such as 90s, 15m, 36h, 7d or 2w, but found"

/// One rule: a text that breaks it, and everything that is said.
struct Rule: Sendable, CustomStringConvertible {
    let text: String
    let lines: [String]

    init(_ text: String, _ lines: String...) {
        self.text = text
        self.lines = lines
    }

    var description: String { text }
}
