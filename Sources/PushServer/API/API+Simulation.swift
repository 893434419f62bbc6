internal import DeviceRegistry
internal import Base
internal import Push

extension API {
    /// `/bugle/…`: the ways the server reaches devices, the simulated devices' inboxes and, where allowed, faults, dead
    /// tokens and the clock.
    func simulation(_ request: APIRequest) async throws(APIError) -> APIResponse {
        try request.requireMaster("use /1.1/bugle")
        let path = request.path
        switch path.dropFirst().first {
        case "server" where path.count == 2:
            try allow(request, .get)
            return reach(at: request.now)
        case "devices" where path.count == 4 && path[3] == "inbox":
            try allow(request, .get)
            return try await inbox(of: path[2])
        case "devices" where path.count == 4 && path[3] == "dead" && configuration.allowsFaults:
            try allow(request, .post)
            try await ask { () throws(RegistryError) in try await registry.killToken(path[2]) }
            return APIResponse(body: [:])
        case "inboxes" where path.count == 2:
            try allow(request, .get)
            return try await inboxes(request)
        case "faults" where path.count == 2 && configuration.allowsFaults: return try faults(request)
        case "clock" where path.count == 2 && configuration.allowsFaults: return try await clock(request)
        default: throw APIError.noSuchPath
        }
    }

    /// Reports the reachable devices; a profile whose credential is missing or expired cannot push.
    private func reach(at now: Instant) -> APIResponse {
        let usable = pushes.appleService.map { apple in apple.profiles.filter { apple.isUsable($0, at: now) } } ?? []
        return APIResponse(
            body: [
                "devices": .string(configuration.devices), "deviceProfiles": .array(usable.map { .string($0.name) }),
            ])
    }

    private func inbox(of device: String) async throws(APIError) -> APIResponse {
        let received = try await ask { () throws(RegistryError) in try await registry.inbox(of: device) }
        let results = received.map { push -> JSONValue in
            [
                "notificationId": .string(push.notificationID), "objectId": .string(push.objectID),
                "data": .object(push.content), "receivedAt": .string(push.receivedAt.isoText),
            ]
        }
        return APIResponse(body: ["results": .array(results)])
    }

    private func inboxes(_ request: APIRequest) async throws(APIError) -> APIResponse {
        guard let id = request.query["notificationId"], !id.isEmpty else {
            throw APIError(400, 1, "notificationId is missing.")
        }
        let summary = try await ask { () throws(RegistryError) in try await registry.inboxSummary(notificationID: id) }
        return APIResponse(
            body: [
                "devices": .integer(Int64(summary.devices)), "messages": .integer(Int64(summary.messages)),
                "duplicates": .integer(Int64(summary.duplicates)),
            ])
    }

    private func faults(_ request: APIRequest) throws(APIError) -> APIResponse {
        switch request.method {
        case .get: return APIResponse(body: ["results": faults.json])
        case .post:
            let id = faults.add(try Fault(try request.object()))
            return APIResponse(status: 201, body: ["id": .integer(Int64(id))])
        case .delete:
            faults.clear()
            return APIResponse(body: [:])
        case .put: throw APIError.methodNotAllowed
        }
    }

    /// Returns or advances the clock; responds once everything due has been sent and outdated data is purged.
    private func clock(_ request: APIRequest) async throws(APIError) -> APIResponse {
        try allow(request, .get, .post)
        if request.method == .post {
            guard let seconds = try request.object()["advance"]?.double, (0...1e9).contains(seconds) else {
                throw APIError(400, 1, "advance is a number of seconds from 0.")
            }
            if registry.isShared, clock.canFollow {
                try await ask { () throws(RegistryError) in
                    try await registry.advanceSharedClock(bySeconds: seconds)
                }
                await pushes.followClock()
            } else {
                clock.advance(bySeconds: seconds)
            }
            await pushes.sendDue()
            await pushes.purge()
        }
        return APIResponse(body: ["now": .string(clock.now.isoText)])
    }
}
