internal import Base

/// The source line of a diagnostic, with a caret under the place.
struct SourceExcerpt {
    private let text: String
    /// The column of the caret on the screen.
    private let indent: Int
    /// The number of underlined columns.
    private let length: Int

    private static let tabWidth = 4
    /// Lines longer than this are cut around the place.
    private static let (longest, before) = (160, 60)

    init(of line: String, _ range: SourceRange) {
        var scalars = line.unicodeScalars[...]
        var start = max(0, range.start.column - 1)
        var isCutBefore = false
        if start > Self.longest - Self.before, scalars.count > Self.longest {
            let cut = min(start, scalars.count) - Self.before
            scalars = scalars.dropFirst(cut)
            start -= cut
            isCutBefore = true
        }
        let isCutAfter = scalars.count > Self.longest
        if isCutAfter { scalars = scalars.prefix(Self.longest) }
        let marked = range.end.line == range.start.line ? max(1, range.end.column - range.start.column) : 1

        let lead = isCutBefore ? "…" : ""
        text = lead + Self.expanded(scalars) + (isCutAfter ? "…" : "")
        indent = Self.width(lead + Self.expanded(scalars.prefix(start)))
        length = max(1, Self.width(lead + Self.expanded(scalars.prefix(start + marked))) - indent)
    }

    private var caret: String { "^" + String(repeating: "~", count: length - 1) }

    func write(to writer: inout TextWriter) {
        writer.pad(to: 2)
        writer.write(text)
        writer.endLine()
        writer.pad(to: 2 + indent)
        writer.write(caret, .green)
        writer.endLine()
    }

    /// The view of the page's template.
    var view: HTMLTemplates.View { ["line": text, "caret": String(repeating: " ", count: indent) + caret] }

    private static func width(_ text: String) -> Int { DisplayWidth.of(escaped(text)) }

    /// The text with tabs expanded to the next tab stop.
    private static func expanded(_ scalars: Substring.UnicodeScalarView) -> String {
        guard scalars.contains("\t") else { return String(scalars) }
        var text = ""
        for scalar in scalars {
            if scalar == "\t" {
                text += String(repeating: " ", count: tabWidth - width(text) % tabWidth)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
