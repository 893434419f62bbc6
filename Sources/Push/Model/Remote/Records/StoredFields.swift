package import Base

/// The fields of one record of a remote, read strictly: an unexpected value is an error that names the field.
package struct StoredFields: Sendable {
    /// The record's name in messages: `BugleLedger object 5f…`.
    package let place: String
    /// The record's members.
    package let members: JSONObject

    package init(_ members: JSONObject, at place: String) {
        self.members = members
        self.place = place
    }

    /// The error for a field that is missing or of another type.
    package func fault(_ key: String) -> RemoteError {
        RemoteError(
            .unexpectedAnswer, "\(place): '\(key)' is missing or not in bugle's format; inspect it where it is stored")
    }

    /// The value of a field, converted by `read`.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` when the field is missing or `read` returns nil.
    package func required<Value>(_ key: String, _ read: (JSONValue) -> Value?) throws(RemoteError) -> Value {
        guard let value = members[key], let result = read(value) else { throw fault(key) }
        return result
    }

    /// The value of a field, converted by `read`; nil when it is missing or null.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` when `read` returns nil.
    package func optional<Value>(_ key: String, _ read: (JSONValue) -> Value?) throws(RemoteError) -> Value? {
        guard let value = members[key], !value.isNull else { return nil }
        guard let result = read(value) else { throw fault(key) }
        return result
    }
}
