internal import DeviceRegistry
internal import Base
internal import Push

extension API {
    /// The most objects one `DELETE` may name; this server's own limit.
    private static let mostDeletions = 1000

    /// `/classes/:name[/:id]` and `/installations[/:id]`.
    ///
    /// Source: docs/background/leancloud/objects.md#calls.
    func objects(
        _ request: APIRequest, in name: String, _ objectID: String?
    ) async throws(APIError) -> APIResponse {
        let className = try className(name)
        try authorize(request, className, isWhole: objectID == nil)
        switch (request.method, objectID) {
        case (.get, nil): return try await find(request, className)
        case (.post, nil): return try await create(request, className)
        case (.get, let id?): return try await fetch(request, className, id)
        case (.put, let id?): return try await update(request, className, id)
        case (.delete, let id?):
            return try await delete(request, className, id.split(separator: ",").map(String.init))
        case (.put, nil), (.delete, nil), (.post, _?): throw APIError.methodNotAllowed
        }
    }

    func className(_ name: String) throws(APIError) -> ClassName {
        do throws(RegistryError) {
            return try ClassName(name)
        } catch {
            throw APIError(error)
        }
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
        var body: JSONValue = [
            "objectId": .string(object.objectID), "createdAt": .string(object.createdAt.isoText),
        ]
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
        let found = try await ask { () throws(RegistryError) in
            try await registry.object(objectID, in: className, shownBy: query, as: request.access)
        }
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

    private func find(_ request: APIRequest, _ className: ClassName) async throws(APIError) -> APIResponse {
        try await find(try objectQuery(request), className, request)
    }

    private func find(
        _ query: ObjectQuery, _ className: ClassName, _ request: APIRequest
    ) async throws(APIError) -> APIResponse {
        let found = try await ask { () throws(RegistryError) in
            try await registry.find(query, in: className, as: request.access)
        }
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
        let cql = try cql(request.query["cql"] ?? "", values, at: request.now)
        let className = try className(cql.className)
        try authorize(request, className, isWhole: true)
        var query = ObjectQuery(keys: cql.keys)
        query.condition = cql.condition
        query.limit = cql.limit.flatMap { (1...1000).contains($0) ? $0 : nil } ?? query.limit
        query.skip = cql.skip
        query.order = cql.order
        var response = try await find(query, className, request)
        response.body["className"] = .string(className.name)
        return response
    }

    private func cql(
        _ text: String, _ values: [JSONValue], at now: Instant
    ) throws(APIError) -> CQLQuery {
        do throws(RegistryError) {
            return try CQLQuery(text, values: values, at: now)
        } catch {
            throw APIError(error)
        }
    }

    private func objectQuery(_ request: APIRequest) throws(APIError) -> ObjectQuery {
        var query = ObjectQuery()
        query.condition = try request.json("where") ?? [:]
        query.countsAll = request.flag("count")
        query.limit = request.limit
        // A limit of 0 only counts together with a count; any other number outside 1 to 1000 means the default.
        if request.query["limit"] == "0", query.countsAll { query.limit = 0 }
        query.skip = request.skip
        query.order = request.names("order")
        query.keys = request.names("keys")
        query.include = request.names("include")
        query.showsACL = request.flag("returnACL")
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
