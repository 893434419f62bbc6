internal import Diagnostics
internal import PushModel

/// Renders a document as text; the layout of docs/reference/plan-text.md#layout.
struct TextRenderer {
    private(set) var writer: TextWriter
    private let options: ReportOptions
    /// The app in drawn notifications.
    private var app = ShownApp(name: "")
    /// True if outcomes stand under the names, because one of them would not fit beside its name.
    private var isNarrow = false

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
            isNarrow = !items.allSatisfy(fits)
            for item in items { render(item) }
        case .verdict(let verdict): renderLine(verdict.text)
        case .diagnostics(let diagnostics):
            let secret = Self.linesWithSecrets(diagnostics)
            for (index, diagnostic) in diagnostics.enumerated() {
                // Pairs that are too close have the same advice: it is given with the last of them.
                let isSaid =
                    diagnostic.code == .collision && index + 1 < diagnostics.count
                    && diagnostics[index + 1].help == diagnostic.help
                render(diagnostic, withHelp: !isSaid, hiding: secret)
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

    private mutating func render(_ item: ReportDocument.Item) {
        writer.pad(to: 2)
        writer.write(writer.glyphs.symbol(item.mark), item.mark.paint)
        writer.write(" \(writer.language.word(item.kind)) ")
        writer.write(item.name, .bold)
        if let outcome = item.outcome {
            if isNarrow {
                writer.endLine()
                writer.pad(to: Self.detailColumn)
            } else {
                writer.pad(to: Self.rightColumn, gap: 2)
            }
            writer.write(outcome, item.mark.paint, wrappedTo: Self.detailColumn)
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

    /// A line of a file.
    private struct Line: Hashable {
        let file: String
        let number: Int

        init(_ range: SourceRange) {
            file = range.file
            number = range.start.line
        }
    }

    /// The lines with a plain-text secret, which no diagnostic quotes.
    private static func linesWithSecrets(_ diagnostics: [Diagnostic]) -> Set<Line> {
        Set(diagnostics.filter { $0.code == .plainSecret }.compactMap { $0.range.map(Line.init) })
    }

    private mutating func render(_ diagnostic: Diagnostic, withHelp: Bool, hiding secret: Set<Line>) {
        var diagnostic = diagnostic
        if !withHelp { diagnostic.help = nil }
        let showsSource = diagnostic.range.map { !secret.contains(Line($0)) } ?? false
        let sourceLine = options.sourceLine
        DiagnosticText(diagnostic: diagnostic) { file, line in showsSource ? sourceLine(file, line) : nil }
            .write(to: &writer)
    }

    private mutating func render(_ table: ReportDocument.Table) {
        TableText(table).write(to: &writer)
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
