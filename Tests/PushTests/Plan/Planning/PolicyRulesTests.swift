import Base
import RemoteTesting
import Testing

@testable import Push

/// Every rule of the policy that looks at one delivery.
@Suite struct PolicyRulesTests {
    /// A broken rule, and the message of its block.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var change: @Sendable (inout Campaign) -> Void = { _ in }
        var policy: @Sendable (inout Policy) -> Void = { _ in }
        var profile: DeviceProfile?
        var devices = 3
        var innerQuery: Int?
        var rule: Block.Rule?
        var message = ""
    }

    private static func profile(expires seconds: Int) -> DeviceProfile {
        DeviceProfile(
            name: "production", origin: Sample.origin("profile"), environment: .production, topic: "com.example.giants",
            isDefault: true, credential: .certificate(source: .environment("CERT"), key: nil, passphrase: nil),
            facts: CredentialFacts(fingerprint: "ab", expiresAt: Sample.start + .seconds(seconds)))
    }

    static let rows: [Row] = [
        Row(testDescription: "nothing broken"),
        Row(
            testDescription: "requireExpiration", change: { $0.expiration = nil }, rule: .requireExpiration,
            message: "the policy requires an expiration"),
        Row(
            testDescription: "no expiration where none is required", change: { $0.expiration = nil },
            policy: { $0.requireExpiration = false }),
        Row(testDescription: "never is an expiration", change: { $0.expiration = .never }),
        Row(
            testDescription: "allowEveryone", change: { $0.audience = Audience(everyone: true) }, rule: .allowEveryone,
            message: "allowEveryone is false"),
        Row(
            testDescription: "everyone where it is allowed", change: { $0.audience = Audience(everyone: true) },
            policy: { $0.allowEveryone = true }),
        Row(
            testDescription: "maxAudience of the policy", policy: { $0.maxAudience = 9_999 }, devices: 10_000,
            rule: .maxAudience, message: "10,000 devices exceed maxAudience 9,999"),
        Row(testDescription: "exactly maxAudience", policy: { $0.maxAudience = 10_000 }, devices: 10_000),
        Row(
            testDescription: "the campaign's narrower maxAudience", change: { $0.maxAudience = 10 },
            policy: { $0.maxAudience = 100 }, devices: 11, rule: .maxAudience,
            message: "11 devices exceed maxAudience 10"),
        Row(
            testDescription: "the policy's narrower maxAudience", change: { $0.maxAudience = 100 },
            policy: { $0.maxAudience = 10 }, devices: 11, rule: .maxAudience,
            message: "11 devices exceed maxAudience 10"),
        Row(
            testDescription: "maxAudience of listed devices",
            change: { $0.audience = Audience(platforms: [.ios], devices: ["a", "b"]) },
            policy: { $0.maxAudience = 1 }, rule: .maxAudience, message: "2 devices exceed maxAudience 1"),
        Row(
            testDescription: "an empty audience", devices: 0, rule: .minAudience,
            message: "0 devices are fewer than minAudience 1"),
        Row(testDescription: "an empty audience that may be", change: { $0.minAudience = 0 }, devices: 0),
        Row(
            testDescription: "minAudience", change: { $0.minAudience = 1000 }, devices: 999, rule: .minAudience,
            message: "999 devices are fewer than minAudience 1,000"),
        Row(testDescription: "exactly minAudience", change: { $0.minAudience = 1000 }, devices: 1000),
        Row(
            testDescription: "developmentAudience", change: { $0.environment = .development }, devices: 20_001,
            rule: .developmentAudience,
            message: "20,001 devices exceed the development environment's limit of 20,000"),
        Row(testDescription: "production may reach more", devices: 20_001),
        Row(
            testDescription: "innerQueryLimit", innerQuery: 1001, rule: .innerQueryLimit,
            message: "an inner query matches 1,001 objects, but the service evaluates only 1,000"),
        Row(testDescription: "an inner query at the limit", innerQuery: 1000),
        Row(
            testDescription: "a certificate that expires before the delivery does", profile: profile(expires: 604_800),
            rule: .certificateExpiryWarning,
            message: "the certificate of production expires on 2026-11-27, before the delivery does"),
        Row(testDescription: "a certificate that lasts a second longer", profile: profile(expires: 604_801)),
        Row(
            testDescription: "a certificate that expired, for a campaign that does not expire",
            change: { $0.expiration = .never }, profile: profile(expires: 0), rule: .certificateExpiryWarning,
            message: "the certificate of production expires on 2026-11-20, before the delivery does"),
        Row(
            testDescription: "an expired certificate and Android only", change: { $0.audience.platforms = [.android] },
            profile: profile(expires: 0)),
    ]

    @Test(arguments: rows)
    func aRule(row: Row) throws {
        var campaign = Sample.campaign("score")
        row.change(&campaign)
        let workspace = Sample.workspace([campaign]) { workspace in
            row.policy(&workspace.policy)
            workspace.deviceProfiles = [row.profile].compactMap { $0 }
        }
        let plan = Ledger.plan(workspace, devices: row.devices, innerQuery: row.innerQuery)
        let change = try #require(plan.changes.first { $0.kind == .campaign })
        #expect(change.action == .send)
        #expect(change.blocked.map(\.rule) == [row.rule].compactMap { $0 })
        if row.rule != nil { #expect(change.blocked.first?.message.text == row.message) }
    }

    @Test(arguments: [(12 * 60, 13 * 60, true), (13 * 60, 12 * 60, false), (11 * 60, 12 * 60, false), (0, 0, false)])
    func nowInQuietHoursBlocksASend(from: Int, to: Int, isBlocked: Bool) throws {
        let quiet = try #require(QuietHours(from: from, to: to, timeZone: "UTC"))
        let plan = Ledger.plan(Sample.workspace([Sample.campaign("score")]) { $0.policy.quietHours = quiet })
        #expect(plan.changes.first?.blocked.map(\.rule) == (isBlocked ? [.quietHours] : []))
    }

    @Test func aScheduleInQuietHoursIsBlockedAndOneOutsideIsNot() throws {
        let quiet = try #require(QuietHours(from: 12 * 60, to: 13 * 60, timeZone: "UTC"))
        for (seconds, isBlocked) in [(1800, true), (3600, false)] {
            let campaign = Sample.campaign("score", at: Sample.start + .seconds(seconds))
            let plan = Ledger.plan(Sample.workspace([campaign]) { $0.policy.quietHours = quiet })
            #expect(plan.changes.first?.blocked.map(\.rule) == (isBlocked ? [.quietHours] : []))
        }
    }

    @Test func anAudienceThatCouldNotBeCountedIsBlockedUnlessThePlanIsSimulated() throws {
        let workspace = Sample.workspace([Sample.campaign("score")])
        let state = RemoteState(now: Sample.start, ledgerStarted: true, installations: InstallationSample(size: 0))
        let real = Planner.plan(Sample.input(workspace, state)).plan
        #expect(real.changes.first?.blocked.map(\.rule) == [.notCounted])
        let simulated = Planner.plan(Sample.input(workspace, state, isSimulated: true)).plan
        #expect(simulated.changes.first?.blocked == [])
        #expect(simulated.diagnostics.map(\.code) == [.notCounted])
    }

    @Test func anEmptyAudienceIsWarnedOf() throws {
        var campaign = Sample.campaign("score")
        let warning = try #require(Ledger.plan(Sample.workspace([campaign]), devices: 0).diagnostics.first)
        #expect(warning.code == .emptyAudience && warning.severity == .warning)
        #expect(warning.range?.file == "campaigns/score.yaml")
        #expect(warning.help?.text.contains("minAudience: 0") == true)
        campaign.minAudience = 0
        #expect(Ledger.plan(Sample.workspace([campaign]), devices: 0).diagnostics.map(\.code) == [.emptyAudience])
    }

    @Test func whatAnAudiencesConditionNamesAndNobodyHasIsWarnedOfAtItsLine() throws {
        let workspace = Sample.workspace([Sample.campaign("score")])
        for devices in [0, 3] {
            var input = Ledger.answered(
                Sample.input(workspace, RemoteState(now: Sample.start, ledgerStarted: true)), devices: devices)
            for digest in input.state.audiences.keys {
                input.state.audiences[digest]?.doubts = [
                    .absentField("scroes", nearest: "scores"), .absentField("xyzzy", nearest: nil),
                    .absentClass("Teem"),
                ]
            }
            let plan = Planner.plan(input).plan
            let doubts = plan.diagnostics.filter { $0.code != .emptyAudience }
            #expect(doubts.map(\.code) == [.absentClass, .absentField, .absentField])
            #expect(doubts.allSatisfy { $0.severity == .warning && $0.range?.file == "campaigns/score.yaml" })
            #expect(doubts[0].message.text.contains("'Teem'"))
            #expect(
                doubts[1].message.text.contains("'scroes'")
                    && doubts[1].message.text.hasSuffix("did you mean 'scores'?"))
            #expect(doubts[2].message.text.contains("'xyzzy'") && !doubts[2].message.text.contains("did you mean"))
            #expect(plan.diagnostics.contains { $0.code == .emptyAudience } == (devices == 0))
            #expect(plan.changes.first?.blocked.isEmpty == (devices > 0))
        }
    }

    @Test func anAudienceThatNobodyCanCountIsNotedAndNotBlocked() throws {
        let workspace = Sample.workspace([Sample.campaign("score")])
        let state = RemoteState(now: Sample.start, ledgerStarted: true, installations: InstallationSample(size: 0))
        let input = Sample.input(workspace, state, encoder: Broadcaster())
        #expect(Planner.questions(input).counts.isEmpty)
        let plan = Planner.plan(input).plan
        #expect(plan.changes.first?.blocked == [])
        #expect(plan.changes.first?.audience?.devices == nil)
        #expect(plan.diagnostics.map(\.code) == [.notCounted])
    }

    // MARK: A ledger that knows nothing

    private static func remote(_ name: String, _ url: String) -> RemoteDeclaration {
        RemoteDeclaration(
            name: name, origin: Sample.origin("remote"),
            service: .leancloud(.init(url: .literal(url), appId: .literal("id"), masterKey: .environment("KEY"))))
    }

    @Test(arguments: [
        ("https://push.example.com", true), ("http://localhost:8710", false), ("http://127.0.0.1:8710", false),
        ("http://127.1.2.3/x", false), ("http://[::1]:8710", false), ("http://127.0.0.1.example.com", true),
        ("http://localhost@example.com", true), ("http://localhost.example.com", true),
    ])
    func anEmptyLedgerBesideAnotherRemoteBlocksSends(url: String, isBlocked: Bool) {
        let workspace = Sample.workspace([Sample.campaign("score")]) { workspace in
            workspace.remotes = [
                "production": Self.remote("production", "https://a.example.com"), "other": Self.remote("other", url),
            ]
        }
        let plan = Ledger.plan(workspace, RemoteState(now: Sample.start))
        #expect(plan.changes.first?.blocked.map(\.rule) == (isBlocked ? [.newLedger] : []))
        #expect(plan.diagnostics.contains { $0.code == .emptyLedger } == !isBlocked)
        let started = Ledger.plan(workspace, RemoteState(now: Sample.start, ledgerStarted: true))
        #expect(started.changes.first?.blocked == [])
        let entry = Ledger.entry(
            Sample.campaign("other", text: "another text"), .sent, now: Sample.start, age: .seconds(60))
        let known = Ledger.plan(workspace, RemoteState(now: Sample.start, ledger: [entry]))
        #expect(known.changes.first?.blocked == [])
    }

    // MARK: Without a remote

    @Test func rulesThatNeedNoRemoteAreToldAtTheirPlace() throws {
        let quiet = try #require(QuietHours(from: 12 * 60, to: 13 * 60, timeZone: "UTC"))
        let campaign = Sample.campaign("score", at: Sample.start + .seconds(60)) {
            $0.expiration = nil
            $0.audience = Audience(everyone: true)
        }
        let findings = Checker.policyFindings(Sample.workspace([campaign]) { $0.policy.quietHours = quiet })
        #expect(findings.map(\.code) == [.policyRequireExpiration, .policyAllowEveryone, .policyQuietHours])
        #expect(findings.allSatisfy { $0.severity == .error && $0.range?.file == "campaigns/score.yaml" })
        #expect(
            findings.map(\.message) == [
                "the campaign has no expiration",
                "the audience is everyone, and policy.allowEveryone is false",
                "2026-11-20 12:01 +00:00 is in quiet hours (12:00–13:00 UTC)",
            ])
    }
}
