internal import Base
internal import Push

/// One of GitHub's workflow commands that annotate a line of a pull request.
///
/// Source: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands and the runner's
/// `ActionCommand.cs`, for what must be escaped.
struct Annotation {
    var level: Severity
    var range: SourceRange?
    /// Shown in bold above the message.
    var title: String
    var message: String
    /// A second line with the remedy.
    var help: String?

    /// The command as one line.
    var command: String {
        var properties: [String] = []
        if let range {
            properties += ["file=" + Self.property(range.file), "line=\(range.start.line)"]
            if range.end.line == range.start.line {
                properties += [
                    "col=\(range.start.column)", "endLine=\(range.end.line)", "endColumn=\(range.end.column)",
                ]
            } else {
                // Columns only count when both ends are on one line.
                properties.append("endLine=\(range.end.line)")
            }
        }
        properties.append("title=" + Self.property(title))
        let data = Self.data(message) + (help.map { "%0A" + Self.data($0) } ?? "")
        return "::\(level.command) \(properties.joined(separator: ","))::\(data)"
    }

    // Escaping removes line breaks and all other control characters.

    /// A readable text without anything that the runner would interpret.
    private static func data(_ text: String) -> String { escaped(text).percentEncoded { $0 == UInt8(ascii: "%") } }

    private static func property(_ text: String) -> String { escaped(text).percentEncoded { "%:,".utf8.contains($0) } }
}

// MARK: - Annotations

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
        case .fleet(let report): report.sections.flatMap(\.annotations)
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

extension FleetReport.Section {
    /// The annotations of the report, and one of what kept it from being done.
    fileprivate var annotations: [Annotation] {
        let failure = message.map {
            Annotation(level: isWrong ? .error : .warning, title: folder, message: "\(folder): \($0)")
        }
        return [failure].compactMap(\.self) + report.annotations(in: path)
    }
}

extension StatusReport.Row {
    fileprivate var annotation: Annotation? {
        guard state == .unknown else { return nil }
        let text = "campaign \(campaign), revision \(revision): outcome unknown" + (reason.map { ": " + $0.text } ?? "")
        return Annotation(level: .warning, title: "outcome unknown", message: text)
    }
}
