package import Diagnostics
package import JSONValue

/// Reports a body that is too large, with its largest fields.
package enum PayloadSize {
    /// The diagnostic for a body of more bytes than its service accepts.
    ///
    /// - Parameters:
    ///   - bytes: the bytes that count.
    ///   - limit: the most that the service takes.
    ///   - body: what was encoded; its `data` and `aps` are looked into.
    ///   - what: the subject of the sentence.
    package static func finding(
        bytes: Int, limit: Int, body: JSONValue, what: String, at range: SourceRange?
    ) -> Diagnostic {
        let largest = fields(of: body).prefix(3).map { "\($0.name) \($0.bytes)" }.joined(separator: ", ")
        return Diagnostic(
            .error, .payloadTooLarge, "\(what) has \(bytes) bytes, and the service takes \(limit)", at: range,
            help: "shorten the largest fields (bytes): \(largest)")
    }

    /// A field of a body, with the bytes of its value.
    package struct Field: Hashable, Sendable {
        /// The field's path, separated by dots.
        package var name: String
        /// The bytes that the field's value takes.
        package var bytes: Int
    }

    /// The fields of a body, the largest first.
    ///
    /// A field that only holds others (`data`, `aps`, `alert`, a platform) is replaced by its own fields.
    package static func fields(of body: JSONValue) -> [Field] {
        fields(of: body, under: "").sorted { ($1.bytes, $0.name) < ($0.bytes, $1.name) }
    }

    private static func fields(of body: JSONValue, under path: String) -> [Field] {
        (body.object ?? [:]).flatMap { key, value -> [Field] in
            let name = path.isEmpty ? key : "\(path).\(key)"
            if ["data", "aps", "alert", "ios", "android"].contains(key), value.object != nil {
                return fields(of: value, under: name)
            }
            return [Field(name: name, bytes: value.canonicalByteCount)]
        }
    }
}
