internal import Base
internal import PushReport
internal import Push

extension [HealthCheck.Finding] {
    /// Prints the findings, or writes them to a file; `last` is a line after them for text, `more` are members beside
    /// them for JSON, which is English in every language.
    func write(
        as format: OutputFormat, _ console: Console, in language: Language, last: Reason? = nil, more: JSONObject = [:]
    ) {
        let text: String
        switch format.form {
        case .text, .markdown, .html, .github, .sarif, .csv, .svg:
            let marks = console.usesUnicode ? ["✓", "!", "✗"] : ["ok", "warning:", "error:"]
            let lines = map { finding in
                let said = language.say(Reason(.says, .reason(finding.subject), .reason(finding.message)))
                return "\(marks[finding.severity.rawValue]) \(escaped(said))\n"
            }
            text = lines.joined() + (last.map { "\n\(escaped(language.say($0)))\n" } ?? "")
        case .json:
            let rows = map { finding -> JSONValue in
                [
                    "subject": .string(finding.subject.text), "severity": .string(finding.severity.word),
                    "message": .string(finding.message.text),
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
