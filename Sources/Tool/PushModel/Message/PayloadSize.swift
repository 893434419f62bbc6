package import Diagnostics
package import JSONValue

/// Says that a body is too large, with the fields that take the most room.
package enum PayloadSize {
    /// The diagnostic for a body of more bytes than its service takes, with `what` as the subject of its sentence. It
    /// names the largest fields of the body, including those in `data` and `aps`.
    package static func finding(
        bytes: Int, limit: Int, body: JSONValue, what: String, at range: SourceRange?
    ) -> Diagnostic {
        let largest = fields(of: body).prefix(3).map { "\($0.name) \($0.bytes)" }.joined(separator: ", ")
        return Diagnostic(
            .error, .payloadTooLarge, "\(what) has \(bytes) bytes, but the service accepts at most \(limit)", at: range,
            help: "shorten the largest fields (bytes): \(largest)")
    }

    /// A field of a body, with the bytes of its value.
    package struct Field: Hashable, Sendable {
        /// Its name, with dots.
        package var name: String
        /// The bytes that its value takes.
        package var bytes: Int
    }

    /// The fields of a body, those that take the most room first.
    ///
    /// Fields that only hold others (`data`, `aps`, `alert`, a platform) are looked into.
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
