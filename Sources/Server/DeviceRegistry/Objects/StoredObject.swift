internal import GRDB
package import JSONValue
package import PushModel

/// An object as stored in the database.
package struct StoredObject: Hashable, Sendable {
    /// The row.
    let row: Int64
    /// The id that clients know.
    package let objectID: String
    /// The time of creation.
    package let createdAt: Instant
    /// The time of the last write.
    package let updatedAt: Instant
    /// All other fields, including `ACL`.
    package let fields: JSONObject

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

extension StoredObject {
    /// Reads `id, objectId, createdAt, updatedAt, document`.
    init(_ columns: Row) throws {
        guard let document = try? JSONValue(parsing: columns["document"] as String, limits: .anyMemory).object else {
            throw RegistryError(internal: "a document is damaged")
        }
        row = columns["id"]
        objectID = columns["objectId"]
        createdAt = Instant(milliseconds: columns["createdAt"])
        updatedAt = Instant(milliseconds: columns["updatedAt"])
        fields = document
    }
}

/// The role of the requester.
package enum Access: Hashable, Sendable {
    /// The holder of the master key, to whom no ACL applies.
    case master
    /// A client with the app key, for whom objects without public read access do not exist.
    case client

    /// Returns SQL that is true for readable objects; nil when all are.
    func readable(_ alias: String) -> SQLText? {
        switch self {
        case .master: nil
        case .client:
            SQLText(
                sql: """
                    (json_type(\(alias).document, '$.ACL') IS NULL \
                    OR json_extract(\(alias).document, '$.ACL."*".read') = 1)
                    """)
        }
    }

    /// True if an object's ACL grants a right, `read` or `write`, to the requester.
    func allows(_ right: String, _ object: StoredObject) -> Bool {
        switch self {
        case .master: true
        case .client:
            object.fields["ACL"].map { $0["*"]?[right]?.bool == true } ?? true
        }
    }
}
