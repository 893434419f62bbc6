import Testing

/// What a message may say; each text is the value of `message` in line 4, which begins at column 10.
@Suite struct MessageRuleTests {
    static func campaign(_ message: String, platforms: String = "ios") -> String {
        "kind: Campaign\nname: score\naudience: {platforms: [\(platforms)], channels: [Giants]}\nmessage: \(message)\n"
    }

    static let broken: [Rule] = [
        Rule("{}", "4:10: error: the message has nothing to show and no 'contentAvailable' [empty-message]"),
        Rule(
            "{data: {a: 1}}", "4:10: error: the message has nothing to show and no 'contentAvailable' [empty-message]"),
        Rule(
            "{pushType: background}",
            "4:10: error: the message has nothing to show and no 'contentAvailable' [empty-message]"),
        Rule("Hello", "4:10: error: 'message' must be a mapping, but found a string [wrong-type]"),
        Rule(
            "{titel: Hello}",
            "4:11: error: unknown key 'titel'; did you mean 'title'? [unknown-key]"),
        Rule("{title: ''}", "4:18: error: 'title' must not be empty [invalid-value]"),
        Rule("{title: 7}", "4:18: error: 'title' must be a string or a mapping, but found an integer [wrong-type]"),
        Rule("{body: {args: [a]}}", "4:11: error: missing key 'key' [missing-key]"),
        Rule(
            "{body: {key: K, args: [1]}}",
            "4:33: error: an element of 'args' must be a string, but found an integer [wrong-type]"),
        Rule("{body: {key: K, arg: [a]}}", "4:26: error: unknown key 'arg'; did you mean 'args'? [unknown-key]"),
        Rule("{badge: -1}", "4:18: error: 'badge' must be at least 0 [invalid-value]"),
        Rule(
            "{badge: Increment}",
            "4:18: error: 'badge' must be an integer or 'increment', but found 'Increment'; did you mean 'increment'? "
                + "[invalid-value]"),
        Rule(
            "{badge: 1.5}", "4:18: error: 'badge' must be an integer or 'increment', but found a number [wrong-type]"),
        Rule("{sound: {critical: true}}", "4:11: error: missing key 'name' [missing-key]"),
        Rule("{sound: {name: a, volume: 1.5}}", "4:36: error: 'volume' must be from 0 to 1 [invalid-value]"),
        Rule("{sound: 1}", "4:18: error: 'sound' must be a string or a mapping, but found an integer [wrong-type]"),
        Rule(
            "{body: 'Hi {{name}}'}", "4:11: error: 'body': '{{name}}' is no personal text [invalid-value]"),
        Rule("{body: 'Hi {{name|'}", "4:11: error: 'body': '{{' is never closed [invalid-value]"),
        Rule(
            "{body: 'Hi {{first name|x}}'}",
            "4:11: error: 'body': '{{first name|x}}' is no personal text [invalid-value]"),
        Rule("{body: a, data: {x: ['{{}}']}}", "4:20: error: 'data': '{{}}' is no personal text [invalid-value]"),
        Rule(
            "{body: a, category: '{{name|x}}'}",
            "4:20: error: 'category' has the same text for every device [not-supported]"),
        Rule(
            "{body: a, ios: {body: '{{n}}'}}", "4:26: error: 'body': '{{n}}' is no personal text [invalid-value]"),
        Rule(
            "{contentAvailable: true, data: {a: 1}, languages: {de: {body: b}}}",
            "4:60: error: 'message.languages' needs the field in which devices report their language [missing-key]",
            "4:61: error: with 'de' it is a push of type alert, without it of type background [push-type]"),
        Rule(
            "{body: a, languages: {de_DE: {body: b}}}",
            "4:31: error: 'message.languages' needs the field in which devices report their language [missing-key]",
            "4:32: error: 'de_DE' is not a valid language [invalid-name]"),
        Rule(
            "{body: a, interruptionLevel: time-sensitive}",
            "4:39: error: 'interruptionLevel' must be passive, active, timeSensitive or critical, "
                + "but found 'time-sensitive'; did you mean 'timeSensitive'? [invalid-value]"),
        Rule("{body: a, relevanceScore: 2}", "4:36: error: 'relevanceScore' must be from 0 to 1 [invalid-value]"),
        Rule("{body: a, priority: 7}", "4:30: error: 'priority' must be 10, 5 or 1 [invalid-value]"),
        Rule(
            "{body: a, mutableContent: 1}",
            "4:36: error: 'mutableContent' must be true or false, but found an integer [wrong-type]"),
        Rule("{body: a, threadId: ''}", "4:30: error: 'threadId' must not be empty [invalid-value]"),
        Rule(
            "{body: a, data: {aps: {}}}",
            "4:27: error: 'aps' is reserved and cannot be a custom key [reserved-key]"),
        Rule(
            "{body: a, data: {_id: 1}}",
            "4:27: error: '_id' is reserved: custom keys do not begin with '_' [reserved-key]"),
        Rule(
            "{body: a, data: {a: 99999999999999999999}}",
            "4:30: error: integer '99999999999999999999' does not fit 64 bits [invalid-value]"),
        Rule("{body: a, data: [1]}", "4:26: error: 'data' must be a mapping, but found a sequence [wrong-type]"),
        Rule(
            "{body: a, deliveryKey: badge}",
            "4:33: error: 'badge' is reserved and cannot be a custom key [reserved-key]"),
        Rule(
            "{body: a, deliveryKey: id, data: {id: 1}}",
            "4:20: error: 'deliveryKey' and 'data' both set 'id' [conflicting-keys]"),
        Rule("{body: a, silent: true}", "4:20: error: unknown key 'silent'; it belongs in 'android' [unknown-key]"),
        Rule(
            "{ios: {body: a, silent: true}}",
            "4:26: error: unknown key 'silent'; it belongs in 'android' [unknown-key]"),
        Rule(
            "{body: a, ios: {vendors: {}}}",
            "4:26: error: unknown key 'vendors'; it belongs in 'message' itself [unknown-key]"),
        Rule(
            "{body: a, ios: {data: {ios: 1}}}",
            "4:33: error: 'ios' is reserved and cannot be a custom key [reserved-key]"),
        Rule(
            "{body: a, vendors: {hmz: {}}}",
            "4:30: error: unknown key 'hmz'; did you mean 'hms'? [unknown-key]"),
        Rule(
            "{body: a, vendors: {mi: 1}}",
            "4:34: error: 'mi' must be a mapping, but found an integer [wrong-type]"),
    ]

