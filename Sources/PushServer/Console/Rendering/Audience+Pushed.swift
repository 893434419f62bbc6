internal import DeviceRegistry
internal import Base
internal import PushReport
internal import Push

extension Audience {
    /// The audience that a push's condition describes, so that the console says it in the words of a plan.
    init(pushedTo condition: JSONValue) {
        self.init()
        var rest: [JSONValue] = []
        for (key, value) in Self.members(of: condition) where !take(key, value) { rest.append(.object([key: value])) }
        // Equal keys cannot stand in one object.
        let keys = rest.compactMap { $0.object?.keys.first }
        if Set(keys).count == keys.count {
            let all = rest.reduce(into: JSONObject()) { $0.merge($1.object ?? [:]) { $1 } }
            self.condition = all.isEmpty ? nil : .object(all)
        } else {
            self.condition = ["$and": .array(rest)]
        }
        everyone = channels.isEmpty && self.condition == nil && deviceProfile == nil
    }

    /// The tests of a condition, all of which must hold.
    private static func members(of condition: JSONValue) -> [(String, JSONValue)] {
        if let conditions = condition.array { return conditions.flatMap(members) }
        return (condition.object ?? [:]).sorted { $0.key < $1.key }.flatMap { key, value in
            key == "$and" ? (value.array ?? []).flatMap(members) : [(key, value)]
        }
    }

    /// Takes a test that an audience has a field for; false for any other.
    private mutating func take(_ key: String, _ value: JSONValue) -> Bool {
        let names = value.string.map { [$0] } ?? (value.object?.count == 1 ? value["$in"]?.array : nil)?.map(\.string)
        let texts = (names ?? []).compactMap(\.self)
        switch key {
        // Every push goes to valid devices only.
        case "valid": return value.bool == true
        case "channels" where channels.isEmpty && !texts.isEmpty && texts.count == names?.count:
            channels = texts
        case "deviceProfile" where deviceProfile == nil && value.string?.isEmpty == false:
            deviceProfile = value.string
        case "deviceType" where platforms.isEmpty && !texts.isEmpty:
            let known = texts.compactMap(Platform.init(rawValue:))
            guard known.count == names?.count else { return false }
            platforms = known
        default: return false
        }
        return true
    }
}

extension PushOrder {
    /// The audience in words, without whole tokens.
    func audienceText(in language: Language) -> String {
        switch audience {
        case .devices(let platform, let ids, _): language.say(.listedDevices(ids.count, platform: platform))
        case .query(let condition):
            language.say(Push.Audience(pushedTo: condition.withShortTokens).reason)
        }
    }
}
