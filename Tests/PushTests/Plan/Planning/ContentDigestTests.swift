import Base
import RemoteTesting
import Testing

@testable import Push

@Suite struct ContentDigestTests {
    private func digest(_ change: (inout Campaign) -> Void = { _ in }) -> Digest {
        Sample.campaign("score", change: change).contentDigest(segments: [:], profiles: [:])
    }

    /// A change of a campaign, and whether it changes what is delivered.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var change: @Sendable (inout Campaign) -> Void
        var isDelivered: Bool
    }

    static let rows: [Row] = [
        Row(testDescription: "name", change: { $0.name = "other" }, isDelivered: false),
        Row(testDescription: "origin", change: { $0.origin.line = 9 }, isDelivered: false),
        Row(testDescription: "description", change: { $0.description = "x" }, isDelivered: false),
        Row(testDescription: "revision", change: { $0.revision = 2 }, isDelivered: false),
        Row(testDescription: "formerly", change: { $0.formerly = ["x"] }, isDelivered: false),
        Row(testDescription: "hold", change: { $0.hold = true }, isDelivered: false),
        Row(testDescription: "labels", change: { $0.labels = ["a": "b"] }, isDelivered: false),
        Row(testDescription: "remotes", change: { $0.remotes = ["a"] }, isDelivered: false),
        Row(testDescription: "window", change: { $0.window = .seconds(1) }, isDelivered: false),
        Row(testDescription: "inDoubt", change: { $0.inDoubt = .resend }, isDelivered: false),
        Row(testDescription: "maxAudience", change: { $0.maxAudience = 1 }, isDelivered: false),
        Row(testDescription: "environment", change: { $0.environment = .development }, isDelivered: true),
        Row(testDescription: "everyone", change: { $0.audience.everyone = true }, isDelivered: true),
        Row(testDescription: "channels", change: { $0.audience.channels = ["Giants", "Mets"] }, isDelivered: true),
        Row(testDescription: "where", change: { $0.audience.condition = ["a": 1] }, isDelivered: true),
        Row(testDescription: "platforms", change: { $0.audience.platforms = [.ios] }, isDelivered: true),
        Row(testDescription: "deviceProfile", change: { $0.audience.deviceProfile = "p" }, isDelivered: true),
        Row(testDescription: "devices", change: { $0.audience.devices = ["d"] }, isDelivered: true),
        Row(testDescription: "at", change: { $0.scheduledAt = OffsetInstant(Sample.start) }, isDelivered: true),
        Row(testDescription: "expiration", change: { $0.expiration = .never }, isDelivered: true),
        Row(testDescription: "throttle", change: { $0.throttlePerSecond = 5 }, isDelivered: true),
        Row(testDescription: "body", change: { $0.show { $0.body = .text("t") } }, isDelivered: true),
        Row(
            testDescription: "ios", change: { $0.message = Message(common: $0.message.common, ios: $0.message.common) },
            isDelivered: true),
        Row(
            testDescription: "vendors",
            change: { $0.message = Message(common: $0.message.common, vendors: ["mi": ["a": 1]]) }, isDelivered: true),
    ]

    @Test(arguments: rows)
    func theContentIsWhatIsDelivered(row: Row) {
        #expect((digest(row.change) != digest()) == row.isDelivered)
    }

    @Test func fieldsDoNotRunIntoEachOther() {
        let one = digest { $0.show { $0.title = .text("ab") } }
        let two = digest {
            $0.show { $0.title = .text("a") }
            $0.show { $0.subtitle = .text("b") }
        }
        #expect(one != two)
        #expect(digest { $0.audience.channels = ["a", "b"] } != digest { $0.audience.channels = ["a,b"] })
        #expect(
            digest { $0.message = Message(common: $0.message.common, ios: MessageContent()) } == digest(),
            "an override that sets nothing is no content")
    }

    @Test func theContentOfASegmentCountsAndItsNameDoesNot() {
        let one = Segment(name: "vip", origin: Sample.origin("s"), condition: ["vip": true])
        let other = Segment(name: "vip", origin: Sample.origin("s"), condition: ["vip": false])
        let campaign = Sample.campaign("score") { $0.audience.segments = ["vip"] }
        #expect(
            campaign.contentDigest(segments: ["vip": one], profiles: [:])
                != campaign.contentDigest(segments: ["vip": other], profiles: [:]))
    }

    /// What was delivered is called edited when its own document was.
    @Test func aSegmentOrAProfileThatChangesEditsNoCampaign() {
        func workspace(vip: Bool, isNew: Bool = false, text: String = "old") -> Workspace {
            let campaign = Sample.campaign("score", text: text) { $0.audience.segments = ["vip"] }
            return Sample.workspace([campaign]) { workspace in
                workspace.segments = [Segment(name: "vip", origin: Sample.origin("s"), condition: ["vip": .bool(vip)])]
                guard isNew else { return }
                workspace.deviceProfiles = [
                    DeviceProfile(
                        name: "new", origin: Sample.origin("profile"), environment: .production, topic: "com.example",
                        isDefault: true,
                        credential: .token(teamId: "A", keyId: "B", key: .environment("KEY")))
                ]
            }
        }
        let before = workspace(vip: true)
        let entry = Ledger.entry(
            before.campaigns[0], .sent, now: Sample.start, age: .seconds(86_400), workspace: before)
        func codes(_ workspace: Workspace, _ entry: LedgerEntry) -> [DiagnosticCode] {
            Ledger.plan(workspace, RemoteState(now: Sample.start, ledger: [entry], ledgerStarted: true))
                .diagnostics.map(\.code).filter { $0 == .editedAfterDelivery }
        }
        #expect(codes(workspace(vip: false), entry) == [])
        #expect(codes(workspace(vip: true, isNew: true), entry) == [])
        #expect(codes(workspace(vip: true, text: "new"), entry) == [.editedAfterDelivery])
        // What an older version wrote does not tell them apart.
        var older = entry
        older.document = nil
        #expect(codes(workspace(vip: false), older) == [.editedAfterDelivery])
        #expect(codes(before, older) == [])
    }

    @Test func anEditedPartIsNamedWithTheCampaignsThatItTouches() {
        func campaign(_ name: String, _ text: String, _ parts: [String]) -> Campaign {
            Sample.campaign(name, text: text) { $0.parts = parts }
        }
        let users = (1...14).map { (name: "c\($0 + 10)", parts: ["evening"]) }
        func workspace(_ text: String) -> Workspace {
            Sample.workspace(users.map { campaign($0.name, text, $0.parts) } + [campaign("d", text, ["other"])])
        }
        let before = workspace("old")
        let ledger = before.campaigns.map {
            Ledger.entry($0, .sent, now: Sample.start, age: .seconds(86_400), workspace: before)
        }
        func notes(_ workspace: Workspace) -> [String] {
            Ledger.plan(workspace, RemoteState(now: Sample.start, ledger: ledger, ledgerStarted: true))
                .diagnostics.filter { $0.code == .partEdited }.map(\.message.text)
        }
        #expect(notes(before) == [])
        #expect(
            notes(workspace("new")) == [
                "part evening is in 14 edited campaigns: c11, c12, c13, c14, c15, c16, c17, c18, c19, c20, c21, c22"
                    + " and 2 more"
            ])
    }

    // MARK: The desired state

    private func desired(_ change: (inout Workspace) -> Void = { _ in }) -> Digest {
        Sample.workspace([Sample.campaign("a"), Sample.campaign("b")]) { workspace in
            workspace.channels = [Channel(name: "Giants", origin: Sample.origin("c"))]
            change(&workspace)
        }.desiredDigest
    }

    @Test func theDesiredDigestDoesNotDependOnOrderOrOrigin() {
        let one = Workspace(
            name: "giants", origin: Origin(file: "a.yaml", line: 1),
            channels: ["x", "y"].map { Channel(name: $0, origin: Sample.origin($0)) },
            campaigns: ["a", "b", "c"].map { Sample.campaign($0) })
        let other = Workspace(
            name: "giants", origin: Origin(file: "b.yaml", line: 7),
            channels: ["y", "x"].map { Channel(name: $0, origin: Origin(file: "all.yaml", line: 3)) },
            campaigns: ["c", "a", "b"].map { name in
                Sample.campaign(name) { $0.origin = Origin(file: "all.yaml", line: 50) }
            })
        #expect(one.desiredDigest == other.desiredDigest)
    }

    @Test func everythingThatIsDeclaredIsInTheDesiredDigest() {
        let changes: [(inout Workspace) -> Void] = [
            { $0.name = "mets" }, { $0.defaultRemote = "production" }, { $0.policy.maxSendsPerApply = 6 },
            { $0.policy.maxCancelsPerApply = 6 }, { $0.policy.maxAudience = 6 }, { $0.policy.maxAudienceGrowth = 0.3 },
            { $0.policy.requireExpiration = false }, { $0.policy.allowEveryone = true },
            { $0.policy.quietHours = QuietHours(from: 0, to: 1, timeZone: "UTC") },
            { $0.policy.certificateExpiryWarning = .seconds(1) }, { $0.policy.minimumGap = .zero },
            { $0.policy.developmentAudience = 1 },
            { $0.policy.pendingQuota = 1 }, { $0.policy.dailyQuota = 1 },
            { $0.policy.reachedKept = .zero }, { $0.policy.events = EventPolicy() }, { $0.channels = [] },
            { $0.channels[0].description = "x" },
            { $0.segments = [Segment(name: "s", origin: Sample.origin("s"), condition: [:])] },
            { $0.campaigns[0].revision = 2 }, { $0.campaigns[0].hold = true }, { $0.campaigns[0].window = .seconds(1) },
            { $0.campaigns[0].labels = ["a": "b"] }, { $0.campaigns[0].maxAudience = 1 },
            { $0.campaigns[0].show { $0.title = .text("t") } }, { $0.campaigns.removeLast() },
        ]
        let digests = changes.map { desired($0) } + [desired()]
        #expect(Set(digests).count == digests.count)
    }

    @Test func theTimeAfterWhichADeviceIsStaleIsInTheDesiredDigest() {
        let times: [Duration?] = [AudienceCount.threeMonths, .seconds(180 * 86_400), nil]
        let digests = times.map { stale in
            desired { workspace in
                let apns = RemoteDeclaration.APNs(registry: .sqlite("devices.sqlite"), stale: stale)
                workspace.remotes = [
                    "apple": RemoteDeclaration(name: "apple", origin: Sample.origin("r"), service: .apns(apns))
                ]
            }
        }
        #expect(Set(digests).count == 3)
    }

    /// A plan that another build made must stay the plan of these files.
    @Test func theDesiredDigestHangsOnNoNameOfTheProgram() {
        let digest = desired { workspace in
            let key = SecretSource.file(.path("apple/key.p8"))
            workspace.deviceProfiles = [
                DeviceProfile(
                    name: "driver", origin: Sample.origin("p"), environment: .production, topic: "com.example",
                    isDefault: true, credential: .token(teamId: "TEAM", keyId: "KEY", key: key), isProtected: true),
                DeviceProfile(
                    name: "passenger", origin: Sample.origin("p"), environment: .development, topic: "com.example.p",
                    credential: .certificate(
                        source: .file(.environment("CERTIFICATE")), key: nil, passphrase: .environment("PASSPHRASE"))),
            ]
            let leancloud = RemoteDeclaration.LeanCloud(
                url: .literal("https://push.example.com"), appId: .environment("APP"), masterKey: .environment("M"))
            let apns = RemoteDeclaration.APNs(registry: .postgres(.environment("DATABASE_URL")), hosts: ["a": "b"])
            workspace.remotes = [
                "apple": RemoteDeclaration(name: "apple", origin: Sample.origin("r"), service: .apns(apns)),
                "production": RemoteDeclaration(
                    name: "production", origin: Sample.origin("r"), service: .leancloud(leancloud)),
            ]
        }
        #expect(digest.description == "sha256:7d4edc937ff43071fb23067be09d7c5ca2f8ed965d4157c8e333a9fa84f887f7")
    }

    /// How people read a plan is nothing of what it does: a reviewed one stays what it is.
    @Test func theLanguageIsNotInTheDesiredDigest() {
        #expect(desired { $0.language = .chinese } == desired())
    }

    @Test func whatWasFoundInACertificateIsNotDeclared() {
        func desired(_ facts: CredentialFacts?) -> Digest {
            Sample.workspace {
                $0.deviceProfiles = [
                    DeviceProfile(
                        name: "p", origin: Sample.origin("p"), environment: .production, topic: "t",
                        credential: .certificate(source: .environment("C"), key: nil, passphrase: nil), facts: facts)
                ]
            }.desiredDigest
        }
        #expect(desired(nil) == desired(CredentialFacts(fingerprint: "ab", expiresAt: nil)))
    }
}

extension Campaign {
    /// Changes what every platform shows.
    fileprivate mutating func show(_ change: (inout MessageContent) -> Void) {
        var content = message.common
        change(&content)
        message = Message(common: content)
    }
}
