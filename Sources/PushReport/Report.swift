package import Diagnostics
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
    package func rendered(as format: ReportFormat, options: ReportOptions = ReportOptions()) -> String {
        switch format {
        case .text:
            var renderer = TextRenderer(options: options)
            renderer.render(document)
            return String(decoding: renderer.writer.bytes, as: UTF8.self)
        case .json: return String(decoding: jsonBytes, as: UTF8.self)
        case .github: return annotations(in: options.workspaceFolder).map { $0.command + "\n" }.joined()
        case .svg: return svg
        }
    }
}
