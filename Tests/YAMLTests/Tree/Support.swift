import Base
import Testing
import YAML

/// The documents and diagnostics of a text, the latter as `line:column code message`.
func read(_ text: String) -> (documents: [Document], faults: [String]) { read(Array(text.utf8)) }

func read(_ bytes: [UInt8]) -> (documents: [Document], faults: [String]) {
    let result = DocumentParser.parse(bytes, file: "a.yaml")
    return (result.documents, result.diagnostics.map(describe))
}

/// The root of the only document of a text without faults.
func root(_ text: String, _ location: SourceLocation = #_sourceLocation) throws -> Node {
    let (documents, faults) = read(text)
    #expect(faults == [], sourceLocation: location)
    #expect(documents.count == 1, sourceLocation: location)
    return try #require(documents.first, sourceLocation: location).root
}

/// The value of the only scalar of a text.
func scalar(_ text: String, _ location: SourceLocation = #_sourceLocation) throws -> Scalar? {
    try root(text, location).scalar
}

func describe(_ diagnostic: Diagnostic) -> String {
    let place = diagnostic.range.map { "\($0.start.line):\($0.start.column) " } ?? ""
    let related = diagnostic.related.map { " (\($0.message) \($0.range.start.line):\($0.range.start.column))" }
    return place + "\(diagnostic.code.rawValue) \(diagnostic.message)" + related.joined()
}

extension Node {
    /// `line:column-line:column`.
    var place: String {
        "\(range.start.line):\(range.start.column)-\(range.end.line):\(range.end.column)"
    }

    var keys: [String] { entries.map { $0.key.text ?? "?" } }
}
