internal import Push

/// Writes the head of the comment: the subject, the verdict and the totals.
enum MarkdownHead {
    static func write(_ document: ReportDocument, to writer: inout MarkdownWriter) {
        let hasVerdict = document.parts.contains { if case .verdict = $0 { true } else { false } }
        for part in document.parts { write(part, isTold: hasVerdict, to: &writer) }
    }

    /// Writes a part; totals are in small print if a verdict has told the whole.
    private static func write(_ part: ReportDocument.Part, isTold: Bool, to writer: inout MarkdownWriter) {
        switch part {
        case .title(let title): write(title, to: &writer)
        case .verdict(let verdict): write(verdict, to: &writer)
        case .closing(let lines): write(lines, in: isTold ? "sub" : "b", to: &writer)
        case .items, .diagnostics, .table, .section: break
        }
    }

    private static func write(_ title: ReportDocument.Title, to writer: inout MarkdownWriter) {
        writer.markup("<h3>\(title.what)\(writer.language.say(.colon))")
        let lines = ([title.aside] + title.notes).filter { !$0.isEmpty }
        if let headline = title.headline {
            writer.text(headline)
            writer.markup("</h3>\n<p>")
            writeWay(of: title, to: &writer)
            writer.markup(lines.isEmpty ? "</p>" : "<br/>\n")
        } else {
            writeWay(of: title, to: &writer)
            writer.markup(lines.isEmpty ? "</h3>" : "</h3>\n<p>")
        }
        for (index, text) in lines.enumerated() {
            if index > 0 { writer.markup("<br/>\n") }
            writer.text(text)
        }
        writer.markup(lines.isEmpty ? "\n\n" : "</p>\n\n")
    }

    private static func writeWay(of title: ReportDocument.Title, to writer: inout MarkdownWriter) {
        writer.text(title.workspace)
        writer.markup(" → ")
        writer.text(title.remote)
    }

    private static func write(_ verdict: ReportDocument.Verdict, to writer: inout MarkdownWriter) {
        writer.markup("<p>\(verdict.tone.sign) <b>")
        writer.text(verdict.text)
        writer.markup("</b></p>\n\n")
    }

    private static func write(_ lines: [String], in element: String, to writer: inout MarkdownWriter) {
        guard !lines.isEmpty else { return }
        writer.markup("<p>")
        for (index, line) in lines.enumerated() {
            if index > 0 { writer.markup("<br/>\n") }
            writer.markup("<\(element)>")
            writer.text(line)
            writer.markup("</\(element)>")
        }
        writer.markup("</p>\n\n")
    }
}
