internal import Base

/// Writes a diagnostic: its message, the source line with a caret, the remedy, and related places.
struct DiagnosticText {
    let diagnostic: Diagnostic
    let sourceLine: @Sendable (_ file: String, _ line: Int) -> String?

    func write(to writer: inout TextWriter) {
        write(place: diagnostic.range, to: &writer)
        writer.write(diagnostic.severity.rawValue + ":", diagnostic.severity.paint)
        writer.write(" ")
        writer.write(diagnostic.message, .bold, wrappedTo: 2)
        writer.line(" [\(diagnostic.code.rawValue)]", wrappedTo: 2)
        if let range = diagnostic.range, let line = sourceLine(range.file, range.start.line) {
            SourceExcerpt(of: line, range).write(to: &writer)
        }
        if let help = diagnostic.help {
            writer.write("  help: ", .cyan)
            writer.line(help, wrappedTo: 8)
        }
        for related in diagnostic.related {
            writer.write("  ")
            write(place: related.range, to: &writer)
            writer.write("note: ", .cyan)
            writer.line(related.message, wrappedTo: 4)
        }
    }

    private func write(place: SourceRange?, to writer: inout TextWriter) {
        guard let place else { return }
        writer.write(place.file)
        writer.write(":\(place.start.line):\(place.start.column): ")
    }
}

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
        writer.line(text)
        writer.pad(to: 2 + indent)
        writer.line(caret, .green)
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
