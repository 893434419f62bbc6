import Push
import Testing

/// What a Workspace document may say.
@Suite struct WorkspaceRuleTests {
    static let head = "kind: Workspace\nname: giants\n"

    /// A time zone of quiet hours, and what is said of it.
    private static func zone(_ id: String, _ said: String) -> Rule {
        Rule("policy: {quietHours: {from: 22:00, to: 08:00, timeZone: \(id)}}", "3:57: error: \(said) [invalid-value]")
    }

    static let broken: [Rule] = [
        Rule(
            "notify: [{to: {feishu: 'https://open.feishu.cn/open-apis/bot/v2/hook/7c0e'}}]",
            "3:24: error: 'feishu' is a secret and must not be written in a file [plain-secret]"),
        Rule("notify: [{on: [sent]}]", "3:10: error: missing key 'to' [missing-key]"),
        Rule(
            "notify: {to: {slack: {env: S}}}", "3:9: error: 'notify' must be a list, but found a mapping [wrong-type]"),
        Rule(
            "notify: [{to: {secret: {env: S}}}]",
            "3:11: error: one of 'feishu' and 'dingtalk' and 'wecom' and 'slack' and 'json' is needed [missing-key]"),
        Rule(
            "notify: [{to: {slack: {env: A}, json: {env: B}}}]",
            "3:33: error: 'slack' and 'json' exclude each other [conflicting-keys]"),
        Rule(
            "notify: [{to: {slack: {env: A}, secret: {env: B}}}]",
            "3:33: error: 'secret' does not go with 'slack' [conflicting-keys]"),
        Rule(
            "notify: [{to: {slak: {env: A}}}]",
            "3:16: error: unknown key 'slak'; did you mean 'slack'? [unknown-key]"),
        Rule(
            "notify: [{to: {slack: {env: A}}, on: [sendt]}]",
            "3:39: error: an element of 'on' must be sent, failed, doubt, stage, stopped, approval or certificate, but found 'sendt'; did you mean 'sent'? [invalid-value]"
        ),
        Rule(
            "notify: [{to: {slack: {env: A}}, text: 1}]",
            "3:40: error: 'text' must be true or false, but found an integer [wrong-type]"),
        Rule("formerly: [giants]", "3:12: error: 'formerly' names the workspace itself [duplicate-name]"),
        Rule("formerly: [A]", "3:12: error: 'A' is not a valid name [invalid-name]"),
        Rule("formerly: old", "3:11: error: 'formerly' must be a list, but found a string [wrong-type]"),
        Rule("formerly: [a, a]", "3:15: error: 'a' is listed twice in 'formerly' [invalid-value]"),
        Rule(
            "policy: {maxAudence: 1}",
            "3:10: error: unknown key 'maxAudence'; did you mean 'maxAudience'? [unknown-key]"),
        Rule(
            "policy: {maxAudience: many}",
            "3:23: error: 'maxAudience' must be an integer, but found a string [wrong-type]"),
        Rule("policy: {maxSendsPerApply: -1}", "3:28: error: 'maxSendsPerApply' must be at least 0 [invalid-value]"),
        Rule(
            "policy: {maxCancelsPerApply: -1}",
            "3:30: error: 'maxCancelsPerApply' must be at least 0 [invalid-value]"),
        Rule(
            "policy: {maxAudienceGrowth: 0.2}",
            "3:29: error: 'maxAudienceGrowth' must be a percentage such as 20%, but found a number [wrong-type]"),
        Rule(
            "policy: {maxAudienceGrowth: '20'}",
            "3:29: error: 'maxAudienceGrowth' must be a percentage such as 20%, but found '20' [invalid-value]"),
        Rule(
            "policy: {requireExpiration: no}",
            "3:29: error: 'requireExpiration' must be true or false, but found a string [wrong-type]"),
        Rule(
            "policy: {allowEveryone: 1}",
            "3:25: error: 'allowEveryone' must be true or false, but found an integer [wrong-type]"),
        Rule(
            "policy: {quietHours: {from: 22:00}}",
            "3:10: error: missing key 'timeZone' [missing-key]",
            "3:10: error: missing key 'to' [missing-key]"),
        Rule(
            "policy: {quietHours: {from: 24:00, to: 8:00, timeZone: Asia/Shanghai}}",
            "3:29: error: 'from' must be a time of day such as 22:00, but found '24:00' [invalid-value]",
            "3:40: error: 'to' must be a time of day such as 22:00, but found '8:00'; "
                + "did you mean '08:00'? [invalid-value]"
        ),
        zone("Asia/Nowhere", "unknown time zone 'Asia/Nowhere'"),
        zone("CST", "'CST' is no Area/City: CST is China's, America's and Cuba's time"),
        zone("EST", "'EST' is no Area/City: EST does not follow America's clocks in summer"),
        zone("Etc/GMT+8", "'Etc/GMT+8' is UTC-08:00: the signs of Etc/ are the opposite of what they look like"),
        zone("GMT+8", "'GMT+8' is no Area/City: abbreviations and offsets do not say which place's clocks count"),
        zone("Asia/Beijing", "unknown time zone 'Asia/Beijing': the IANA list names China's time after Shanghai"),
        zone("Peking", "unknown time zone 'Peking': the IANA list names China's time after Shanghai"),
        zone("Etc/UTC", "'Etc/UTC' is written UTC"),
        Rule(
            "remotes: {a: {type: apns, registry: {sqlite: d.sqlite, stale: 5h}}}",
            "3:63: error: 'stale' must be at least 1d [invalid-value]"),
        Rule(
            "remotes: {a: {type: apns, registry: {sqlite: d.sqlite, stale: always}}}",
            "3:63: error: 'stale' must be a duration such as 90s, 15m, 36h, 7d or 2w or 'never', but found 'always' "
                + "[invalid-value]"),
        Rule(
            "policy: {certificateExpiryWarning: 30}",
            "3:36: error: 'certificateExpiryWarning' must be \(aDuration) an integer [wrong-type]"),
        Rule(
            "policy: {minimumGap: an hour}",
            "3:22: error: 'minimumGap' must be \(aDuration) 'an hour' [invalid-value]"),
        Rule(
            "policy: {quotas: {pending: x}}",
            "3:28: error: 'pending' must be an integer, but found a string [wrong-type]"),
        Rule("exclude: drafts", "3:10: error: 'exclude' must be a list, but found a string [wrong-type]"),
        Rule("exclude: ['']", "3:11: error: an element of 'exclude' must not be empty [invalid-value]"),
        Rule("remotes: [local]", "3:10: error: 'remotes' must be a mapping, but found a sequence [wrong-type]"),
        Rule("defaultRemote: local", "3:16: error: remote 'local' is not declared [unknown-reference]"),
        Rule("app: Giants", "3:6: error: 'app' must be a mapping, but found a string [wrong-type]"),
        Rule("app: {name: ''}", "3:13: error: 'name' must not be empty [invalid-value]"),
        Rule(
            "app: {icon: ../icon.png}", "3:13: error: 'icon' leads out of the workspace [file-outside]"),
        Rule(
            "strings: [a.xcstrings]",
            "3:11: error: 'a.xcstrings' cannot be read: No such file or directory [unreadable]"),
        Rule("strings: [../a.xcstrings]", "3:11: error: 'strings' leads out of the workspace [file-outside]"),
        Rule("app: {icon: icon.png}", "3:13: error: 'icon.png' cannot be read: No such file or directory [unreadable]"),
        Rule("description: x", "3:1: error: unknown key 'description' [unknown-key]"),
    ]

