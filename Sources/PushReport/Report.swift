package import Diagnostics
internal import JSONValue
package import PushPlan

/// Everything that bugle has to tell, before it has a form.
package enum Report: Hashable, Sendable {
    /// What there is to say about a configuration.
    case diagnostics([Diagnostic])
    /// What an apply would do.
    case plan(Plan)
    /// What an apply did.
    case apply(ApplyReport)
    /// What the ledger holds.
    case status(StatusReport)
    /// How one campaign looks, and what is sent for it.
    case preview(PreviewReport)

    /// The report in one form, ending with a newline unless it is empty; the same for equal reports.
    ///
    /// Forms that a report does not have are empty: SARIF of one without diagnostics, a picture of all.
    package func rendered(as format: ReportFormat, options: ReportOptions = ReportOptions()) -> String {
        String(decoding: bytes(as: format, options: options), as: UTF8.self)
    }

    /// What ``rendered(as:options:)`` gives, as UTF-8.
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
        case .svg: return Array(svg(in: options.language).utf8)
        }
    }
}
