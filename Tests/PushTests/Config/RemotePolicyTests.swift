import Base
import Push
import Testing

/// What a remote says in place of the workspace.
@Suite struct RemotePolicyTests {
    /// The workspace with a policy, and one for its remote `apple`.
    private static func load(_ remote: String, policy: String = "{}", more: String = "") async -> LoadedWorkspace {
        await TemporaryFolder.sample(["x.yaml": more], workspace: remote + "policy: \(policy)\n").load()
    }

    private static func lines(_ loaded: LoadedWorkspace) -> [String] {
        loaded.diagnostics.map { "\($0.range?.start.line ?? 0): \($0.message) [\($0.code.rawValue)]" }
    }

    @Test func aFenceIsAnAudience() async {
        let loaded = await Self.load("    audience: {segments: [reports], channels: [Giants], where: {a: 1}}\n")
        #expect(Self.lines(loaded) == [])
        #expect(
            loaded.workspace?.remotes["apple"]?.fence
                == Audience(channels: ["Giants"], segments: ["reports"], condition: ["a": 1]))
        #expect(loaded.workspace?.remotes["local"]?.fence == nil)
    }

    @Test(arguments: [
        (
            "{segments: [report]}",
            "13: segment 'report' is not declared; did you mean 'reports'? [unknown-reference]"
        ),
        (
            "{channels: [Mets]}", "13: channel 'Mets' is not declared [unknown-reference]"
        ),
        ("{deviceProfile: gone}", "13: device profile 'gone' is not declared [unknown-reference]"),
        ("{}", "13: 'audience' is empty [missing-key]"),
        ("{where: {$bad: 1}}", "13: unknown operator '$bad' [invalid-condition]"),
        ("testers", "13: 'audience' must be a mapping, but found the string 'testers' [wrong-type]"),
    ])
    func aFenceThatIsWrongIsAnErrorAtItsLine(_ fence: String, _ line: String) async {
        let loaded = await Self.load("    audience: \(fence)\n")
        #expect(loaded.workspace == nil)
        #expect(Self.lines(loaded).first?.prefix(20) == line.prefix(20), "\(Self.lines(loaded))")
    }

    @Test func aRemotesPolicyOverridesSingleFields() async throws {
        let loaded = await Self.load(
            "    policy: {maxAudience: 50, quietHours: off, holdout: off, approvals: off, quotas: {pending: 7}}\n",
            policy: """
                {maxAudience: 900, maxSendsPerApply: 3, quietHours: {from: '22:00', to: '08:00', timeZone: UTC},
                  holdout: {share: 5%, salt: a}, quotas: {devicesPerDay: 9}, approvals: [{when: {devices: 1}, need: 1}]}
                """)
        #expect(Self.lines(loaded) == [])
        let workspace = try #require(loaded.workspace)
        let policy = try #require(workspace.remotes["apple"]?.policy)
        #expect(policy.own == ["approvals", "holdout", "maxAudience", "quietHours", "quotas"])
        var expected = workspace.policy
        (expected.maxAudience, expected.quietHours, expected.holdout, expected.approvals) = (50, nil, nil, [])
        expected.pendingQuota = 7
        #expect(policy.limits == expected && policy.limits.dailyQuota == 9 && policy.limits.maxSendsPerApply == 3)
        #expect(
            workspace.bound(to: "apple").policy == expected && workspace.bound(to: "local").policy == workspace.policy)
    }

    @Test(arguments: ["maxSendsPerApply: off", "allowEveryone: off", "quotas: off", "maxAudiens: 1"])
    func onlyARuleThatMayBeMissingCanBeEnded(_ text: String) async {
        let loaded = await Self.load("    policy: {\(text)}\n")
        #expect(loaded.workspace == nil && Self.lines(loaded).allSatisfy { $0.hasPrefix("13: ") })
    }

    @Test func theWorkspaceEndsNoRuleOfItsOwn() async {
        #expect(await Self.load("", policy: "{quietHours: off}").workspace == nil)
    }

    @Test func theBaseOfApprovalsIsThePolicyOfTheRemote() {
        let text =
            SampleFiles.workspace
            + "    policy: {approvals: off}\npolicy: {approvals: [{when: {devices: 1}, need: 1}]}\n"
        func rules(_ remote: String) -> Int? {
            WorkspaceLoader.policy(in: text, on: remote, folder: "/")?.approvals.count
        }
        #expect(rules("apple") == 0 && rules("local") == 1 && rules("new") == 1)
    }

    @Test func wordsByLanguageNeedTheFieldOnEachOfTheirRemotes() async {
        let campaign = """
            kind: Campaign
            name: a
            audience: {channels: [Giants]}
            expiration: {after: 1d}
            message: {body: a, languages: {de: {body: b}}}

            """
        let off = "    policy: {languageField: off}\n"
        let loaded = await Self.load(off, policy: "{languageField: language}", more: campaign)
        #expect(Self.lines(loaded).count == 1 && loaded.workspace == nil)
        let local = await Self.load(off, policy: "{languageField: language}", more: campaign + "remotes: [local]\n")
        #expect(Self.lines(local) == [])
    }
}
