package import Base
package import Push

/// The full instructions of a delivery straight to Apple, also used to resume it after a crash: the body of its
/// request.
///
/// It contains nothing that depends on the start time. ``body`` writes it and ``init(_:)`` reads it.
package struct DeliveryOrder: Hashable, Sendable {
    /// The payload: an object with `aps`; without a badge if ``countsBadge``.
    package var payload: JSONValue
    /// The payloads in other languages; empty: everybody gets ``payload``.
    package var languages: Languages
    /// The payloads of each variant, in the order of the test's arms: its own, then those in other languages; empty:
    /// everybody gets ``payload`` and ``languages``.
    package var variants: [[JSONValue]] = []
    /// The messages for devices of other vendors than Apple.
    package var others: [PushVendor: Messages] = [:]
    /// True when texts of the payloads have places for values of the device.
    package var isPersonal: Bool
    /// True when the payload carries each device's own badge, raised by one.
    package var countsBadge: Bool
    /// `apns-push-type`.
    package var pushType: PushType
    /// `apns-priority`: 10, 5 or 1.
    package var priority: Int
    /// `apns-collapse-id`, 1 to 64 bytes.
    package var collapseID: String?
    /// The time that Apple keeps trying, in whole seconds.
    package var expiration: Expiration
    /// Apple's environment.
    package var environment: PushEnvironment
    /// The profiles to push with, at least one; exactly one for a broadcast.
    package var routes: [Route]
    /// The recipients.
    package var target: Target
    /// The limit in devices a second, from 1; nil: unlimited.
    package var throttle: Int?
    /// True when devices whose answer was lost are sent the notification again; only with a collapse id.
    package var resendsDoubtful: Bool
    /// The time at which each device is sent to.
    package var timing: Timing
    /// The share of devices that is held out; nil: none.
    package var holdout: Holdout?
    /// The limits on the deliveries to one device.
    package var frequency: [FrequencyRule] = []
    /// The time after its end for which single events are kept; nil: it counts none.
    package var eventsKept: Duration?

    /// The payloads of a delivery in several languages.
    package struct Languages: Hashable, Sendable {
        /// The field of an installation that names its language.
        package var field: String = ""
        /// The languages with their payloads, in the order of their numbers from 1.
        package var payloads: [LanguagePayload] = []
    }

    /// The payload for devices in one language.
    package struct LanguagePayload: Hashable, Sendable {
        /// The language's BCP 47 tag.
        package var name: String
        /// The payload, as for everybody.
        package var payload: JSONValue
    }

    /// What devices of one vendor get, in the shape of ``payload``, ``languages`` and ``variants``.
    package struct Messages: Hashable, Sendable {
        /// The message for everybody.
        package var own: JSONValue
        /// That of each language, in the order of ``DeliveryOrder/languages``.
        package var languages: [JSONValue] = []
        /// Those of each variant: its own, then those in other languages.
        package var variants: [[JSONValue]] = []

        /// All of them.
        package var all: [JSONValue] { [own] + languages + variants.flatMap(\.self) }

        package init(own: JSONValue, languages: [JSONValue] = [], variants: [[JSONValue]] = []) {
            self.own = own
            self.languages = languages
            self.variants = variants
        }
    }

    /// The time at which the devices of a delivery are sent to.
    package enum Timing: Hashable, Sendable {
        /// All as soon as it starts.
        case together
        case localTime(LocalSchedule)
        /// In stages, each of which is judged before the next one starts.
        case stages(Rollout)
        /// Some test variants; the others follow when one is chosen.
        case variants(VariantTest)

        /// The delay within which a part may go on; nil when the audience is undivided.
        package var window: Duration? {
            switch self {
            case .together: nil
            case .localTime(let schedule): schedule.window
            case .stages(let rollout): rollout.window
            case .variants(let test): test.window
            }
        }
    }

    /// The test of its variants; nil when everybody gets the same.
    package var test: VariantTest? { if case .variants(let test) = timing { test } else { nil } }

    /// A profile and the topic it pushes to.
    package struct Route: Hashable, Sendable {
        /// The profile's name.
        package var profile: String
        /// The service of its devices.
        package var vendor: PushVendor
        /// The profile's name as stored in installations.
        package var installations: String
        /// The topic as stored in installations: the bundle id; empty for other vendors than Apple.
        package var topic: String
        /// The topic as sent, with the push type's suffix; a broadcast's has none.
        package var apnsTopic: String
        /// True when the route also serves installations that name no profile.
        package var isDefault: Bool
        /// What the profile adds to each message of its vendor.
        package var settings: JSONValue

        package init(
            profile: String, vendor: PushVendor = .apns, installations: String? = nil, topic: String = "",
            apnsTopic: String = "", isDefault: Bool, settings: JSONValue = [:]
        ) {
            self.settings = settings
            self.vendor = vendor
            self.installations = installations ?? profile
            self.profile = profile
            self.topic = topic
            self.apnsTopic = apnsTopic
            self.isDefault = isDefault
        }
    }

    /// The recipients of a delivery.
    package enum Target: Hashable, Sendable {
        /// The installations that match a condition; always an object.
        case condition(JSONValue)
        /// These device tokens, at least one.
        case devices([String])
        /// The subscribers of an Apple broadcast channel, by the channel's declared name and the app's bundle id.
        case broadcast(channel: String, topic: String)
    }

    /// The largest badge that a payload is measured with; a counted badge never exceeds it.
    package static let largestBadge = 99_999

    /// The most time that Apple keeps a broadcast channel's latest message
    /// (docs/background/apple/broadcasts.md#channels).
    package static let broadcastStorage = Duration.seconds(8 * 3600)

    package init(
        payload: JSONValue, countsBadge: Bool = false, pushType: PushType, priority: Int, collapseID: String? = nil,
        expiration: Expiration = .never, environment: PushEnvironment, routes: [Route], target: Target,
        throttle: Int? = nil, resendsDoubtful: Bool = false, timing: Timing = .together,
        languages: Languages = Languages(),
        isPersonal: Bool = false, eventsKept: Duration? = nil
    ) {
        self.eventsKept = eventsKept
        self.languages = languages
        self.isPersonal = isPersonal
        self.payload = payload
        self.countsBadge = countsBadge
        self.pushType = pushType
        self.priority = priority
        self.collapseID = collapseID
        self.expiration = expiration
        self.environment = environment
        self.routes = routes
        self.target = target
        self.throttle = throttle
        self.resendsDoubtful = resendsDoubtful
        self.timing = timing
    }
}

