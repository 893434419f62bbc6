import Testing

/// Whom a campaign may name; each text is the value of `audience` in line 3, which begins at column 11.
@Suite struct AudienceRuleTests {
    static func campaign(_ audience: String, more: String = "") -> String {
        "kind: Campaign\nname: score\naudience: \(audience)\nmessage: {body: Hello}\n" + more
    }

    static let broken: [Rule] = [
        Rule("{}", "3:1: error: 'audience' is empty [missing-key]"),
        Rule("everyone", "3:11: error: 'audience' must be a mapping, but found a string [wrong-type]"),
        Rule("{everyone: false}", "3:22: error: 'everyone' can only be true [invalid-value]"),
        Rule(
            "{everyone: true, channels: [Giants]}",
            "3:28: error: 'everyone' and 'channels' exclude each other [conflicting-keys]"),
        Rule(
            "{segments: [reports], everyone: true}",
            "3:12: error: 'everyone' and 'segments' exclude each other [conflicting-keys]"),
        Rule(
            "{everyone: true, where: {a: 1}}",
            "3:28: error: 'everyone' and 'where' exclude each other [conflicting-keys]"),
        Rule("{channels: []}", "3:22: error: 'channels' must not be empty [invalid-value]"),
        Rule("{channels: Giants}", "3:22: error: 'channels' must be a list, but found a string [wrong-type]"),
        Rule(
            "{channels: [2026]}",
            "3:23: error: an element of 'channels' must be a string, but found an integer [wrong-type]"),
        Rule("{channels: [Giants, Giants]}", "3:31: error: 'Giants' is listed twice in 'channels' [invalid-value]"),
        Rule(
            "{channels: [Giant]}",
            "3:23: error: channel 'Giant' is not declared; did you mean 'Giants'? [unknown-reference]"),
        Rule(
            "{channels: [a b]}",
            "3:23: error: 'a b' is not a valid name of a channel [invalid-name]"),
        Rule("{segments: [nobody]}", "3:23: error: segment 'nobody' is not declared [unknown-reference]"),
        Rule(
            "{deviceProfile: drivr}",
            "3:27: error: device profile 'drivr' is not declared; did you mean 'driver'? [unknown-reference]"),
        Rule(
            "{platforms: [iOS], everyone: true}",
            "3:24: error: an element of 'platforms' must be ios or android, but found 'iOS'; did you mean 'ios'? "
                + "[invalid-value]"),
        Rule(
            "{platforms: [ios, android]}",
            "3:12: error: 'platforms' names all platforms and narrows nothing [conflicting-keys]"),
        Rule("{where: {}}", "3:19: error: 'where' must name at least one field [invalid-condition]"),
        Rule("{devices: [ab]}", "3:12: error: 'devices' needs exactly one platform [conflicting-keys]"),
        Rule(
            "{devices: [ab], platforms: [ios, android]}",
            "3:12: error: 'devices' needs exactly one platform [conflicting-keys]"),
        Rule(
            "{devices: [ab], platforms: [ios], channels: [Giants]}",
            "3:45: error: 'devices' and 'channels' exclude each other [conflicting-keys]"),
        Rule(
            "{devices: [ab], platforms: [ios], everyone: true}",
            "3:45: error: 'devices' and 'everyone' exclude each other [conflicting-keys]"),
        Rule(
            "{devices: [xyz], platforms: [ios]}",
            "3:22: error: an element of 'devices' is not a device token: an even number of hexadecimal digits "
                + "[invalid-value]"),
        Rule(
            "{devices: [abc], platforms: [ios]}",
            "3:22: error: an element of 'devices' is not a device token: an even number of hexadecimal digits "
                + "[invalid-value]"),
        Rule(
            "{devices: [12], platforms: [ios]}",
            "3:22: error: an element of 'devices' must be a string, but found an integer [wrong-type]"),
        Rule("{devices: [], platforms: [ios]}", "3:21: error: 'devices' must not be empty [invalid-value]"),
        Rule(
            "{devices: [ab, ab], platforms: [ios]}",
            "3:26: error: a device is listed twice in 'devices' [invalid-value]"),
        Rule(
            "{devices: [AB, ab], platforms: [ios]}",
            "3:26: error: a device is listed twice in 'devices' [invalid-value]"),
    ]

    @Test(arguments: broken)
    func aBrokenAudienceIsSaid(_ rule: Rule) async {
        #expect(await SampleFiles.lines(Self.campaign(rule.text)) == rule.lines)
    }

    static let valid: [String] = [
        "{everyone: true}", "{everyone: true, platforms: [ios]}", "{everyone: true, deviceProfile: driver}",
        "{everyone: true, platforms: [ios, android]}", "{platforms: [ios]}", "{deviceProfile: driver}",
        "{channels: [Giants], segments: [reports], where: {a: 1}, platforms: [ios], deviceProfile: driver}",
        "{devices: [AB12], platforms: [ios], deviceProfile: driver}", "{devices: [xyz, XYZ], platforms: [android]}",
    ]

    @Test(arguments: valid)
    func aValidAudienceIsAccepted(_ text: String) async {
        #expect(await SampleFiles.lines(Self.campaign(text)) == [])
    }

    @Test func devicesAreAtMost500() async {
        func audience(_ count: Int) -> String {
            "{platforms: [android], devices: [" + (0..<count).map { "d\($0)" }.joined(separator: ", ") + "]}"
        }
        #expect(await SampleFiles.lines(Self.campaign(audience(500))) == [])
        #expect(
            await SampleFiles.lines(Self.campaign(audience(501))) == [
                "3:43: error: 'devices' must have at most 500 elements, but has 501 [invalid-value]"
            ])
    }

    @Test func devicesExcludeThrottle() async {
        let text = Self.campaign("{devices: [ab], platforms: [ios]}", more: "throttle: {perSecond: 10}\n")
        #expect(
            await SampleFiles.lines(text) == [
                "5:1: error: 'throttle' cannot be combined with 'audience.devices' [conflicting-keys]"
            ])
    }

    @Test func theEnvironmentMustBeThatOfTheProfile() async {
        let contradicting = Self.campaign("{deviceProfile: tester}", more: "environment: production\n")
        #expect(
            await SampleFiles.lines(contradicting) == [
                "5:14: error: 'environment' is production, but device profile 'tester' is for development "
                    + "[conflicting-keys]"
            ])
        #expect(
            await SampleFiles.lines(Self.campaign("{deviceProfile: tester}", more: "environment: development\n")) == [])
    }

    @Test func aTopicThatEndsInASuffixFitsThatPushTypeOnly() async {
        #expect(
            await SampleFiles.lines(Self.campaign("{deviceProfile: calls}")) == [
                "3:27: error: topic 'com.example.driver.voip' fits push type voip only, not alert [push-type]"
            ])
        let fitting = "kind: Campaign\nname: score\naudience: {deviceProfile: calls}\nmessage: {pushType: voip}\n"
        #expect(await SampleFiles.lines(fitting) == [])
    }
}
