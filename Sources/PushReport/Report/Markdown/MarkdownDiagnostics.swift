internal import Base
internal import Push

/// Writes diagnostics: errors and warnings as a list, notes folded; those without room are counted.
struct MarkdownDiagnostics {
    private let most: Int
    private let language: Language

    /// Room for the sentence about omitted diagnostics.
    private static let reserve = 200

    init(upTo most: Int, in language: Language) {
        self.most = most
        self.language = language
    }

    func written(_ diagnostics: [Diagnostic]) -> MarkdownWriter {
        guard !diagnostics.isEmpty, most > 2 * Self.reserve else { return MarkdownWriter(language) }
        let grave = diagnostics.filter { $0.severity != .note }.sorted { $0.severity < $1.severity }
        let notes = diagnostics.filter { $0.severity == .note }
        var writer = MarkdownWriter(language)
        if !grave.isEmpty {
            writer.markup("#### \(language.say(.warningsHeading))\n\n<ul>\n")
            write(grave, to: &writer)
            writer.markup("</ul>\n\n")
        }
        guard !notes.isEmpty, writer.count < most - Self.reserve else { return writer }
        writer.markup("<details>\n<summary>\(language.say(.notes(notes.count)))</summary>\n<ul>\n")
        write(notes, to: &writer)
        writer.markup("</ul>\n</details>\n\n")
        return writer
    }

    private func write(_ diagnostics: [Diagnostic], to writer: inout MarkdownWriter) {
        for (index, diagnostic) in diagnostics.enumerated() {
            var next = writer
            let isSaid = index > 0 && diagnostics[index - 1].help == diagnostic.help
            Self.write(diagnostic, withHelp: !isSaid, to: &next)
            guard next.count < most - Self.reserve else {
                writer.markup("<li>… \(language.say(.more(diagnostics.count - index)))</li>\n")
                return
            }
            writer = next
        }
    }

    private static func write(_ diagnostic: Diagnostic, withHelp: Bool, to writer: inout MarkdownWriter) {
        writer.markup("<li><b>\(diagnostic.severity.rawValue)</b> ")
        if let range = diagnostic.range {
            writer.code("\(range.file):\(range.start.line):\(range.start.column)")
            writer.markup(" ")
        }
        writer.text(diagnostic.message)
        writer.markup(" [\(diagnostic.code.rawValue)]")
        if withHelp, let help = diagnostic.help {
            writer.markup("<br/>")
            writer.text(help)
        }
        for related in diagnostic.related {
            writer.markup("<br/>")
            writer.code("\(related.range.file):\(related.range.start.line):\(related.range.start.column)")
            writer.markup(" ")
            writer.text(related.message)
        }
        writer.markup("</li>\n")
    }
}
