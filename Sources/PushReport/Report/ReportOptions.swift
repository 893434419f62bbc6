internal import Base
package import Push

/// Options for rendering a report.
package struct ReportOptions: Sendable {
    /// The language of everything but codes and what is said of files.
    package var language: Language
    /// The style of text.
    package var style: TextStyle
    /// The workspace's folder relative to the current one, prepended to the files of changes; empty when it is the
    /// current one.
    package var workspaceFolder: String
    /// The maximum length of Markdown in UTF-16 units; 65,000 by default.
    package var markdownLimit: Int
    /// Returns a line of a file, counted from 1, without its line break; nil when it is not known.
    package var sourceLine: @Sendable (_ file: String, _ line: Int) -> String?

    /// Creates options, by default for plain text without source lines.
    package init(
        language: Language = .english, style: TextStyle = TextStyle(), workspaceFolder: String = "",
        markdownLimit: Int = 65_000,
        sourceLine: @escaping @Sendable (_ file: String, _ line: Int) -> String? = { _, _ in nil }
    ) {
        self.language = language
        self.style = style
        self.workspaceFolder = workspaceFolder
        self.markdownLimit = markdownLimit
        self.sourceLine = sourceLine
    }
}

extension ReportOptions {
    /// The lines without those that have a secret in plain text, which no diagnostic quotes.
    func sourceLine(
        hidingSecretsOf diagnostics: [Diagnostic]
    ) -> @Sendable (_ file: String, _ line: Int) -> String? {
        let hidden = Set(
            diagnostics.filter { $0.code == .plainSecret }.compactMap(\.range).map { Line($0.file, $0.start.line) })
        let sourceLine = sourceLine
        return { file, line in hidden.contains(Line(file, line)) ? nil : sourceLine(file, line) }
    }

    /// A line of a file.
    private struct Line: Hashable {
        let file: String
        let number: Int

        init(_ file: String, _ number: Int) { (self.file, self.number) = (file, number) }
    }
}

/// The style of text on a terminal or in a log.
package struct TextStyle: Hashable, Sendable {
    /// True if text may be coloured; false by default.
    package var isColoured: Bool
    /// True if non-ASCII symbols may be used; true by default, false when the locale is not UTF-8.
    package var usesUnicode: Bool
    /// The columns of the terminal, at which lines are broken between words; nil to break none.
    package var columns: Int?

    package init(isColoured: Bool = false, usesUnicode: Bool = true, columns: Int? = nil) {
        self.isColoured = isColoured
        self.usesUnicode = usesUnicode
        self.columns = columns
    }
}
