internal import JSONValue
internal import PushModel

extension AudienceField {
    /// Whether the field may stand beside `everyone` and `devices`, which exclude the rest.
    var standsBesideAll: Bool {
        switch self {
        case .platforms, .deviceProfile: true
        case .everyone, .channels, .segments, .where, .devices: false
        }
    }

    /// What an audience's fields mean for each other.
    static var rules: [FieldRule] {
        let others = { (leader: Self) in allCases.filter { $0 != leader && !$0.standsBesideAll }.map(\.spec.name) }
        let platforms = Platform.allCases.count
        return [
            .notEmpty,
            .when(.has(["everyone"]), .lacks(others(.everyone))),
            .when(.has(["devices"]), .allOf([.lacks(others(.devices)), .count(["platforms"], 1...1)])),
            // Tokens are those of Apple's devices.
            .when(
                .equals(["platforms"], .array([.string(Platform.ios.rawValue)])),
                .elements(["devices"], pattern: "^([0-9A-Fa-f]{2}){1,100}$")),
            .when(
                .count(["platforms"], platforms...Int.max),
                .hasAny(allCases.filter { $0 != .platforms }.map(\.spec.name))),
        ]
    }
}

extension MessageField {
    /// What a notification shows, plays or counts.
    private static let visible = ["title", "subtitle", "body", "badge", "sound"]

    /// A message says something, or leaves it to a platform's fields.
    static var rules: [FieldRule] {
        let silent = [PushType.alert, .background].map { FieldTest.not(.equals(["pushType"], .string($0.rawValue))) }
        return [
            .always(
                .anyOf([
                    .hasAny(visible + ["liveActivity", "ios", "android", "vendors"]),
                    .equals(["contentAvailable"], true), .allOf([.has(["pushType"])] + silent),
                ]))
        ]
    }

    /// What the push type asks of a message that an Apple device may get, as a campaign's rules.
    static var pushTypeRules: [FieldRule] {
        let isApple = FieldTest.not(.equals(["audience", "platforms"], .array([.string(Platform.android.rawValue)])))
        let background = FieldTest.allOf([isApple, effectively("pushType", .string(PushType.background.rawValue))])
        let isLiveActivity = effectively("pushType", .string(PushType.liveactivity.rawValue))
        let hasActivity = FieldTest.anyOf([
            .has(["message", "liveActivity"]), .has(["message", "ios", "liveActivity"]),
        ])
        let start: FieldTest = effectively(
            "liveActivity", below: ["event"], .string(LiveActivity.Event.start.rawValue))
        return [
            .when(background, .allOf([hasNone(visible), hasNoOther("priority", than: 5)])),
            .when(.allOf([isApple, isOnlyBackground]), hasNoOther("priority", than: 5)),
            .when(.allOf([isApple, isLiveActivity]), hasActivity),
            .when(
                .allOf([isApple, hasActivity]),
                hasNoOther("pushType", than: .string(PushType.liveactivity.rawValue))),
            .when(
                .allOf([isApple, start]),
                .anyOf([
                    .hasAny(["title", "body"], below: ["message"]),
                    .hasAny(["title", "body"], below: ["message", "ios"]),
                ])),
        ]
    }

    /// Whether Apple's devices see this value: that of `ios`, else the message's own.
    private static func effectively(_ field: String, below path: [String] = [], _ value: JSONValue) -> FieldTest {
        .anyOf([
            .equals(["message", "ios", field] + path, value),
            .allOf([.equals(["message", field] + path, value), .lacks([field], below: ["message", "ios"])]),
        ])
    }

    /// Whether Apple's devices see this value or none.
    private static func hasNoOther(_ field: String, than value: JSONValue) -> FieldTest {
        .anyOf([
            effectively(field, value),
            .allOf([.lacks([field], below: ["message"]), .lacks([field], below: ["message", "ios"])]),
        ])
    }

    private static func hasNone(_ fields: [String]) -> FieldTest {
        .allOf([.lacks(fields, below: ["message"]), .lacks(fields, below: ["message", "ios"])])
    }

    /// Whether a message without `ios` wakes the app and does nothing else.
    private static var isOnlyBackground: FieldTest {
        let others = [
            "ios", "pushType", "liveActivity", "category", "threadId", "targetContentId", "launchImage",
            "filterCriteria", "interruptionLevel", "relevanceScore", "mutableContent",
        ]
        return .allOf([
            .equals(["message", "contentAvailable"], true), .lacks(visible + others, below: ["message"]),
        ])
    }
}

extension CampaignField {
    /// What a campaign's fields mean for each other.
    static var rules: [FieldRule] {
        [
            .when(
                .equals(["inDoubt"], .string(Campaign.InDoubt.resend.rawValue)),
                .anyOf([.has(["message", "collapseId"]), .has(["message", "ios", "collapseId"])])),
            .when(.has(["audience", "devices"]), .lacks(["throttle"])),
        ] + MessageField.pushTypeRules
    }
}
