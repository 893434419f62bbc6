internal import Base

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
