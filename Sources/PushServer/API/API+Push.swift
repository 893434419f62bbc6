internal import Base
internal import DeviceRegistry
internal import Push

extension API {
    /// The number of bytes a push body must stay below. Source: docs/background/leancloud/push.md#push-by-query.
    private static let pushBodyLimit = 4096
    /// The same limit for lists of device ids. Undocumented; 500 ids of 100 bytes and a message fit.
    private static let devicesBodyLimit = 128 * 1024

    /// `POST /push`, and `POST /push/devices`.
    func push(_ request: APIRequest, toDevices: Bool) async throws(APIError) -> APIResponse {
        try allow(request, .post)
        if !configuration.clientsMayPush { try request.requireMaster("push") }
        try await count(at: request.now)
        let limit = toDevices ? Self.devicesBodyLimit : Self.pushBodyLimit
        guard request.body.count < limit else { throw APIError.payloadTooLarge }
        let order = try PushParameters(try request.object(), request).order(toDevices: toDevices)
        let receipt = try await submit(order, at: request.now)
        return APIResponse(
            body: ["objectId": .string(receipt.objectID), "createdAt": .string(receipt.createdAt.isoText)])
    }

    /// Counts a push.
    ///
    /// - Throws: ``APIError`` 429 when the minute has as many as are allowed.
    private func count(at now: Instant) async throws(APIError) {
        let isAllowed = try await ask(try await registry.countPush(at: now, limit: configuration.pushesPerMinute))
        guard isAllowed else { throw APIError.tooManyRequests }
    }

    private func submit(_ order: PushOrder, at now: Instant) async throws(APIError) -> PushReceipt {
        _ = try accepted(order, at: now)
        return try await ask(try await pushes.submit(order, at: now))
    }

    /// The request to the devices' services; nil where all are simulated, or nobody here is meant.
    ///
    /// - Throws: ``APIError`` for what would be refused.
    func accepted(_ order: PushOrder, at now: Instant) throws(APIError) -> AppleRequest? {
        // If no iPhone can be meant, the certificate does not matter.
        // Source: docs/background/leancloud/push.md#refusals.
        guard let service = pushes.apple?.service, order.mayReachIOS || !service.androidRoutes(order, at: now).isEmpty
        else { return nil }
        return try AppleRequest(order, service, at: now)
    }

    /// Sends a push of the console's: with the same limits and refusals as one with the master key.
    func push(_ members: JSONObject, at now: Instant) async throws(APIError) -> PushReceipt {
        try await count(at: now)
        guard JSONValue.object(members).canonicalBytes.count < Self.pushBodyLimit else {
            throw APIError.payloadTooLarge
        }
        return try await submit(try PushParameters(members, at: now).order(toDevices: false), at: now)
    }

    /// `GET /scheduledPushMessages` and `DELETE /scheduledPushMessages/:id`.
    ///
    /// The list is also returned for a POST, which the prose of every edition names.
    /// Source: docs/background/leancloud/records.md#scheduled-pushes.
    func scheduled(_ request: APIRequest) async throws(APIError) -> APIResponse {
        try request.requireMaster("see scheduled pushes")
        guard request.path.count == 2 else {
            try allow(request, .get, .post)
            let waiting = try await ask(try await registry.scheduledPushes())
            return APIResponse(body: ["results": .array(waiting.map(json))])
        }
        try allow(request, .delete)
        guard let id = Int64(request.path[1]) else { throw APIError.notFound }
        let isCancelled = try await ask(try await registry.cancelScheduled(id))
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
        let found = try await ask(try await registry.record(objectID: request.path[2], at: request.now))
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
            let found = try await ask(
                try await registry.records(limit: request.limit, skip: request.skip, at: request.now))
            var body: JSONValue = ["results": .array(found.results)]
            if request.flag("count") { body["count"] = .integer(Int64(found.count)) }
            return APIResponse(body: body)
        }
        try allow(request, .get, .delete)
        let id = request.path[1]
        if request.method == .delete {
            let isDeleted = try await ask(try await registry.deleteRecord(notificationID: id))
            guard isDeleted else { throw APIError.notFound }
            return APIResponse(body: [:])
        }
        let found = try await ask(try await registry.record(notificationID: id, at: request.now))
        guard let found else { throw APIError.notFound }
        return APIResponse(body: found)
    }
}

