package import Base

/// A document to be written: mappings keep the order of their keys, and any entry may have comments.
package indirect enum YAMLTree: Sendable {
    /// Any value; the keys of its mappings are sorted.
    case value(JSONValue)
    /// A text that needs no quotes, such as `2026-11-27T20:00:00+08:00` or `7d`; written as it is.
    case plain(String)
    case map([Entry])
    case list([YAMLTree])

    /// One entry of a mapping.
    package struct Entry: Sendable {
        package var key: String
        package var value: YAMLTree
        /// Comment lines above the entry, without `#`.
        package var comments: [String]

        package init(_ key: String, _ value: YAMLTree, comments: [String] = []) {
            self.key = key
            self.value = value
            self.comments = comments
        }
    }

    /// A line of a comment, ready to follow `# `.
    package static func comment(_ line: String) -> String { YAMLScalar.commentText(line) }

    /// The tree with other strings in the place of its own; keys stay.
    package func mapStrings(_ written: (String) -> String) -> YAMLTree {
        switch self {
        case .value(let value): .value(value.mapStrings(written))
        case .plain: self
        case .map(let entries): .map(entries.map { Entry($0.key, $0.value.mapStrings(written), comments: $0.comments) })
        case .list(let elements): .list(elements.map { $0.mapStrings(written) })
        }
    }

    /// The text of one document, without `---`; parsing it gives the same values back.
    package var text: String {
        var writer = YAMLWriter()
        writer.write(self, at: 0)
        return writer.text
    }
}

/// Writes blocks with two spaces per level.
private struct YAMLWriter {
    var text = ""

    mutating func write(_ tree: YAMLTree, at level: Int) {
        switch tree {
        case .map(let entries) where !entries.isEmpty:
            for entry in entries { write(entry, at: level) }
        case .list(let elements) where !elements.isEmpty:
            for element in elements {
                indent(level)
                text += "-"
                writeValue(element, at: level + 1)
            }
        case .value(.object(let members)) where !members.isEmpty:
            write(.map(Self.entries(members)), at: level)
        case .value(.array(let elements)) where !elements.isEmpty:
            write(.list(elements.map(YAMLTree.value)), at: level)
        case .map, .list, .plain, .value:
            indent(level)
            text += scalar(tree) + "\n"
        }
    }

    private mutating func write(_ entry: YAMLTree.Entry, at level: Int) {
        for comment in entry.comments { writeComment(comment, at: level) }
        indent(level)
        let key = YAMLScalar.text(entry.key)
        // libyaml accepts no implicit key (one before its ':') of more than 1,024 characters.
        if key.unicodeScalars.count > 1000 {
            text += "? \(key)\n"
            indent(level)
        } else {
            text += key
        }
        text += ":"
        writeValue(entry.value, at: level + 1)
    }

    private mutating func writeValue(_ tree: YAMLTree, at level: Int) {
        if isBlock(tree) {
            text += "\n"
            write(tree, at: level)
        } else {
            text += " " + scalar(tree) + "\n"
        }
    }

    private mutating func writeComment(_ comment: String, at level: Int) {
        indent(level)
        text += comment.isEmpty ? "#\n" : "# \(YAMLScalar.commentText(comment))\n"
    }

    private mutating func indent(_ level: Int) {
        text += String(repeating: "  ", count: level)
    }

    private func isBlock(_ tree: YAMLTree) -> Bool {
        switch tree {
        case .map(let entries): !entries.isEmpty
        case .list(let elements): !elements.isEmpty
        case .value(.object(let members)): !members.isEmpty
        case .value(.array(let elements)): !elements.isEmpty
        case .plain, .value: false
        }
    }

    private func scalar(_ tree: YAMLTree) -> String {
        switch tree {
        case .plain(let text): text
        case .map: "{}"
        case .list: "[]"
        case .value(.string(let text)): YAMLScalar.text(text)
        // Numbers, Booleans, null and empty collections are spelled as in JSON.
        case .value(let value): value.canonicalText
        }
    }

    private static func entries(_ members: JSONObject) -> [YAMLTree.Entry] {
        members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { YAMLTree.Entry($0.key, .value($0.value)) }
    }
}

enum YAMLScalar {
    /// The text as it is if every YAML parser reads it as this text, otherwise in double quotes.
    static func text(_ text: String) -> String {
        isPlain(text) ? text : quoted(text)
    }

