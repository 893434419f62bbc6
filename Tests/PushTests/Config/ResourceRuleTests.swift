import Testing

/// What profiles, channels and segments may say.
@Suite struct ResourceRuleTests {
    static func profile(_ name: String = "a", _ rest: String) -> String {
        "kind: DeviceProfile\nname: \(name)\nenvironment: production\n\(rest)\n"
    }

    static let certificate = "certificate: {file: a.p12}"

    static let brokenProfiles: [Rule] = [
        Rule("topic: a.b", "1:1: error: one of 'certificate' and 'token' is needed [missing-key]"),
        Rule(
            "topic: a.b\ncertificate: {file: a}\ntoken: {teamId: ABCDE12345, keyId: ABCDE12345, key: {env: K}}",
            "6:1: error: 'certificate' and 'token' exclude each other [conflicting-keys]"),
        Rule("topic: my app\ncertificate: {file: a}", "4:8: error: 'my app' is not a valid bundle id [invalid-name]"),
        Rule("topic: app\ncertificate: {file: a}", "4:8: error: 'app' is not a valid bundle id [invalid-name]"),
        Rule("topic: a..b\ncertificate: {file: a}", "4:8: error: 'a..b' is not a valid bundle id [invalid-name]"),
        Rule(
            "topic: a.b\ncertificate: a.p12",
            "5:14: error: 'certificate' must be a mapping, but found a string [wrong-type]"),
        Rule("topic: a.b\ncertificate: {}", "5:1: error: one of 'file' and 'env' is needed [missing-key]"),
        Rule(
            "topic: a.b\ncertificate: {file: a, env: B}",
            "5:24: error: 'file' and 'env' exclude each other [conflicting-keys]"),
        Rule(
            "topic: a.b\ncertificate: {file: ../a}",
            "5:21: error: 'file' leads out of the workspace [file-outside]"),
        Rule(
            "topic: a.b\ncertificate: {file: a, passphrase: secret}",
            "5:36: error: 'passphrase' is a secret and must not be written in a file [plain-secret]"),
        Rule(
            "topic: a.b\ncertificate: {file: a, password: {env: P}}",
            "5:24: error: unknown key 'password' [unknown-key]"),
        Rule(
            "topic: a.b\ntoken: {teamId: ABC, keyId: abcde12345, key: {env: K}}",
            "5:17: error: 'ABC' is not a valid id of a team or key [invalid-name]",
            "5:29: error: 'abcde12345' is not a valid id of a team or key [invalid-name]"),
        Rule(
            "topic: a.b\ntoken: {teamId: 1234567890, keyId: ABCDE12345, key: {env: K}}",
            "5:17: error: 'teamId' must be a string, but found an integer [wrong-type]"),
        Rule(
            "topic: a.b\ntoken: {key: '-----BEGIN'}",
            "5:1: error: missing key 'keyId' [missing-key]", "5:1: error: missing key 'teamId' [missing-key]",
            "5:14: error: 'key' is a secret and must not be written in a file [plain-secret]"),
        Rule(
            "topic: a.b\ncertificate: {file: a}\ndefault: 1",
            "6:10: error: 'default' must be true or false, but found an integer [wrong-type]"),
        Rule(
            "topic: a.b\ncertificate: {file: a}\nprotected: 'true'",
            "6:12: error: 'protected' must be true or false, but found a string [wrong-type]"),
        Rule(
            "vendor: oppo\noppo: {appKey: k, masterSecret: {env: S}, notifyLevel: 3}",
            "5:56: error: 'notifyLevel' must be 1, 2 or 16 [invalid-value]"),
        Rule(
            "vendor: mi\nmi: {package: com.example.app, appSecret: secret}",
            "5:43: error: 'appSecret' is a secret and must not be written in a file [plain-secret]"),
        Rule(
            "vendor: vivo\nvivo: {appId: '1', appKey: k, appSecret: {env: S}}\ntopic: a.b",
            "6:1: error: 'topic' does not go with vendor vivo [conflicting-keys]"),
        Rule(
            "vendor: honor\nhonor: {appId: '1', clientId: c, clientSecret: {env: S}}",
            "5:1: error: missing key 'experimental' [missing-key]"),
        Rule(
            "vendor: honor\nhonor: {appId: '1', clientId: c, clientSecret: {env: S}, experimental: false}",
            "5:72: error: 'experimental' can only be true [invalid-value]"),
        Rule("vendor: hms", "1:1: error: missing key 'hms' [missing-key]"),
    ]

    @Test(arguments: brokenProfiles)
    func aBrokenProfileIsSaid(_ rule: Rule) async {
        #expect(await SampleFiles.lines(Self.profile("a", rule.text)) == rule.lines)
    }

    static let brokenProfileNames: [String] = ["1a", "_a", "-a", "a b", "司机", "a.b"]

