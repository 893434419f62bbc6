internal import Base
internal import Push

/// A difference in effect between two requests.
package enum PushDifference: String, Hashable, Sendable, CaseIterable {
    case audience = "its audience"
    case time = "its time"
    case expiration = "how long it is kept"
    case environment = "its environment"
    /// The sending rate.
    case throttle = "its speed"
    /// Only the second one names a topic or a team for Apple's request.
    case addedTopic = "the topic that a device profile adds"
    /// The topic or team of Apple's request.
    case topic = "its topic"
    case apple = "what Apple devices get"
    case android = "what Android devices get"
}

/// The effect of a request, independent of its spelling.
///
/// Requests with the same effect compare equal; anything without an effect, such as ids or content for platforms that
/// are not reached, is left out.
struct PushMeaning: Hashable {
    /// The condition in normal form.
    let condition: JSONValue
    /// The time of sending; nil: at once.
    let pushTime: Instant?
    /// The expiration; nil: as long as the service keeps trying.
    let expiration: Expiration?
    /// True for Apple's development environment.
    let isDevelopment: Bool
    /// The limit in devices a second, at least 1,000; nil: unlimited.
    let throttle: Int?
    /// Topic and team, if an Apple device can be reached.
    let topic: [String]
    /// The content for Apple devices; nil: none is reached.
    let apple: AppleView?
    /// The content for Android devices; nil: none is reached.
    let android: AndroidView?
    /// The vendor-specific content, if an Android device can be reached.
    let vendors: JSONObject
    /// Android's notification channel, if an Android device can be reached.
    let channel: String?

    private static let known: Set<String> = [
        "data", "where", "push_time", "prod", "expiration_interval", "expiration_time", "flow_control", "topic",
        "apns_team_id", PushData.notificationChannel, "notification_id", "req_id",
    ]

    /// Reads a request of `POST /push`.
    ///
    /// - Throws: ``Inexpressible`` when the request contains something unknown.
    init(_ request: PushRequest) throws(Inexpressible) {
        guard request.endpoint == .push, let body = request.body.object, let members = body["data"]?.object else {
            throw Inexpressible("is not a push by condition")
        }
        if let odd = body.keys.filter({ !Self.known.contains($0) }).min() {
            throw Inexpressible("has '\(odd.shortened(to: 64))', which campaigns do not have")
        }
        let data = PushData(members)
        guard let condition = (body["where"] ?? [:]).object else {
            throw Inexpressible("has a 'where' that is not a condition")
        }
        let parts = ConditionParts(condition)
        self.condition = parts.normalized
        pushTime = try Self.instant("push_time", body)
        expiration = try Self.expiration(body)
        switch body["prod"] {
        case nil, "prod": isDevelopment = false
        case "dev": isDevelopment = true
        default: throw Inexpressible("has a 'prod' that is neither dev nor prod")
        }
        throttle = try Self.throttle(body["flow_control"])
        // Other kinds of Apple devices count as iOS.
        let reachesApple = parts.platforms.contains(.ios) || parts.platforms.isEmpty
        let reachesAndroid = parts.platforms.contains(.android)
        topic =
            reachesApple ? [try Self.text("topic", body), try Self.text("apns_team_id", body)].compactMap { $0 } : []
        apple = reachesApple ? try AppleView(data) : nil
        android = reachesAndroid ? try AndroidView(data) : nil
        vendors = reachesAndroid ? try data.vendorContent : [:]
        channel = reachesAndroid ? try Self.channel(body, members) : nil
    }

    /// The differences in effect between this request and another.
    func differences(from other: PushMeaning) -> [PushDifference] {
        var found: [PushDifference] = []
        if condition != other.condition { found.append(.audience) }
        if pushTime != other.pushTime { found.append(.time) }
        if expiration != other.expiration { found.append(.expiration) }
        if isDevelopment != other.isDevelopment { found.append(.environment) }
        if throttle != other.throttle { found.append(.throttle) }
        if topic != other.topic { found.append(topic.isEmpty ? .addedTopic : .topic) }
        if apple != other.apple { found.append(.apple) }
        if android != other.android || vendors != other.vendors || channel != other.channel { found.append(.android) }
        return found
    }
}

extension PushMeaning {
    /// A thousand years, more than a campaign can express.
    private static let longestExpiration: Int64 = 31_622_400_000

    private static func text(_ key: String, _ body: JSONObject) throws(Inexpressible) -> String? {
        guard let value = body[key] else { return nil }
        guard let text = value.string else { throw Inexpressible("has a '\(key)' that is not a string") }
        return text
    }

    private static func instant(_ key: String, _ body: JSONObject) throws(Inexpressible) -> Instant? {
        guard let value = body[key] else { return nil }
        guard let instant = value.string.flatMap({ Instant($0) }) else {
            throw Inexpressible("has a '\(key)' that is not a time")
        }
        return instant
    }