/// The members of a push's body that both kinds of push share.
///
/// Source: docs/background/leancloud/push.md#push-by-query, docs/background/leancloud/push.md#push-by-device.
struct PushParameters {
    private let members: JSONObject
    private let now: Instant
    private let productionHeader: String?

    init(_ members: JSONObject, _ request: APIRequest) {
        self.init(members, at: request.now, productionHeader: request.productionHeader)
    }

    init(_ members: JSONObject, at now: Instant, productionHeader: String? = nil) {
        // SDKs send null for members their caller left out.
        self.members = members.filter { !$0.value.isNull }
        self.now = now
        self.productionHeader = productionHeader
    }

    /// The order for a push to devices by their ids, or to those that match a condition.
    ///
    /// - Throws: ``APIError`` with code 1, or for a condition 112, 152 or 300 too.
    func order(toDevices: Bool) throws(APIError) -> PushOrder {
        guard toDevices else { return try order(.query(try condition()), fireAt: try pushTime()) }
        guard let platform = members["device_type"]?.string?.lowercased(), ["ios", "android"].contains(platform) else {
            throw APIError(400, 1, "device_type is ios or android.")
        }
        let ids = (members["device_ids"]?.array ?? []).compactMap(\.string)
            .filter { !$0.isEmpty && !$0.utf8.contains(0) }
        guard !ids.isEmpty, ids.count == members["device_ids"]?.array?.count, ids.count <= 500 else {
            throw APIError(400, 1, "device_ids is a list of 1 to 500 texts.")
        }
        for name in ["channel", "device_profile", "vendor"] {
            if let value = members[name], value.string == nil { throw APIError(400, 1, "\(name) is a text.") }
        }
        let vendor = members["vendor"]?.string
        let known = platform == "ios" ? ids.map(AppleToken.normalized) : ids
        return try order(.devices(platform: platform, ids: known, vendor: vendor), fireAt: nil)
    }

    private func order(_ audience: PushOrder.Audience, fireAt: Instant?) throws(APIError) -> PushOrder {
        guard let data = members["data"], data.object != nil else { throw APIError(400, 1, "data is an object.") }
        if let control = members["flow_control"], control.double == nil {
            throw APIError(400, 1, "flow_control is a number.")
        }
        for name in ["topic", "apns_team_id", PushData.notificationChannel] {
            if let value = members[name], value.string == nil { throw APIError(400, 1, "\(name) is a text.") }
        }
        var (profile, channel) = (String?.none, text(PushData.notificationChannel))
        if case .devices = audience { (profile, channel) = (text("device_profile"), text("channel") ?? channel) }
        let apple = PushOrder.AppleOptions(
            topic: text("topic"), teamID: text("apns_team_id"), profile: profile, perSecond: flowControl,
            channel: channel)
        return PushOrder(
            notificationID: try identifier("notification_id"), requestID: try identifier("req_id"),
            audience: audience, data: data, environment: try environment(),
            incrementsBadge: PushData(data).incrementsBadge, fireAt: fireAt,
            expiresAt: try expiration(from: fireAt ?? now), apple: apple)
    }

    /// The text of a member; nil when it is absent or empty.
    private func text(_ name: String) -> String? {
        members[name]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The devices per second; less than 1,000 counts as 1,000. Source:
    /// docs/background/leancloud/push.md#push-by-query.
    private var flowControl: Int? {
        members["flow_control"]?.double.map { Int(min(max($0, 1000), 1_000_000)) }
    }

    private func identifier(_ name: String) throws(APIError) -> String? {
        guard let value = members[name] else { return nil }
        guard let text = value.string, (1...16).contains(text.utf8.count),
            text.unicodeScalars.allSatisfy({
                $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil)
            })
        else { throw APIError(400, 1, "\(name) has 1 to 16 letters and digits.") }
        return text
    }

