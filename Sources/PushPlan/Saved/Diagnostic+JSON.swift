package import Diagnostics
package import JSONValue

extension Diagnostic {
    /// The members that cli.md lists, and `related` where there are other places.
    package var orderedJSON: OrderedJSON {
        var members: [(String, OrderedJSON)] = [
            ("severity", .string(severity.rawValue)),
            ("code", .string(code.rawValue)),
            ("message", .string(message)),
        ]
        members += Self.members(of: range)
        members.append(("help", .string(help)))
        if !related.isEmpty {
            members.append(
                (
                    "related",
                    .array(related.map { .object([("message", .string($0.message))] + Self.members(of: $0.range)) })
                ))
        }
        return .object(members)
    }

    private static func members(of range: SourceRange?) -> [(String, OrderedJSON)] {
        [
            ("file", .string(range?.file)),
            ("line", .integer(range?.start.line)),
            ("column", .integer(range?.start.column)),
            ("endLine", .integer(range?.end.line)),
            ("endColumn", .integer(range?.end.column)),
        ]
    }
}
