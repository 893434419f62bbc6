internal import Base
package import Push

extension Report {
    /// The report as a document, before it is rendered; if `isWhole`, with everything that pages and comments fold and
    /// text omits.
    package func document(isWhole: Bool = true, in language: Language = .english) -> ReportDocument {
        switch self {
        case .diagnostics(let diagnostics): Self.document(of: diagnostics.sortedForPrinting(), in: language)
        case .plan(let plan): plan.document(isWhole: isWhole, in: language)
        case .apply(let report): report.document(isWhole: isWhole, in: language)
        case .status(let report): report.document(in: language)
        case .history(let report): report.document(in: language)
        case .preview(let report): report.document(in: language)
        }
    }

    private static func document(of diagnostics: [Diagnostic], in language: Language) -> ReportDocument {
        let counts = Severity.allCases.compactMap { severity -> String? in
            let count = diagnostics.count { $0.severity == severity }
            return count == 0 ? nil : language.say(severity.counted(count))
        }
        return ReportDocument(parts: [
            .diagnostics(diagnostics), .closing(counts.isEmpty ? [] : [language.list(counts)]),
        ])
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

    /// The word for the severity.
    var label: Phrase {
        switch self {
        case .error: .error
        case .warning: .warning
        case .note: .note
        }
    }
}