    private func environment() throws(APIError) -> String {
        guard let value = members["prod"] else {
            return productionHeader.map { $0 == "1" ? "prod" : "dev" } ?? "prod"
        }
        guard let text = value.string, text == "dev" || text == "prod" else {
            throw APIError(400, 1, "prod is dev or prod.")
        }
        return text
    }

    /// The time to send at; `nil` for immediately, also when it is less than a minute ahead.
    private func pushTime() throws(APIError) -> Instant? {
        guard let value = members["push_time"] else { return nil }
        guard let time = instant(value) else {
            throw APIError(400, 152, "push_time is a time such as 2019-04-01T06:19:29.000Z.")
        }
        return time < now.advanced(bySeconds: 60) ? nil : time
    }

    private func expiration(from start: Instant) throws(APIError) -> Instant? {
        switch (members["expiration_time"], members["expiration_interval"]) {
        case (nil, nil): return nil
        case (let time?, nil):
            guard let expiresAt = instant(time) else {
                throw APIError(
                    400, 1,
                    "expiration_time is a time such as 2019-04-01T06:19:29.000Z, or milliseconds since 1970; what the Java SDK writes since version 7 names no time zone: use setExpirationTimeInterval there."
                )
            }
            return expiresAt
        case (nil, let interval?):
            guard let seconds = interval.double ?? interval.string.flatMap(Double.init), seconds > 0, seconds < 1e9
            else {
                throw APIError(400, 1, "expiration_interval is a number of seconds.")
            }
            return start.advanced(bySeconds: seconds)
        case (_?, _?): throw APIError(400, 1, "expiration_time and expiration_interval exclude each other.")
        }
    }

    /// Parses a time; without a zone it is UTC, as the C# SDK sends it, and a number is milliseconds, as the Java SDK
    /// sent it before version 7.
    private func instant(_ value: JSONValue) -> Instant? {
        // A smaller number would be one of seconds.
        if let number = value.integer, (100_000_000_000...Instant.latest.milliseconds).contains(number) {
            return Instant(milliseconds: number)
        }
        return (value.string ?? value["iso"]?.string).flatMap { Instant(iso: $0) ?? Instant(iso: $0 + "Z") }
    }

    /// The condition of a CQL query.
    private func cloudQuery(_ value: JSONValue) throws(APIError) -> JSONValue {
        guard members["where"] == nil else { throw APIError(400, 300, "cql and where exclude each other.") }
        guard let text = value.string else { throw APIError(400, 300, "cql is a text.") }
        return try APIError.checking(try CQLQuery(text, values: [], at: now).audience())
    }

    /// The condition from `where` or `cql`, with `channels` added as one more.
    private func condition() throws(APIError) -> JSONValue {
        var condition = members["where"] ?? [:]
        if let cql = members["cql"] {
            condition = try cloudQuery(cql)
        } else if let text = condition.string {
            // The C# SDK sends the condition as a string.
            guard let parsed = try? JSONValue(parsing: text, limits: ServerLimits.json) else {
                throw APIError(400, 107, "'where' is not JSON.")
            }
            condition = parsed
        }
        guard condition.object != nil || condition.array != nil else {
            throw APIError(400, 1, "where is an object or a list of objects.")
        }
        try condition.refuseNUL("where")
        guard let channels = try channels() else { return condition }
        if condition.object != nil, condition["channels"] == nil {
            condition["channels"] = channels
            return condition
        }
        return ["$and": [condition, ["channels": channels]]]
    }

    private func channels() throws(APIError) -> JSONValue? {
        guard let value = members["channels"] else { return nil }
        let list = value.array ?? [value]
        let names = list.compactMap(\.string)
        guard names.count == list.count else { throw APIError(400, 112, "channels are texts.") }
        for name in names { try APIError.checking(try ChannelName.check(name)) }
        // An empty list must not mean every device.
        guard !names.isEmpty else {
            throw APIError(400, 112, "channels is empty: name a channel, or leave channels out to reach every device.")
        }
        return names.count == 1 ? list[0] : ["$in": .array(list)]
    }
}
