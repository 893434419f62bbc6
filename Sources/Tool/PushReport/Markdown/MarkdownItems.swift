internal import Phrasebook
internal import PushModel

/// Writes changes or results: the riskiest first, folded; then, when room runs out, one line each; then their counts.
struct MarkdownItems {
    private(set) var writer: MarkdownWriter
    private let most: Int
    private var state = State()

    /// The open elements.
    private struct State {
        /// The current heading.
        var group: Label?
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
        if written(sorted[...], isFull: true, upTo: most) == sorted.count { return }
        // Not everything fits: the first items are shown in full, as many others as possible as lines, and the rest is
        // counted.
        self = MarkdownItems(upTo: most, in: language)
        let whole = written(sorted[...], isFull: true, upTo: most * 3 / 5)
        let lines = whole + written(sorted[whole...], isFull: false, upTo: most)
        writeCounts(sorted[lines...])
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
        let isNewGroup = state.group != item.risk.group
        if state.isInList, isNewGroup || isFolded {
            writer.markup(Self.endOfList)
            state.isInList = false
        }
        if isNewGroup {
            state.group = item.risk.group
            writer.markup("#### \(language.say(item.risk.group))\n\n")
        }
        if isFolded {
            writer.markup("<details>\n<summary>")
            Self.writeLine(item, to: &writer)
            for case .quote(let text) in item.details {
                writer.markup("<br/>“")
                writer.text(text)
                writer.markup("”")
            }
            writer.markup("</summary>\n")
            MarkdownBlocks.write(item.details, to: &writer)
            for section in item.sections { MarkdownBlocks.write(section, to: &writer) }
            writer.markup("</details>\n\n")
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
        if item.devices > 0 {
            writer.markup(writer.language.say(.comma) + writer.language.say(.devices(item.devices)))
        }
        if item.risk != .blocked, item.risk != .unknown, let concern = item.risk.concern {
            writer.markup(" – <b>\(writer.language.say(concern))</b>")
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

extension Risk {
    /// The heading of its group in a comment or page.
    var group: Label {
        switch self {
        case .blocked, .unknown, .everyone, .large, .uncounted, .warned: .lookFirst
        case .now, .later: .pushesGroup
        case .removal, .routine: .restGroup
        }
    }
}

extension Mark {
    /// The label of its count.
    var label: Label {
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
