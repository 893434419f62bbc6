/// A table for spreadsheets. Source: RFC 4180.
package struct CSVFile {
    /// The rows so far, each ended by CR LF.
    package private(set) var text = ""

    /// Creates a file with the names of its columns.
    package init(_ columns: [String]) {
        add(columns)
    }

    /// Adds a row.
    package mutating func add(_ cells: [String]) {
        text += cells.map(Self.cell).joined(separator: ",") + "\r\n"
    }

    /// A cell in quotation marks where it needs them; one that a spreadsheet could take for a formula begins with `'`.
    static func cell(_ text: String) -> String {
        let isFormula = text.utf8.first.map { "=+-@\t\r\n".utf8.contains($0) } ?? false
        let safe = (isFormula ? "'" : "") + text
        guard safe.utf8.contains(where: { ",\"\r\n".utf8.contains($0) }) else { return safe }
        var quoted = "\""
        // Not by characters: a quotation mark with an accent is another character.
        for scalar in safe.unicodeScalars {
            if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}
