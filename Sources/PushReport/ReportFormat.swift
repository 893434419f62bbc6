/// The forms that output can take; a new one is a case here, and the compiler then names what is missing.
package enum ReportFormat: String, Hashable, Sendable, CaseIterable {
    /// For people, on a terminal or in a log.
    case text
    /// A comment of a pull request: at most 65,000 characters, what is risky first.
    case markdown
    /// One page that needs nothing besides itself.
    case html
    /// For programs; of a plan, the very bytes of a plan file.
    case json
    /// GitHub's workflow commands, which it shows beside the lines of a pull request.
    case github
    /// Diagnostics for code scanning: SARIF 2.1.0.
    case sarif
    /// A picture.
    case svg
}
