import Base
import Testing
import YAML

@Suite struct DocumentTests {
    @Test(arguments: [
        "", "\n\n", "# only a comment\n", "  \n# x", "\u{FEFF}", "\u{FEFF}# x\n", "%YAML 1.2\n---\n...\n",
    ])
    func aTextWithoutContentGivesNoFaults(_ text: String) {
        let (documents, faults) = read(text)
        #expect(faults == [])
        #expect(documents.count == (text.hasPrefix("%") ? 1 : 0))
    }

    @Test(arguments: ["---", "---\n", "--- # nothing\n", "---\n# nothing\n...\n"])
    func aDashesOnlyDocumentIsNullAtItsDashes(_ text: String) throws {
        let node = try root(text)
        #expect(node.scalar == .null)
        #expect(node.place == "1:1-1:2")
    }

    @Test func everyDocumentOfAFileIsRead() {
        let (documents, faults) = read("a: 1\n---\nb: 2\n...\n---\n- 3\n")
        #expect(faults == [])
        #expect(documents.map(\.root.kind) == [.mapping, .mapping, .sequence])
        #expect(documents[1].root["b"]?.place == "3:4-3:5")
        #expect(documents[2].root[0]?.scalar == .integer(3))
    }

    @Test(arguments: ["a: 1\r\nb:\r\n  - x\r\n", "a: 1\rb:\r  - x\r", "a: 1\nb:\n  - x\n"])
    func allThreeLineBreaksCount(_ text: String) throws {
        let node = try root(text)
        #expect(node["b"]?[0]?.place == "3:5-3:6")
        #expect(node["b"]?[0]?.text == "x")
    }

    @Test(arguments: [
        "%YAML 1.2\n---\na: 1\n", "%YAML 1.1\n---\na: 1\n", "%TAG !e! tag:example.com,2000:\n---\na: 1\n",
    ])
    func directivesAreRead(_ text: String) throws {
        #expect(try root(text)["a"]?.place == "3:4-3:5")
    }

    @Test func documentsKnowTheirFile() throws {
        let result = DocumentParser.parse(Array("a: 1".utf8), file: "campaigns/a.yaml")
        #expect(result.documents.first?.file == "campaigns/a.yaml")
        #expect(result.documents.first?.root.range.file == "campaigns/a.yaml")
    }

    @Test func aPathLeadsToItsValueOrToTheNearestAroundIt() throws {
        let (documents, _) = read("a:\n  - b: 1\n    c: [2, 3]\n")
        let document = try #require(documents.first)
        func start(_ path: [FieldPathElement]) -> SourcePosition { document.range(of: path).start }
        #expect(start([]) == SourcePosition(line: 1, column: 1))
        #expect(start(["a", 0, "c", 1]) == SourcePosition(line: 3, column: 12))
        #expect(start(["a", 0, "x", "y"]) == SourcePosition(line: 2, column: 5))
        #expect(start(["a", 7]) == SourcePosition(line: 2, column: 3))
        #expect(start(["a", 0, "b", "deeper"]) == SourcePosition(line: 2, column: 8))
    }

    @Test func readingFromManyThreadsGivesTheSame() async {
        let text = (0..<50).map { "key\($0): {list: [1, 2, 三], text: \"漢字\"}\n" }.joined()
        let bytes = Array(text.utf8)
        let counts = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<16 {
                group.addTask { DocumentParser.parse(bytes, file: "a").documents.first?.root.count ?? 0 }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == Array(repeating: 50, count: 16))
    }
}

// MARK: - JSON

@Suite struct JSONTests {
    @Test func scalarsAliasesAndMergesAreResolved() throws {
        let text = """
            base: &b {x: 1, y: [a, ~, true, 1.5, 0x1f, '7', no]}
            merged: {<<: *b, x: 2}
            alias: *b
            12: null
            text: |
              漢字
            """
        var faults: [Diagnostic] = []
        let list: JSONValue = ["a", nil, true, 1.5, 31, "7", "no"]
        #expect(
            try root(text).json(reportingTo: &faults) == [
                "base": ["x": 1, "y": list], "merged": ["x": 2, "y": list], "alias": ["x": 1, "y": list], "12": nil,
                "text": "漢字",
            ])
        #expect(faults == [])
    }

    @Test func anIntegerBeyond64BitsIsReported() throws {
        var faults: [Diagnostic] = []
        let node = try root("a: [1, 18446744073709551616]")
        #expect(node.json(reportingTo: &faults) == ["a": [1, nil]])
        #expect(faults.map(describe) == ["1:8 invalid-value integer '18446744073709551616' does not fit 64 bits"])
    }

    @Test func whatIsInvalidIsNull() throws {
        let document = try #require(read("[.inf, *x, !y z]").documents.first)
        var faults: [Diagnostic] = []
        #expect(document.root.json(reportingTo: &faults) == [nil, nil, nil])
        #expect(faults == [])
    }
}
