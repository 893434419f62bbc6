package import Base

/// A text with places for values of the device that it is sent to: `Hello {{firstName|there}}`.
package struct PersonalText: Hashable, Sendable {
    /// The pieces, in their order.
    package let pieces: [Piece]

    package enum Piece: Hashable, Sendable {
        /// Words that everybody reads.
        case words(String)
        case value(PersonalValue)
    }

    /// A place in a text that is no value: the name of a field without a default, or no name.
    package struct Mistake: Error, Hashable, Sendable {
        /// The text between the braces; nil when they are not closed.
        package let inside: String?
    }

    /// Reads a text.
    ///
    /// - Throws: ``Mistake`` for braces that say no `field|default`.
    package init(_ text: String) throws(Mistake) {
        var (pieces, rest): ([Piece], Substring) = ([], text[...])
        while let start = rest.firstRange(of: "{{") {
            if start.lowerBound > rest.startIndex { pieces.append(.words(String(rest[..<start.lowerBound]))) }
            let inner = rest[start.upperBound...]
            guard let end = inner.firstRange(of: "}}") else { throw Mistake(inside: nil) }
            let inside = inner[..<end.lowerBound]
            guard let bar = inside.firstIndex(of: "|"), PersonalValue.isField(inside[..<bar]) else {
                throw Mistake(inside: String(inside))
            }
            pieces.append(
                .value(
                    PersonalValue(
                        field: String(inside[..<bar]), default: String(inside[inside.index(after: bar)...]))))
            rest = inner[end.upperBound...]
        }
        if !rest.isEmpty { pieces.append(.words(String(rest))) }
        self.pieces = pieces
    }

    /// The values, in the order of their places.
    package var values: [PersonalValue] {
        pieces.compactMap { if case .value(let value) = $0 { value } else { nil } }
    }

    /// True when a text may have places for values; it is cheaper than reading it.
    package static func mayBe(_ text: String) -> Bool { text.utf8.contains(UInt8(ascii: "{")) && text.contains("{{") }
}

/// A place for a value of the device.
package struct PersonalValue: Hashable, Sendable {
    /// The top-level field of the installation.
    package let field: String
    /// The words where the device has no such text or number.
    package let `default`: String

    package init(field: String, default: String) {
        self.field = field
        self.default = `default`
    }

    /// True for the name of a field of an installation: letters, digits and `_`, with a letter first
    /// (docs/background/leancloud/objects.md).
    package static func isField(_ name: some StringProtocol) -> Bool {
        guard let first = name.utf8.first, first.isLetter, name.utf8.count <= 128 else { return false }
        return name.utf8.allSatisfy { $0.isLetterOrDigit || $0 == .underscore }
    }

    /// The words that a value makes: a text, or a number as it is written; nil for a blank text and everything else.
    package static func words(of value: JSONValue?) -> String? {
        switch value {
        case .string(let text): text.allSatisfy(\.isWhitespace) ? nil : text
        case .integer, .number: value?.canonicalText
        case .bool, .null, .array, .object, nil: nil
        }
    }
}

extension JSONValue {
    /// The places for values in its texts, at any depth, in the order in which they are written.
    package var personalValues: [PersonalValue] {
        switch self {
        case .string(let text):
            PersonalText.mayBe(text) ? (try? PersonalText(text))?.values ?? [] : []
        case .array(let elements): elements.flatMap(\.personalValues)
        case .object(let members): members.sorted { $0.key < $1.key }.flatMap(\.value.personalValues)
        case .null, .bool, .integer, .number: []
        }
    }
}

extension MessageContent {
    /// The texts in which values of the device may stand, by field.
    package var personalTexts: [(field: ContentField, text: JSONValue)] {
        let lines: [(ContentField, LocalizableText?)] = [(.title, title), (.subtitle, subtitle), (.body, body)]
        return lines.compactMap { field, line in
            if case .text(let text) = line { (field, .string(text)) } else { nil }
        } + (data.map { [(.data, .object($0))] } ?? [])
    }

    /// True when it says something else to each device.
    package var isPersonal: Bool { personalTexts.contains { !$0.text.personalValues.isEmpty } }
}
