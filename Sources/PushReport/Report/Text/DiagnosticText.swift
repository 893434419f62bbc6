internal import Base

/// Writes a diagnostic: its message, the source line with a caret, the remedy, and related places.
struct DiagnosticText {
    let diagnostic: Diagnostic
    let sourceLine: @Sendable (_ file: String, _ line: Int) -> String?

    func write(to writer: inout TextWriter) {
        write(place: diagnostic.range, to: &writer)
        writer.write(diagnostic.severity.rawValue + ":", diagnostic.severity.paint)
        writer.write(" ")
        writer.write(diagnostic.message, .bold, wrappedTo: 2)
        writer.write(" [\(diagnostic.code.rawValue)]", wrappedTo: 2)
        writer.endLine()
        if let range = diagnostic.range, let line = sourceLine(range.file, range.start.line) {
            SourceExcerpt(of: line, range).write(to: &writer)
        }
        if let help = diagnostic.help {
            writer.write("  help: ", .cyan)
            writer.write(help, wrappedTo: 8)
            writer.endLine()
        }
        for related in diagnostic.related {
            writer.write("  ")
            write(place: related.range, to: &writer)
            writer.write("note: ", .cyan)
            writer.write(related.message, wrappedTo: 4)
            writer.endLine()
        }
    }

    private func write(place: SourceRange?, to writer: inout TextWriter) {
        guard let place else { return }
        writer.write(place.file)
        writer.write(":\(place.start.line):\(place.start.column): ")
    }
}

extension Severity {
    /// The colour on a terminal.
    var paint: TextWriter.Paint {
        switch self {
        case .error: .red
        case .warning: .yellow
        case .note: .cyan
        }
    }
}
