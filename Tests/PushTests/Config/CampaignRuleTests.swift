import Testing

/// What a campaign's own fields may be; each text stands after a valid head.
@Suite struct CampaignRuleTests {
    /// Four lines, so that the tested text begins in line 5.
    static let head = """
        kind: Campaign
        name: score
        message: {body: Hello}
        audience: {channels: [Giants]}

        """

    static let broken: [Rule] = [
        Rule("chanels: [Giants]", "5:1: error: unknown key 'chanels' [unknown-key]"),
        Rule("revison: 2", "5:1: error: unknown key 'revison'; did you mean 'revision'? [unknown-key]"),
        Rule("x: 1", "5:1: error: unknown key 'x' [unknown-key]"),
        Rule("revision: 0", "5:11: error: 'revision' must be at least 1 [invalid-value]"),
        Rule("revision: two", "5:11: error: 'revision' must be an integer, but found a string [wrong-type]"),
        Rule(
            "revision: 20261128120000123",
            "5:11: error: 'revision' must be at most 9007199254740992 [invalid-value]"),
        Rule(
            "revision: 99999999999999999999", "5:11: error: 'revision' does not fit 64 bits [invalid-value]"),
        Rule("hold: yes", "5:7: error: 'hold' must be true or false, but found a string [wrong-type]"),
        Rule("description: 2026", "5:14: error: 'description' must be a string, but found an integer [wrong-type]"),
        Rule("description:", "5:13: error: 'description' must be a string, but found null [wrong-type]"),
        Rule("formerly: [score]", "5:12: error: 'formerly' names the campaign itself [duplicate-name]"),
        Rule("formerly: [A]", "5:12: error: 'A' is not a valid name [invalid-name]"),
        Rule("formerly: old", "5:11: error: 'formerly' must be a list, but found a string [wrong-type]"),
        Rule("formerly: [a, a]", "5:15: error: 'a' is listed twice in 'formerly' [invalid-value]"),
        Rule("formerly: []", "5:11: error: 'formerly' must not be empty [invalid-value]"),
        Rule("labels: {team: 7}", "5:16: error: 'team' must be a string, but found an integer [wrong-type]"),
        Rule("labels: {a=b: c}", "5:10: error: 'a=b' is not a valid label [invalid-name]"),
        Rule("labels: [a]", "5:9: error: 'labels' must be a mapping, but found a sequence [wrong-type]"),
        Rule(
            "remotes: [lokal]",
            "5:11: error: remote 'lokal' is not declared; did you mean 'local'? [unknown-reference]"),
        Rule(
            "environment: prod",
            "5:14: error: 'environment' must be production or development, but found 'prod'; "
                + "did you mean 'production'? [invalid-value]"),
        Rule(
            "environment: producton",
            "5:14: error: 'environment' must be production or development, but found 'producton'; "
                + "did you mean 'production'? [invalid-value]"),
        Rule("schedule: {at: 2026-11-27}", "5:16: error: 'at' must be \(anInstant) '2026-11-27' [invalid-value]"),
        Rule("schedule: {window: 1y}", "5:20: error: 'window' must be \(aDuration) '1y' [invalid-value]"),
        Rule("schedule: {window: 3600}", "5:20: error: 'window' must be \(aDuration) an integer [wrong-type]"),
        Rule(
            "schedule: {at: 2026-11-27T20:00:00}",
            "5:16: error: 'at' must be \(anInstant) '2026-11-27T20:00:00' [invalid-value]"),
        Rule(
            "schedule: {at: 2026-11-27T20:00:00, zone: device}", "5:1: error: missing key 'otherwise' [missing-key]"),
        Rule(
            "schedule: {at: 2026-11-27T20:00:00Z, zone: device, otherwise: Asia/Shanghai}",
            "5:16: error: 'at' has an offset, and with 'zone: device' each device's own clock decides "
                + "[conflicting-keys]"),
        Rule(
            "schedule: {zone: device, otherwise: Asia/Shanghai}", "5:1: error: missing key 'at' [missing-key]"),
        Rule(
            "schedule: {at: 2026-11-27T20:00:00Z, otherwise: Asia/Shanghai}",
            "5:38: error: 'otherwise' needs 'zone: device' [conflicting-keys]"),
        Rule(
            "schedule: {at: 2026-11-27T20:00:00, zone: Asia/Tokyo, otherwise: Asia/Shanghai}",
            "5:43: error: 'zone' must be device, but found 'Asia/Tokyo' [invalid-value]"),
        Rule(
            """
            schedule: {at: 2026-11-27T20:00:00, zone: device, otherwise: Asia/Shanghai}
            rollout: {stages: [1%, 100%], stopWhen: {refused: 2%}}
            """, "6:1: error: 'rollout' and 'schedule.zone' exclude each other [conflicting-keys]"),
        Rule("schedule: now", "5:11: error: 'schedule' must be a mapping, but found a string [wrong-type]"),
        Rule("expiration: {}", "5:1: error: one of 'after' and 'at' is needed [missing-key]"),
        Rule(
            "expiration: {after: 7d, at: 2026-11-27T20:00:00Z}",
            "5:25: error: 'after' and 'at' exclude each other [conflicting-keys]"),
        Rule(
            "expiration: 7d",
            "5:13: error: 'expiration' must be {after: 7d}, {at: INSTANT} or never, but found a string [wrong-type]"),
        Rule(
            "schedule: {at: 2026-11-27T20:00:00Z}\nexpiration: {at: 2026-11-27T20:00:00Z}",
            "6:13: error: 'expiration' is over before 'schedule.at' [conflicting-keys]"),
        Rule("inDoubt: resend", "5:1: error: 'inDoubt: resend' needs 'message.collapseId' [conflicting-keys]"),
        Rule(
            "rollout: {stages: [1%, 100%]}", "5:1: error: missing key 'stopWhen' [missing-key]"),
        Rule(
            "rollout: {stages: [1%, 100%], stopWhen: {}}",
            "5:31: error: 'stopWhen' is empty [missing-key]"),
        Rule(
            "rollout: {stages: [100%], stopWhen: {refused: 2%}}",
            "5:20: error: a rollout has at least two stages [invalid-value]"),
        Rule(
            "rollout: {stages: [1%, 10%], stopWhen: {refused: 2%}}",
            "5:24: error: the last stage is not 100% [invalid-value]"),
        Rule(
            "rollout: {stages: [10%, 1%, 100%], stopWhen: {refused: 2%}}",
            "5:25: error: stage 1% is not larger than 10% before it: each includes the last [invalid-value]"),
        Rule(
            "rollout: {stages: [0.001%, 100%], stopWhen: {refused: 2%}}",
            "5:20: error: '0.001%' is not a share from 0% to 100% with at most two decimal places [invalid-value]"),
        Rule(
            "rollout: {stages: [1%, 10%, 100%], bake: 2h, stopWhen: {refused: 2%}}",
            "5:36: error: the last stage starts at least 4h after the first, later than the window of 1h allows "
                + "[conflicting-keys]"),
        Rule(
            """
            schedule: {at: 2026-11-27T20:00:00Z}
            expiration: {at: 2026-11-27T20:20:00Z}
            rollout: {stages: [1%, 100%], stopWhen: {refused: 2%}}
            """, "7:11: error: the last stage starts after 'expiration.at' [conflicting-keys]"),
        Rule("throttle: {}", "5:1: error: missing key 'perSecond' [missing-key]"),
        Rule("throttle: {perSecond: 0}", "5:23: error: 'perSecond' must be at least 1 [invalid-value]"),
        Rule("limits: {maxAudience: -1}", "5:23: error: 'maxAudience' must be at least 0 [invalid-value]"),
    ]

