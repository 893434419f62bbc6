package import Base

/// Says that a body is too large, with the fields that take the most room.
package enum PayloadSize {
    /// The diagnostic for a body of more bytes than its service takes, with `what` as the subject of its sentence.
    ///
    /// It stands at the field that takes the most room, says how much of it fits, and names the largest fields of the
    /// body, including those in `data` and `aps`.
    package static func finding(
        bytes: Int, limit: Int, body: JSONValue, what: String, of campaign: Campaign
    ) -> Diagnostic {
        let fields = fields(of: body)
        var help = "shorten the largest fields (bytes): "
        var path: [FieldPathElement] = ["message"]
        if let largest = fields.first {
            let parts = largest.name.split(separator: ".").map(String.init)
            let name = parts.last == "alert" ? "body" : parts.last ?? ""
            path += (ContentField(rawValue: name) == nil ? ["data"] : []) + [.key(name)]
            // A platform's form says the same again.
            let copies = fields.count { $0.bytes == largest.bytes && $0.name.hasSuffix(parts.last ?? "") }
            let fits = largest.bytes - (bytes - limit + copies - 1) / max(1, copies)
            if fits > 0 {
                help = "\(quoted(name)) has \(largest.bytes) bytes, of which \(fits) fit; the largest (bytes): "
            }
        }
        return Diagnostic(
            .error, .payloadTooLarge, "\(what) has \(bytes) bytes, but the service accepts at most \(limit)",
            at: campaign.origin.range(of: path),
            help: help + fields.prefix(3).map { "\($0.name) \($0.bytes)" }.joined(separator: ", "))
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
