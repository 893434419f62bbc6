package import Base

/// A document to be written: mappings keep the order of their keys, and any entry may have comments.
package indirect enum YAMLTree: Sendable {
    /// Any value; the keys of its mappings are sorted.
    case value(JSONValue)
    /// A text that needs no quotes, such as `2026-11-27T20:00:00+08:00` or `7d`; written as it is.
    case plain(String)
    /// A mapping.
    case map([Entry])
    /// A list.
    case list([YAMLTree])

    /// One entry of a mapping.
    package struct Entry: Sendable {
        /// The key.
        package var key: String
        /// Its value.
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
