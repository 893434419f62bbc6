internal import Diagnostics
internal import JSONValue
internal import PushPlan
internal import PushReport

extension [HealthCheck.Finding] {
    /// Prints the findings, or writes them to a file; `last` is a line after them for text, `more` are members beside
    /// them for JSON.
    func write(as format: OutputFormat, _ console: Console, last: String? = nil, more: JSONObject = [:]) {
        let text: String
        switch format.form {
        case .text, .markdown, .html, .github, .sarif, .csv, .svg:
            let marks = console.usesUnicode ? ["✓", "!", "✗"] : ["ok", "warning:", "error:"]
            let lines = map { "\(marks[$0.severity.rawValue]) \(escaped("\($0.subject): \($0.message)"))\n" }
            text = lines.joined() + (last.map { "\n\(escaped($0))\n" } ?? "")
        case .json:
            let rows = map { finding -> JSONValue in
                [
                    "subject": .string(finding.subject), "severity": .string(finding.severity.word),
                    "message": .string(finding.message),
                ]
            }
            let members: JSONObject = [
                "formatVersion": .string(BugleVersion.format), "tool": .string(BugleVersion.tool),
                "findings": .array(rows),
            ]
            text = JSONValue.object(members.merging(more) { own, _ in own }).canonicalText + "\n"
        }
        if let file = format.file {
            OutputFile.put([UInt8](text.utf8), to: file, console)
        } else {
            console.output(text)
        }
    }
}