    /// A line of a comment, with characters escaped that would end it, reorder the text around it or command a log.
    static func commentText(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in append(scalar, to: &result) }
    }

    /// Appends a character as it is, or escaped where it is not simply drawn, or as a second `#` would make what a log
    /// parser takes for a command: `##vso[`.
    private static func append(_ scalar: Unicode.Scalar, to text: inout String) {
        if scalar == "#" ? text.unicodeScalars.last != "#" : isShown(scalar) || scalar == " " {
            text.unicodeScalars.append(scalar)
        } else {
            text += escape(scalar)
        }
    }

    /// Words that YAML 1.1 parsers read as another type; those of the core schema are found by its rules.
    private static let oldWords: Set<String> = ["y", "n", "yes", "no", "on", "off", "null", "true", "false"]

    private static func isPlain(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        guard let first = scalars.first, let last = scalars.last, isPlainStart(first), last != " ",
            scalars.allSatisfy({ isPlainASCII($0) || !$0.isASCII && isShown($0) && !$0.properties.isWhitespace })
        else { return false }
        return !oldWords.contains(text.lowercased())
    }

    /// True for a letter or a character outside ASCII: a text that begins with one is not a number, tag, alias or block
    /// indicator.
    private static func isPlainStart(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || !scalar.isASCII
    }

    /// True for ASCII characters that have no special meaning inside plain texts in blocks.
    private static func isPlainASCII(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", " ", ".", ",", ";", "!", "?", "'", "(", ")", "=", "+", "/", "_", "-":
            true
        default: false
        }
    }

    /// True if editors and terminals simply draw the character.
    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x21...0x7E: return true
        case 0xA1..<0x2_0000 where (0xFDD0...0xFDEF).contains(scalar.value) || scalar.value & 0xFFFE == 0xFFFE:
            return false
        case 0xA1..<0x11_0000: break
        default: return false
        }
        if scalar.properties.isDefaultIgnorableCodePoint { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: return false
        default: return true
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" {
                result += "\\"
                result.unicodeScalars.append(scalar)
            } else {
                append(scalar, to: &result)
            }
        }
        return result + "\""
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default:
            switch scalar.value {
            case ..<0x100: "\\x" + scalar.value.hexadecimal(digits: 2, uppercase: true)
            case ..<0x1_0000: "\\u" + scalar.value.hexadecimal(digits: 4, uppercase: true)
            default: "\\U" + scalar.value.hexadecimal(digits: 8, uppercase: true)
            }
        }
    }
}

/// Puts a text of one line between quotes where it is certain which text is meant.
package enum TextQuoting {
    /// Returns the mend that quotes the value on a line of block style, from 1, up to the line's end; nil when the value is
    /// quoted in part, a collection, goes on in the next line, or is followed by what may be a comment. With `comment`, the
    /// value begins with `#`.
    package static func mend(
        _ lines: [[Unicode.Scalar]], at number: Int, file: String, comment isComment: Bool = false
    ) -> Mend? {
        guard lines.indices.contains(number - 1) else { return nil }
        let scalars = lines[number - 1]
        let next = lines[number...].first { line in line.contains { $0 != " " } }
        guard let (key, start) = places(in: scalars), let last = scalars.lastIndex(where: { $0 != " " }), last >= start,
            isComment || (next?.firstIndex { $0 != " " } ?? 0) <= key
        else { return nil }
        let value = scalars[start...last]
        guard let first = value.first, !"\"'|>&!%".unicodeScalars.contains(first), (first == "#") == isComment,
            !value.contains(where: { HiddenCharacters.contain($0) }),
            isComment || !zip(value, value.dropFirst()).contains(where: { $0 == " " && $1 == "#" })
        else { return nil }
        // What is closed at its end is a collection, however it is written inside.
        let isPersonal = value.starts(with: "{{".unicodeScalars)
        if !isPersonal, first == "[" && value.last == "]" || first == "{" && value.last == "}" { return nil }
        var text = "\""
        for scalar in value {
            if scalar == "\"" || scalar == "\\" { text += "\\" }
            text.unicodeScalars.append(scalar)
        }
        let from = SourcePosition(line: number, column: start + 1)
        let to = SourcePosition(line: number, column: last + 2)
        return Mend(text + "\"", at: SourceRange(file: file, start: from, end: to))
    }

    /// The index of a key and of the value behind it, or of the `-` of a list and of what is behind that.
    private static func places(in line: [Unicode.Scalar]) -> (key: Int, value: Int)? {
        func afterSpaces(_ index: Int) -> Int { line[index...].firstIndex { $0 != " " } ?? line.count }
        var (start, dash) = (afterSpaces(0), nil as Int?)
        while start + 1 < line.count, line[start] == "-", line[start + 1] == " " {
            dash = start
            start = afterSpaces(start + 1)
        }
        let key = line[start...].prefix {
            $0.isASCII && ($0.properties.isAlphabetic || "0123456789_.$-".unicodeScalars.contains($0))
        }
        if !key.isEmpty, key.endIndex + 1 < line.count, line[key.endIndex] == ":", line[key.endIndex + 1] == " " {
            return (start, afterSpaces(key.endIndex + 1))
        }
        return dash.map { ($0, start) }
    }
}

extension JSONValue {
    fileprivate func mapStrings(_ written: (String) -> String) -> JSONValue {
        switch self {
        case .string(let text): .string(written(text))
        case .array(let elements): .array(elements.map { $0.mapStrings(written) })
        case .object(let members):
            .object(JSONObject(members.map { (key: $0.key, value: $0.value.mapStrings(written)) }))
        case .null, .bool, .integer, .number: self
        }
    }
}