    private static func expiration(_ body: JSONObject) throws(Inexpressible) -> Expiration? {
        let end = try instant("expiration_time", body)
        guard let value = body["expiration_interval"] else { return end.map { .at(OffsetInstant($0)) } }
        guard end == nil else { throw Inexpressible("has two expirations, and it is unclear which one applies") }
        // Old clients write the number as a string.
        guard let seconds = value.integer ?? value.string.flatMap({ Int64($0) }), seconds > 0,
            seconds <= longestExpiration
        else {
            throw Inexpressible("has an 'expiration_interval' that is not a positive number of seconds")
        }
        return .after(.seconds(seconds))
    }

    private static func throttle(_ value: JSONValue?) throws(Inexpressible) -> Int? {
        guard let value else { return nil }
        guard let number = value.integer, number >= 0, let count = Int(exactly: number) else {
            throw Inexpressible("has a 'flow_control' that is not a whole number")
        }
        return max(count, LeanCloudLimits.slowestThrottle)
    }

    private static func channel(_ body: JSONObject, _ data: JSONObject) throws(Inexpressible) -> String? {
        let key = PushData.notificationChannel
        let found = [body[key], data[key], data["android"]?[key]].compactMap { $0 }
        guard let first = found.first else { return nil }
        guard let name = first.string, found.allSatisfy({ $0 == first }) else {
            throw Inexpressible("has a '\(key)' that is not a single string")
        }
        return name
    }
}

/// A condition split into the parts that must all hold, to compare conditions for equivalence.
struct ConditionParts {
    /// A field or operator with its constraint.
    struct Part: Hashable {
        /// The field, or `$or`.
        let key: String
        let value: JSONValue

        /// The names in `"a"` or in `{"$in": ["a", "b"]}`; nil for any other constraint.
        var names: [String]? {
            if let name = value.string { return [name] }
            guard let members = value.object, members.count == 1, let list = members["$in"]?.array else { return nil }
            let names = list.compactMap(\.string)
            return names.count == list.count && !names.isEmpty ? names : nil
        }

        /// The part in normal form: lists of names sorted, times in UTC with milliseconds.
        fileprivate var normalized: JSONValue {
            guard ["channels", "deviceType"].contains(key), let names else { return [key: Self.timed(value)] }
            let sorted = Set(names).sorted()
            return [key: sorted.count == 1 ? .string(sorted[0]) : ["$in": .array(sorted.map { .string($0) })]]
        }

        private static func timed(_ value: JSONValue) -> JSONValue {
            switch value {
            case .null, .bool, .integer, .number, .string: return value
            case .array(let elements): return .array(elements.map(timed))
            case .object(let members):
                if members["__type"] == "Date", let instant = members["iso"]?.string.flatMap({ Instant($0) }) {
                    return ["__type": "Date", "iso": .string(instant.isoText)]
                }
                return .object(members.mapValues(timed))
            }
        }
    }

    /// The parts, without `valid`, which every push requires anyway.
    private(set) var parts: [Part] = []

    /// Splits a condition, including `$and` at any depth.
    init(_ condition: JSONObject) {
        for (key, value) in condition.sorted(by: { $0.key < $1.key }) {
            if key == "$and", let list = value.array, !list.isEmpty, list.allSatisfy({ $0.object != nil }) {
                for inner in list { parts += ConditionParts(inner.object ?? [:]).parts }
            } else if key != "valid" || value != true {
                parts.append(Part(key: key, value: value))
            }
        }
    }

    var platforms: Set<Platform> {
        var possible = Set(Platform.allCases)
        for part in parts where part.key == "deviceType" {
            if let names = part.names { possible.formIntersection(names.compactMap { Platform(rawValue: $0) }) }
        }
        return possible
    }

    /// The distinct parts in normal form and order.
    var normalized: JSONValue {
        .array(Set(parts.map(\.normalized)).sorted { $0.canonicalText < $1.canonicalText })
    }

    /// The condition rebuilt from its parts, with `$and` only where two parts constrain the same field.
    var condition: JSONValue? {
        var objects: [JSONObject] = []
        for part in parts {
            if let index = objects.firstIndex(where: { $0[part.key] == nil }) {
                objects[index][part.key] = part.value
            } else {
                objects.append([part.key: part.value])
            }
        }
        if objects.count > 1 { return ["$and": .array(objects.map { .object($0) })] }
        return objects.first.map { .object($0) }
    }

    /// Removes the only part about a field and returns its names; nil, without a change, when there is no such part.
    mutating func takeNames(of key: String, where accepts: ([String]) -> Bool = { _ in true }) -> [String]? {
        let found = parts.indices.filter { parts[$0].key == key }
        guard found.count == 1, let names = parts[found[0]].names, accepts(names) else { return nil }
        parts.remove(at: found[0])
        return names
    }
}
