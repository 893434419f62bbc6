package import Base

/// A JSON Schema (draft 2020-12) that values are held against: a small checker of the keywords that bugle's own
/// schemas use.
///
/// References lead within the document only. Strings are measured in Unicode scalars, as the draft says.
package struct JSONSchema {
    /// The whole document.
    let root: JSONValue
    /// The patterns of the document, ready to search with.
    private(set) var patterns: [String: Regex<AnyRegexOutput>] = [:]

    /// Takes a schema and looks it through.
    ///
    /// - Throws: ``SchemaFault`` for a keyword that the checker does not know, a keyword's value of the wrong kind, a
    ///   reference that leads nowhere, or a pattern that is no regular expression.
    package init(_ document: JSONValue) throws(SchemaFault) {
        root = document
        try take(document, at: "#")
    }

    /// The faults of a value, the first one first; empty: it is valid.
    package func violations(of value: JSONValue) -> [SchemaViolation] {
        var check = SchemaCheck(schema: self)
        check.check(value, against: root, at: "", depth: 0)
        return check.violations
    }

    /// True if a value is valid.
    package func accepts(_ value: JSONValue) -> Bool { violations(of: value).isEmpty }

    private mutating func take(_ schema: JSONValue, at path: String) throws(SchemaFault) {
        if schema == true || schema == false { return }
        guard let members = schema.object else { throw SchemaFault("\(path) is no schema") }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let keyword = SchemaKeyword(rawValue: name) else {
                throw SchemaFault("\(path) has the unknown keyword '\(name)'")
            }
            let place = "\(path)/\(name)"
            guard keyword.accepts(value) else { throw SchemaFault("\(place) has a value of the wrong kind") }
            if keyword == .reference, let reference = value.string, target(of: reference) == nil {
                throw SchemaFault("\(place) leads nowhere: '\(reference)'")
            }
            if keyword == .pattern, let pattern = value.string { try takePattern(pattern, at: place) }
            if keyword == .patternProperties {
                for pattern in (value.object ?? [:]).keys { try takePattern(pattern, at: place) }
            }
            switch keyword.content {
            case .none: break
            case .schema: try take(value, at: place)
            case .list:
                for (index, element) in (value.array ?? []).enumerated() { try take(element, at: "\(place)/\(index)") }
            case .members:
                for (key, member) in value.object ?? [:] { try take(member, at: "\(place)/\(key)") }
            }
        }
    }

    private mutating func takePattern(_ pattern: String, at place: String) throws(SchemaFault) {
        guard patterns[pattern] == nil else { return }
        guard let regex = try? Regex(pattern) else { throw SchemaFault("\(place) is no pattern: '\(pattern)'") }
        // As in ECMA-262: digits and word characters are those of ASCII, and characters are scalars.
        patterns[pattern] = regex.matchingSemantics(.unicodeScalar).asciiOnlyDigits().asciiOnlyWordCharacters()
    }

    /// True if a pattern matches anywhere in a text.
    func finds(_ pattern: String, in text: String) -> Bool {
        patterns[pattern].map { (try? $0.firstMatch(in: text)) != nil } ?? false
    }

    /// The schema that a reference such as `#/$defs/change` leads to; nil when there is none.
    func target(of reference: String) -> JSONValue? {
        guard reference.hasPrefix("#") else { return nil }
        var place = root
        for part in reference.dropFirst().split(separator: "/") {
            let name = String(part.replacing("~1", with: "/").replacing("~0", with: "~"))
            if let elements = place.array {
                guard let index = Int(name), elements.indices.contains(index) else { return nil }
                place = elements[index]
            } else {
                guard let member = place.object?[name] else { return nil }
                place = member
            }
        }
        return place
    }
}

/// A schema that is none, or none that the checker can hold anything against.
package struct SchemaFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// A fault of a value, with its place.
    package let description: String

    init(_ description: String) { self.description = description }
}

/// A rule that a value breaks.
package struct SchemaViolation: Hashable, Sendable, CustomStringConvertible {
    /// The place in the value, as a JSON Pointer; empty: the value itself.
    package let place: String
    /// The keyword that it breaks.
    package let keyword: String
    /// The problem, in one clause.
    package let message: String

    /// `/changes/3/action: enum: …`.
    package var description: String { "\(place.isEmpty ? "/" : place): \(keyword): \(message)" }
}
