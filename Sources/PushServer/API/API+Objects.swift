internal import Base
internal import Crypto
internal import DeviceRegistry
internal import Push
internal import Synchronization

extension API {
    /// The most objects one `DELETE` may name; this server's own limit.
    private static let mostDeletions = 1000

    /// `/classes/:name[/:id]` and `/installations[/:id]`.
    ///
    /// Source: docs/background/leancloud/objects.md#calls.
    func objects(_ request: APIRequest, in name: String, _ objectID: String?) async throws(APIError) -> APIResponse {
        let className = try className(name)
        try authorize(request, className, isWhole: objectID == nil)
        switch (request.method, objectID) {
        case (.get, nil): return try await find(try objectQuery(request), className, request)
        case (.post, nil): return try await create(request, className)
        case (.get, let id?): return try await fetch(request, className, id)
        case (.put, let id?): return try await update(request, className, id)
        case (.delete, let id?):
            return try await delete(request, className, id.split(separator: ",").map(String.init))
        case (.put, nil), (.delete, nil), (.post, _?): throw APIError.methodNotAllowed
        }
    }

    func className(_ name: String) throws(APIError) -> ClassName {
        try APIError.checking(try ClassName(name))
    }

    /// Refuses clients access to bugle's own classes and to users, and lets them neither list nor delete devices.
    ///
    /// A client that knows a device's objectId, installationId or deviceToken may change it, as the apps' SDKs do.
    private func authorize(_ request: APIRequest, _ className: ClassName, isWhole: Bool) throws(APIError) {
        if className.needsMasterKey { try request.requireMaster("use class '\(className)'") }
        guard request.method == .get || configuration.mode.writes(className) else {
            throw APIError(
                403, 119, "This server is for push (mode: push): nothing is kept in class '\(className)' here.")
        }
        guard className.isInstallation else { return }
        if isWhole, request.method == .get { try request.requireMaster("find installations") }
        if request.method == .delete { try request.requireMaster("delete installations") }
    }

    private func create(_ request: APIRequest, _ className: ClassName) async throws(APIError) -> APIResponse {
        let members = try request.object()
        let written = try await change(request, className) { () throws(RegistryError) in
            try await registry.create(
                members, in: className, as: request.access, at: request.now,
                androidIsValid: configuration.androidIsValid)
        }
        let object = written.object
        var body: JSONValue = ["objectId": .string(object.objectID), "createdAt": .string(object.createdAt.isoText)]
        if !written.isNew { body["updatedAt"] = .string(object.updatedAt.isoText) }
        if request.fetchesWhenSaved { body = object.json() }
        let folder = className.isInstallation ? "installations" : "classes/\(className)"
        return APIResponse(
            status: written.isNew ? 201 : 200, body: body,
            location: "\(request.origin)/1.1/\(folder)/\(object.objectID)")
    }

    private func fetch(
        _ request: APIRequest, _ className: ClassName, _ objectID: String
    ) async throws(APIError) -> APIResponse {
        let query = try objectQuery(request)
        let found = try await ask(
            try await registry.object(objectID, in: className, shownBy: query, as: request.access))
        if let found { return APIResponse(body: found) }
        if className == .user { throw APIError(400, 211, "Could not find user.") }
        return APIResponse(body: [:])
    }

    private func update(
        _ request: APIRequest, _ className: ClassName, _ objectID: String
    ) async throws(APIError) -> APIResponse {
        let members = try request.object()
        let condition = try request.json("where")
        let written = try await change(request, className) { () throws(RegistryError) in
            try await registry.update(
                objectID, in: className, with: members, where: condition, as: request.access, at: request.now,
                androidIsValid: configuration.androidIsValid)
        }
        let object = written.object
        var body: JSONObject = [:]
        if request.fetchesWhenSaved {
            body = object.fields.filter {
                (written.isNew || written.changedKeys.contains($0.key)) && $0.key != "ACL"
            }
        }
        body["objectId"] = .string(object.objectID)
        // A client that asked for another id, or whose device was gone, adopts what the response says.
        if written.isNew || object.objectID != objectID { body["createdAt"] = .string(object.createdAt.isoText) }
        body["updatedAt"] = .string(object.updatedAt.isoText)
        return APIResponse(body: .object(body))
    }

    /// Handles `DELETE` of one object, or of several with comma-separated ids, as the JavaScript SDK sends it.
    private func delete(
        _ request: APIRequest, _ className: ClassName, _ ids: [String]
    ) async throws(APIError) -> APIResponse {
        guard (1...Self.mostDeletions).contains(ids.count) else {
            throw APIError(400, 1, "A DELETE names 1 to \(Self.mostDeletions) objects.")
        }
        let condition = try request.json("where")
        try await change(request, className) { () throws(RegistryError) in
            try await registry.delete(ids, in: className, where: condition, as: request.access)
        }
        return APIResponse(body: [:])
    }