// MARK: - Body

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
        if !others.isEmpty {
            body["vendors"] = .object(JSONObject(others.lazy.map { ($0.key.rawValue, $0.value.json) }))
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
            "holdout", "frequency", "eventsKept", "variants", "vendors",
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
        if reader.members["vendors"] != nil {
            let inner = try reader.object("vendors")
            for name in inner.members.keys {
                guard let vendor = PushVendor(rawValue: name), vendor != .apns else {
                    throw inner.error(name, "is not known")
                }
                others[vendor] = try Messages(try inner.object(name))
            }
        }
        try check(reader)
    }

    /// Checks the members against each other.
    private func check(_ reader: OrderReader) throws(DeliveryOrderError) {
        if routes.isEmpty { throw reader.error("routes", "is empty") }
        for vendor in PushVendor.allCases {
            let served = routes.filter { $0.vendor == vendor }
            if served.filter(\.isDefault).count > 1 { throw reader.error("routes", "has two defaults") }
            guard vendor != .apns, !served.isEmpty || others[vendor] != nil else { continue }
            guard let messages = others[vendor], messages.languages.count == languages.payloads.count,
                messages.variants.map(\.count) == variants.map(\.count)
            else { throw reader.error("vendors", "has no message for \(vendor.rawValue), its languages and variants") }
        }
        if case .broadcast = target {
            if timing != .together { throw reader.error("broadcast", "reaches everybody at once") }
            if routes.count > 1 { throw reader.error("routes", "has more than one") }
            if isPersonal || !languages.payloads.isEmpty {
                throw reader.error("broadcast", "says the same to everybody")
            }
            if holdout != nil || !frequency.isEmpty { throw reader.error("broadcast", "reaches every subscriber") }
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

/// The members of one object of a recorded request, read strictly.
struct OrderReader {
    let members: JSONObject
    private let path: String

    /// Reads the object at `path`; the outermost is `body`.
    init(_ value: JSONValue, _ path: String) throws(DeliveryOrderError) {
        guard let members = value.object else { throw DeliveryOrderError(path, "is not an object") }
        self.members = members
        self.path = path
    }

    func error(_ name: String, _ problem: String) -> DeliveryOrderError {
        DeliveryOrderError(path == "body" ? name : "\(path).\(name)", problem)
    }

    /// Throws when there is a member with another name.
    func allow(_ names: Set<String>) throws(DeliveryOrderError) {
        if let unknown = members.keys.filter({ !names.contains($0) }).min() { throw error(unknown, "is not known") }
    }

    /// A non-empty string.
    func string(_ name: String) throws(DeliveryOrderError) -> String {
        guard let text = members[name]?.string, !text.isEmpty else { throw error(name, "is not a string") }
        return text
    }

    func optionalString(_ name: String) throws(DeliveryOrderError) -> String? {
        members[name] == nil ? nil : try string(name)
    }

    func strings(_ name: String) throws(DeliveryOrderError) -> [String] {
        guard let elements = members[name]?.array else { throw error(name, "is not a list") }
        let texts = elements.compactMap(\.string).filter { !$0.isEmpty }
        guard texts.count == elements.count else { throw error(name, "is not a list of strings") }
        return texts
    }

    /// One of an enumeration's raw values.
    func choice<Value: RawRepresentable<String>>(_ name: String) throws(DeliveryOrderError) -> Value {
        guard let value = Value(rawValue: try string(name)) else { throw error(name, "has an unknown value") }
        return value
    }

    /// A positive integer.
    func optionalCount(_ name: String) throws(DeliveryOrderError) -> Int? {
        guard let value = members[name] else { return nil }
        guard let number = value.integer, number > 0, let count = Int(exactly: number) else {
            throw error(name, "is not a positive number")
        }
        return count
    }

    /// A length of time in whole seconds, from 0.
    func seconds(_ name: String) throws(DeliveryOrderError) -> Duration {
        guard let count = members[name]?.integer, count >= 0 else { throw error(name, "is not a number of seconds") }
        return .seconds(count)
    }

    /// True when a member that allows a single value is present.
    func mark(_ name: String, _ only: JSONValue) throws(DeliveryOrderError) -> Bool {
        guard let value = members[name] else { return false }
        guard value == only else { throw error(name, "is not \(only.canonicalText)") }
        return true
    }

    /// An object, as it is sent.
    func payload(_ name: String) throws(DeliveryOrderError) -> JSONValue {
        guard let payload = members[name], payload.object != nil else { throw error(name, "is not an object") }
        return payload
    }

    func object(_ name: String) throws(DeliveryOrderError) -> OrderReader {
        guard let value = members[name] else { throw error(name, "is missing") }
        return try OrderReader(value, path == "body" ? name : "\(path).\(name)")
    }

    func objects(_ name: String) throws(DeliveryOrderError) -> [OrderReader] {
        guard let elements = members[name]?.array else { throw error(name, "is not a list") }
        var readers: [OrderReader] = []
        for element in elements { readers.append(try OrderReader(element, name)) }
        return readers
    }
}
