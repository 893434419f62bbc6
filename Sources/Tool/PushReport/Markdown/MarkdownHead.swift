internal import Phrasebook
internal import PushModel

/// Writes the head of the comment: the subject and the totals.
enum MarkdownHead {
    static func write(_ part: ReportDocument.Part, to writer: inout MarkdownWriter) {
        switch part {
        case .title(let title): write(title, to: &writer)
        case .figures(let figures): write(figures, to: &writer)
        case .closing(let lines): write(lines, to: &writer)
        case .items, .diagnostics, .table, .section: break
        }
    }

    private static func write(_ title: ReportDocument.Title, to writer: inout MarkdownWriter) {
        writer.markup("<h3>\(title.what)\(writer.language.say(.colon))")
        writer.text(title.workspace)
        writer.markup(" → ")
        writer.text(title.remote)
        writer.markup("</h3>\n")
        let lines = ([title.aside] + title.notes).filter { !$0.isEmpty }
        for (index, text) in lines.enumerated() {
            writer.markup(index > 0 ? "<br/>\n" : "<p>")
            writer.text(text)
        }
        writer.markup(lines.isEmpty ? "\n" : "</p>\n\n")
    }

    private static func write(_ figures: [ReportDocument.Figure], to writer: inout MarkdownWriter) {
        guard !figures.isEmpty else { return }
        writer.markup("|")
        for figure in figures {
            let mark = figure.mark.map { Glyphs.unicode.symbol($0) + " " } ?? ""
            writer.markup(" \(mark == "- " || mark == "~ " ? "" : mark)\(figure.label) |")
        }
        writer.markup("\n|" + String(repeating: " ---: |", count: figures.count) + "\n|")
        for figure in figures { writer.markup(" **\(figure.value.grouped)** |") }
        writer.markup("\n\n")
    }

    private static func write(_ lines: [String], to writer: inout MarkdownWriter) {
        guard !lines.isEmpty else { return }
        writer.markup("<p>")
        for (index, line) in lines.enumerated() {
            if index > 0 { writer.markup("<br/>\n") }
            writer.markup("<b>")
            writer.text(line)
            writer.markup("</b>")
        }
        writer.markup("</p>\n\n")
    }
}
