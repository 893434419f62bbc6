internal import DeviceRegistry
internal import Base
internal import Push

extension API {
    /// The number of bytes a push body must stay below. Source: docs/background/leancloud/push.md#push-by-query.
    private static let pushBodyLimit = 4096
    /// The same limit for lists of device ids. Undocumented; 500 ids of 100 bytes and a message fit.
    private static let devicesBodyLimit = 128 * 1024

    /// `POST /push`.
    func push(_ request: APIRequest) async throws(APIError) -> APIResponse {
        try await push(request, limit: Self.pushBodyLimit) { parameters throws(APIError) in
            try parameters.queryOrder()
        }
    }

    /// `POST /push/devices`.
    func pushToDevices(_ request: APIRequest) async throws(APIError) -> APIResponse {
        try await push(request, limit: Self.devicesBodyLimit) { parameters throws(APIError) in
            try parameters.devicesOrder()
        }
    }

    private func push(
        _ request: APIRequest, limit: Int, _ order: (PushParameters) throws(APIError) -> PushOrder
    ) async throws(APIError) -> APIResponse {
        try allow(request, .post)
        if !configuration.clientsMayPush { try request.requireMaster("push") }
        try await count(at: request.now)
        guard request.body.count < limit else { throw APIError.payloadTooLarge }
        let receipt = try await submit(
            try order(PushParameters(try request.object(), request)), at: request.now)
        return APIResponse(
            body: ["objectId": .string(receipt.objectID), "createdAt": .string(receipt.createdAt.isoText)])
    }

    /// Counts a push.
    ///
    /// - Throws: ``APIError`` 429 when the minute has as many as are allowed.
    private func count(at now: Instant) async throws(APIError) {
        let isAllowed = try await ask { () throws(RegistryError) in
            try await registry.countPush(at: now, limit: configuration.pushesPerMinute)
        }
        guard isAllowed else { throw APIError.tooManyRequests }
    }

    private func submit(_ order: PushOrder, at now: Instant) async throws(APIError) -> PushReceipt {
        // If no iPhone can be meant, the certificate does not matter.
        // Source: docs/background/leancloud/push.md#refusals.
        if let apple = pushes.appleService, order.mayReachIOS { _ = try AppleRequest(order, apple, at: now) }
        return try await ask { () throws(RegistryError) in try await pushes.submit(order, at: now) }
    }

    /// Sends a push of the console's: with the same limits and refusals as one with the master key.
    func push(_ members: JSONObject, at now: Instant) async throws(APIError) -> PushReceipt {
        try await count(at: now)
        guard JSONValue.object(members).canonicalBytes.count < Self.pushBodyLimit else {
            throw APIError.payloadTooLarge
        }
        return try await submit(try PushParameters(members, at: now).queryOrder(), at: now)
    }

    /// `GET /scheduledPushMessages` and `DELETE /scheduledPushMessages/:id`.
    ///
    /// The list is also returned for a POST, which the prose of every edition names.
    /// Source: docs/background/leancloud/records.md#scheduled-pushes.
    func scheduled(_ request: APIRequest) async throws(APIError) -> APIResponse {
        try request.requireMaster("see scheduled pushes")
        guard request.path.count == 2 else {
            try allow(request, .get, .post)
            let waiting = try await ask { () throws(RegistryError) in try await registry.scheduledPushes() }
            return APIResponse(body: ["results": .array(waiting.map(json))])
        }
        try allow(request, .delete)
        guard let id = Int64(request.path[1]) else { throw APIError.notFound }
        let isCancelled = try await ask { () throws(RegistryError) in try await pushes.cancel(id) }
        guard isCancelled else { throw APIError.notFound }
        return APIResponse(body: [:])
    }

    private func json(_ push: DeviceRegistry.ScheduledPush) -> JSONValue {
        var message: JSONValue = [
            "through?": nil, "app-id": .string(configuration.applicationID), "api-version": "1.1",
            "where": ["sort": ["createdAt": 1], "query": push.order.shownCondition],
            "prod": .string(push.order.environment), "msg": push.order.data, "id": .string(push.order.objectID),
            "notificationId": .string(push.order.notificationID),
        ]
        // Undocumented; without it the list would not tell when a push expires.
        message["expiration-time"] = push.order.expiresAt.map { .string($0.isoText) }
        return [
            "id": .integer(push.id),
            // The send time, despite its name.
            "expire_time": .integer(push.fireAt.milliseconds), "createdAt": .string(push.createdAt.isoText),
            "push_msg": message,
        ]
    }

    /// `GET /tables/Notifications/:objectId`.
    func record(_ request: APIRequest) async throws(APIError) -> APIResponse {
        try allow(request, .get)
        let found = try await ask { () throws(RegistryError) in
            try await registry.record(objectID: request.path[2], at: request.now)
        }
        guard let found else { throw APIError.notFound }
        return APIResponse(body: found)
    }

    /// `GET /notifications`, `GET` and `DELETE /notifications/:notification_id`.
    ///
    /// Source: docs/background/leancloud/records.md#records.
    func notifications(_ request: APIRequest) async throws(APIError) -> APIResponse {
        try request.requireMaster("see push records")
        guard request.path.count == 2 else {
            try allow(request, .get)
            let found = try await ask { () throws(RegistryError) in
                try await registry.records(limit: request.limit, skip: request.skip, at: request.now)
            }
            var body: JSONValue = ["results": .array(found.results)]
            if request.flag("count") { body["count"] = .integer(Int64(found.count)) }
            return APIResponse(body: body)
        }
        try allow(request, .get, .delete)
        let id = request.path[1]
        if request.method == .delete {
            let isDeleted = try await ask { () throws(RegistryError) in
                try await registry.deleteRecord(notificationID: id)
            }
            guard isDeleted else { throw APIError.notFound }
            return APIResponse(body: [:])
        }
        let found = try await ask { () throws(RegistryError) in
            try await registry.record(notificationID: id, at: request.now)
        }
        guard let found else { throw APIError.notFound }
        return APIResponse(body: found)
    }
}
