import Base
import BaseTesting
import Testing

@testable import Push

/// Twice the text takes twice the time, whatever stands in it.
@Suite(.serialized) struct WorkspaceCostTests {
    enum Shape: String, CaseIterable {
        case campaigns, unknownChannels, unknownRemotes, equalNames, formerNames, unknownKeys, conditions,
            deepConditions
        case parts, partsOfOne, deepParts, values
        case list, exceptions, secrets, longPath, existingPath, faultsInOneLine

        /// Beyond where the search for what an unknown name meant is given up: below, it takes as the square.
        var size: Int { self == .unknownChannels ? 24_000 : 2000 }

        /// A file of about so many bytes.
        func text(_ size: Int) -> String {
            func documents(_ document: (Int) -> String) -> String {
                (0..<size / document(10_000).utf8.count).map { "---\n" + document($0) + "\n" }.joined()
            }
            func times(_ text: String) -> String { String(repeating: text, count: size / text.utf8.count) }
            func campaign(_ index: Int, _ more: String) -> String {
                "{kind: Campaign, name: c\(index), message: {body: x}, audience: \(more)}"
            }
            func exceptions(_ days: [String]) -> String {
                "{everyone: true}, schedule: {every: day, at: '09:00', timeZone: UTC, from: \(days[0]), "
                    + "until: \(days[days.count - 1]), except: [\(days.joined(separator: ", "))]}"
            }
            func segment(_ condition: String) -> String { "kind: Segment\nname: s\nwhere: \(condition)" }
            return switch self {
            case .campaigns: documents { campaign($0, "{everyone: true}") }
            case .unknownChannels:
                documents { "{kind: Channel, name: channel\($0)}\n---\n" + campaign($0, "{channels: [chanel\($0)]}") }
            case .unknownRemotes: documents { campaign($0, "{everyone: true}, remotes: [remote\($0)]") }
            case .equalNames: documents { _ in "{kind: Channel, name: a}" }
            case .formerNames: documents { campaign($0, "{everyone: true}, formerly: [a, b\($0)]") }
            case .unknownKeys: "kind: Campaign\n" + (0..<size / 12).map { "chanel\($0): 1\n" }.joined()
            case .conditions: segment("{$or: [" + times("{a: {$in: [1], $regex: x}},") + "{a: 1}]}")
            case .deepConditions:
                documents { _ in
                    segment(String(repeating: "{$or: [", count: 25) + "{a: 1}" + String(repeating: "]}", count: 25))
                }
            case .parts:
                documents {
                    "{kind: Part, name: p\($0), campaign: {labels: {a: b}}}\n---\n"
                        + campaign($0, "{everyone: true}, use: [p\($0)]")
                }
            case .partsOfOne:
                documents { "{kind: Part, name: p\($0), campaign: {message: {data: {a: \($0)}}}}" }
                    + "---\n"
                    + campaign(1, "{everyone: true}, use: [" + (0..<size / 100).map { "p\($0), " }.joined() + "p0]")
            case .deepParts:
                documents {
                    "{kind: Part, name: p\($0), campaign: {message: {data: " + String(repeating: "{a: ", count: 50)
                        + "\($0)"
                        + String(repeating: "}", count: 50) + "}}}\n---\n"
                        + campaign($0, "{everyone: true}, use: [p\($0), p0]")
                }
            case .values: campaign(1, "{everyone: true}, labels: {a: '" + times("${link}") + "'}")
            case .list: campaign(1, "{channels: [" + (0..<size / 8).map { "a\($0), " }.joined() + "a]}")
            case .exceptions:
                campaign(1, exceptions((0..<size / 12).map { CivilDate(daysSince1970: 20_000 + $0).text }))
            case .secrets: documents { "{kind: DeviceProfile, name: p\($0), certificate: {env: A\($0)}}" }
            case .longPath: "{kind: DeviceProfile, name: p, certificate: {file: \(times("a/"))b}}"
            case .existingPath: "{kind: DeviceProfile, name: p, certificate: {file: \(times("./"))b}}"
            case .faultsInOneLine: "{kind: Campaign, " + times("a: 1, ") + "}"
            }
        }
    }

    private static let main = """
        kind: Workspace
        name: giants
        defaultRemote: local
        values: {link: "https://example.com"}
        exclude: ["**/a/**/a/**/a/**/b"]
        remotes:
          local: {type: leancloud, url: "http://127.0.0.1:8710", appId: demo, masterKey: {env: KEY}}
        """

    @Test(arguments: Shape.allCases)
    func twiceTheTextTakesTwiceTheTime(shape: Shape) {
        let folder = TemporaryFolder()
        let reader = FileReader(folder: WorkspaceFolder(root: folder.path), naming: FileNaming(workspace: "."))
        let main = reader.read(Array(Self.main.utf8), as: "bugle.yaml")
        let excess = Growth.excess(from: shape.size, { Array(shape.text($0).utf8) }) { bytes in
            let file = reader.read(bytes, as: "a.yaml")
            var assembly = WorkspaceAssembly(
                [file, main], main: "bugle.yaml", folder: WorkspaceFolder(root: folder.path))
            let workspace = assembly.workspace()
            let sources = SourceFiles(["a.yaml": bytes])
            for diagnostic in (file.diagnostics + assembly.diagnostics).sortedForPrinting() {
                if let range = diagnostic.range { _ = sources.shownLine(range.start.line, of: range.file) }
            }
            return (file, assembly, workspace)
        }
        #expect(excess == nil)
    }

    @Test func aLineOfMoreThanFourKilobytesIsNotShown() {
        let sources = SourceFiles(["a.yaml": Array((String(repeating: "a", count: 4097) + "\nb").utf8)])
        #expect(sources.shownLine(1, of: "a.yaml") == nil)
        #expect(sources.shownLine(2, of: "a.yaml") == "b")
    }

    @Test func aPatternOfFilesCostsAsItsLengthAndThatOfThePath() {
        let path = { String(repeating: "a/", count: $0 / 2) + "b" }
        let pattern = { Glob(String(repeating: "**/a/", count: $0 / 5) + "c") }
        #expect(Growth.excess(path) { Glob("**/a/**/a/**/a/c").matches($0) } == nil)
        #expect(Growth.excess(from: 500, pattern) { $0.matches(path(1000)) } == nil)
        #expect(Growth.excess({ String(repeating: "a", count: $0) }) { Glob("*a*a*a*b").matches($0) } == nil)
    }
}