    @Test(arguments: broken)
    func aBrokenMessageIsSaid(_ rule: Rule) async {
        #expect(await SampleFiles.lines(Self.campaign(rule.text)) == rule.lines)
    }

    static let brokenTypes: [Rule] = [
        Rule(
            "{pushType: background, contentAvailable: true, title: a}",
            "4:57: error: a background push has no 'title' [push-type]"),
        Rule(
            "{pushType: background, contentAvailable: true, subtitle: a}",
            "4:57: error: a background push has no 'subtitle' [push-type]"),
        Rule(
            "{pushType: background, contentAvailable: true, body: a}",
            "4:57: error: a background push has no 'body' [push-type]"),
        Rule(
            "{pushType: background, contentAvailable: true, badge: 1}",
            "4:57: error: a background push has no 'badge' [push-type]"),
        Rule(
            "{pushType: background, contentAvailable: true, ios: {sound: a}}",
            "4:63: error: a background push has no 'sound' [push-type]"),
        Rule(
            "{contentAvailable: true, priority: 10}",
            "4:35: error: a background push has priority 5, not 10 [push-type]"),
        Rule(
            "{pushType: backgroud, body: a}",
            "4:21: error: 'pushType' must be alert, background, voip, complication, fileprovider, mdm, location, "
                + "liveactivity, pushtotalk, widgets or controls, but found 'backgroud'; did you mean 'background'? "
                + "[invalid-value]"),
    ]

    @Test(arguments: brokenTypes)
    func fieldsMustGoWithThePushType(_ rule: Rule) async {
        #expect(await SampleFiles.lines(Self.campaign(rule.text)) == rule.lines)
    }

