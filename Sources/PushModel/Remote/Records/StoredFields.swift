package import JSONValue

/// The fields of one record of a remote, read strictly: what is not as expected is an error that names it.
package struct StoredFields: Sendable {
    /// Which record it is, for people: `BugleLedger object 5f…`.
    package let place: String
    /// All its members.
    package let members: JSONObject

    /// Takes the members of a record.
    package init(_ members: JSONObject, at place: String) {
        self.members = members
        self.place = place
    }

    /// The error for a field that is missing or of another type.
    package func fault(_ key: String) -> RemoteError {
        RemoteError(
            .unexpectedAnswer, "\(place): '\(key)' is missing or not what bugle writes; look at it where it is stored")
    }

    /// The value of a field as `read` understands it.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` when the field is missing or `read` gives nil.
    package func required<Value>(_ key: String, _ read: (JSONValue) -> Value?) throws(RemoteError) -> Value {
        guard let value = members[key], let result = read(value) else { throw fault(key) }
        return result
    }

    /// The value of a field as `read` understands it; nil when it is missing or null.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` when `read` gives nil.
    package func optional<Value>(_ key: String, _ read: (JSONValue) -> Value?) throws(RemoteError) -> Value? {
        guard let value = members[key], !value.isNull else { return nil }
        guard let result = read(value) else { throw fault(key) }
        return result
    }
}

extension JSONValue {
    /// The instant that a text names.
    package var instant: Instant? { string.flatMap { Instant($0) } }

    /// The hash that a text names.
    package var digest: Digest? { string.flatMap { Digest($0) } }

    /// The whole number, when it is not below 0 and fits.
    ///
    /// At most 2^53, which every JSON reader keeps exactly, so that sums of a few never overflow.
    package var natural: Int? { integer.flatMap { (0...1 << 53).contains($0) ? Int(exactly: $0) : nil } }
}
