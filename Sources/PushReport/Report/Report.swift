package import Base
package import Push

/// Any report, independent of its format.
package enum Report: Hashable, Sendable {
    /// The diagnostics of a configuration.
    case diagnostics([Diagnostic])
    /// A plan.
    case plan(Plan)
    /// The results of an apply.
    case apply(ApplyReport)
    /// The ledger.
    case status(StatusReport)
    /// What was applied.
    case history(HistoryReport)
    /// The preview of one campaign.
    case preview(PreviewReport)

    /// Renders the report, ending with a newline unless it is empty; equal reports give equal text.
    ///
    /// Formats that a report does not have are empty: SARIF for one without diagnostics, an image for all but previews, a
    /// table for all but the history.
    package func rendered(as format: ReportFormat, options: ReportOptions = ReportOptions()) -> String {
        String(decoding: bytes(as: format, options: options), as: UTF8.self)
    }

    /// The UTF-8 bytes of ``rendered(as:options:)``.
    package func bytes(as format: ReportFormat, options: ReportOptions = ReportOptions()) -> [UInt8] {
        switch format {
        case .text:
            var renderer = TextRenderer(options: options)
            renderer.render(document(isWhole: false, in: options.language))
            return renderer.writer.bytes
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