    @Test(arguments: broken)
    func aBrokenFieldIsSaid(_ rule: Rule) async {
        #expect(await SampleFiles.lines(workspace: Self.head + rule.text + "\n") == rule.lines)
    }

    @Test func theSmallestWorkspaceIsAccepted() async {
        #expect(await SampleFiles.lines(workspace: Self.head) == [])
    }

    @Test func severalRemotesNeedADefault() async {
        let text =
            Self.head + "remotes:\n"
            + "  a: {type: apns, registry: {sqlite: a}}\n  b: {type: apns, registry: {sqlite: b}}\n"
        #expect(
            await SampleFiles.lines(workspace: text) == [
                "3:1: error: missing key 'defaultRemote': there are 2 remotes [missing-key]"
            ])
        #expect(await SampleFiles.lines(workspace: text + "defaultRemote: a\n") == [])
    }

    @Test(arguments: [
        ("kind: Channel\nname: a", "1:1: error: there is no Workspace document in bugle.yaml [workspace-document]"),
        ("", "1:1: error: there is no Workspace document in bugle.yaml [workspace-document]"),
        (
            "kind: Workspce\nname: a",
            "1:7: error: unknown kind 'Workspce'; did you mean 'Workspace'? [unknown-kind]"
        ),
    ])
    func aWorkspaceNeedsItsDocument(_ text: String, _ line: String) async {
        #expect(await SampleFiles.lines(workspace: text) == [line])
    }

    @Test func theAppIsCalledAsTheWorkspaceUnlessItIsNamed() async throws {
        let folder = TemporaryFolder()
        folder.write("bugle.yaml", Self.head)
        #expect(await folder.load().workspace?.app == ShownApp(name: "giants"))
        folder.write("bugle.yaml", Self.head + "app: {icon: icons/app.png}\n")
        folder.write("icons/app.png", bytes: Self.png(120, 120))
        let app = try #require(await folder.load().workspace?.app)
        #expect(app.name == "giants")
        #expect(app.icon?.hasPrefix("iVBORw0KGgo") == true)
    }

    @Test(
        arguments: [
            (Array("GIF89a, and more than a header".utf8), "is no PNG"),
            (png(120, 60), "is 120 × 60 pixels; it must be square"),
            (png(0, 0), "is 0 × 0 pixels; it must be square"), ([], "is no PNG"),
            (Array(png(8, 8).prefix(20)), "is no PNG"),
            (
                png(8, 8) + [UInt8](repeating: 0, count: 65_536), "has 65,560 bytes; pages take up to 65,536"
            ),
        ] as [([UInt8], String)])
    func anIconThatPagesCannotShowIsExplained(_ bytes: [UInt8], _ problem: String) async {
        let folder = TemporaryFolder()
        folder.write("bugle.yaml", Self.head + "app: {name: Giants, icon: a.png}\n")
        folder.write("a.png", bytes: bytes)
        #expect(await folder.lines() == ["3:27: error: 'a.png' \(problem) [invalid-value]"])
    }

    /// The header of a PNG.
    static func png(_ width: UInt8, _ height: UInt8) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + [0, 0, 0, width]
            + [0, 0, 0, height]
    }

    @Test func aSecondWorkspaceDocumentNamesTheFirst() async {
        #expect(
            await SampleFiles.lines("kind: Workspace\nname: other\n") == [
                "1:7: error: a second Workspace document; the first is in bugle.yaml:1:7 [workspace-document]"
            ])
    }

    @Test func aWorkspaceDocumentStandsInBugleYAML() async {
        let folder = TemporaryFolder()
        folder.write("bugle.yaml", "kind: Channel\nname: a\n")
        folder.write("x.yaml", "kind: Workspace\nname: a\n")
        #expect(
            await folder.lines() == [
                "1:7: error: the Workspace document must be in bugle.yaml [workspace-document]"
            ])
    }

    static let withoutKind: [(text: String, line: String)] = [
        (
            "x: 1",
            "1:1: error: missing key 'kind': Workspace, DeviceProfile, Channel, Segment, Campaign or Part "
                + "[unknown-kind]"
        ),
        (
            "{}",
            "1:1: error: missing key 'kind': Workspace, DeviceProfile, Channel, Segment, Campaign or Part "
                + "[unknown-kind]"
        ),
        ("kind: Campain", "1:7: error: unknown kind 'Campain'; did you mean 'Campaign'? [unknown-kind]"),
        ("kind: campaign", "1:7: error: unknown kind 'campaign'; did you mean 'Campaign'? [unknown-kind]"),
        ("kind: Message", "1:7: error: unknown kind 'Message' [unknown-kind]"),
        (
            "kind: 1",
            "1:7: error: 'kind' must be Workspace, DeviceProfile, Channel, Segment, Campaign or Part, "
                + "but found an integer [wrong-type]"
        ),
        ("[a]", "1:1: error: 'document' must be a mapping, but found a sequence [wrong-type]"),
    ]

    @Test(arguments: withoutKind)
    func everyDocumentHasAKind(_ text: String, _ line: String) async {
        #expect(await SampleFiles.lines(text) == [line])
    }

    static let empty: [String] = ["", "# nothing\n", "---\n", "---\n---\n", "---\nkind: Channel\nname: a\n---\n"]

    @Test(arguments: empty)
    func anEmptyDocumentDeclaresNothing(_ text: String) async {
        #expect(await SampleFiles.lines(text) == [])
    }

    @Test func quietHoursThatEndWhereTheyBeginAreNoneAndThatIsSaid() async {
        let policy = "policy: {quietHours: {from: 22:00, to: 22:00, timeZone: UTC}}\n"
        #expect(
            await SampleFiles.lines(workspace: Self.head + policy) == [
                "3:40: warning: 'from' and 'to' are the same time: no hour is quiet [conflicting-keys]"
            ])
    }

    /// The address of a room is a secret like any other: nothing that is sent may name its variable.
    @Test func theVariableOfARoomIsThatOfASecret() async throws {
        let remote = "remotes: {a: {type: leancloud, url: {env: HOOK}, appId: x, masterKey: {env: K}}}\n"
        #expect(
            await SampleFiles.lines(workspace: Self.head + "notify: [{to: {slack: {env: HOOK}}}]\n" + remote) == [
                "4:37: error: 'url' refers to 'HOOK', which holds a secret of this workspace [secret-reference]"
            ])
    }
}
