internal import JSONValue
internal import PushModel
internal import PushRemote

/// One object of a class, read strictly: what is not as expected is an error that names it.
struct StoredObject: Sendable {
    /// The class.
    let className: String
    /// The object's id.
    let objectID: String
    /// When the service made it.
    let createdAt: Instant
    /// All its members.
    let members: [String: JSONValue]

    /// Takes an object of a list or answer.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` when it has no id or no time.
    init(_ value: JSONValue, of className: String) throws(RemoteError) {
        guard let members = value.object, let objectID = members["objectId"]?.string, !objectID.isEmpty else {
            throw RemoteError(.unexpectedAnswer, "\(className): an answer holds something that is no object of it")
        }
        guard let createdAt = members["createdAt"]?.string.flatMap({ Instant($0) }) else {
            throw Self.fault(className, objectID, "createdAt")
        }
        self.className = className
        self.objectID = objectID
        self.createdAt = createdAt
        self.members = members
    }

    /// The error for a field that is missing or of another type.
    func fault(_ key: String) -> RemoteError { Self.fault(className, objectID, key) }

    private static func fault(_ className: String, _ objectID: String, _ key: String) -> RemoteError {
        RemoteError(
            .unexpectedAnswer,
            "\(className) object \(objectID.shortened(to: 64)): '\(key)' is missing or not what bugle writes; look at it in the console"
                .shortened())
    }

    /// The value of a field as `read` understands it.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` when the field is missing or `read` gives nil.
    func required<Value>(_ key: String, _ read: (JSONValue) -> Value?) throws(RemoteError) -> Value {
        guard let value = members[key], let result = read(value) else { throw fault(key) }
        return result
    }

    /// The value of a field as `read` understands it; nil when it is missing or null.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` when `read` gives nil.
    func optional<Value>(_ key: String, _ read: (JSONValue) -> Value?) throws(RemoteError) -> Value? {
        guard let value = members[key], !value.isNull else { return nil }
        guard let result = read(value) else { throw fault(key) }
        return result
    }
}

extension JSONValue {
    /// The instant that a text names.
    var instant: Instant? { string.flatMap { Instant($0) } }

    /// The hash that a text names.
    var digest: Digest? { string.flatMap { Digest($0) } }

    /// The whole number, when it is not below 0 and fits.
    ///
    /// At most 2^53, which every JSON reader keeps exactly, so that sums of a few never overflow.
    var natural: Int? { integer.flatMap { (0...1 << 53).contains($0) ? Int(exactly: $0) : nil } }
}
