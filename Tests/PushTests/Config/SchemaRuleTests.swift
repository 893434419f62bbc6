import Base
import BaseTesting
import Push
import Testing
import YAML

/// The schema and `validate` say the same of every document that the other tests of this module know.
@Suite struct SchemaRuleTests {
    private let schema: JSONSchema

    init() throws { schema = try JSONSchema(ConfigurationSchema.document.unordered) }

    private func violations(_ text: String) -> [SchemaViolation] { Self.violations(of: text, schema) }

    /// What of a text's documents does not fit, as an editor sees them.
    static func violations(of text: String, _ schema: JSONSchema) -> [SchemaViolation] {
        var diagnostics: [Diagnostic] = []
        return DocumentParser.parse(Array(text.utf8), file: "x").documents
            .flatMap { schema.violations(of: $0.root.json(reportingTo: &diagnostics)) }
    }

    @Test func theSchemaIsTheSameEachTime() {
        #expect(ConfigurationSchema.document.bytes == ConfigurationSchema.document.bytes)
    }

    @Test func whatValidateAcceptsFits() {
        for text in Self.valid { #expect(violations(text) == [], "\(text)") }
    }

    @Test func everyExampleFits() throws {
        for example in try LayoutTests.examples() {
            for file in example { #expect(violations(file.text) == [], "\(file.path)") }
        }
    }

    @Test func whatValidateRefusesDoesNotFit() {
        for text in Self.broken where Self.untold[text] == nil {
            #expect(!violations(text).isEmpty, "\(text)")
        }
    }

    /// The list is exact: what it holds cannot be told by one document's schema, with the reason.
    @Test func whatASchemaCannotTellFits() {
        let known = Set(Self.broken)
        for text in Self.untold.keys.sorted() {
            #expect(known.contains(text), "no test has this text any more: \(text)")
            #expect(violations(text) == [], "\(text)")
        }
    }
}
