internal import Base

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
        return "::\(name) \(properties.joined(separator: ","))::\(data)"
    }

    private var name: String {
        switch level {
        case .error: "error"
        case .warning: "warning"
        case .note: "notice"
        }
    }

    // Escaping removes line breaks and all other control characters.

    /// A readable text without anything that the runner would interpret.
    private static func data(_ text: String) -> String { escaped(text).percentEncoded { $0 == UInt8(ascii: "%") } }

    private static func property(_ text: String) -> String { escaped(text).percentEncoded { "%:,".utf8.contains($0) } }
}
