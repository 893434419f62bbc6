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
    /// An image.
    case svg
}
