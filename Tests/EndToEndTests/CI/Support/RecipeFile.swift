import Base
import Foundation
import Testing
import YAML

/// The recipes of `examples/ci`.
enum RecipeFile {
    static let folder = ExamplesTests.root.appending(path: "examples/ci")

    /// The workflows, by path.
    static let workflows = ["pull-request.yml", "apply.yml", "due.yml"].map { "github/workflows/\($0)" }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    }

    /// The documents of a YAML file.
    static func yaml(_ path: String) throws -> [JSONValue] { try documents(text(path), path) }

    static func documents(_ text: String, _ name: String) throws -> [JSONValue] {
        let (documents, found) = DocumentParser.parse(Array(text.utf8), file: name)
        var diagnostics = found
        let values = documents.map { $0.root.json(reportingTo: &diagnostics) }
        #expect(diagnostics.isEmpty, "\(diagnostics)")
        return values
    }

    /// A file of one document.
    static func single(_ path: String) throws -> JSONValue {
        let documents = try yaml(path)
        #expect(documents.count == 1)
        return try #require(documents.first)
    }
}

extension JSONValue {
    /// The value as a variable or in a text.
    var asText: String {
        switch self {
        case .null: ""
        case .string(let text): text
        case .bool, .integer, .number, .array, .object: canonicalText
        }
    }

    /// The members as texts.
    var asTexts: [String: String] {
        Dictionary(uniqueKeysWithValues: (object ?? [:]).map { ($0.key, $0.value.asText) })
    }

    /// Every text in it, the keys of its mappings too, with the path to it.
    func texts(at path: String = "") -> [(path: String, text: String)] {
        switch self {
        case .string(let text): [(path, text)]
        case .array(let elements): elements.enumerated().flatMap { $1.texts(at: "\(path)/\($0)") }
        case .object(let members): members.flatMap { [(path, $0.key)] + $0.value.texts(at: "\(path)/\($0.key)") }
        case .null, .bool, .integer, .number: []
        }
    }
}
