import Base
import FoundationEssentials
import ProgramTesting
import Push
import Testing
import YAML

/// A workspace means the same in whatever layout its files are: what is planned hangs on nothing else.
@Suite struct LayoutTests {
    private static let root = repository.path

    /// The workspaces of the repository, each as its files.
    static func examples() throws -> [[(path: String, text: String)]] {
        let folders = try FileManager.default.contentsOfDirectory(atPath: "\(root)/examples").sorted()
            .map { "\(root)/examples/\($0)" }
            .filter { FileManager.default.fileExists(atPath: "\($0)/bugle.yaml") }
        return try (folders + ["\(root)/campaigns"]).map { folder in
            try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".yaml") }.sorted().map {
                (
                    $0,
                    String(
                        decoding: try #require(FileManager.default.contents(atPath: "\(folder)/\($0)")), as: UTF8.self)
                )
            }
        }
    }

    private static func digest(_ files: [(path: String, text: String)]) async throws -> Digest {
        let folder = TemporaryFolder()
        for file in files { folder.write(file.path, file.text) }
        // One of them names it; it is no YAML.
        folder.write(
            "Localizable.xcstrings",
            bytes: Array(try Data(contentsOf: URL(filePath: "\(root)/examples/localized/Localizable.xcstrings"))))
        let loaded = await folder.load()
        let workspace = try #require(loaded.workspace, "\(loaded.diagnostics)")
        return workspace.desiredDigest
    }

    private static func laidOut(_ text: String) throws -> String {
        guard case .laidOut(let bytes) = YAMLLayout(file: "x").lay(out: Array(text.utf8)) else {
            throw Refused(text: text)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private struct Refused: Error { var text: String }

    /// A thousand files: every example in many layouts.
    @Test func whatIsPlannedIsTheSameBeforeAndAfter() async throws {
        var files = 0
        var seed: UInt64 = 0
        let examples = try Self.examples()
        #expect(examples.count >= 7)
        for example in examples {
            let wanted = try await Self.digest(example)
            for _ in 0..<(1000 / (examples.count * example.count) + 1) {
                seed += 1
                var mess = Disarray(seed: seed)
                let before = example.map { ($0.path, mess.text($0.text)) }
                let after = try before.map { ($0.0, try Self.laidOut($0.1)) }
                #expect(try await Self.digest(before) == wanted, "seed \(seed)")
                #expect(try await Self.digest(after) == wanted, "seed \(seed)")
                for file in after { #expect(try Self.laidOut(file.1) == file.1, "seed \(seed)") }
                files += example.count
            }
        }
        #expect(files >= 1000)
    }
}

/// Spoils the layout of files that are canonical, without changing what they say.
private struct Disarray {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    private mutating func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    private mutating func spaces(_ bound: Int) -> String { String(repeating: " ", count: number(bound)) }

    mutating func text(_ text: String) -> String {
        let factor = number(4) + 1
        let end = number(3) == 0 ? "\r\n" : "\n"
        var result = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if number(8) == 0 { result += spaces(3) + end }
            if number(12) == 0 { result += spaces(12) + "# \(number(100))" + end }
            result += self.line(line, factor) + spaces(3) + end
        }
        return result
    }

    private mutating func line(_ line: Substring, _ factor: Int) -> String {
        let indentation = line.prefix { $0 == " " }
        let content = line.dropFirst(indentation.count)
        let prefix = String(repeating: " ", count: indentation.count * factor)
        guard !content.hasPrefix("#"), !content.hasPrefix("-"), let colon = content.firstRange(of: ": ") else {
            return prefix + content
        }
        let value = content[colon.upperBound...]
        let isPlainFlow = value.hasPrefix("{") && value.hasSuffix("}") && !value.contains("\"")
        var spread = String(value)
        if isPlainFlow {
            spread = spread.replacing("{", with: "{" + spaces(3)).replacing(",", with: spaces(2) + " ,  ")
        }
        return prefix + content[..<colon.lowerBound] + spaces(2) + ": " + spaces(5) + spread
    }
}
