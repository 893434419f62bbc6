internal import Push

/// Writes changes or results: pushes as a table with everything else about each of them folded, then the rest, the
/// riskiest first, folded; then, when room runs out, one line each; then their counts.
struct MarkdownItems {
    private(set) var writer: MarkdownWriter
    private let most: Int
    private var state = State()

    /// The open elements.
    private struct State {
        /// True if the heading is written.
        var hasHeading = false
        /// True if a list has begun.
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
        let (rows, others) = (sorted.filter(MarkdownPushes.has), sorted.filter { !MarkdownPushes.has($0) })
        guard !rows.isEmpty else { return writeRest(others, upTo: most) }
        let table = MarkdownPushes(rows, upTo: most * 3 / 5, in: language).written(rows)
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
            piece.markup("<details>\n<summary>\(Glyphs.unicode.symbol(item.mark)) <b>")
            piece.text(item.name)
            piece.markup("</b></summary>\n")
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
        MarkdownBlocks.write(item.details, to: &writer)
        for section in item.sections { MarkdownBlocks.write(section, to: &writer) }
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
        writer.markup("\(Glyphs.unicode.symbol(item.mark)) ")
        writer.text(writer.language.word(item.kind))
        writer.markup(" <b>")
        writer.text(item.name)
        writer.markup("</b>")
        if let outcome = item.outcome {
            writer.markup(writer.language.say(.colon))
            writer.text(outcome)
        }
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

extension Mark {
    /// The label of its count.
    var label: Phrase {
        switch self {
        case .create: .toCreate
        case .update: .toUpdate
        case .delete: .toDelete
        case .send: .toSend
        case .schedule: .toSchedule
        case .cancel: .toCancel
        case .resume: .toResume
        case .blocked: .blocked
        case .wait: .waiting
        case .missed: .missed
        case .unknown: .unknown
        case .done: .done
        case .ongoing: .ongoing
        case .partly: .partly
        case .failed: .failed
        case .skipped: .skipped
        }
    }
}
