internal import Diagnostics

/// Writes a table: columns as wide as their widest text, two spaces between them.
struct TableText {
    private let table: ReportDocument.Table
    private let widths: [Int]

    init(_ table: ReportDocument.Table) {
        self.table = table
        widths = table.columns.indices.map { column in
            table.rows.reduce(DisplayWidth.of(table.columns[column].heading)) { widest, row in
                max(widest, DisplayWidth.of(escaped(row[column] ?? Self.nothing)))
            }
        }
    }

    /// The text of an empty cell.
    private static let nothing = "-"

    func write(to writer: inout TextWriter) {
        writeRow(table.columns.map(\.heading), .bold, to: &writer)
        for row in table.rows { writeRow(row.map { $0 ?? Self.nothing }, nil, to: &writer) }
    }

    private func writeRow(_ texts: [String], _ paint: TextWriter.Paint?, to writer: inout TextWriter) {
        var column = 0
        for (index, text) in texts.enumerated() {
            let spare = widths[index] - DisplayWidth.of(escaped(text))
            writer.pad(to: column + (table.columns[index].isNumeric ? spare : 0))
            writer.write(text, paint)
            column += widths[index] + 2
        }
        writer.endLine()
    }
}
