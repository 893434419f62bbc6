internal import Base
internal import Push

extension Report {
    /// The annotations for GitHub: every diagnostic, every blocked or unknown change, and the changes that an apply did
    /// not complete; the files of changes begin with the workspace's folder.
    func annotations(in folder: String) -> [Annotation] {
        switch self {
        case .diagnostics(let diagnostics): diagnostics.sortedForPrinting().map(Annotation.init)
        case .plan(let plan):
            plan.diagnostics.map { Annotation($0.map(\.text)) } + plan.changes.compactMap { $0.annotation(in: folder) }
        case .apply(let report): report.results.compactMap(\.annotation)
        case .status(let report): report.rows.compactMap(\.annotation)
        case .history: []
        case .preview(let report): report.diagnostics.map(Annotation.init)
        }
    }
}

extension Annotation {
    init(_ diagnostic: Diagnostic) {
        self.init(
            level: diagnostic.severity, range: diagnostic.range, title: diagnostic.code.rawValue,
            message: diagnostic.message, help: diagnostic.help)
    }
}

extension Change {
    fileprivate func annotation(in folder: String) -> Annotation? {
        guard isBlocked || action == .none else { return nil }
        var range: SourceRange?
        if let file {
            let path = folder.isEmpty ? file : folder + "/" + file
            range = SourceRange(file: path, start: SourcePosition(line: line ?? 1, column: 1))
        }
        let text = isBlocked ? blocked.map(\.message.text).joined(separator: "; ") : reason.text
        return Annotation(
            level: .error, range: range, title: isBlocked ? "blocked" : "a person must decide",
            message: "\(kind.word) \(name): \(text)")
    }
}

extension ApplyReport.Row {
    fileprivate var annotation: Annotation? {
        let level: Severity
        switch result {
        case .done, .ongoing: return nil
        case .refused, .failed, .unknown: level = .error
        case .partly, .skipped: level = .warning
        }
        let text =
            "\(kind.word) \(name): \(action.rawValue) \(result.rawValue)"
            + (detail.map { ": " + $0.text } ?? "")
        return Annotation(level: level, title: result.rawValue, message: text)
    }
}

extension StatusReport.Row {
    fileprivate var annotation: Annotation? {
        guard state == .unknown else { return nil }
        let text = "campaign \(campaign), revision \(revision): outcome unknown" + (reason.map { ": " + $0.text } ?? "")
        return Annotation(level: .warning, title: "outcome unknown", message: text)
    }
}
