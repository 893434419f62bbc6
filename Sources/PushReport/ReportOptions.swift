package import PushModel

/// What a report needs to know of where it is shown.
package struct ReportOptions: Sendable {
    /// The language of everything but diagnostics and codes.
    package var language: Language
    /// How text looks.
    package var style: TextStyle
    /// The workspace's folder as seen from the current one, put before the file of a change; empty: the same.
    package var workspaceFolder: String
    /// The most characters that Markdown may have, in UTF-16 units; 65,000 by default.
    package var markdownLimit: Int
    /// The text of a line of a file, counted from 1, without its line break; nil when it is not known.
    package var sourceLine: @Sendable (_ file: String, _ line: Int) -> String?

    /// Joins them; without more, plain text without source lines.
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

/// How text looks on the terminal or in the log that shows it.
package struct TextStyle: Hashable, Sendable {
    /// Whether it may hold colours; false by default.
    package var isColoured: Bool
    /// Whether symbols may be other than ASCII; true by default, false where the locale is not UTF-8.
    package var usesUnicode: Bool

    /// Joins the two.
    package init(isColoured: Bool = false, usesUnicode: Bool = true) {
        self.isColoured = isColoured
        self.usesUnicode = usesUnicode
    }
}
