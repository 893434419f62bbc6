internal import Push

/// Writes changes or results: pushes as a table with everything else about each of them folded, then the rest, the
/// riskiest first, folded; then, when room runs out, one line each; then their counts.
struct MarkdownItems {
    private(set) var writer: MarkdownWriter
    private let most: Int
    private var state = State()

    /// The open elements.
    private struct State {
        var hasHeading = false
        var isInList = false
    }

    private static let endOfList = "</ul>\n\n"

    private var language: Language { writer.language }

    init(upTo most: Int, in language: Language) {
        self.most = most
        writer = MarkdownWriter(language)
    }

    mutating func write(_ items: [ReportDocument.Item]) {
        let sorted = items.riskiestFirst.map { items[$0] }
        let (rows, others) = (sorted.filter(\.hasRow), sorted.filter { !$0.hasRow })
        guard !rows.isEmpty else { return writeRest(others, upTo: most) }
        let table = MarkdownWriter.table(of: rows, upTo: most * 3 / 5, in: language)
        var rest = MarkdownItems(upTo: most, in: language)
        rest.writeRest(others, upTo: (most - table.writer.count) / 2)
        writer.append(table.writer)
        writeCounts(rows[table.count...])
        writeFolded(rows[..<table.count], upTo: most - rest.writer.count)
        writer.append(rest.writer)
    }

    /// Writes items that are no pushes.
    private mutating func writeRest(_ items: [ReportDocument.Item], upTo most: Int) {
        if written(items[...], isFull: true, upTo: most) == items.count { return }
        // Not everything fits: the first items are shown in full, as many others as possible as lines, and the rest is
        // counted.
        self = MarkdownItems(upTo: self.most, in: language)
        let whole = written(items[...], isFull: true, upTo: most * 3 / 5)
        let lines = whole + written(items[whole...], isFull: false, upTo: most)
        writeCounts(items[lines...])
    }

    /// Writes what there is to tell about rows of the table, each folded in one that is folded.
    private mutating func writeFolded(_ items: ArraySlice<ReportDocument.Item>, upTo most: Int) {
        let (start, end) = ("<details>\n<summary>\(language.say(.eachPush))</summary>\n", "</details>\n\n")
        var folded = MarkdownWriter(language)
        for item in items where !item.details.isEmpty || !item.sections.isEmpty {
            var piece = MarkdownWriter(language)
            let head = "<details>\n<summary>\(item.mark.symbol) <b>"
            piece.text(item.name, between: head, and: "</b></summary>\n")
            Self.writeContents(of: item, to: &piece)
            guard writer.count + start.utf8.count + folded.count + piece.count + end.utf8.count <= most else { break }
            folded.append(piece)
        }
        guard folded.count > 0 else { return }
        writer.markup(start)
        writer.append(folded)
        writer.markup(end)
    }

    private static func writeContents(of item: ReportDocument.Item, to writer: inout MarkdownWriter) {
        writer.write(item.details)
        for section in item.sections { writer.write(section) }
        writer.markup("</details>\n")
    }

    /// Writes as many items as fit; returns their number.
    private mutating func written(_ items: ArraySlice<ReportDocument.Item>, isFull: Bool, upTo most: Int) -> Int {
        var count = 0
        for item in items {
            var state = state
            let piece = piece(item, isFull: isFull, &state)
            if writer.count + piece.count + Self.endOfList.utf8.count > most { break }
            writer.append(piece)
            self.state = state
            count += 1
        }
        if state.isInList { writer.markup(Self.endOfList) }
        state.isInList = false
        return count
    }

    private func piece(_ item: ReportDocument.Item, isFull: Bool, _ state: inout State) -> MarkdownWriter {
        var writer = MarkdownWriter(language)
        let isFolded = isFull && (!item.details.isEmpty || !item.sections.isEmpty)
        if state.isInList, isFolded {
            writer.markup(Self.endOfList)
            state.isInList = false
        }
        if !state.hasHeading {
            state.hasHeading = true
            writer.markup("#### \(language.say(.restGroup))\n\n")
        }
        if isFolded {
            writer.markup("<details>\n<summary>")
            Self.writeLine(item, to: &writer)
            writer.markup("</summary>\n")
            Self.writeContents(of: item, to: &writer)
            writer.markup("\n")
        } else {
            if !state.isInList { writer.markup("<ul>\n") }
            state.isInList = true
            writer.markup("<li>")
            Self.writeLine(item, to: &writer)
            writer.markup("</li>\n")
        }
        return writer
    }

