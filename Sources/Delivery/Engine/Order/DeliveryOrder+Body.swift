package import Base
package import Push

/// A recorded request that this version cannot carry out.
package struct DeliveryOrderError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The faulty member, such as `headers.apns-priority`.
    package let member: String
    /// The fault of the member.
    package let problem: String

    init(_ member: String, _ problem: String) {
        self.member = member
        self.problem = problem
    }

    /// One sentence without a full stop: what is wrong and what to do.
    package var description: String {
        "the recorded request cannot be carried out: '\(member)' \(problem); "
            + "use the version of bugle that wrote it, or close the delivery with bugle resolve"
    }
}

extension DeliveryOrder {
    /// The request that the plan shows and the ledger keeps.
    package var request: PushRequest {
        switch target {
        case .devices: PushRequest(endpoint: .devices, body: body)
        case .condition, .broadcast: PushRequest(endpoint: .push, body: body)
        }
    }

    /// The body of ``request``.
    package var body: JSONValue {
        var headers: JSONObject = [
            "apns-push-type": .string(pushType.rawValue), "apns-priority": .string(String(priority)),
        ]
        headers["apns-collapse-id"] = collapseID.map { .string($0) }
        var body: JSONObject = [
            "payload": payload, "headers": .object(headers), "environment": .string(environment.rawValue),
            "routes": .array(routes.map(\.json)), "expiration": expiration.json,
        ]
        switch target {
        case .condition(let condition): body["where"] = condition
        case .devices(let devices): body["device_ids"] = .array(devices.map { .string($0) })
        case .broadcast(let channel, let topic):
            body["broadcast"] = ["channel": .string(channel), "topic": .string(topic)]
        }
        if countsBadge { body["badge"] = "Increment" }
        body["throttle"] = throttle.map { .integer(Int64($0)) }
        if resendsDoubtful { body["inDoubt"] = "resend" }
        switch timing {
        case .together: break
        case .localTime(let schedule): body["localTime"] = schedule.json
        case .stages(let rollout): body["rollout"] = rollout.json
        case .variants(let test): body["variants"] = test.json(variants, languages.payloads.map(\.name))
        }
        if !languages.payloads.isEmpty {
            body["languages"] = [
                "field": .string(languages.field),
                "payloads": .object(JSONObject(languages.payloads.lazy.map { ($0.name, $0.payload) })),
            ]
        }
        if isPersonal { body["personal"] = true }
        body["holdout"] = holdout?.json
        if !frequency.isEmpty { body["frequency"] = .array(frequency.map(\.json)) }
        body["eventsKept"] = eventsKept.map { .integer($0.wholeSeconds) }
        return .object(body)
    }

    /// Reads what ``body`` wrote; an unknown member is an error, because it would not be honoured.
    ///
    /// - Throws: ``DeliveryOrderError`` naming the first member that is missing, unknown or wrong.
    package init(_ body: JSONValue) throws(DeliveryOrderError) {
        let reader = try OrderReader(body, "body")
        try reader.allow([
            "payload", "headers", "environment", "routes", "expiration", "where", "device_ids", "broadcast", "badge",
            "throttle", "inDoubt", "localTime", "rollout", "languages", "personal",
            "holdout", "frequency", "eventsKept", "variants",
        ])
        let headers = try reader.object("headers")
        try headers.allow(["apns-push-type", "apns-priority", "apns-collapse-id"])
        let priority = try headers.string("apns-priority")
        guard let number = [10, 5, 1].first(where: { String($0) == priority }) else {
            throw headers.error("apns-priority", "is not 10, 5 or 1")
        }
        self.init(
            payload: try reader.payload("payload"),
            countsBadge: try reader.mark("badge", "Increment"),
            pushType: try headers.choice("apns-push-type"), priority: number,
            collapseID: try headers.optionalString("apns-collapse-id"),
            expiration: try Expiration(reader), environment: try reader.choice("environment"),
            routes: try reader.objects("routes").map { reader throws(DeliveryOrderError) in try Route(reader) },
            target: try Target(reader), throttle: try reader.optionalCount("throttle"),
            resendsDoubtful: try reader.mark("inDoubt", "resend"), timing: try Timing(reader),
            languages: try Languages(reader),
            isPersonal: try reader.mark("personal", true),
            eventsKept: try reader.optionalCount("eventsKept").map { .seconds($0) })
        variants =
            try self.test.map { test throws(DeliveryOrderError) in
                try test.payloads(try reader.object("variants"), languages.payloads.map(\.name))
            } ?? []
        if let value = reader.members["holdout"] {
            guard let holdout = Holdout(value) else { throw reader.error("holdout", "is not a share with a salt") }
            self.holdout = holdout
        }
        if let value = reader.members["frequency"] {
            guard let rules = FrequencyRule.list(value) else {
                throw reader.error("frequency", "is not a list of rules")
            }
            frequency = rules
        }
        try check(reader)
    }

