package import Diagnostics
package import JSONValue

/// Says that a body is too large, with the fields that take the most room.
package enum PayloadSize {
    /// The diagnostic for a body of more bytes than its service takes.
    ///
    /// - Parameters:
    ///   - bytes: the bytes that count.
    ///   - limit: the most that the service takes.
    ///   - body: what was encoded; its `data` and `aps` are looked into.
    ///   - what: the subject of the sentence.
    package static func finding(
        bytes: Int, limit: Int, body: JSONValue, what: String, at range: SourceRange?
    ) -> Diagnostic {
        let largest = largestFields(of: body).prefix(3).map { "\($0.name) \($0.bytes)" }.joined(separator: ", ")
        return Diagnostic(
            .error, .payloadTooLarge, "\(what) has \(bytes) bytes, and the service takes \(limit)", at: range,
            help: "shorten the largest fields (bytes): \(largest)")
    }

    /// The fields of a request that hold values, with the bytes of each as JSON, the largest first.
    package static func largestFields(of body: JSONValue) -> [(name: String, bytes: Int)] {
        fields(of: body, under: "").sorted { ($1.bytes, $0.name) < ($0.bytes, $1.name) }
    }

    private static func fields(of body: JSONValue, under path: String) -> [(name: String, bytes: Int)] {
        (body.object ?? [:]).flatMap { key, value -> [(name: String, bytes: Int)] in
            let name = path.isEmpty ? key : "\(path).\(key)"
            if ["data", "aps", "alert", "ios", "android"].contains(key), value.object != nil {
                return fields(of: value, under: name)
            }
            return [(name, value.canonicalBytes.count)]
        }
    }
}
