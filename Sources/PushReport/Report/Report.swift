package import Base
package import Push

/// Any report, independent of its format.
package enum Report: Hashable, Sendable {
    case diagnostics([Diagnostic])
    case plan(Plan)
    case apply(ApplyReport)
    case status(StatusReport)
    case history(HistoryReport)
    case preview(PreviewReport)
    case fleet(FleetReport)

    /// Renders the report, ending with a newline unless it is empty; equal reports give equal text.
    ///
    /// Formats that a report does not have are empty: SARIF for one without diagnostics, an image for all but previews, a
    /// table for all but the history.
    package func rendered(as format: ReportFormat, options: ReportOptions = ReportOptions()) -> String {
        String(decoding: bytes(as: format, options: options), as: UTF8.self)
    }

    /// The UTF-8 bytes of ``rendered(as:options:)``.
    package func bytes(as format: ReportFormat, options: ReportOptions = ReportOptions()) -> [UInt8] {
        if case .fleet(let fleet) = self {
            switch format {
            case .text: return fleet.text(options: options)
            case .markdown: return fleet.markdown(options: options)
            case .html: return HTMLRenderer(options: options).render(fleet)
            case .json, .github, .sarif, .csv, .svg: break
            }
        }
        switch format {
        case .text: return TextRenderer.render(document(isWhole: false, in: options.language), options)
        case .markdown: return MarkdownRenderer(options: options).render(document(in: options.language))
        case .html: return HTMLRenderer(options: options).render(document(in: options.language))
        case .json: return jsonBytes
        case .github: return Array(annotations(in: options.workspaceFolder).map { $0.command + "\n" }.joined().utf8)
        case .sarif: return sarif?.bytes ?? []
        case .csv: return Array(csv.utf8)
        case .svg: return Array(svg(in: options.language).utf8)
        }
    }
}

/// The output formats; a new one is a case here, and the compiler lists what is missing.
package enum ReportFormat: String, Hashable, Sendable, CaseIterable {
    /// For people, on a terminal or in a log.
    case text
    /// A pull request comment: at most 65,000 characters, the riskiest items first.
    case markdown
    /// One self-contained page.
    case html
    /// For programs; for a plan, the exact bytes of a plan file.
    case json
    /// GitHub's workflow commands, shown as annotations on the lines of a pull request.
    case github
    /// Diagnostics for code scanning: SARIF 2.1.0.
    case sarif
    /// A table for spreadsheets, by RFC 4180.
    case csv
    case svg
}

/// Options for rendering a report.
package struct ReportOptions: Sendable {
    /// The language of everything but codes and what is said of files.
    package var language: Language
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
    func sourceLine(hidingSecretsOf diagnostics: [Diagnostic]) -> @Sendable (_ file: String, _ line: Int) -> String? {
        let hidden = Set(
            diagnostics.filter { $0.code == .plainSecret }.compactMap(\.range).map {
                ReportDocument.Place(file: $0.file, line: $0.start.line)
            })
        let sourceLine = sourceLine
        return { file, line in
            hidden.contains(ReportDocument.Place(file: file, line: line)) ? nil : sourceLine(file, line)
        }
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

// MARK: - Document

extension Report {
    /// The report as a document, before it is rendered; if `isWhole`, with everything that pages and comments fold and
    /// text omits.
    func document(isWhole: Bool = true, in language: Language = .english) -> ReportDocument {
        switch self {
        case .diagnostics(let diagnostics): Self.document(of: diagnostics.sortedForPrinting(), in: language)
        case .plan(let plan): plan.document(isWhole: isWhole, in: language)
        case .apply(let report): report.document(isWhole: isWhole, in: language)
        case .status(let report): report.document(in: language)
        case .history(let report): report.document(in: language)
        case .preview(let report): report.document(in: language)
        case .fleet(let report): report.document(in: language)
        }
    }

    private static func document(of diagnostics: [Diagnostic], in language: Language) -> ReportDocument {
        ReportDocument(parts: [.diagnostics(diagnostics), .closing([language.counted(diagnostics)].compactMap(\.self))])
    }

    /// The kind of report, for headings.
    var title: Phrase {
        switch self {
        case .diagnostics, .fleet: .otherTitle
        case .plan: .planTitle
        case .apply: .applyTitle
        case .status: .statusTitle
        case .history: .historyTitle
        case .preview: .previewTitle
        }
    }
}

extension Language {
    /// The number of diagnostics of each severity; nil when there are none.
    func counted(_ diagnostics: [Diagnostic]) -> String? {
        let counts = Severity.allCases.compactMap { severity -> String? in
            let count = diagnostics.count { $0.severity == severity }
            return count == 0 ? nil : say(severity.counted(count))
        }
        return counts.isEmpty ? nil : list(counts)
    }
}

extension Severity {
    /// A phrase for a number of diagnostics.
    fileprivate func counted(_ count: Int) -> Phrase {
        switch self {
        case .error: .errors(count)
        case .warning: .warnings(count)
        case .note: .notes(count)
        }
    }

    private var row: (label: Phrase, paint: TextWriter.Paint, command: String) {
        switch self {
        case .error: (.error, .red, "error")
        case .warning: (.warning, .yellow, "warning")
        case .note: (.note, .cyan, "notice")
        }
    }

    var label: Phrase { row.label }
    /// The colour on a terminal.
    var paint: TextWriter.Paint { row.paint }
    /// The name of GitHub's workflow command.
    var command: String { row.command }
}
