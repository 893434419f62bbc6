internal import Base
internal import Foundation
internal import Push
internal import PushReport
internal import YAML

extension FuzzTarget {
    private static let yamlWords = [
        "- ", "? ", ": ", "&a ", "*a", "<<: *a", "!!int ", "!!binary ", "!x ", "|\n", ">-\n", "---\n", "...\n",
        "%YAML 1.2\n",
        "%TAG ! a:\n", ".inf", "0x1f", "1_000", "~", "kind: Workspace\n", "kind: Campaign\n", "kind: Segment\n",
        "exclude: [\"**/a/**/a\"]\n", "$regex: ", "$inQuery: ", "$or: ", "{env: A}", "12.5%",
        "2026-11-27T20:00:00+08:00",
    ]

    /// What a file says, and its layout, as `fmt` writes it: laid out again it stays. It is parsed nine times.
    static let yaml = FuzzTarget("yaml", ["YAML"], words: yamlWords, allowance: 0.2) { bytes in
        let layout = YAMLLayout(file: "a.yaml")
        if case .laidOut(let laidOut) = layout.lay(out: bytes) {
            mustRead(laidOut) { if case .laidOut(let again) = layout.lay(out: laidOut) { again } else { nil } }
        }
        for document in DocumentParser.parse(bytes, file: "a.yaml").documents {
            var faults: [Diagnostic] = []
            let value = document.root.json(reportingTo: &faults)
            mustRead(value) { try JSONValue(parsing: value.canonicalBytes, limits: .anyMemory) }
        }
    }

    /// A file of a workspace, or its `bugle.yaml`, as `validate` reads it.
    static let workspace = FuzzTarget(
        name: "workspace", sources: ["Push/Config"], words: yamlWords,
        prepare: {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuzz-" + UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let main = Data(FileManager.default.contents(atPath: "examples/apple/bugle.yaml") ?? Data())
            return Prepared { bytes in
                let isMain = bytes.prefix(4096).firstRange(of: "kind: Workspace".utf8) != nil
                try? (isMain ? Data(bytes) : main).write(to: folder.appendingPathComponent("bugle.yaml"))
                try? Data(isMain ? [] : bytes).write(to: folder.appendingPathComponent("a.yaml"))
                let loaded = await WorkspaceLoader.load(directory: folder.path, displayedAs: "")
                for diagnostic in loaded.diagnostics {
                    guard let range = diagnostic.range else { continue }
                    _ = loaded.sources.shownLine(range.start.line, of: range.file)
                }
            }
        })

    static let json = FuzzTarget("json", ["Base/JSON"]) { bytes in
        if let value = try? JSONValue(parsing: bytes) {
            mustRead(value) { try JSONValue(parsing: value.canonicalBytes) }
            let changes = value["changes"]
            let outlined =
                switch JSONOutline(of: bytes)?.member("changes") {
                case nil: true
                case .missing: changes == nil
                case .list(let places): places.count == changes?.array?.count
                // Also of several members of that name, of which the value has one.
                case .other: changes != nil
                }
            if !outlined { fatalError("its outline is another") }
        }
        _ = JSONOutline.texts(under: ["name", "a"], inFirst: 4096, of: bytes)
        _ = JSONOutline.texts(under: ["name", "a"], inLast: 1 << 20, of: bytes)
    }

    static let catalog = FuzzTarget(
        "catalog", ["Push/Model/Message/LocalizedStrings.swift"],
        words: ["%@", "%1$@", "\\U00e9", "\\UD83D\\UDE00", "/*", "*/", "//", ";", " = "]
    ) {
        bytes in
        for language in [nil, "zh"] {
            let catalog = try? StringCatalog(bytes, file: "x")
            _ = catalog?.strings(in: language).text(of: "count", arguments: ["1", "2"])
            _ = catalog?.mistakes(inKey: "count", arguments: 1)
        }
        let strings = try? LocalizedStrings(strings: bytes, file: "x")
        for key in strings?.texts.keys.sorted().prefix(8) ?? [] { _ = strings?.text(of: key, arguments: ["1", "2"]) }
    }
}
