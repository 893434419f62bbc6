package import Diagnostics
internal import JSONValue
package import Records

extension Diagnostic {
    /// A diagnostic, in every format that programs read.
    package static let record = Record<Diagnostic>(
        Member("severity", .choice(Severity.self), "How grave it is.") { $0.severity },
        Member("code", .choice(DiagnosticCode.self), "Its stable identifier.") { $0.code },
        Member("message", .text, "What is wrong, in one sentence.") { $0.message },
        Member(group: place) { $0.range },
        Member("help", orNull: .text, "What to do about it.") { $0.help },
        Member(
            optional: "related", .list(of: .record(Related.record, definedAs: "related"), minimum: 1),
            "Other places that matter.", unless: []
        ) { $0.related }
    ) { severity, code, message, range, help, related in
        Diagnostic(severity, code, message, at: range, help: help, related: related)
    }

    private static let place = Record<SourceRange?>(
        Member("file", orNull: .text, "The file; null: it has no place in a file.") { $0?.file },
        Member("line", orNull: .count(minimum: 1), "The line, from 1.") { $0?.start.line },
        Member("column", orNull: .count(minimum: 1), "The column in characters, from 1.") { $0?.start.column },
        Member("endLine", orNull: .count(minimum: 1), "The line of its end.") { $0?.end.line },
        Member("endColumn", orNull: .count(minimum: 1), "The column after its last character.") { $0?.end.column }
    ) { file, line, column, endLine, endColumn in
        guard let file, let line, let column else { return nil }
        return SourceRange(
            file: file, start: SourcePosition(line: line, column: column),
            end: SourcePosition(line: endLine ?? line, column: endColumn ?? column + 1))
    }
}

extension Diagnostic.Related {
    package static let record = Record<Self>(
        Member("message", .text, "What is there.") { $0.message },
        Member(group: place) { $0.range }
    ) { message, range in Self(message, at: range) }

    private static let place = Record<SourceRange>(
        Member("file", .text, "The file.") { $0.file },
        Member("line", .count(minimum: 1), "The line, from 1.") { $0.start.line },
        Member("column", .count(minimum: 1), "The column in characters, from 1.") { $0.start.column },
        Member("endLine", .count(minimum: 1), "The line of its end.") { $0.end.line },
        Member("endColumn", .count(minimum: 1), "The column after its last character.") { $0.end.column }
    ) { file, line, column, endLine, endColumn in
        SourceRange(
            file: file, start: SourcePosition(line: line, column: column),
            end: SourcePosition(line: endLine, column: endColumn))
    }
}
