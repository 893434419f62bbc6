internal import Base
internal import Push

/// One object of a class, read strictly: an unexpected value is an error that names the object.
struct StoredObject: Sendable {
    /// The class.
    let className: String
    /// The object's id.
    let objectID: String
    /// The time the service created it.
    let createdAt: Instant
    /// All its members.
    let fields: StoredFields

    /// Reads an object from a list or an answer.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` when it has no id or no creation time.
    init(_ value: JSONValue, of className: String) throws(RemoteError) {
        guard let members = value.object, let objectID = members["objectId"]?.string, !objectID.isEmpty else {
            throw RemoteError(
                .unexpectedAnswer,
                "\(className): an answer holds something that is not an object of the class")
        }
        self.className = className
        self.objectID = objectID
        fields = StoredFields(members, at: "\(className) object \(objectID.shortened(to: 64))")
        createdAt = try fields.required("createdAt", \.instant)
    }
}
