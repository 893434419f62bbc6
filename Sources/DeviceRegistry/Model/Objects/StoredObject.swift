package import Base
package import Push

/// An object as stored in the database.
package struct StoredObject: Hashable, Sendable {
    /// The row.
    package let row: Int64
    /// The id that clients know.
    package let objectID: String
    /// The time of creation.
    package let createdAt: Instant
    /// The time of the last write.
    package let updatedAt: Instant
    /// All other fields, including `ACL`.
    package let fields: JSONObject

    /// Creates an object from its row, whose document has been read.
    package init(row: Int64, objectID: String, createdAt: Instant, updatedAt: Instant, fields: JSONObject) {
        self.row = row
        self.objectID = objectID
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.fields = fields
    }

    /// The object as clients read it: times are plain strings, and the ACL is only included on request.
    package func json(withACL: Bool = false) -> JSONValue {
        var members = fields
        if !withACL { members["ACL"] = nil }
        members["objectId"] = .string(objectID)
        members["createdAt"] = .string(createdAt.isoText)
        members["updatedAt"] = .string(updatedAt.isoText)
        return .object(members)
    }
}

/// The role of the requester.
package enum Access: Hashable, Sendable {
    /// The holder of the master key, to whom no ACL applies.
    case master
    /// A client with the app key, for whom objects without public read access do not exist.
    case client

    /// Returns SQL that is true for readable objects; nil when all are.
    package func readable(_ alias: String, _ dialect: Dialect) -> SQLText? {
        switch (self, dialect) {
        case (.master, _): nil
        case (.client, .sqlite):
            SQLText(
                sql: """
                    (json_type(\(alias).document, '$.ACL') IS NULL \
                    OR json_extract(\(alias).document, '$.ACL."*".read') = 1)
                    """)
        case (.client, .postgres):
            SQLText(
                sql: """
                    (\(alias).document -> 'ACL' IS NULL \
                    OR coalesce(\(alias).document -> 'ACL' -> '*' -> 'read' = 'true', FALSE))
                    """)
        }
    }

    /// True if an object's ACL grants a right, `read` or `write`, to the requester.
    package func allows(_ right: String, _ object: StoredObject) -> Bool {
        switch self {
        case .master: true
        case .client:
            object.fields["ACL"].map { $0["*"]?[right]?.bool == true } ?? true
        }
    }
}
