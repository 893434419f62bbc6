internal import DeviceRegistry
internal import Base

extension API {
    /// `GET /scan/classes/:name`: a whole class, page by page.
    ///
    /// Source: docs/background/leancloud/objects.md#scan.
    func scan(_ request: APIRequest, in name: String) async throws(APIError) -> APIResponse {
        try allow(request, .get)
        try request.requireMaster("scan a class")
        let className = try className(name)
        var query = try scanQuery(request)
        let seal = ScanCursor.Seal(
            masterKey: configuration.masterKey, className: className.name, query: query)
        if let text = request.query["cursor"], !text.isEmpty {
            query.start = try ScanCursor(text, seal: seal, at: request.now).position
        }
        let page = try await ask { [query] () throws(RegistryError) in try await registry.scan(query, in: className) }
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