    @Test(arguments: broken)
    func aBrokenFieldIsSaid(_ rule: Rule) async {
        #expect(await SampleFiles.lines(Self.head + rule.text) == rule.lines)
    }

    static let valid: [String] = [
        "expiration: never", "expiration: {after: 0s}", "schedule: {window: 2w}", "limits: {maxAudience: 0}",
        "remotes: [local, apple]", "environment: development", "labels: {season: '2026', empty: ''}",
        "schedule: {at: 2026-11-27T20:00:00.5+08:00}", "formerly: [old, older]", "description: ''",
    ]

    @Test(arguments: valid)
    func aValidFieldIsAccepted(_ text: String) async {
        #expect(await SampleFiles.lines(Self.head + text) == [])
    }

    /// 09:00 in UTC+14 is 19:00 UTC on the day before, and in UTC−12 21:00 UTC.
    @Test(arguments: [("2026-12-01T21:00:00Z", true), ("2026-12-01T21:00:01Z", false)])
    func anExpirationBeforeTheLastWaveIsSaid(end: String, isSaid: Bool) async {
        let text = """
            remotes: [apple]
            schedule: {at: 2026-12-01T09:00:00, zone: device, otherwise: Asia/Shanghai}
            expiration: {at: \(end)}
            """
        let line =
            "7:13: warning: 'expiration' is over before the last wave begins: its devices get nothing "
            + "[conflicting-keys]"
        #expect(await SampleFiles.lines(Self.head + text).contains(line) == isSaid)
    }

    @Test func requiredFieldsAreAskedForAtTheFirstKey() async {
        #expect(
            await SampleFiles.lines("description: x\nkind: Campaign") == [
                "1:1: error: missing key 'audience' [missing-key]",
                "1:1: error: missing key 'message' [missing-key]",
                "1:1: error: missing key 'name' [missing-key]",
            ])
    }

    @Test(arguments: [
        ("name: Score", "2:7: error: 'Score' is not a valid name [invalid-name]"),
        ("name: -score", "2:7: error: '-score' is not a valid name [invalid-name]"),
        ("name: score-", "2:7: error: 'score-' is not a valid name [invalid-name]"),
        ("name: a.b", "2:7: error: 'a.b' is not a valid name [invalid-name]"),
        ("name: 7", "2:7: error: 'name' must be a string, but found an integer [wrong-type]"),
        ("name: ''", "2:7: error: '' is not a valid name [invalid-name]"),
    ])
    func aNameKeepsToItsRule(_ name: String, _ line: String) async {
        let rest = "\nmessage: {body: Hello}\naudience: {channels: [Giants]}\n"
        #expect(await SampleFiles.lines("kind: Campaign\n" + name + rest) == [line])
    }

    @Test func aNameHasAtMost63Characters() async {
        func campaign(_ count: Int) -> String {
            let name = String(repeating: "a", count: count)
            return "kind: Campaign\nname: \(name)\nmessage: {body: Hello}\naudience: {channels: [Giants]}\n"
        }
        #expect(await SampleFiles.lines(campaign(63)) == [])
        #expect(await SampleFiles.lines(campaign(64)).count == 1)
    }
}
