package import Base
package import Push

// MARK: - Moving

/// The queries that a move makes on both services.
extension LeanCloudReader {
    package func installationIDs(_ condition: JSONValue, limit: Int) async throws(RemoteError) -> [String] {
        try await found(
            served(condition, at: try await knownTime()), limit: limit, [("keys", "objectId")]
        ).compactMap { $0["objectId"]?.string }
    }

    package func installations(_ condition: JSONValue, limit: Int) async throws(RemoteError) -> [JSONObject] {
        try await found(condition, limit: limit, [])
    }

    /// The newest installations that match a condition.
    private func found(
        _ condition: JSONValue, limit: Int, _ more: [(String, String)]
    ) async throws(RemoteError) -> [JSONObject] {
        let answer = try await api.read(
            "/installations",
            query: [("where", condition.canonicalText), ("limit", String(limit)), ("order", "-updatedAt")] + more)
        guard let value = answer.value else { return [] }
        guard let results = value["results"]?.array else {
            throw RemoteError(.unexpectedAnswer, "GET /1.1/installations: the answer has no list of results")
        }
        return results.compactMap(\.object)
    }

    package func serverReach() async throws(RemoteError) -> ServerReach {
        let answer = try await api.read("/bugle/server")
        guard let devices = answer.value?["devices"]?.string, let names = answer.value?["deviceProfiles"]?.array else {
            throw RemoteError(
                .unexpectedAnswer, "GET /1.1/bugle/server: the server is not a bugle-server, or is an older one")
        }
        var reach = ServerReach(
            isReal: devices != "simulated", deviceProfiles: Set(names.compactMap(\.string)), ways: api.clock.ways)
        reach.copiedUntil = answer.value?["copiedUntil"]?.string.flatMap { Instant($0) }
        reach.keptAside = answer.value?["keptAside"]?.natural ?? 0
        return reach
    }

    package func rendering(of request: PushRequest) async throws(RemoteError) -> [RenderedPush] {
        let path = "/bugle/rendering"
        let answer = try await api.read(
            path, query: [("endpoint", request.endpoint.rawValue), ("push", request.body.canonicalText)])
        guard let results = answer.value?["results"]?.array else {
            throw RemoteError(
                .unexpectedAnswer, "GET /1.1\(path): the server is not a bugle-server, or is an older one")
        }
        return results.compactMap { result in
            guard let way = result["way"]?.string, let bytes = result["bytes"]?.natural else { return nil }
            return RenderedPush(way: way, bytes: bytes, limit: result["limit"]?.natural)
        }
    }
}

// MARK: - Survey

extension LeanCloudReader: RemoteImporting {
    package func surveyInstallations(
        progress: @Sendable (Int) -> Void
    ) async throws(RemoteError) -> InstallationSurvey {
        let scan = api.scan(
            "_Installation", keys: ["channels", "deviceProfile", "deviceType", "vendor", "apnsTopic", "apnsTeamId"],
            pageSize: 1000)
        var survey = InstallationSurvey()
        var position: ClassScan.Position? = .start
        var watch = ScanWatch(scan.className)
        var restarts = 0
        while let place = position {
            let page: ClassScan.Page?
            do throws(ClassScan.Failure) {
                page = try await scan.page(at: place)
            } catch {
                guard case .lostCursor = error, restarts < 3 else { throw error.remoteError }
                restarts += 1
                survey = InstallationSurvey()
                watch = ScanWatch(scan.className)
                position = .start
                continue
            }
            if let page { try watch.pass(page, at: place) }
            for installation in page?.objects ?? [] { survey.add(installation) }
            progress(survey.count)
            position = page?.next
        }
        return survey
    }
}

extension ClassScan.Failure {
    /// Converts the failure to the remote's error.
    package var remoteError: RemoteError {
        switch self {
        case .remote(let error): error
        case .lostCursor: RemoteError(.unavailable, "the service lost the scan's cursor; run it again")
        }
    }
}