    static let brokenActivities: [Rule] = [
        Rule("{liveActivity: {}}", "4:11: error: missing key 'event' [missing-key]"),
        Rule(
            "{liveActivity: {event: stop}}",
            "4:33: error: 'event' must be start, update or end, but found 'stop' [invalid-value]"),
        Rule(
            "{liveActivity: {event: update}}",
            "4:26: error: event update needs 'contentState' [missing-key]"),
        Rule(
            "{title: t, liveActivity: {event: start}}",
            "4:36: error: event start needs 'contentState' [missing-key]",
            "4:36: error: event start needs 'attributesType' [missing-key]",
            "4:36: error: event start needs 'attributes' [missing-key]"),
        Rule(
            "{liveActivity: {event: start, contentState: {}, attributesType: T, attributes: {}}}",
            "4:11: error: starting a Live Activity needs an alert: a 'title' and a 'body' [push-type]"),
        Rule(
            "{liveActivity: {event: update, contentState: {}, dismissalDate: 2026-11-27T20:00:00Z}}",
            "4:59: error: 'dismissalDate' is for event end only [conflicting-keys]"),
        Rule(
            "{liveActivity: {event: end, attributes: {}}}",
            "4:38: error: 'attributes' is for event start only [conflicting-keys]"),
        Rule(
            "{liveActivity: {event: end, contentState: {'': 1}}}",
            "4:53: error: '' is not a valid key [invalid-name]"),
        Rule("{pushType: liveactivity}", "4:11: error: a Live Activity push needs 'liveActivity' [push-type]"),
        Rule(
            "{body: a, pushType: alert, ios: {liveActivity: {event: end}}}",
            "4:43: error: 'liveActivity' is for push type liveactivity only, not alert [push-type]"),
    ]

    @Test(arguments: brokenActivities)
    func aLiveActivityHasWhatItsEventNeeds(_ rule: Rule) async {
        let lines = await SampleFiles.lines(Self.campaign(rule.text))
        #expect(Set(lines) == Set(rule.lines))
    }

    static let validActivities: [String] = [
        "{liveActivity: {event: end}}", "{liveActivity: {event: update, contentState: {a: {b: [1]}}}}",
        "{pushType: liveactivity, liveActivity: {event: end}, priority: 5}",
        "{title: t, body: b, liveActivity: {event: start, contentState: {}, attributesType: T, attributes: {}}}",
        "{ios: {liveActivity: {event: end}}}",
    ]

    @Test(arguments: validActivities)
    func aWholeLiveActivityIsAccepted(_ text: String) async {
        #expect(await SampleFiles.lines(Self.campaign(text)) == [])
    }

    static let valid: [String] = [
        "{contentAvailable: true, data: {a: null}}", "{badge: 0}", "{badge: increment}", "{sound: default}",
        "{pushType: voip, data: {a: 1}}", "{ios: {body: a}}", "{body: {key: K, args: ['1', '1']}}",
        "{sound: {name: a, critical: true, volume: 0.5}}", "{contentAvailable: true, priority: 5}",
        "{body: a, priority: 1}", "{body: a, contentAvailable: true, priority: 10}", "{body: 😀, relevanceScore: 1}",
    ]

    @Test(arguments: valid)
    func aValidMessageIsAccepted(_ text: String) async {
        #expect(await SampleFiles.lines(Self.campaign(text)) == [])
    }

    static let validOnAndroid: [String] = [
        "{android: {silent: true}, data: {a: 1}}", "{vendors: {mi: {title: a}}}", "{android: {body: a}}",
    ]

    @Test(arguments: validOnAndroid)
    func androidHasItsOwnWaysToSaySomething(_ text: String) async {
        #expect(await SampleFiles.lines(Self.campaign(text, platforms: "android")) == [])
    }

    @Test func aMessageForOnePlatformOfTwoIsWarnedOf() async {
        #expect(
            await SampleFiles.lines(Self.campaign("{ios: {body: a}}", platforms: "ios, android")) == [
                "4:10: warning: the message has nothing to show on android [empty-message]"
            ])
    }

    @Test func aCollapseIdHasAtMost64Bytes() async {
        let limit = String(repeating: "字", count: 21)
        #expect(await SampleFiles.lines(Self.campaign("{body: a, collapseId: \(limit)x}")) == [])
        #expect(
            await SampleFiles.lines(Self.campaign("{body: a, collapseId: \(limit)xx}")) == [
                "4:32: error: 'collapseId' must have at most 64 bytes, but has 65 [invalid-value]"
            ])
    }

    @Test(arguments: [
        "aps", "alert", "title", "badge", "sound", "category", "thread-id", "content-available", "mutable-content",
        "collapse-id", "apns-priority", "apns-push-type", "target-content-id", "url-args", "silent", "action", "ios",
        "android", "mi", "hms", "mz", "honor", "vivo", "oppo", "fcm", "wp", "_x",
    ])
    func everyReservedKeyIsRefused(_ key: String) async {
        let lines = await SampleFiles.lines(Self.campaign("{body: a, data: {\(key): 1}}"))
        #expect(lines.count == 1)
        #expect(lines.first?.hasSuffix("[reserved-key]") == true)
    }
}
