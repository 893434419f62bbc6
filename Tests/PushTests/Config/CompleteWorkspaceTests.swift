import Base
import Testing

@testable import Push

/// A workspace in which every field is set.
@Suite struct CompleteWorkspaceTests {
    static let workspace = """
        kind: Workspace
        name: giants
        language: zh-Hans
        app: {name: 巨人队, icon: icon.png}
        strings: [Localizable.xcstrings]
        defaultRemote: production
        exclude: ["drafts/**"]
        remotes:
          production:
            type: leancloud
            url: https://push.example.com
            appId: {env: LEANCLOUD_APP_ID}
            masterKey: {env: LEANCLOUD_MASTER_KEY}
            ca: /etc/ssl/own.pem
            timeout: 1m
          apple:
            type: apns
            registry: {postgres: {file: {env: DATABASE_URL_FILE}}}
            hosts: {production: "https://127.0.0.1:1", development: "localhost:2", channels: "https://c"}
        policy:
          maxAudience: 100000
          maxSendsPerApply: 6
          maxCancelsPerApply: 7
          maxAudienceGrowth: 12.5%
          requireExpiration: false
          allowEveryone: true
          quietHours: {from: 22:00, to: 08:30, timeZone: Asia/Shanghai}
          minimumGap: 90m
          certificateExpiryWarning: 2w
          developmentAudience: 8
          quotas: {pending: 9, devicesPerDay: 10}
          reached: {keep: 30d}
          holdout: {share: 2.5%, salt: 2027-q1, exempt: {kind: transactional}}
          frequency:
            - {most: 2, per: 24h, exempt: {kind: transactional, urgent: "yes"}}
            - {most: 5, per: 1w}
          events: {keep: 3d}
          approvals:
            - {when: {devices: 50000}, need: 2}
            - {when: {devices: 1, labels: {kind: promo, urgent: "yes"}}, need: 1, from: [marketing, legal]}
        notify:
          - to: {feishu: {env: FEISHU_HOOK}, secret: {env: FEISHU_SECRET}}
            on: [sent, doubt]
            language: zh-Hans
            text: true
          - to: {slack: {env: SLACK_HOOK}}

        """

    static let resources = """
        kind: DeviceProfile
        name: driver
        environment: development
        topic: com.example.driver
        default: true
        protected: true
        certificate:
          file: certificates/driver.pem
          key: {file: certificates/driver.key}
          passphrase: {env: PASSPHRASE}
        ---
        kind: DeviceProfile
        name: passenger
        environment: production
        topic: com.example.passenger
        token:
          teamId: ABCDE12345
          keyId: F4K3K3Y1D0
          key: {file: keys/AuthKey.p8}
        ---
        kind: DeviceProfile
        name: ci
        environment: production
        topic: com.example.ci
        certificate: {env: CI_P12}
        ---
        kind: Channel
        name: 巨人队
        description: Scores
        broadcast: {topic: com.example.app, storage: mostRecent}
        ---
        kind: Segment
        name: reports
        description: Injuries
        where: {injuryReports: true}

        """

    static let campaign = """
        kind: Campaign
        name: score
        description: Scores
        revision: 3
        formerly: [first, second]
        hold: true
        labels: {team: giants}
        remotes: [production]
        audience:
          channels: [巨人队]
          segments: [reports]
          where: {scores: true}
          platforms: [ios]
          deviceProfile: driver
        message:
          title: {key: T, args: [a, a]}
          subtitle: Sub
          body: Body
          badge: increment
          sound: {name: s.caf, critical: true, volume: 0.5}
          category: c
          threadId: t
          targetContentId: w
          launchImage: l
          filterCriteria: f
          interruptionLevel: timeSensitive
          relevanceScore: 0.25
          mutableContent: true
          contentAvailable: false
          collapseId: id
          priority: 5
          pushType: alert
          data: {newsItem: Man bites dog, list: [1, 2.5, null]}
          deliveryKey: delivery
          ios: {badge: 3}
          android: {silent: true, action: a, channel: c}
          vendors: {mi: {title: x}}
        schedule: {at: 2026-11-27T20:00:00+08:00, window: 30m}
        expiration: {after: 7d}
        inDoubt: resend
        throttle: {perSecond: 1000}
        limits: {maxAudience: 5}

        """

    static let activity = """
        kind: Campaign
        name: score-live
        audience: {channels: [巨人队]}
        message:
          title: Game on
          liveActivity:
            event: start
            contentState: {score: 2-2, inning: 3}
            attributesType: GameAttributes
            attributes: {home: Giants}
            timestamp: 2026-11-27T20:00:00+08:00
            staleDate: 2026-11-27T21:00:00+08:00
            inputPushToken: true
          ios:
            liveActivity: {event: end, dismissalDate: 2026-11-27T22:00:00+08:00}

        """

