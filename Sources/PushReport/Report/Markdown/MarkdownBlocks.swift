internal import Base
internal import Push

/// Tables, sections and their contents.
extension MarkdownWriter {
    /// The longest block of code; the pages have all of it.
    private static let longestCode = 4000

    /// A folded section of the report, of at most so many characters; only its heading when there is no room.
    static func written(_ section: ReportDocument.Section, upTo most: Int, in language: Language) -> MarkdownWriter {
        var writer = MarkdownWriter(language)
        writer.write(section)
        writer.markup("\n")
        if writer.count <= most { return writer }
        writer = MarkdownWriter(language)
        writer.markup("<p>")
        writer.writeHeading(of: section)
        writer.markup("\(language.say(.seeArtifact))</p>\n\n")
        return writer.count <= most ? writer : MarkdownWriter(language)
    }

    /// A table that is the report's content, of at most so many characters; rows without room are counted.
    static func written(_ table: ReportDocument.Table, upTo most: Int, in language: Language) -> MarkdownWriter {
        var writer = MarkdownWriter(language)
        var rows = table.rows.count
        repeat {
            writer = MarkdownWriter(language)
            var part = table
            part.rows = Array(table.rows.prefix(rows))
            writer.write(part)
            if rows < table.rows.count {
                writer.markup("<p>… \(language.say(.moreRows(table.rows.count - rows))).</p>\n")
            }
            writer.markup("\n")
            if writer.count <= most { return writer }
            rows = min(rows - 1, rows * most / writer.count)
        } while rows > 0
        return MarkdownWriter(language)
    }

    mutating func write(_ details: [ReportDocument.Detail]) {
        let rows = details.filter { if case .quote = $0 { false } else { true } }
        guard !rows.isEmpty else { return }
        markup("<table>\n")
        for detail in rows {
            switch detail {
            case .quote: continue
            case .field(let label, let value, let aside):
                text(label, between: "<tr><th>", and: "</th><td>")
                text(value)
                if let aside { text(aside, between: " – ", and: "") }
            case .changed(let label, let from, let to):
                text(label, between: "<tr><th>", and: "</th><td>")
                texts([from, to], broken: " → ")
            }
            markup("</td></tr>\n")
        }
        markup("</table>\n")
    }

    mutating func write(_ section: ReportDocument.Section) {
        guard !section.blocks.isEmpty else { return }
        markup("<details>\n<summary>")
        writeHeading(of: section)
        markup("</summary>\n")
        for block in section.blocks { write(block) }
        markup("</details>\n")
    }

    private mutating func writeHeading(of section: ReportDocument.Section) {
        text(section.heading)
        if let aside = section.aside { text(aside, between: language.say(.colon), and: "") }
    }

    private mutating func write(_ block: ReportDocument.Block) {
        switch block {
        case .paragraph(let text): self.text(text, between: "<p>", and: "</p>\n")
        case .list(let lines):
            markup("<ul>\n")
            texts(lines, broken: "", between: "<li>", and: "</li>\n")
            markup("</ul>\n")
        case .remark(let severity, let text):
            let head = "<p><b>\(language.say(severity.label))</b>\(language.say(.colon))"
            self.text(text, between: head, and: "</p>\n")
        case .table(let table): write(table)
        case .calendar(let calendar, _): write(calendar.table(in: language))
        case .looks(let looks): for look in looks { write(look) }
        case .code(let text): pre(text, upTo: Self.longestCode)
        case .json(let value): pre(value.shownText, upTo: Self.longestCode)
        }
    }

    private mutating func write(_ look: NotificationLook) {
        text(look.caption, between: "<p><b>", and: "</b>")
        texts(look.lines(in: language), broken: "", between: "<br/>\n")
        markup("</p>\n")
    }

    private mutating func write(_ table: ReportDocument.Table) {
        guard !table.rows.isEmpty else { return }
        markup("<table>\n<tr>")
        texts(table.columns.map(\.heading), broken: "", between: "<th>", and: "</th>")
        markup("</tr>\n")
        for (number, row) in table.rows.enumerated() {
            markup("<tr>")
            for (place, (text, column)) in zip(row, table.columns).enumerated() {
                markup(column.isNumeric ? "<td align=\"right\">" : "<td>")
                let page = place == 0 && number < table.pages.count ? table.pages[number] : nil
                if let page { markup("<a href=\"\(page.text.replacing("&", with: "&amp;"))\">") }
                if let text { self.text(text) }
                if page != nil { markup("</a>") }
                markup("</td>")
            }
            markup("</tr>\n")
        }
        markup("</table>\n")
    }
}

extension JSONValue {
    /// The value on many lines, with invisible characters escaped as in JSON.
    var shownText: String { String(decoding: OrderedJSON.value(self).bytes, as: UTF8.self) }
}
