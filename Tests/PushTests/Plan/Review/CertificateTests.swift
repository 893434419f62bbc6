import Base
import RemoteTesting
import Testing

@testable import Push

/// What a plan says of certificates, and when it holds a delivery back for one.
@Suite struct CertificateTests {
    private static let day = 86_400

    private static func profile(
        _ name: String = "driver", expires seconds: Int? = nil, environment: PushEnvironment = .production,
        isKey: Bool = false
    ) -> DeviceProfile {
        DeviceProfile(
            name: name, origin: Sample.origin(name), environment: environment, topic: "com.example.\(name)",
            credential: isKey
                ? .token(teamId: "ABCDE12345", keyId: "F4K3K3Y1D0", key: .environment("KEY"))
                : .certificate(source: .environment("CERT"), key: nil, passphrase: nil),
            facts: seconds.map {
                CredentialFacts(
                    fingerprint: "ab", expiresAt: isKey ? nil : Sample.start + .seconds($0),
                    topics: isKey ? [] : ["com.example.\(name)", "com.example.\(name).voip"])
            })
    }

    private static func plan(
        _ campaigns: [Campaign] = [], profiles: [DeviceProfile],
        _ state: RemoteState = RemoteState(now: Sample.start, ledgerStarted: true),
        policy: (inout Policy) -> Void = { _ in }
    ) -> Plan {
        Ledger.plan(
            Sample.workspace(campaigns) {
                $0.deviceProfiles = profiles
                policy(&$0.policy)
            }, state)
    }

    // MARK: What is shown

