internal import JSONValue
internal import PushModel
internal import PushRemote

/// The lock as an object of class `BugleLock`.
///
/// Fields: `workspace`, `holder`, `run` (empty: free), `fence` (0: never taken), `acquiredAt`, `expiresAt` (ISO text in UTC
/// with milliseconds, so that the service compares them as text), `lastApplied` (`{commit, committedAt, at, run}`).
struct LockObject: Sendable {
    /// The object's id.
    let objectID: String
    /// When the service made it.
    let createdAt: Instant
    /// What it says.
    let record: LockRecord

    /// The fields of a lock that nobody has taken yet.
    static func unclaimed(workspace: String) -> [String: JSONValue] {
        [
            "workspace": .string(workspace), "holder": "", "run": "", "fence": 0,
            "expiresAt": .string(Instant(milliseconds: 0).textWithMilliseconds),
        ]
    }

    /// Reads an object back.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` that names the object and the first field that is not right.
    init(_ object: StoredObject) throws(RemoteError) {
        objectID = object.objectID
        createdAt = object.createdAt
        record = LockRecord(
            holder: try object.required("holder", \.string), run: try object.required("run", \.string),
            fence: try object.required("fence", \.natural), acquiredAt: try object.optional("acquiredAt", \.instant),
            expiresAt: try object.required("expiresAt", \.instant),
            lastApplied: try object.optional("lastApplied", Self.lastApplied))
    }

    /// The value of `lastApplied`.
    static func value(of applied: LastApplied) -> JSONValue {
        var members: [String: JSONValue] = ["at": .string(applied.at.textWithMilliseconds)]
        members["commit"] = applied.commit.map { .string($0) }
        members["committedAt"] = applied.committedAt.map { .string($0.textWithMilliseconds) }
        members["run"] = applied.run.map { .string($0) }
        return .object(members)
    }

    private static func lastApplied(_ value: JSONValue) -> LastApplied? {
        guard let members = value.object, let at = members["at"]?.instant else { return nil }
        for key in ["commit", "committedAt", "run"] {
            guard members[key].map({ $0.string != nil || $0.isNull }) ?? true else { return nil }
        }
        let time = members["committedAt"]?.string
        guard time == nil || time.flatMap({ Instant($0) }) != nil else { return nil }
        return LastApplied(
            commit: members["commit"]?.string, committedAt: time.flatMap { Instant($0) }, at: at,
            run: members["run"]?.string)
    }
}
