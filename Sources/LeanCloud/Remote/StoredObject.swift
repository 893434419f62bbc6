internal import Base
internal import HTTP
internal import Push

/// One object of a class, read strictly: an unexpected value is an error that names the object.
struct StoredObject: Sendable {
    let className: String
    let objectID: String
    /// The time the service created it.
    let createdAt: Instant
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

// MARK: - Objects

/// The four classes that hold the deployment state.
enum StateClass: String, Sendable {
    /// One object per delivery.
    case ledger = "BugleLedger"
    /// One object per certificate, channel or segment, and one that marks the ledger as started.
    case resource = "BugleResource"
    /// One object per workspace.
    case lock = "BugleLock"
    /// One object per order to stop a delivery, or all.
    case stop = "BugleStop"
}

extension LeanCloudAPI {
    /// The orders to stop deliveries of a workspace.
    ///
    /// - Throws: `RemoteError` when they cannot be read, or one has an unexpected shape.
    func stops(of workspace: String) async throws(RemoteError) -> [StopOrder] {
        try await objects(of: .stop, where: ["workspace": .string(workspace)]).objects
            .map { object throws(RemoteError) in try StopOrder(object.fields) }
    }

    /// The number of objects per page: 200 entries with the longest request each stay below the client's 16 MiB.
    static let pageSize = 200

    /// All matching objects of a class, the oldest first, and the server's time.
    ///
    /// Each page continues after the last object, not at an offset, so that no object is missed when others come or go.
    /// The service may return fewer objects than asked for: the last page is the one with which there are as many as it
    /// counts, or an empty one. Of a service that does not count, a page that is not full is the last.
    ///
    /// - Throws: `RemoteError` when they cannot be read or an answer has an unexpected shape.
    func objects(
        of className: StateClass, where condition: JSONObject
    ) async throws(RemoteError) -> (objects: [StoredObject], now: Instant?) {
        var objects: [StoredObject] = []
        var page = condition
        var total: Int?
        while true {
            var query = [
                ("where", JSONValue.object(page).canonicalText), ("order", "createdAt,objectId"),
                ("limit", String(Self.pageSize)),
            ]
            // Once: a count looks at every object.
            if objects.isEmpty { query.append(("count", "1")) }
            let answer = try await read("/classes/\(className.rawValue)", query: query)
            guard let results = answer.value == nil ? [] : answer.value?["results"]?.array else {
                throw RemoteError(.unexpectedAnswer, "\(className.rawValue): the answer has no list of results")
            }
            if objects.isEmpty { total = answer.value?["count"]?.natural }
            let before = objects.last
            for result in results { objects.append(try StoredObject(result, of: className.rawValue)) }
            if let before, let last = objects.last, !results.isEmpty,
                (last.createdAt, last.objectID) <= (before.createdAt, before.objectID)
            {
                throw RemoteError(.unexpectedAnswer, "\(className.rawValue): the answer keeps repeating objects")
            }
            let isWhole = objects.count >= total ?? 0
            guard !results.isEmpty, results.count == Self.pageSize || !isWhole, let last = objects.last else {
                guard isWhole else {
                    throw RemoteError(
                        .unexpectedAnswer, "\(className.rawValue): the answers have fewer objects than they count")
                }
                return (objects, answer.date)
            }
            page = condition.merging(ClassScan.following(last.createdAt, last.objectID)) { $1 }
        }
    }

    /// Creates an object that only the master key may read or write.
    ///
    /// - Throws: `RemoteError` when it is certain that it was not made.
    func create(_ className: StateClass, _ members: JSONObject) async throws(RemoteError) -> WriteOutcome {
        let body = members.merging(["ACL": [:]]) { $1 }
        return try await write(APICall(.post, "/classes/\(className.rawValue)", body: .object(body)))
    }

    /// Sets fields of an object if a condition holds; a nil value removes the field.
    ///
    /// - Throws: `RemoteError` when it is certain that nothing was changed, except when the condition fails.
    func update(
        _ className: StateClass, _ objectID: String, where condition: JSONValue, _ members: [String: JSONValue?]
    ) async throws(RemoteError) -> WriteOutcome {
        let body = JSONObject(members.mapValues { $0 ?? ["__op": "Delete"] })
        return try await write(
            APICall(
                .put, "/classes/\(className.rawValue)/\(objectID.percentEncoded)",
                query: [("where", condition.canonicalText)], body: .object(body)))
    }

    /// Deletes an object if a condition holds.
    ///
    /// - Throws: `RemoteError` when it is certain that nothing was deleted, except when the condition fails.
    func delete(
        _ className: StateClass, _ objectID: String, where condition: JSONValue
    ) async throws(RemoteError) -> WriteOutcome {
        try await write(
            APICall(
                .delete, "/classes/\(className.rawValue)/\(objectID.percentEncoded)",
                query: [("where", condition.canonicalText)]))
    }
}
