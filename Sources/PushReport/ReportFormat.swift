/// The forms that a report can take; a new one is a case here, and the compiler then names what is missing.
package enum ReportFormat: String, Hashable, Sendable, CaseIterable {
    /// For people, on a terminal or in a log.
    case text
    /// For programs; of a plan, the very bytes of a plan file.
    case json
    /// GitHub's workflow commands, which it shows beside the lines of a pull request.
    case github
    /// A picture.
    case svg
}
