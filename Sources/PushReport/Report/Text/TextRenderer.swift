internal import Base
internal import Push

/// Renders a document as text; the layout of docs/reference/plan-text.md#layout.
struct TextRenderer {
    private(set) var writer: TextWriter
    private let options: ReportOptions
    /// The app in drawn notifications.
    private var app = ShownApp(name: "")

    /// The column of a line's right part, counted from 0.
    private static let rightColumn = 62
    /// The columns of a detail's label and value.
    private static let (detailColumn, valueColumn) = (6, 20)

    /// The approximate size of an item with its details.
    private static let bytesOfItem = 800

    init(options: ReportOptions) {
        self.options = options
        writer = TextWriter(style: options.style, language: options.language)
    }

    mutating func render(_ document: ReportDocument) {
        for case .title(let title) in document.parts { app = title.app ?? app }
        for case .items(let items) in document.parts {
            writer.reserve(items.count * Self.bytesOfItem)
        }
        for part in document.parts where !part.isEmpty && !part.isFolded {
            if !writer.bytes.isEmpty { writer.endLine() }
            render(part)
        }
    }

    private mutating func render(_ part: ReportDocument.Part) {
        switch part {
        case .title(let title): render(title)
        case .items(let items):
            // The outcomes of a plan stand all beside the names or all under them, those of results each where they fit.
            let areResults = items.allSatisfy(\.mark.isResult)
            let column = areResults ? resultColumn(of: items) : Self.rightColumn
            let isNarrow = !areResults && !items.allSatisfy(fits)
            for item in items {
                render(item, outcomeAt: isNarrow ? nil : column, within: areResults ? writer.width : nil)
            }
        case .verdict(let verdict): renderLine(verdict.text)
        case .diagnostics(let diagnostics):
            let sourceLine = options.sourceLine(hidingSecretsOf: diagnostics)
            for (index, diagnostic) in diagnostics.enumerated() {
                var diagnostic = diagnostic
                // Pairs that are too close have the same advice: it is given with the last of them.
                if diagnostic.code == .collision, index + 1 < diagnostics.count,
                    diagnostics[index + 1].help == diagnostic.help
                {
                    diagnostic.help = nil
                }
                DiagnosticText(diagnostic: diagnostic, sourceLine: sourceLine).write(to: &writer)
            }
        case .table(let table): render(table)
        case .section(let section): SectionText(section, app: app).write(to: &writer)
        case .closing(let lines): for line in lines { renderLine(line) }
        }
    }

    private mutating func renderLine(_ text: String) {
        writer.write(text, .bold, wrappedTo: 0)
        writer.endLine()
    }

    /// True if the outcome of an item fits beside its name.
    private func fits(_ item: ReportDocument.Item) -> Bool {
        guard let outcome = item.outcome else { return true }
        let name = DisplayWidth.of("  * \(writer.language.word(item.kind)) " + escaped(item.name))
        return writer.fits(outcome, from: max(Self.rightColumn, name + 2))
    }

    private mutating func render(_ title: ReportDocument.Title) {
        if let headline = title.headline {
            writer.write(headline, .bold)
            writer.endLine()
        }
        writer.write(title.workspace, .bold)
        writer.write(" \(writer.glyphs.arrow) ")
        writer.write(title.remote, .bold)
        writer.pad(to: 0, gap: 3)
        writer.write(title.aside, .dim)
        writer.endLine()
        for note in title.notes {
            writer.write(note, .dim, wrappedTo: 2)
            writer.endLine()
        }
    }

    /// The column of the outcomes of results: beside the longest name, unless that is very long.
    private func resultColumn(of items: [ReportDocument.Item]) -> Int {
        let names = items.map { writer.width(of: writer.language.word($0.kind)) + writer.width(of: $0.name) + 7 }
        return min(names.max() ?? 0, Self.rightColumn / 2 + 10)
    }

    private mutating func render(_ item: ReportDocument.Item, outcomeAt column: Int?, within limit: Int?) {
        writer.pad(to: 2)
        writer.write(writer.glyphs.symbol(item.mark), item.mark.paint)
        writer.write(" \(writer.language.word(item.kind)) ")
        writer.write(item.name, .bold)
        if let outcome = item.outcome {
            let start = max(column ?? 0, writer.column + 2)
            if column != nil, writer.fits(outcome, from: start, within: limit) {
                writer.pad(to: start)
            } else {
                writer.endLine()
                writer.pad(to: Self.detailColumn)
            }
            writer.write(outcome, item.mark.paint, wrappedTo: Self.detailColumn, within: limit)
        }
        writer.endLine()
        for detail in item.details { render(detail) }
    }

    private mutating func render(_ detail: ReportDocument.Detail) {
        writer.pad(to: Self.detailColumn)
        switch detail {
        case .field(let label, let value, let aside):
            writer.write(label, .dim)
            writer.pad(to: Self.valueColumn, gap: 2)
            writer.write(value, wrappedTo: Self.valueColumn)
            if let aside {
                if writer.fits(aside, from: max(Self.rightColumn, writer.column + 2)) {
                    writer.pad(to: Self.rightColumn, gap: 2)
                } else {
                    writer.endLine()
                    writer.pad(to: Self.valueColumn)
                }
                writer.write(aside, wrappedTo: Self.valueColumn)
            }
        case .changed(let label, let from, let to):
            writer.write(label, .dim)
            writer.pad(to: Self.valueColumn, gap: 2)
            writer.write("\(from) \(writer.glyphs.arrow) \(to)", wrappedTo: Self.valueColumn)
        case .quote(let text):
            let quoted = writer.glyphs.openQuote + text + writer.glyphs.closeQuote
            writer.write(quoted, wrappedTo: Self.detailColumn)
        }
        writer.endLine()
    }

    private mutating func render(_ table: ReportDocument.Table) {
        TableText(table, writer).write(to: &writer)
    }
}

extension ReportDocument.Part {
    /// True for a part without contents.
    var isEmpty: Bool {
        switch self {
        case .title: false
        case .items(let items): items.isEmpty
        case .diagnostics(let diagnostics): diagnostics.isEmpty
        case .table(let table): table.rows.isEmpty
        case .section(let section): section.blocks.isEmpty
        case .closing(let lines): lines.isEmpty
        case .verdict(let verdict): verdict.text.isEmpty
        }
    }
}

extension ReportDocument.Part {
    /// True if text omits the part.
    fileprivate var isFolded: Bool {
        switch self {
        case .section(let section): section.isFolded
        case .title, .items, .diagnostics, .table, .closing, .verdict: false
        }
    }
}

extension Mark {
    /// True for what became of a change, which has no details.
    fileprivate var isResult: Bool {
        switch self {
        case .done, .ongoing, .partly, .failed, .skipped, .unknown: true
        case .create, .update, .delete, .send, .schedule, .cancel, .resume, .blocked, .wait, .missed: false
        }
    }

    /// The colour on a terminal.
    var paint: TextWriter.Paint {
        switch self {
        case .create, .send, .schedule, .done, .ongoing: .green
        case .update, .resume, .wait, .missed, .partly: .yellow
        case .delete, .cancel, .blocked, .unknown, .failed: .red
        case .skipped: .dim
        }
    }
}
