internal import Base
internal import Push
internal import PushReport

/// Prints reports in the requested formats, to standard output and to files.
struct ReportPrinter: Sendable {
    let console: Console
    /// The sources of files with diagnostics.
    let sources: SourceFiles
    /// The workspace's folder relative to the current one.
    var folder = ""
    /// The output language.
    var language: Language

    /// Writes a report in every requested format; a file that cannot be written keeps nothing else from being so.
    func write(_ report: Report, as formats: [OutputFormat]) {
        // The formats are rendered concurrently; output for a file is written at once, and only the rest is kept.
        let results = [[UInt8]](concurrently: formats.count, inChunksOf: 1) { index in
            let (form, file) = (formats[index].form, formats[index].file)
            let bytes = rendered(report, as: form, isForConsole: file == nil)
            guard let file else { return bytes }
            OutputFile.put(bytes, to: file, console)
            return []
        }
        for (format, bytes) in zip(formats, results) {
            if format.file != nil { continue }
            if format.form == .text, case .diagnostics = report {
                console.error(bytes)
            } else {
                console.output(bytes)
            }
        }
    }

    private func rendered(_ report: Report, as format: ReportFormat, isForConsole: Bool) -> [UInt8] {
        report.bytes(as: format, options: options(isForConsole: isForConsole))
    }

    /// The options of a report on these files.
    func options(isForConsole: Bool = false) -> ReportOptions {
        let sources = sources
        return ReportOptions(
            language: language,
            style: TextStyle(
                isColoured: isForConsole && console.usesColor, usesUnicode: console.usesUnicode,
                columns: isForConsole ? console.columns : nil),
            workspaceFolder: folder,
            sourceLine: { file, line in sources.shownLine(line, of: file) })
    }
}
