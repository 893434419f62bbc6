import Base
import Push

/// Campaigns made by chance, the same in every run.
extension SeededGenerator {
    private mutating func maybe<Value>(_ value: @autoclosure () -> Value) -> Value? {
        Int.random(in: 0..<4, using: &self) == 0 ? value() : nil
    }

    private mutating func one<Value>(of values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &self)]
    }

    mutating func campaign() -> Campaign {
        let common = content(isAndroid: false)
        let ios = maybe(()).map { content(isAndroid: false) }
        let android = maybe(()).map { content(isAndroid: true) }
        let vendors = maybe(["mi": ["title": "m"], "fcm": ["x": [1, "no"]]] as JSONObject)
        let message = Message(common: common, ios: ios, android: android, vendors: vendors ?? [:])
        var campaign = Campaign(name: "c", origin: Origin(file: "", line: 1), audience: audience(), message: message)
        campaign.environment = one(of: [.production, .development])
        campaign.scheduledAt = maybe(OffsetInstant(Instant(milliseconds: 1_800_000_000_500), offset: 28_800))
        campaign.expiration = one(of: [
            nil, .never, .after(.seconds(90)), .at(OffsetInstant(Instant(seconds: 1_900_000_000))),
        ])
        campaign.throttlePerSecond = one(of: [nil, nil, 1, 1000, 2500])
        return campaign
    }

    private mutating func audience() -> Audience {
        var audience = Audience(
            channels: one(of: [[], ["a"], ["b", "a"], ["新闻"]]),
            platforms: one(of: [[], [.ios], [.android], [.ios, .android]]))
        audience.condition = one(of: [
            nil, ["scores": true], ["deviceProfile": "driver"], ["$or": [["a": 1], ["b": ["$gt": 2]]]],
            ["channels": "z", "when": ["$lt": ["__type": "Date", "iso": "2027-01-01T00:00:00.000Z"]]],
        ])
        return audience
    }

    private mutating func content(isAndroid: Bool) -> MessageContent {
        var content = MessageContent()
        let texts = ["x", "no", "标题", "a: b\n\"c\""]
        let localized = LocalizableText.localized(key: "K", arguments: one(of: [[], ["1", "1"]]))
        content.title = one(of: [nil, nil, .text(one(of: texts)), localized])
        content.subtitle = one(of: [nil, nil, nil, .text(one(of: texts))])
        content.body = one(of: [nil, .text(one(of: texts)), .text(one(of: texts)), localized])
        content.badge = one(of: [nil, nil, .number(0), .number(7), .increment])
        content.sound = one(of: [
            nil, nil, .name("s.caf"), .detailed(name: "s", critical: true, volume: 0.5),
            .detailed(name: "s", critical: false, volume: nil),
        ])
        content.category = maybe("c")
        content.threadId = maybe("t")
        content.targetContentId = maybe("w")
        content.launchImage = maybe("l")
        content.interruptionLevel = one(of: [nil, nil, nil, nil, .timeSensitive, .passive])
        content.relevanceScore = one(of: [nil, nil, nil, nil, 0.25, 1])
        content.filterCriteria = one(of: [nil, nil, nil, nil, "f"])
        content.mutableContent = one(of: [nil, nil, true, false])
        content.contentAvailable = one(of: [nil, nil, true, false])
        content.collapseId = maybe("id")
        content.priority = one(of: [nil, nil, 10, 5])
        content.pushType = one(of: [nil, nil, nil, .alert, .voip, .background])
        content.data = one(of: [nil, ["k": 1], ["k": ["a": [nil, true, "no", 1.5]], "z": "今"]])
        if isAndroid {
            content.silent = one(of: [nil, true, false])
            content.action = maybe("com.example.ACTION")
            content.channel = maybe("channel")
        }
        return content
    }
}