    @Test(arguments: brokenProfileNames)
    func theNameOfAProfileKeepsToItsRule(_ name: String) async {
        let lines = await SampleFiles.lines(Self.profile(name, "topic: a.b\n" + Self.certificate))
        #expect(
            lines.first { $0.contains("error") }
                == "2:7: error: '\(name)' is not a valid name of a device profile [invalid-name]")
    }

    @Test func aDashInTheNameOfAProfileIsNoted() async {
        #expect(
            await SampleFiles.lines(Self.profile("taxi-driver", "topic: a.b\n" + Self.certificate)) == [
                "2:7: note: some LeanCloud plans refuse the '-' in 'taxi-driver' [portability]"
            ])
    }

    @Test func anEnvironmentHasOneDefaultProfile() async {
        let first = Self.profile("a", "topic: a.b\ndefault: true\n" + Self.certificate)
        let second = first.replacing("name: a", with: "name: b")
        let third = second.replacing("name: b", with: "name: c").replacing("production", with: "development")
        #expect(
            await SampleFiles.lines(first + "---\n" + second + "---\n" + third) == [
                "12:10: error: device profile 'a' is already the default of production, in x.yaml:5:10 "
                    + "[conflicting-keys]"
            ])
    }

    @Test func twoProfilesOfAVendorServeDifferentInstallations() async {
        let first = Self.profile("a", "vendor: fcm\nfcm: {serviceAccount: {env: K}}")
        let second = Self.profile("b", "deviceProfile: a\nvendor: fcm\nfcm: {serviceAccount: {env: L}}")
        let third = Self.profile("c", "deviceProfile: a\ntopic: a.b\n" + Self.certificate)
        #expect(
            await SampleFiles.lines(first + "---\n" + second + "---\n" + third) == [
                "10:16: error: device profile 'a' already serves the installations of 'a', in x.yaml:1:1 "
                    + "[conflicting-keys]"
            ])
    }

    @Test func aRegionOfXiaomiHasADefaultOfItsOwn() async {
        func profile(_ name: String, _ region: String) -> String {
            Self.profile(name, "vendor: mi\ndefault: true\nmi: {package: p, appSecret: {env: S}\(region)}")
        }
        #expect(await SampleFiles.lines(profile("a", "") + "---\n" + profile("b", ", region: global")) == [])
        #expect(
            await SampleFiles.lines(profile("a", "") + "---\n" + profile("b", ", region: cn")).first
                == "12:10: error: device profile 'a' is already the default of production, in x.yaml:5:10 "
                + "[conflicting-keys]")
        #expect(
            await SampleFiles.lines(Self.profile("a", "vendor: mi-intl\nmi: {package: p, appSecret: {env: S}}")).first?
                .contains("'vendor' must be ") == true)
    }

    static let channelNames: [String] = [
        "Mets", "a", "A_b-c=", "巨人队", "㐀", "𠀀", "_", "=", String(repeating: "字", count: 64),
    ]

    @Test(arguments: channelNames)
    func aChannelNameIsAccepted(_ name: String) async {
        #expect(await SampleFiles.lines("kind: Channel\nname: '\(name)'\n") == [])
    }

    static let brokenChannelNames: [String] = [
        "", "a b", "a.b", "é", "ひ", "a/b", "！", String(repeating: "字", count: 65),
    ]

    @Test(arguments: brokenChannelNames)
    func aChannelNameIsRefused(_ name: String) async {
        #expect(
            await SampleFiles.lines("kind: Channel\nname: '\(name)'\n") == [
                "2:7: error: '\(name)' is not a valid name of a channel [invalid-name]"
            ])
    }

    static let brokenChannels: [Rule] = [
        Rule(
            "broadcast: {storage: all}",
            "3:1: error: missing key 'topic' [missing-key]",
            "3:22: error: 'storage' must be none or mostRecent, but found 'all' [invalid-value]"),
        Rule("broadcast: yes", "3:12: error: 'broadcast' must be a mapping, but found a string [wrong-type]"),
        Rule("descripton: x", "3:1: error: unknown key 'descripton'; did you mean 'description'? [unknown-key]"),
    ]

    @Test(arguments: brokenChannels)
    func aBrokenChannelIsSaid(_ rule: Rule) async {
        #expect(await SampleFiles.lines("kind: Channel\nname: Mets\n" + rule.text) == rule.lines)
    }

    static let brokenSegments: [Rule] = [
        Rule("description: x", "1:1: error: missing key 'where' [missing-key]"),
        Rule("where: {}", "3:8: error: 'where' must name at least one field [invalid-condition]"),
        Rule("where: a", "3:8: error: 'where' must be a mapping, but found a string [wrong-type]"),
    ]

    @Test(arguments: brokenSegments)
    func aBrokenSegmentIsSaid(_ rule: Rule) async {
        #expect(await SampleFiles.lines("kind: Segment\nname: s\n" + rule.text) == rule.lines)
    }
}
