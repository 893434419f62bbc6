import Base
import Testing
import YAML

/// Codes and places.
@Suite struct SyntaxErrorTests {
    @Test(
        arguments: [
            ("a: \"x", 1, 4, nil, nil), ("a: 'x\n", 1, 4, nil, nil), ("a: [1, 2\nb: 3\n", 1, 4, 2, 2),
            ("a: [1, 2", 1, 9, 1, 4),
            ("a: b: c", 1, 5, nil, nil), ("\ta: 1", 1, 1, nil, nil), ("a: @x", 1, 4, nil, nil),
            ("a: 1\n b: 2", 2, 3, nil, nil),
            ("漢: \"字\\q\"", 1, 6, 1, 4), ("a:\n  - 1\n b: 2", 3, 2, 1, 1), ("😀: {x", 1, 6, 1, 4),
            ("a: 1\n]", 2, 1, 1, 1),
            ("%YAML 3.0\n---\na", 1, 1, nil, nil), ("a: \"\\ud800\"", 1, 7, 1, 4), ("a: &\n", 1, 4, nil, nil),
            ("x: 1\ny\nz: 2", 2, 1, nil, nil),
            ("a: !<x\n", 1, 7, 1, 4), ("a: %x", 1, 4, nil, nil), ("- a\nb: 1", 2, 1, 1, 1),
        ] as [(String, Int, Int, Int?, Int?)])
    func aSyntaxErrorHasItsPlaceAndItsContext(
        _ text: String, _ line: Int, _ column: Int, _ contextLine: Int?, _ contextColumn: Int?
    ) throws {
        let result = DocumentParser.parse(Array(text.utf8), file: "a.yaml")
        #expect(result.documents.isEmpty)
        #expect(result.diagnostics.count == 1)
        let diagnostic = try #require(result.diagnostics.first)
        #expect(diagnostic.code == .yamlSyntax)
        #expect(diagnostic.severity == .error)
        #expect(diagnostic.range?.start == SourcePosition(line: line, column: column))
        #expect(!diagnostic.message.isEmpty)
        #expect(diagnostic.related.first?.range.start.line == contextLine)
        #expect(diagnostic.related.first?.range.start.column == contextColumn)
    }

    /// libyaml reads these as something that is not written there, and says nothing.
    @Test(arguments: [
        ("a: {?foo: bar}", 5), ("a: [?x]", 5), ("a: [?x: y]", 5), ("a: &an:chor value", 4), ("a: &an:chor [x]", 4),
        ("a: !!str &b:c d", 10),
    ])
    func whatWouldChangeItsMeaningIsAnError(_ text: String, _ column: Int) throws {
        let result = DocumentParser.parse(Array(text.utf8), file: "a.yaml")
        #expect(result.diagnostics.map(\.code) == [.yamlSyntax])
        let start = try #require(result.diagnostics.first?.range?.start)
        #expect(start.line == 1 && (column...column + 1).contains(start.column))
    }

    @Test(arguments: [
        "a: {? foo: bar}", "a: {foo?: bar}", "a: {'?foo': bar}", "a: [x?, '?']", "a: ?x", "? a\n: b",
        "a: &b_1-c d\ne: *b_1-c",
        "a: [&b c, &d e, &f]", "a: {b: &c {d: e}}", "a: &b\n  c: d", "a: &b !!str c",
    ])
    func whatMeansWhatItSaysIsNone(_ text: String) {
        #expect(DocumentParser.parse(Array(text.utf8), file: "a.yaml").diagnostics.isEmpty)
    }

    @Test func whatCameBeforeIsKept() {
        let result = DocumentParser.parse(Array("a: 1\n---\nb: .inf\n---\nc: [\n".utf8), file: "a.yaml")
        #expect(result.documents.count == 2)
        #expect(result.diagnostics.map(\.code) == [.notANumber, .yamlSyntax])
    }

    @Test func faultsOfTheBrokenDocumentAreReportedToo() {
        let result = DocumentParser.parse(Array("a: {x: 1, x: 2}\nb: !z 1\nc: [\n".utf8), file: "a.yaml")
        #expect(result.documents.isEmpty)
        #expect(result.diagnostics.map(\.code) == [.duplicateKey, .unknownTag, .yamlSyntax])
    }
}
