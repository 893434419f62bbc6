internal import Base

extension Message {
    /// The fields that a notification shows, plays or counts.
    package static let visible = ["title", "subtitle", "body", "badge", "sound"]

    /// The rules of a message: it has content, itself or in a platform's fields.
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

    /// The push type's requirements for a message that an Apple device may get, as rules of a campaign.
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

    /// True when Apple's devices see this value: that of `ios`, else the message's own.
    private static func effectively(_ field: String, below path: [String] = [], _ value: JSONValue) -> FieldTest {
        .anyOf([
            .equals(["message", "ios", field] + path, value),
            .allOf([.equals(["message", field] + path, value), .lacks([field], below: ["message", "ios"])]),
        ])
    }

    /// True when Apple's devices see this value or none.
    private static func hasNoOther(_ field: String, than value: JSONValue) -> FieldTest {
        .anyOf([
            effectively(field, value),
            .allOf([.lacks([field], below: ["message"]), .lacks([field], below: ["message", "ios"])]),
        ])
    }

    private static func hasNone(_ fields: [String]) -> FieldTest {
        .allOf([.lacks(fields, below: ["message"]), .lacks(fields, below: ["message", "ios"])])
    }

    /// True when a message without `ios` wakes the app and does nothing else.
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
