internal import Push

/// Writes the table of pushes, and of what else a reviewer looks at first: the riskiest in the first rows; those without
/// room are counted.
struct MarkdownPushes {
    private let most: Int
    private let language: Language
    /// The reasons that block more than one item: told once, under the table.
    private let shared: [ReportDocument.Blocked]

    private static let end = "</table>\n\n"
    /// The longest text of a cell.
    private static let longest = 160

    init(_ items: [ReportDocument.Item], upTo most: Int, in language: Language) {
        self.most = most
        self.language = language
        shared = items.sharedBlocks
    }

    /// True for an item that has a row.
    static func has(_ item: ReportDocument.Item) -> Bool { item.push != nil || item.risk <= .warned }

    /// The table of the first of these items, the riskiest first, and their number.
    func written(_ items: [ReportDocument.Item]) -> (writer: MarkdownWriter, count: Int) {
        var writer = MarkdownWriter(language)
        let headings: [Phrase] = [.pushColumn, .whenColumn, .whomColumn, .devicesColumn, .lookOutColumn]
        writer.markup("<table>\n<tr>" + headings.map { "<th>\(language.say($0))</th>" }.joined() + "</tr>\n")
        let reasons = self.reasons
        var count = 0
        for item in items {
            var row = MarkdownWriter(language)
            write(item, to: &row)
            guard writer.count + row.count + reasons.count + Self.end.utf8.count <= most else { break }
            writer.append(row)
            count += 1
        }
        writer.markup(Self.end)
        writer.append(reasons)
        return count > 0 ? (writer, count) : (MarkdownWriter(language), 0)
    }

    private func write(_ item: ReportDocument.Item, to writer: inout MarkdownWriter) {
        writer.markup("<tr><td>\(item.sign) ")
        if item.kind != .campaign { writer.markup(language.word(item.kind) + " ") }
        writer.markup("<b>")
        writer.text(item.name, upTo: Self.longest)
        writer.markup("</b>")
        for case .quote(let text) in item.details {
            writer.markup("<br/>“")
            writer.text(text, upTo: Self.longest)
            writer.markup("”")
        }
        writer.markup("</td><td>")
        write(item.push?.when ?? [item.mark == .blocked ? "" : item.outcome ?? ""], to: &writer)
        writer.markup("</td><td>")
        write(item.push?.whom ?? [], to: &writer)
        writer.markup("</td><td align=\"right\">")
        write([item.push?.devices].compactMap(\.self), to: &writer)
        writer.markup("</td><td>")
        let blocks = item.blocks.map {
            "\(ReportDocument.Verdict.Tone.stop.sign) " + (shared.contains($0) ? $0.word : $0.reason)
        }
        write(blocks + (item.push?.lookOut ?? []), to: &writer)
        writer.markup("</td></tr>\n")
    }

    private func write(_ lines: [String], to writer: inout MarkdownWriter) {
        for (index, line) in lines.enumerated() {
            if index > 0 { writer.markup("<br/>") }
            writer.text(line)
        }
    }

    private var reasons: MarkdownWriter {
        var writer = MarkdownWriter(language)
        guard !shared.isEmpty else { return writer }
        writer.markup("<p>")
        for (index, block) in shared.enumerated() {
            writer.markup(
                (index > 0 ? "<br/>\n" : "")
                    + "\(ReportDocument.Verdict.Tone.stop.sign) <b>\(block.word)</b>\(language.say(.colon))")
            writer.text(block.reason)
        }
        writer.markup("</p>\n\n")
        return writer
    }
}

extension [ReportDocument.Item] {
    /// The reasons that block more than one item, in the order in which they are met.
    var sharedBlocks: [ReportDocument.Blocked] {
        var (counts, order) = ([ReportDocument.Blocked: Int](), [ReportDocument.Blocked]())
        for block in flatMap(\.blocks) {
            if counts[block] == nil { order.append(block) }
            counts[block, default: 0] += 1
        }
        return order.filter { (counts[$0] ?? 0) > 1 }
    }
}

extension ReportDocument.Item {
    /// A sign for what it means to a reviewer.
    fileprivate var sign: String {
        switch mark {
        case .blocked, .unknown: ReportDocument.Verdict.Tone.stop.sign
        case .missed: ReportDocument.Verdict.Tone.look.sign
        case .wait: Glyphs.unicode.symbol(mark)
        default:
            (risk.concern == nil && push?.lookOut.isEmpty != false ? ReportDocument.Verdict.Tone.fine : .look).sign
        }
    }
}