    /// Checks the members against each other.
    private func check(_ reader: OrderReader) throws(DeliveryOrderError) {
        if routes.isEmpty { throw reader.error("routes", "is empty") }
        if routes.filter(\.isDefault).count > 1 { throw reader.error("routes", "has two defaults") }
        if case .broadcast = target, timing != .together {
            throw reader.error("broadcast", "reaches everybody at once")
        }
        if case .broadcast = target, routes.count > 1 { throw reader.error("routes", "has more than one") }
        if case .broadcast = target, isPersonal || !languages.payloads.isEmpty {
            throw reader.error("broadcast", "says the same to everybody")
        }
        if case .broadcast = target, holdout != nil || !frequency.isEmpty {
            throw reader.error("broadcast", "reaches every subscriber")
        }
        for payload in [payload] + languages.payloads.map(\.payload) + variants.flatMap(\.self) where countsBadge {
            if payload["aps"]?["badge"] != nil { throw reader.error("payload", "has a badge of its own") }
            if payload["aps"]?.object == nil { throw reader.error("payload", "has no 'aps'") }
        }
        if resendsDoubtful, collapseID == nil { throw reader.error("inDoubt", "needs an apns-collapse-id") }
        if let collapseID, !(1...64).contains(collapseID.utf8.count) {
            throw reader.error("headers", "has an apns-collapse-id of 0 or more than 64 bytes")
        }
    }
}

extension DeliveryOrder.Route {
    fileprivate var json: JSONValue {
        var json: JSONValue = [
            "profile": .string(profile), "topic": .string(topic), "apnsTopic": .string(apnsTopic),
        ]
        if isDefault { json["default"] = true }
        return json
    }

    fileprivate init(_ reader: OrderReader) throws(DeliveryOrderError) {
        try reader.allow(["profile", "topic", "apnsTopic", "default"])
        self.init(
            profile: try reader.string("profile"), topic: try reader.string("topic"),
            apnsTopic: try reader.string("apnsTopic"), isDefault: try reader.mark("default", true))
    }
}

extension DeliveryOrder.Languages {
    fileprivate init(_ reader: OrderReader) throws(DeliveryOrderError) {
        self.init()
        guard reader.members["languages"] != nil else { return }
        let inner = try reader.object("languages")
        try inner.allow(["field", "payloads"])
        field = try inner.string("field")
        let payloads = try inner.object("payloads")
        if payloads.members.isEmpty { throw inner.error("payloads", "is empty") }
        for name in payloads.members.keys.sorted() {
            guard LanguageTag.isName(name) else { throw payloads.error(name, "is not a language") }
            self.payloads.append(DeliveryOrder.LanguagePayload(name: name, payload: try payloads.payload(name)))
        }
    }
}

extension Expiration {
    fileprivate var json: JSONValue {
        switch self {
        case .never: "never"
        case .after(let duration): ["interval": .integer(duration.wholeSeconds)]
        case .at(let end): ["time": .string(end.instant.isoText)]
        }
    }

    fileprivate init(_ reader: OrderReader) throws(DeliveryOrderError) {
        guard let value = reader.members["expiration"], value != "never" else {
            self = .never
            return
        }
        let inner = try reader.object("expiration")
        try inner.allow(["interval", "time"])
        switch (inner.members["interval"], inner.members["time"]) {
        case (let interval?, nil):
            guard let seconds = interval.integer, (0...1 << 32).contains(seconds) else {
                throw inner.error("interval", "is not a number of seconds")
            }
            self = .after(.seconds(seconds))
        case (nil, let time?):
            guard let instant = time.string.flatMap({ Instant($0) }) else {
                throw inner.error("time", "is not an instant")
            }
            self = .at(OffsetInstant(instant))
        case (nil, nil), (.some, .some): throw reader.error("expiration", "is neither an interval nor a time")
        }
    }
}

extension DeliveryOrder.Target {
    fileprivate init(_ reader: OrderReader) throws(DeliveryOrderError) {
        let members = reader.members
        switch (members["where"], members["device_ids"], members["broadcast"]) {
        case (let condition?, nil, nil):
            guard condition.object != nil else { throw reader.error("where", "is not an object") }
            self = .condition(condition)
        case (nil, .some, nil):
            let devices = try reader.strings("device_ids")
            if devices.isEmpty { throw reader.error("device_ids", "is empty") }
            self = .devices(devices)
        case (nil, nil, .some):
            let inner = try reader.object("broadcast")
            try inner.allow(["channel", "topic"])
            self = .broadcast(channel: try inner.string("channel"), topic: try inner.string("topic"))
        default: throw reader.error("where", "or 'device_ids' or 'broadcast' is required, and only one of the three")
        }
    }
}