    @Test func everyProfileIsShownWithTheCampaignsThatDependOnIt() {
        let plan = Self.plan(
            [
                Sample.campaign("everyone"), Sample.campaign("drivers") { $0.audience.deviceProfile = "driver" },
                Sample.campaign("android") { $0.audience.platforms = [.android] },
                Sample.campaign("held") { $0.hold = true },
            ],
            profiles: [
                Self.profile(expires: 40 * Self.day + 5), Self.profile("key", expires: 0, isKey: true),
                Self.profile("test", environment: .development), Self.profile("unread"),
            ])
        #expect(
            plan.certificates == [
                PlannedCertificate(
                    name: "driver", environment: .production, topic: "com.example.driver",
                    topics: ["com.example.driver", "com.example.driver.voip"], fingerprint: "ab",
                    expiresAt: Sample.start + .seconds(40 * Self.day + 5), daysLeft: 40,
                    campaigns: ["drivers", "everyone"]),
                PlannedCertificate(
                    name: "key", environment: .production, topic: "com.example.key", keyId: "F4K3K3Y1D0",
                    fingerprint: "ab", campaigns: ["everyone"]),
                PlannedCertificate(name: "test", environment: .development, topic: "com.example.test"),
                PlannedCertificate(
                    name: "unread", environment: .production, topic: "com.example.unread", campaigns: ["everyone"]),
            ])
    }

    @Test func aProfileIsShownWithTheCampaignsOfItsOwnPlatform() {
        let fcm = DeviceProfile(
            name: "fcm", origin: Sample.origin("fcm"), environment: .production, topic: "",
            credential: .serviceAccount(.environment("KEY")),
            facts: CredentialFacts(fingerprint: "ab", expiresAt: nil, project: "giants-app"))
        let plan = Self.plan(
            [
                Sample.campaign("everyone"), Sample.campaign("android") { $0.audience.platforms = [.android] },
                Sample.campaign("iphones") { $0.audience.platforms = [.ios] },
            ], profiles: [Self.profile(), fcm])
        #expect(plan.certificates.map(\.campaigns) == [["everyone", "iphones"], ["android", "everyone"]])
        #expect(plan.certificates.map(\.vendor) == [.apns, .fcm])
        #expect(plan.certificates.last?.topic == "giants-app")
    }

    @Test(arguments: [(86_400, 1), (86_399, 0), (1, 0), (0, -1), (-1, -1), (-86_400, -2)])
    func daysAreWholeAndNegativeOnceItHasEnded(_ seconds: Int, _ days: Int) {
        #expect(Self.plan(profiles: [Self.profile(expires: seconds)]).certificates.map(\.daysLeft) == [days])
    }

    // MARK: What is told

    @Test(
        arguments: [
            (30 * 86_400, nil), (30 * 86_400 - 1, .note), (14 * 86_400, .note), (14 * 86_400 - 1, .warning),
            (7 * 86_400, .warning), (7 * 86_400 - 1, .warning), (1, .warning), (0, nil),
        ] as [(Int, Severity?)])
    func itIsToldAtThirtyFourteenAndSevenDays(_ seconds: Int, _ severity: Severity?) {
        let profiles = [Self.profile(expires: seconds)]
        let plan = Self.plan(profiles: profiles)
        #expect(
            plan.diagnostics.filter { $0.code == .policyCertificateExpiry }.map(\.severity)
                == [severity].compactMap { $0 })
        let workspace = Sample.workspace { $0.deviceProfiles = profiles }
        #expect(
            Checker.certificateFindings(workspace, now: Sample.start).map(\.severity) == [severity].compactMap { $0 })
    }

    @Test(arguments: [
        (20 * 86_400, "the certificate of driver expires on 2026-12-10, in 20 days; campaigns a, b depend on it"),
        (13 * 86_400, "the certificate of driver expires on 2026-12-03, in 13 days; campaigns a, b depend on it"),
        (
            6 * 86_400,
            "the certificate of driver expires in only 6 days, at 2026-11-26T12:00:00Z, after which it "
                + "cannot push; campaigns a, b depend on it"
        ),
        (
            3600,
            "the certificate of driver expires in less than a day, at 2026-11-20T13:00:00Z, after which "
                + "it cannot push; campaigns a, b depend on it"
        ),
    ])
    func theCampaignsOfThePlanAreNamed(_ seconds: Int, _ message: String) {
        let campaigns = ["a", "b"].map { name in Sample.campaign(name) { $0.expiration = .after(.seconds(60)) } }
        let plan = Self.plan(campaigns, profiles: [Self.profile(expires: seconds)])
        let found = plan.diagnostics.filter { $0.code == .policyCertificateExpiry }
        #expect(found.map(\.message.text) == [message])
        #expect(found.first?.range?.file == "campaigns/driver.yaml")
    }

    @Test func onlySomeOfManyCampaignsAreNamed() throws {
        let plan = Self.plan(
            (1...9).map { Sample.campaign("c\($0)") }, profiles: [Self.profile(expires: 20 * Self.day)])
        let note = try #require(plan.diagnostics.first { $0.code == .policyCertificateExpiry })
        #expect(note.message.text.hasSuffix("; campaigns c1, c2, c3, c4, c5 and 4 more depend on it"))
    }

    @Test func thePolicySaysFromWhenOnItIsTold() {
        for (warning, seconds, severities) in [
            (60, 50, [Severity.note]), (10, 12, []), (10, 9, [.warning]), (0, 3, []),
        ] {
            let plan = Self.plan(profiles: [Self.profile(expires: seconds * Self.day)]) {
                $0.certificateExpiryWarning = .seconds(warning * Self.day)
            }
            #expect(plan.diagnostics.filter { $0.code == .policyCertificateExpiry }.map(\.severity) == severities)
        }
    }

    // MARK: What it holds back

    /// A delivery, and the last second at which its certificate must still be good.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var at: Int?
        var expiration: Expiration?
        var last: Int
        var action: Action
    }

    static let rows: [Row] = [
        Row(testDescription: "send", expiration: .after(.seconds(100)), last: 100, action: .send),
        Row(testDescription: "one attempt", expiration: .after(.zero), last: 0, action: .send),
        Row(
            testDescription: "until a time", expiration: .at(OffsetInstant(Sample.start + .seconds(500), offset: 3600)),
            last: 500, action: .send),
        Row(testDescription: "never", expiration: .never, last: 30 * day, action: .send),
        Row(testDescription: "not said", expiration: nil, last: 30 * day, action: .send),
        Row(testDescription: "schedule", at: 7200, expiration: .after(.seconds(100)), last: 7300, action: .schedule),
        Row(
            testDescription: "schedule, one attempt", at: 7200, expiration: .after(.zero), last: 7200, action: .schedule
        ),
        Row(testDescription: "schedule, never", at: 7200, expiration: .never, last: 7200 + 30 * day, action: .schedule),
        Row(
            testDescription: "reschedule", at: 7200, expiration: .after(.seconds(100)), last: 7300, action: .reschedule),
        Row(
            testDescription: "reschedule, never", at: 7200, expiration: .never, last: 7200 + 30 * day,
            action: .reschedule),
        Row(testDescription: "resume", expiration: .after(.seconds(100)), last: 100 - 60, action: .resume),
        Row(testDescription: "resume, never", expiration: .never, last: 30 * day, action: .resume),
        Row(
            testDescription: "resume of a schedule", at: 7200, expiration: .after(.seconds(100)), last: 7300,
            action: .resume),
        Row(
            testDescription: "resume of a schedule, never", at: 7200, expiration: .never, last: 7200 + 30 * day,
            action: .resume),
    ]

    /// A device goes by the profile that it bears, whichever is the default.
    @Test func eachProfileThatACampaignMayGoByMustOutlastIt() throws {
        var usual = Self.profile("usual", expires: 100 * Self.day)
        usual.isDefault = true
        let plan = Self.plan(
            [Sample.campaign("score") { $0.expiration = .after(.seconds(3600)) }],
            profiles: [usual, Self.profile(expires: 60)],
            RemoteState(now: Sample.start, ledgerStarted: true)
        ) { $0.requireExpiration = false }
        let change = try #require(plan.changes.first { $0.kind == .campaign })
        #expect(change.blocked.map(\.rule) == [.certificateExpiryWarning])
        #expect(plan.certificates.allSatisfy { $0.campaigns == ["score"] })
    }

    @Test(arguments: rows)
    func aCertificateMustOutlastADeliveryByASecond(row: Row) throws {
        let campaign = Sample.campaign("score", at: row.at.map { Sample.start + .seconds($0) }) {
            $0.expiration = row.expiration
        }
        var state = RemoteState(now: Sample.start, ledgerStarted: true)
        switch row.action {
        case .reschedule:
            let old = Sample.campaign("score", at: Sample.start + .seconds(86_400))
            let entry = Ledger.entry(old, .scheduled, now: Sample.start, age: .seconds(60))
            state.ledger = [entry]
            state.scheduled = [
                ScheduledPush(id: 1, notificationID: entry.notificationID.text, at: Sample.start + .seconds(86_400))
            ]
        case .resume:
            var entry = Ledger.entry(campaign, .sending, now: Sample.start, age: .seconds(60))
            entry.expiresAt = campaign.expiration?.end(startingAt: entry.scheduledAt ?? entry.intendedAt)
            state.ledger = [entry]
        case .create, .update, .delete, .send, .schedule, .cancel, .wait, .missed, .none: break
        }
        for (seconds, isBlocked) in [(row.last, true), (row.last + 1, false)] {
            let plan = Self.plan([campaign], profiles: [Self.profile(expires: seconds)], state) {
                $0.requireExpiration = false
            }
            let change = try #require(plan.changes.first { $0.kind == .campaign })
            #expect(change.action == row.action)
            #expect(change.blocked.map(\.rule) == (isBlocked ? [.certificateExpiryWarning] : []))
        }
    }

    static let lasting: [(Expiration?, Int)] = [
        (.after(.zero), 0), (.after(.seconds(86_400)), 1), (.never, 30), (nil, 30),
    ]

    @Test(arguments: lasting)
    func aCertificateMustOutlastTheLastStageOrWave(expiration: Expiration?, days: Int) throws {
        var campaign = Sample.campaign("score") { $0.expiration = expiration }
        campaign.window = .seconds(3600)
        campaign.rollout = Rollout(
            stages: ["10%", "100%"].compactMap { Share($0) }, bake: .seconds(600),
            stopWhen: .init(refused: Share("2%")))
        #expect(campaign.lastAttempt(startingAt: Sample.start) == Sample.start + .seconds(7200 + days * Self.day))
        campaign.rollout = nil
        let waves = LocalSchedule(at: try #require(LocalTime("2026-12-24T09:00:00")), otherwise: "Asia/Shanghai")
        campaign.localSchedule = waves
        #expect(
            campaign.lastAttempt(startingAt: waves.first.instant) == waves.last + .seconds(3600 + days * Self.day))
    }

    /// What the plan of the whole asked for is asked for to the last stage.
    @Test func theLastStageNeedsItsCertificateNoLongerThanTheWholeDid() throws {
        let campaign = Sample.campaign("score", at: Sample.start - .seconds(7200)) {
            $0.expiration = .after(.zero)
            $0.rollout = Rollout(
                stages: ["10%", "50%", "100%"].compactMap { Share($0) }, bake: .seconds(600),
                stopWhen: .init(refused: Share("2%")))
        }
        let entry = Ledger.entry(campaign, .sending, now: Sample.start, age: .seconds(7200))
        let journal = JournalState(
            targets: 100, answered: 50, inDoubt: 0, waiting: 50, lastOutcomeAt: Sample.start - .seconds(600), stage: 3)
        let state = RemoteState(
            now: Sample.start, ledger: [entry], ledgerStarted: true,
            evidence: [entry.notificationID: .journal(journal)])
        for (seconds, isBlocked) in [(3600, true), (3601, false)] {
            let plan = Self.plan([campaign], profiles: [Self.profile(expires: seconds)], state)
            let change = try #require(plan.changes.first { $0.kind == .campaign })
            #expect(change.action == .resume)
            #expect(change.blocked.map(\.rule) == (isBlocked ? [.certificateExpiryWarning] : []))
        }
    }

    @Test func aResumeThatMakesNoPushIsNotHeldBack() throws {
        let campaign = Sample.campaign("score")
        let entry = Ledger.entry(campaign, .sending, now: Sample.start, age: .seconds(60))
        let record = PushRecord(
            objectID: "x", .done,
            figures: DeliveryFigures(devices: 1, successes: 1, invalidTokens: 0))
        let plan = Self.plan(
            [campaign], profiles: [Self.profile(expires: 10)],
            RemoteState(
                now: Sample.start, ledger: [entry], ledgerStarted: true,
                evidence: [entry.notificationID: .found(record)]))
        #expect(plan.changes.first { $0.kind == .campaign }?.blocked == [])
    }

    @Test func anAndroidAudienceNeedsNoCertificate() {
        let campaign = Sample.campaign("score") { $0.audience.platforms = [.android] }
        let plan = Self.plan([campaign], profiles: [Self.profile(expires: 10)])
        #expect(plan.changes.first { $0.kind == .campaign }?.blocked == [])
        #expect(plan.certificates.map(\.campaigns) == [[]])
    }
}
