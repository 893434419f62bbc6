internal import Base
internal import Push

/// The lock as an object of class `BugleLock`.
///
/// Fields: `workspace`, `holder`, `run` (empty: free), `fence` (0: never taken), `acquiredAt`, `expiresAt` (ISO text in
/// UTC with milliseconds, so that the service compares them as text), `lastApplied` (`{commit, committedAt, at, run}`).
struct LockObject: Sendable {
    /// The object's id.
    let objectID: String
    /// The time the service created it.
    let createdAt: Instant
    /// The lock's record.
    let record: LockRecord

    /// The fields of a lock that nobody has taken yet.
    static func unclaimed(workspace: String) -> JSONObject {
        [
            "workspace": .string(workspace), "holder": "", "run": "", "fence": 0,
            "expiresAt": .string(Instant(milliseconds: 0).isoText),
        ]
    }

    /// Reads an object.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` that names the object and its first faulty field.
    init(_ object: StoredObject) throws(RemoteError) {
        objectID = object.objectID
        createdAt = object.createdAt
        record = LockRecord(
            holder: try object.fields.required("holder", \.string), run: try object.fields.required("run", \.string),
            fence: try object.fields.required("fence", \.natural),
            acquiredAt: try object.fields.optional("acquiredAt", \.instant),
            expiresAt: try object.fields.required("expiresAt", \.instant),
            lastApplied: try object.fields.optional("lastApplied", LockFields.lastApplied))
    }
}
