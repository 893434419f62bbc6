package import Base

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
