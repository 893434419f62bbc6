internal import Diagnostics
internal import Phrasebook
internal import PushModel

/// Renders a document as one comment of a pull request: what it comes to first, then what is risky, then the rest,
/// folded; and what has no room, counted.
struct MarkdownRenderer {
    private let limit: Int
    private let language: Language

    /// Room for the words that say what was left out.
    private static let reserve = 600

    init(options: ReportOptions) {
        limit = options.markdownLimit
        language = options.language
    }

    /// The comment, of at most as many UTF-16 units as the options say.
    func render(_ document: ReportDocument) -> [UInt8] {
        guard !document.parts.allSatisfy(\.isEmpty) else { return [] }
        var writer = MarkdownWriter(language)
        for part in document.parts { MarkdownHead.write(part, to: &writer) }
        var rest: [MarkdownWriter] = []
        // The list of changes takes what the others leave; each of those has its share of the whole.
        for part in document.parts {
            let share = limit / (isOnlyContent(part, of: document) ? 1 : 6)
            rest.append(tail(part, upTo: min(share, limit - writer.count - Self.reserve)))
        }
        let spent = rest.reduce(writer.count + Self.reserve) { $0 + $1.count }
        var items = MarkdownItems(upTo: limit - spent, in: language)
        for case .items(let list) in document.parts { items.write(list) }
        writer.append(items.writer)
        for part in rest where writer.count + part.count <= limit { writer.append(part) }
        return writer.count <= limit ? writer.bytes : tooLong
    }

    /// Whether nothing else in the document takes room.
    private func isOnlyContent(_ part: ReportDocument.Part, of document: ReportDocument) -> Bool {
        document.parts.allSatisfy { other in
            switch other {
            case .title, .closing, .figures: true
            case .items, .diagnostics, .table, .section: other.isEmpty || other == part
            }
        }
    }

    /// What stands after the changes.
    private func tail(_ part: ReportDocument.Part, upTo most: Int) -> MarkdownWriter {
        switch part {
        case .title, .items, .closing, .figures: return MarkdownWriter(language)
        case .diagnostics(let diagnostics): return MarkdownDiagnostics(upTo: most, in: language).written(diagnostics)
        case .table(let table): return MarkdownBlocks(upTo: most, in: language).written(table)
        case .section(let section):
            guard !section.blocks.isEmpty else { return MarkdownWriter(language) }
            return MarkdownBlocks(upTo: most, in: language).written(section)
        }
    }

    /// What there is to say where not even the head has room.
    private var tooLong: [UInt8] {
        Array((language.say(.tooLong) + "\n").utf8)
    }
}
