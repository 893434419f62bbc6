internal import Diagnostics

/// One of GitHub's workflow commands that are shown beside a line of a pull request.
///
/// Source: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands and the runner's
/// `ActionCommand.cs`, for what must be escaped.
struct Annotation {
    var level: Severity
    var range: SourceRange?
    /// Shown in bold above the message.
    var title: String
    var message: String
    /// A second line.
    var help: String?

    /// The command, without a line break.
    var command: String {
        var properties: [String] = []
        if let range {
            properties += ["file=" + Self.property(range.file), "line=\(range.start.line)"]
            if range.end.line == range.start.line {
                properties += [
                    "col=\(range.start.column)", "endLine=\(range.end.line)", "endColumn=\(range.end.column)",
                ]
            } else {
                // Columns count only where both are in one line.
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

    // Line breaks and all other controls are gone after escaping.

    /// Text for people, in which the runner finds nothing to do.
    private static func data(_ text: String) -> String { escaped(text).percentEncoded { $0 == UInt8(ascii: "%") } }

    private static func property(_ text: String) -> String { escaped(text).percentEncoded { "%:,".utf8.contains($0) } }
}
