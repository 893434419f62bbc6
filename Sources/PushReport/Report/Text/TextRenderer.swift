internal import Base
internal import Push

/// Renders a document as text; the layout of docs/reference/plan-text.md#layout.
struct TextRenderer {
    private var writer: TextWriter
    private let options: ReportOptions
    private var app = ShownApp(name: "")

    /// The column of a line's right part, counted from 0.
    private static let rightColumn = 62
    /// The columns of a detail's label and value.
    private static let (detailColumn, valueColumn) = (6, 20)

    /// The approximate size of an item with its details.
    private static let bytesOfItem = 800

    private init(_ options: ReportOptions) {
        self.options = options
        writer = TextWriter(style: options.style, language: options.language)
    }

    /// The document as UTF-8.
    static func render(_ document: ReportDocument, _ options: ReportOptions) -> [UInt8] {
        var renderer = TextRenderer(options)
        renderer.render(document)
        return renderer.writer.bytes
    }

    private mutating func render(_ document: ReportDocument) {
        app = document.title?.app ?? app
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
        case .verdict(let verdict): writer.line(verdict.text, .bold, wrappedTo: 0)
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
        case .table(let table): TableText(table, writer).write(to: &writer)
        case .section(let section): render(section)
        case .closing(let lines): for line in lines { writer.line(line, .bold, wrappedTo: 0) }
        }
    }

    /// True if the outcome of an item fits beside its name.
    private func fits(_ item: ReportDocument.Item) -> Bool {
        guard let outcome = item.outcome else { return true }
        let name = DisplayWidth.of("  * \(writer.language.word(item.kind)) " + escaped(item.name))
        return writer.fits(outcome, from: max(Self.rightColumn, name + 2))
    }

    private mutating func render(_ title: ReportDocument.Title) {
        if let headline = title.headline { writer.line(headline, .bold) }
        writer.write(title.workspace, .bold)
        writer.write(" → ")
        writer.write(title.remote, .bold)
        writer.pad(to: 0, gap: 3)
        writer.line(title.aside, .dim)
        for note in title.notes { writer.line(note, .dim, wrappedTo: 2) }
    }

    /// The column of the outcomes of results: beside the longest name, unless that is very long.
    private func resultColumn(of items: [ReportDocument.Item]) -> Int {
        let names = items.map { writer.width(of: writer.language.word($0.kind)) + writer.width(of: $0.name) + 7 }
        return min(names.max() ?? 0, Self.rightColumn / 2 + 10)
    }

    private mutating func render(_ item: ReportDocument.Item, outcomeAt column: Int?, within limit: Int?) {
        writer.pad(to: 2)
        writer.write(writer.usesUnicode ? item.mark.symbol : item.mark.ascii, item.mark.paint)
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
            writer.write("\(from) → \(to)", wrappedTo: Self.valueColumn)
        case .quote(let text): writer.write("“\(text)”", wrappedTo: Self.detailColumn)
        }
        writer.endLine()
    }

    private mutating func render(_ section: ReportDocument.Section) {
        writer.write(section.heading, .bold)
        if let aside = section.aside {
            writer.pad(to: 0, gap: 3)
            writer.write(aside, .dim)
        }
        writer.endLine()
        for block in section.blocks { render(block) }
    }

    private mutating func render(_ block: ReportDocument.Block) {
        switch block {
        case .paragraph(let text): writer.line(text, wrappedTo: 0)
        case .list(let lines): for line in lines { writer.line(line, wrappedTo: 0) }
        case .remark(let severity, let text):
            writer.line(writer.language.say(severity.label) + writer.language.say(.colon) + text, wrappedTo: 0)
        case .table(let table): TableText(table, writer).write(to: &writer)
        // A time line needs a wide page; every push on it also has a line of its own.
        case .calendar: break
        case .looks(let looks): for look in looks { render(look) }
        case .code(let text): renderCode(text)
        case .json(let value): renderCode(value.prettyText)
        }
    }

    private mutating func renderCode(_ text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            writer.pad(to: 2)
            writer.line(String(line), wrappedTo: 0)
        }
    }

    private mutating func render(_ look: NotificationLook) {
        let drawing = NotificationDrawing(look, app: app, language: writer.language)
        for view in drawing.views {
            for (index, line) in drawing.text(view, usesUnicode: writer.usesUnicode).enumerated() {
                if index == 0 { writer.endLine() }
                writer.line(line, index == 0 ? .dim : nil)
            }
        }
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
}

/// Writes a table: columns as wide as their widest text, two spaces between them. The columns for which a terminal has no
/// room stand under each row, behind their headings.
struct TableText {
    private let table: ReportDocument.Table
    private let widths: [Int]
    /// The number of columns with room.
    private let fitting: Int

    /// The column of what stands under a row.
    private static let under = 4

    init(_ table: ReportDocument.Table, _ writer: TextWriter) {
        self.table = table
        widths = table.columns.indices.map { column in
            table.rows.reduce(writer.width(of: table.columns[column].heading)) { widest, row in
                max(widest, writer.width(of: row[column] ?? Self.nothing))
            }
        }
        var end = -2
        let room = widths.prefix { width in
            end += width + 2
            return end <= writer.width
        }
        fitting = max(1, room.count)
    }

    /// The text of an empty cell.
    private static let nothing = "-"

    func write(to writer: inout TextWriter) {
        writeRow(table.columns.map(\.heading), .bold, to: &writer)
        for row in table.rows {
            writeRow(row.map { $0 ?? Self.nothing }, nil, to: &writer)
            writeRest(of: row, to: &writer)
        }
    }

    private func writeRow(_ texts: [String], _ paint: TextWriter.Paint?, to writer: inout TextWriter) {
        var column = 0
        for (index, text) in texts.prefix(fitting).enumerated() {
            let spare = widths[index] - writer.width(of: text)
            writer.pad(to: column + (table.columns[index].isNumeric ? spare : 0))
            writer.write(text, paint)
            column += widths[index] + 2
        }
        writer.endLine()
    }

    /// Writes the cells without room, as many in a line as fit.
    private func writeRest(of row: [String?], to writer: inout TextWriter) {
        for index in row.indices.dropFirst(fitting) {
            guard let text = row[index] else { continue }
            let heading = table.columns[index].heading
            let width = writer.width(of: heading) + 1 + writer.width(of: text)
            if writer.column > 0, writer.column + 3 + width > writer.width { writer.endLine() }
            writer.pad(to: Self.under, gap: writer.column > 0 ? 3 : 0)
            writer.write(heading + " ", .dim)
            writer.write(text, wrappedTo: writer.column, within: writer.width)
        }
        if writer.column > 0 { writer.endLine() }
    }
}