    private static func load() async throws -> Workspace {
        let folder = TemporaryFolder()
        folder.write("bugle.yaml", workspace)
        folder.write("icon.png", bytes: WorkspaceRuleTests.png(8, 8))
        folder.write(
            "Localizable.xcstrings",
            #"{"strings": {"T": {"localizations": {"en": {"stringUnit": {"value": "%@ %@"}}}}}}"#)
        folder.write("resources.yaml", resources)
        folder.write("campaigns/score.yaml", campaign)
        folder.write("campaigns/live.yaml", activity)
        let loaded = await folder.load()
        #expect(loaded.diagnostics == [])
        return try #require(loaded.workspace)
    }

    @Test func theWorkspaceIsAsWritten() async throws {
        let workspace = try await Self.load()
        #expect(workspace.name == "giants")
        #expect(workspace.language == .chinese)
        #expect(workspace.app.name == "巨人队" && workspace.app.icon != nil)
        #expect(workspace.strings?.strings().texts == ["T": "%@ %@"])
        #expect(workspace.defaultRemote == "production")
        let leancloud = try #require(workspace.remotes["production"])
        #expect(leancloud.ca == "/etc/ssl/own.pem")
        #expect(leancloud.timeout == .seconds(60))
        guard case .leancloud(let service) = leancloud.service else { throw Unexpected() }
        #expect(service.url == .literal("https://push.example.com"))
        #expect(service.appId == .environment("LEANCLOUD_APP_ID"))
        #expect(service.masterKey == .environment("LEANCLOUD_MASTER_KEY"))
        guard case .apns(let apple) = workspace.remotes["apple"]?.service else { throw Unexpected() }
        #expect(apple.registry == .postgres(.file(.environment("DATABASE_URL_FILE"))))
        let hosts = [
            "production": "https://127.0.0.1:1", "development": "https://localhost:2", "channels": "https://c",
        ]
        #expect(apple.hosts == hosts)
        #expect(workspace.remotes["apple"]?.timeout == .seconds(30))
    }

    @Test func quietHoursMayGoByTheDevicesOwnClocks() async throws {
        let folder = TemporaryFolder()
        let written = Self.workspace.replacing("08:30, timeZone: Asia/Shanghai", with: "08:30, timeZone: device")
        folder.write("bugle.yaml", written)
        let loaded = await folder.load()
        #expect(loaded.readable?.policy.quietHours == QuietHours(from: 22 * 60, to: 8 * 60 + 30, timeZone: "device"))
    }

    @Test func thePolicyIsAsWritten() async throws {
        let policy = try await Self.load().policy
        var expected = Policy(
            maxSendsPerApply: 6, maxCancelsPerApply: 7, maxAudience: 100_000, maxAudienceGrowth: 0.125,
            requireExpiration: false, allowEveryone: true,
            quietHours: QuietHours(from: 22 * 60, to: 8 * 60 + 30, timeZone: "Asia/Shanghai"),
            minimumGap: .seconds(5400), certificateExpiryWarning: .seconds(14 * 86_400), developmentAudience: 8,
            holdout: Holdout(share: Share(parts: 250), salt: "2027-q1", exempt: ["kind": "transactional"]),
            frequency: [
                FrequencyRule(most: 2, per: .seconds(86_400), exempt: ["kind": "transactional", "urgent": "yes"]),
                FrequencyRule(most: 5, per: .seconds(7 * 86_400)),
            ],
            approvals: [
                ApprovalRule(when: .init(devices: 50_000), need: 2),
                ApprovalRule(
                    when: .init(devices: 1, labels: ["kind": "promo", "urgent": "yes"]), need: 1,
                    from: ["marketing", "legal"]),
            ], pendingQuota: 9, dailyQuota: 10, reachedKept: .seconds(30 * 86_400))
        expected.events = EventPolicy()
        expected.events?.keep = .seconds(3 * 86_400)
        #expect(policy == expected)
    }

    @Test func theResourcesAreAsWritten() async throws {
        let workspace = try await Self.load()
        #expect(workspace.deviceProfiles.map(\.name) == ["ci", "driver", "passenger"])
        let driver = workspace.deviceProfiles[1]
        #expect(driver.environment == .development)
        #expect(driver.topic == "com.example.driver")
        #expect(driver.isDefault)
        #expect(driver.isProtected)
        #expect(
            driver.credential
                == .certificate(
                    source: .file(.path("certificates/driver.pem")), key: .file(.path("certificates/driver.key")),
                    passphrase: .environment("PASSPHRASE")))
        #expect(
            workspace.deviceProfiles[0].credential
                == .certificate(source: .environment("CI_P12"), key: nil, passphrase: nil))
        #expect(
            workspace.deviceProfiles[2].credential
                == .token(teamId: "ABCDE12345", keyId: "F4K3K3Y1D0", key: .file(.path("keys/AuthKey.p8"))))
        #expect(workspace.channels.first?.name == "巨人队")
        #expect(workspace.channels.first?.description == "Scores")
        #expect(
            workspace.channels.first?.broadcast == Channel.Broadcast(topic: "com.example.app", storage: .mostRecent))
        #expect(workspace.segments.first?.description == "Injuries")
        #expect(workspace.segments.first?.condition == ["injuryReports": true])
    }

    @Test func theCampaignIsAsWritten() async throws {
        let campaign = try #require(try await Self.load().campaigns.first)
        #expect(campaign.name == "score")
        #expect(campaign.description == "Scores")
        #expect(campaign.revision == 3)
        #expect(campaign.formerly == ["first", "second"])
        #expect(campaign.hold)
        #expect(campaign.labels == ["team": "giants"])
        #expect(campaign.remotes == ["production"])
        #expect(campaign.environment == .development)
        #expect(
            campaign.audience
                == Audience(
                    channels: ["巨人队"], segments: ["reports"], condition: ["scores": true], platforms: [.ios],
                    deviceProfile: "driver"))
        #expect(campaign.scheduledAt?.text == "2026-11-27T20:00:00+08:00")
        #expect(campaign.window == .seconds(1800))
        #expect(campaign.expiration == .after(.seconds(7 * 86_400)))
        #expect(campaign.inDoubt == .resend)
        #expect(campaign.throttlePerSecond == 1000)
        #expect(campaign.maxAudience == 5)
    }

    @Test func theMessageIsAsWritten() async throws {
        let message = try #require(try await Self.load().campaigns.first?.message)
        var common = MessageContent()
        common.title = .localized(key: "T", arguments: ["a", "a"])
        common.subtitle = .text("Sub")
        common.body = .text("Body")
        common.badge = .increment
        common.sound = .detailed(name: "s.caf", critical: true, volume: 0.5)
        common.category = "c"
        common.threadId = "t"
        common.targetContentId = "w"
        common.launchImage = "l"
        common.filterCriteria = "f"
        common.interruptionLevel = .timeSensitive
        common.relevanceScore = 0.25
        common.mutableContent = true
        common.contentAvailable = false
        common.collapseId = "id"
        common.priority = 5
        common.pushType = .alert
        common.data = ["newsItem": "Man bites dog", "list": [1, 2.5, nil]]
        common.deliveryKey = "delivery"
        var ios = MessageContent()
        ios.badge = .number(3)
        var android = MessageContent()
        android.silent = true
        android.action = "a"
        android.channel = "c"
        #expect(message == Message(common: common, ios: ios, android: android, vendors: ["mi": ["title": "x"]]))
    }

    @Test func theLiveActivityIsAsWritten() async throws {
        let message = try #require(try await Self.load().campaigns.last?.message)
        func at(_ text: String) -> OffsetInstant? { OffsetInstant(text) }
        #expect(
            message.common.liveActivity
                == LiveActivity(
                    event: .start, contentState: ["score": "2-2", "inning": 3], attributesType: "GameAttributes",
                    attributes: ["home": "Giants"], timestamp: at("2026-11-27T20:00:00+08:00"),
                    staleDate: at("2026-11-27T21:00:00+08:00"), inputPushToken: true))
        let end = LiveActivity(event: .end, dismissalDate: at("2026-11-27T22:00:00+08:00"))
        #expect(message.content(for: .ios).liveActivity == end)
        #expect(message.content(for: .ios).effectivePushType == .liveactivity)
    }

    @Test func whatIsLeftOutHasItsDefault() async throws {
        let text = "kind: Campaign\nname: a\nmessage: {body: b}\naudience: {channels: [Giants]}\n"
        let workspace = try #require(await TemporaryFolder.sample(["a.yaml": text]).load().workspace)
        #expect(workspace.policy == Policy())
        let campaign = try #require(workspace.campaigns.first)
        #expect(campaign.revision == 1)
        #expect(!campaign.hold)
        #expect(campaign.remotes == nil)
        #expect(campaign.environment == .production)
        #expect(campaign.window == .seconds(3600))
        #expect(campaign.expiration == nil)
        #expect(campaign.inDoubt == .leave)
        #expect(campaign.maxAudience == nil)
    }

    private struct Unexpected: Error {}
}