    private func find(
        _ query: ObjectQuery, _ className: ClassName, _ request: APIRequest
    ) async throws(APIError) -> APIResponse {
        let found = try await ask(try await registry.find(query, in: className, as: request.access))
        var body: JSONValue = ["results": .array(found.results)]
        if let count = found.count { body["count"] = .integer(Int64(count)) }
        return APIResponse(body: body)
    }

    /// `GET /cloudQuery`: a CQL query, with the same rights as the equivalent query by `where`.
    ///
    /// Source: docs/background/leancloud/objects.md#queries.
    func cloudQuery(_ request: APIRequest) async throws(APIError) -> APIResponse {
        try allow(request, .get)
        let values = try request.json("pvalues") ?? []
        guard let values = values.array else { throw APIError(400, 300, "pvalues is a list of values.") }
        let cql = try APIError.checking(try CQLQuery(request.query["cql"] ?? "", values: values, at: request.now))
        let className = try className(cql.className)
        try authorize(request, className, isWhole: true)
        var query = ObjectQuery(where: cql.condition, skip: cql.skip, order: cql.order, keys: cql.keys)
        if let limit = cql.limit, (1...1000).contains(limit) { query.limit = limit }
        var response = try await find(query, className, request)
        response.body["className"] = .string(className.name)
        return response
    }

    private func objectQuery(_ request: APIRequest) throws(APIError) -> ObjectQuery {
        var query = ObjectQuery(
            where: try request.json("where") ?? [:], limit: request.limit, skip: request.skip,
            order: request.names("order"), keys: request.names("keys"), include: request.names("include"),
            countsAll: request.flag("count"), showsACL: request.flag("returnACL"))
        // A limit of 0 only counts together with a count; any other number outside 1 to 1000 means the default.
        if request.query["limit"] == "0", query.countsAll { query.limit = 0 }
        return query
    }
}

extension APIRequest {
    /// The `limit` parameter: 1 to 1000, otherwise 100.
    var limit: Int {
        guard let text = query["limit"], let number = Int(text), (1...1000).contains(number) else { return 100 }
        return number
    }

    /// True when the response to a change returns the new values; JavaScript SDKs before 2 call it `new`.
    var fetchesWhenSaved: Bool { flag("fetchWhenSave") || flag("new") }

    /// The `skip` parameter: 0 or more.
    var skip: Int {
        max(0, query["skip"].flatMap { Int($0) } ?? 0)
    }

    /// The names in a comma-separated parameter.
    func names(_ parameter: String) -> [String] {
        (query[parameter] ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
    }
}

/// Makes a client whose change was cut off wait before its next one, twice as long each time.
///
/// The table is bounded; addresses that do not fit share one entry.
final class ChangePauses: Sendable {
    private struct Pause {
        var seconds: Double
        var end: Instant
    }

    /// The first pause, in seconds.
    static let shortest: Double = 1
    /// The longest pause, in seconds.
    static let longest: Double = 300
    /// The seconds after a pause in which another cut-off doubles it; later ones start over.
    static let memory: Double = 3600
    /// The number of addresses tracked separately.
    static let mostAddresses = 4096

    private let pauses = Mutex<[String: Pause]>([:])

    /// True if a change from this address may start.
    func allows(_ address: String, at now: Instant) -> Bool {
        pauses.withLock { pauses in
            pauses[ClientAddress.entry(of: address, in: pauses, most: Self.mostAddresses)].map { $0.end <= now } ?? true
        }
    }

    /// Records that a change from this address took too long.
    func cutOff(_ address: String, at now: Instant) {
        pauses.withLock { pauses in
            if pauses.count >= Self.mostAddresses {
                pauses = pauses.filter { now < $0.value.end.advanced(bySeconds: Self.memory) }
            }
            let key = ClientAddress.entry(of: address, in: pauses, most: Self.mostAddresses)
            var seconds = Self.shortest
            if let last = pauses[key], now < last.end.advanced(bySeconds: Self.memory) {
                seconds = min(2 * last.seconds, Self.longest)
            }
            pauses[key] = Pause(seconds: seconds, end: now.advanced(bySeconds: seconds))
        }
    }
}

extension API {
    /// The size in bytes up to which a device change without a condition never waits: many devices share an address,
    /// and such a change is cheap.
    private static let smallChange = 4096

