internal import Base
internal import Push

/// Writes tables, sections and their contents within a number of characters.
struct MarkdownBlocks {
    private let most: Int
    private let language: Language

    /// The longest block of code; the pages have all of it.
    private static let longestCode = 4000

    init(upTo most: Int, in language: Language) {
        self.most = most
        self.language = language
    }

    /// A folded section of the report; only its heading when there is no room.
    func written(_ section: ReportDocument.Section) -> MarkdownWriter {
        var writer = MarkdownWriter(language)
        Self.write(section, to: &writer)
        writer.markup("\n")
        if writer.count <= most { return writer }
        writer = MarkdownWriter(language)
        writer.markup("<p>")
        Self.writeHeading(of: section, to: &writer)
        writer.markup("\(language.say(.seeArtifact))</p>\n\n")
        return writer.count <= most ? writer : MarkdownWriter(language)
    }

    /// A table that is the report's content; rows without room are counted.
    func written(_ table: ReportDocument.Table) -> MarkdownWriter {
        var writer = MarkdownWriter(language)
        var rows = table.rows.count
        repeat {
            writer = MarkdownWriter(language)
            var part = table
            part.rows = Array(table.rows.prefix(rows))
            Self.write(part, to: &writer)
            if rows < table.rows.count {
                writer.markup("<p>… \(language.say(.moreRows(table.rows.count - rows))).</p>\n")
            }
            writer.markup("\n")
            if writer.count <= most { return writer }
            rows = min(rows - 1, rows * most / writer.count)
        } while rows > 0
        return MarkdownWriter(language)
    }

    static func write(_ details: [ReportDocument.Detail], to writer: inout MarkdownWriter) {
        let rows = details.filter { if case .quote = $0 { false } else { true } }
        guard !rows.isEmpty else { return }
        writer.markup("<table>\n")
        for detail in rows {
            switch detail {
            case .quote: continue
            case .field(let label, let value, let aside):
                writer.text(label, between: "<tr><th>", and: "</th><td>")
                writer.text(value)
                if let aside { writer.text(aside, between: " – ", and: "") }
            case .changed(let label, let from, let to):
                writer.text(label, between: "<tr><th>", and: "</th><td>")
                writer.texts([from, to], broken: " → ")
            }
            writer.markup("</td></tr>\n")
        }
        writer.markup("</table>\n")
    }

    static func write(_ section: ReportDocument.Section, to writer: inout MarkdownWriter) {
        guard !section.blocks.isEmpty else { return }
        writer.markup("<details>\n<summary>")
        writeHeading(of: section, to: &writer)
        writer.markup("</summary>\n")
        for block in section.blocks { write(block, to: &writer) }
        writer.markup("</details>\n")
    }

    private static func writeHeading(of section: ReportDocument.Section, to writer: inout MarkdownWriter) {
        writer.text(section.heading)
        if let aside = section.aside { writer.text(aside, between: writer.language.say(.colon), and: "") }
    }

    private static func write(_ block: ReportDocument.Block, to writer: inout MarkdownWriter) {
        switch block {
        case .paragraph(let text): writer.text(text, between: "<p>", and: "</p>\n")
        case .list(let lines):
            writer.markup("<ul>\n")
            writer.texts(lines, broken: "", between: "<li>", and: "</li>\n")
            writer.markup("</ul>\n")
        case .remark(let severity, let text):
            let head = "<p><b>\(writer.language.say(severity.label))</b>\(writer.language.say(.colon))"
            writer.text(text, between: head, and: "</p>\n")
        case .table(let table): write(table, to: &writer)
        case .calendar(let calendar, _): write(calendar.table(in: writer.language), to: &writer)
        case .looks(let looks): for look in looks { write(look, to: &writer) }
        case .code(let text): writer.pre(text, upTo: longestCode)
        case .json(let value): writer.pre(value.shownText, upTo: longestCode)
        }
    }

    private static func write(_ look: NotificationLook, to writer: inout MarkdownWriter) {
        writer.markup("<p><b>\(look.caption)</b>")
        writer.texts(look.lines(in: writer.language), broken: "", between: "<br/>\n")
        writer.markup("</p>\n")
    }

    private static func write(_ table: ReportDocument.Table, to writer: inout MarkdownWriter) {
        guard !table.rows.isEmpty else { return }
        writer.markup("<table>\n<tr>")
        writer.texts(table.columns.map(\.heading), broken: "", between: "<th>", and: "</th>")
        writer.markup("</tr>\n")
        for (number, row) in table.rows.enumerated() {
            writer.markup("<tr>")
            for (place, (text, column)) in zip(row, table.columns).enumerated() {
                writer.markup(column.isNumeric ? "<td align=\"right\">" : "<td>")
                let page = place == 0 && number < table.pages.count ? table.pages[number] : nil
                if let page { writer.markup("<a href=\"\(page.text.replacing("&", with: "&amp;"))\">") }
                if let text { writer.text(text) }
                if page != nil { writer.markup("</a>") }
                writer.markup("</td>")
            }
            writer.markup("</tr>\n")
        }
        writer.markup("</table>\n")
    }
}

extension JSONValue {
    /// The value on many lines, with invisible characters escaped as in JSON.
    var shownText: String { String(decoding: OrderedJSON.value(self).bytes, as: UTF8.self) }
}
