internal import GRDB
package import JSONValue
package import PushModel

/// One object as it stands in the database.
package struct StoredObject: Hashable, Sendable {
    /// The row.
    let row: Int64
    /// The id that clients know.
    package let objectID: String
    /// When it was created.
    package let createdAt: Instant
    /// When it was last written.
    package let updatedAt: Instant
    /// Every other field, `ACL` among them.
    package let fields: JSONObject

    /// The object as clients read it: times are plain texts, and the ACL is shown only when asked for.
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

/// Who asks.
package enum Access: Hashable, Sendable {
    /// The holder of the master key: no ACL applies.
    case master
    /// A client with the app key: an object whose ACL gives the public no read is not there for it.
    case client

    /// The SQL that is true for the objects that may be read.
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

    /// Whether an ACL allows a right, `read` or `write`, to the public.
    func allows(_ right: String, _ object: StoredObject) -> Bool {
        switch self {
        case .master: true
        case .client:
            object.fields["ACL"].map { $0["*"]?[right]?.bool == true } ?? true
        }
    }
}
