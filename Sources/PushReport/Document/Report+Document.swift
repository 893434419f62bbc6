internal import Diagnostics
internal import PushPlan

extension Report {
    /// The report as people read it, before it has a form.
    ///
    /// - Parameter isWhole: whether everything is wanted that pages and comments fold; text leaves it out.
    package func document(isWhole: Bool = true) -> ReportDocument {
        switch self {
        case .diagnostics(let diagnostics): Self.document(of: diagnostics.sortedForPrinting())
        case .plan(let plan): plan.document(isWhole: isWhole)
        case .apply(let report): report.document
        case .status(let report): report.document
        case .preview(let report): report.document
        }
    }

    private static func document(of diagnostics: [Diagnostic]) -> ReportDocument {
        let counts = Severity.allCases.compactMap { severity -> String? in
            let count = diagnostics.count { $0.severity == severity }
            return count == 0 ? nil : Wording.count(count, severity.rawValue)
        }
        return ReportDocument(parts: [
            .diagnostics(diagnostics), .closing(counts.isEmpty ? [] : [counts.joined(separator: ", ")]),
        ])
    }
}
