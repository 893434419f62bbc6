internal import Base
internal import Push

/// Renders a document as a pull request comment: the verdict and totals first, then the pushes, then the rest, folded;
/// items without room are counted.
struct MarkdownRenderer {
    private let limit: Int
    private let language: Language

    /// Room for the sentences about omitted content.
    private static let reserve = 600

    init(options: ReportOptions) {
        limit = options.markdownLimit
        language = options.language
    }

    /// Renders the comment, limited to the number of UTF-16 units in the options.
    func render(_ document: ReportDocument) -> [UInt8] {
        guard !document.parts.allSatisfy(\.isEmpty) else { return [] }
        var writer = MarkdownWriter(language)
        MarkdownHead.write(document, to: &writer)
        var rest: [MarkdownWriter] = []
        // The list of changes gets the room that the other parts leave; each of those has its share of the whole.
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

    /// True if no other part of the document takes room.
    private func isOnlyContent(_ part: ReportDocument.Part, of document: ReportDocument) -> Bool {
        document.parts.allSatisfy { other in
            switch other {
            case .title, .closing, .verdict: true
            case .items, .diagnostics, .table, .section: other.isEmpty || other == part
            }
        }
    }

    /// The parts after the changes.
    private func tail(_ part: ReportDocument.Part, upTo most: Int) -> MarkdownWriter {
        switch part {
        case .title, .items, .closing, .verdict: return MarkdownWriter(language)
        case .diagnostics(let diagnostics): return MarkdownDiagnostics(upTo: most, in: language).written(diagnostics)
        case .table(let table): return MarkdownBlocks(upTo: most, in: language).written(table)
        case .section(let section):
            guard !section.blocks.isEmpty else { return MarkdownWriter(language) }
            return MarkdownBlocks(upTo: most, in: language).written(section)
        }
    }

    /// The message when not even the head fits.
    private var tooLong: [UInt8] {
        Array((language.say(.tooLong) + "\n").utf8)
    }
}