    /// Runs a change; a client whose previous change was cut off gets 429 until its pause is over.
    func change<Value: Sendable>(
        _ request: APIRequest, _ className: ClassName, _ work: () async throws(RegistryError) -> Value
    ) async throws(APIError) -> Value {
        guard request.access == .client else { return try await ask(try await work()) }
        let isCheap =
            className.isInstallation && request.body.count <= Self.smallChange && request.query["where"] == nil
        guard isCheap || pauses.allows(request.client, at: request.now) else { throw APIError.tooManyRequests }
        do throws(RegistryError) {
            return try await work()
        } catch {
            if error == .late { pauses.cutOff(request.client, at: clock.now) }
            throw refusal(error)
        }
    }
}

// MARK: - Scan

extension API {
    /// `GET /scan/classes/:name`: a whole class, page by page.
    ///
    /// Source: docs/background/leancloud/objects.md#scan.
    func scan(_ request: APIRequest, in name: String) async throws(APIError) -> APIResponse {
        try allow(request, .get)
        try request.requireMaster("scan a class")
        let className = try className(name)
        var query = try scanQuery(request)
        let seal = ScanCursor.Seal(masterKey: configuration.masterKey, className: className.name, query: query)
        if let text = request.query["cursor"], !text.isEmpty {
            query.start = try ScanCursor(text, seal: seal, at: request.now).position
        }
        let scan = query
        let page = try await ask(try await registry.scan(scan, in: className))
        let cursor = page.end.map { JSONValue.string(ScanCursor(position: $0, at: request.now).text(seal)) }
        return APIResponse(body: ["results": .array(page.results), "cursor": cursor ?? .null])
    }

    private func scanQuery(_ request: APIRequest) throws(APIError) -> ScanQuery {
        var query = ScanQuery()
        query.condition = try request.json("where") ?? [:]
        query.limit = request.limit
        query.keys = request.names("keys")
        query.showsACL = request.flag("returnACL")
        if let key = request.query["scan_key"], !key.isEmpty {
            query.isDescending = key.hasPrefix("-")
            query.key = query.isDescending ? String(key.dropFirst()) : key
        }
        return query
    }
}

/// The position at which a scan continues, as a text that only this server can have written.
///
/// It holds the position and the time, sealed together with the class, the condition and the key: no state is kept for
/// it, it survives a restart, and a text of any other origin is refused before it is parsed.
struct ScanCursor {
    /// The end of the previous page.
    let position: ScanPosition
    private let issuedAt: Instant

    /// The life of a cursor in seconds. Source: docs/background/leancloud/objects.md#scan.
    static let lifetime = 600.0

    /// Creates the cursor of a page returned at `now`.
    init(position: ScanPosition, at now: Instant) {
        self.position = position
        issuedAt = now
    }

    /// Parses and verifies a cursor.
    ///
    /// - Throws: ``APIError`` with code 1 if it is not from this scan or is too old.
    init(_ text: String, seal: Seal, at now: Instant) throws(APIError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { [UInt8](hexadecimal: $0) }
        guard parts.count == 2, let content = parts[0], let code = parts[1], seal.isValid(code, for: content),
            let members = try? JSONValue(parsing: content, limits: .anyMemory), let value = members["value"],
            let row = members["row"]?.integer, let time = members["time"]?.integer
        else { throw APIError(400, 1, "The cursor belongs to no such scan: begin without one.") }
        let issuedAt = Instant(milliseconds: time)
        guard now < issuedAt.advanced(bySeconds: Self.lifetime) else {
            throw APIError(400, 1, "The cursor is older than 10 minutes: begin without one.")
        }
        self.init(position: ScanPosition(value: value, row: row), at: issuedAt)
    }

    /// The text sent to the client, which sends it back.
    func text(_ seal: Seal) -> String {
        let content: JSONValue = [
            "value": position.value, "row": .integer(position.row), "time": .integer(issuedAt.milliseconds),
        ]
        let bytes = content.canonicalBytes
        return bytes.hexadecimal + "." + seal.code(for: bytes).hexadecimal
    }
}

extension ScanCursor {
    /// The scan a cursor is bound to.
    struct Seal {
        private let key: SymmetricKey
        private let context: [UInt8]

        init(masterKey: ServerKey, className: String, query: ScanQuery) {
            key = SymmetricKey(data: SHA256.hash(data: Array(("bugle scan cursor" + masterKey.revealed).utf8)))
            let scan: JSONValue = [
                "class": .string(className), "where": query.condition, "key": .string(query.key),
                "isDescending": .bool(query.isDescending),
            ]
            context = scan.canonicalBytes
        }

        func code(for content: [UInt8]) -> [UInt8] {
            Array(HMAC<SHA256>.authenticationCode(for: context + [0] + content, using: key))
        }

        /// True if a code matches the content; compared in constant time.
        func isValid(_ code: [UInt8], for content: [UInt8]) -> Bool {
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: context + [0] + content, using: key)
        }
    }
}