    private static func writeLine(_ item: ReportDocument.Item, to writer: inout MarkdownWriter) {
        writer.markup("\(item.mark.symbol) ")
        writer.text(writer.language.word(item.kind))
        writer.text(item.name, between: " <b>", and: "</b>")
        if let outcome = item.outcome { writer.text(outcome, between: writer.language.say(.colon), and: "") }
    }

    private mutating func writeCounts(_ items: ArraySlice<ReportDocument.Item>) {
        guard !items.isEmpty else { return }
        let counts = Mark.allCases.compactMap { mark -> String? in
            let count = items.count { $0.mark == mark }
            return count == 0 ? nil : language.say(.count(count, of: language.say(mark.label)))
        }
        writer.markup("<p>\(language.say(.moreItems(items.count, counts)))</p>\n\n")
    }
}

// MARK: - Pushes

extension MarkdownWriter {
    /// The longest text of a cell.
    private static let longestCell = 160

    /// The table of pushes, and of what else a reviewer looks at first: as many items as have room, the riskiest first,
    /// and their number. A reason that blocks more than one of them is told once, under the table.
    fileprivate static func table(
        of items: [ReportDocument.Item], upTo most: Int, in language: Language
    ) -> (writer: MarkdownWriter, count: Int) {
        let shared = items.sharedBlocks
        var end = MarkdownWriter(language)
        end.markup("</table>\n\n")
        for (index, block) in shared.enumerated() {
            let head = "\(ReportDocument.Verdict.Tone.stop.sign) <b>\(block.word)</b>\(language.say(.colon))"
            end.text(block.reason, between: (index > 0 ? "<br/>\n" : "<p>") + head, and: "")
        }
        if !shared.isEmpty { end.markup("</p>\n\n") }
        var writer = MarkdownWriter(language)
        let headings: [Phrase] = [.pushColumn, .whenColumn, .whomColumn, .devicesColumn, .lookOutColumn]
        writer.markup("<table>\n<tr>" + headings.map { "<th>\(language.say($0))</th>" }.joined() + "</tr>\n")
        var count = 0
        for item in items {
            var row = MarkdownWriter(language)
            row.writeRow(item, shared)
            guard writer.count + row.count + end.count <= most else { break }
            writer.append(row)
            count += 1
        }
        writer.append(end)
        return count > 0 ? (writer, count) : (MarkdownWriter(language), 0)
    }

    private mutating func writeRow(_ item: ReportDocument.Item, _ shared: [ReportDocument.Blocked]) {
        markup("<tr><td>\(item.sign) ")
        if item.kind != .campaign { markup(language.word(item.kind) + " ") }
        text(item.name, between: "<b>", and: "</b>", upTo: Self.longestCell)
        for case .quote(let words) in item.details {
            text(words, between: "<br/>“", and: "”", upTo: Self.longestCell)
        }
        markup("</td><td>")
        texts(item.push?.when ?? [item.mark == .blocked ? "" : item.outcome ?? ""], broken: "<br/>")
        markup("</td><td>")
        texts(item.push?.whom ?? [], broken: "<br/>")
        markup("</td><td align=\"right\">")
        if let devices = item.push?.devices { text(devices) }
        markup("</td><td>")
        let blocks = item.blocks.map {
            "\(ReportDocument.Verdict.Tone.stop.sign) " + (shared.contains($0) ? $0.word : $0.reason)
        }
        texts(blocks + (item.push?.lookOut ?? []), broken: "<br/>")
        markup("</td></tr>\n")
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
    /// True for an item that has a row in the table.
    fileprivate var hasRow: Bool { push != nil || risk <= .warned }

    /// A sign for what it means to a reviewer.
    fileprivate var sign: String {
        switch mark {
        case .blocked, .unknown: ReportDocument.Verdict.Tone.stop.sign
        case .missed: ReportDocument.Verdict.Tone.look.sign
        case .wait: mark.symbol
        default:
            (risk.concern == nil && push?.lookOut.isEmpty != false ? ReportDocument.Verdict.Tone.fine : .look).sign
        }
    }
}
