package import Base

/// The primary key of devices in PostgreSQL: the token in lower case, or the id of a device without a token.
package enum DeviceKey {
    /// The prefix of the key of a device without a token; no token begins with it.
    package static let noToken = "-"

    /// Returns the key of a device with these fields.
    package static func key(_ fields: JSONObject, objectID: String) -> String {
        let token = fields["deviceToken"]?.string ?? ""
        return token.isEmpty ? noToken + objectID : AppleToken.lowercased(token)
    }

    /// Returns the key of a device for a client's spelling of its token.
    package static func key(of token: String) -> String { AppleToken.lowercased(AppleToken.normalized(token)) }
}

extension DocumentDraft {
    /// The identifiers that a device will have, under which changes to it are held: see ``ObjectTable/name(of:_:)``.
    package func names(_ table: ObjectTable, objectID: String) -> [String] {
        Self.names(of: fields, table, objectID: objectID)
    }

    /// The identifiers of a device with these fields, as ``names(_:objectID:)``.
    package static func names(of fields: JSONObject, _ table: ObjectTable, objectID: String) -> [String] {
        ["installationId", "deviceToken"].compactMap { key in
            fields[key]?.string.flatMap { $0.isEmpty ? nil : table.name(of: key, $0) }
        } + [table.name(of: "objectId", objectID)]
    }
}
