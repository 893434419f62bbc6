import Base
import Push
import Testing

@Suite struct ConfigurationWritingTests {
    @Test func everyFieldOfACampaignReadsBack() async throws {
        let odd = "no: \"x\"\n# 今\u{1B}\u{2028}\u{0}- 1"
        var common = MessageContent()
        common.title = .localized(key: odd, arguments: ["1", "1", ""])
        common.subtitle = .text(odd)
        common.body = .text("true")
        common.badge = .number(0)
        common.sound = .detailed(name: "1e3", critical: true, volume: 0.25)
        common.category = odd
        common.threadId = "~"
        common.targetContentId = "2026-11-27"
        common.launchImage = "[a]"
        common.filterCriteria = "{}"
        common.interruptionLevel = .timeSensitive
        common.relevanceScore = 0.5
        common.mutableContent = false
        common.contentAvailable = true
        common.collapseId = " x "
        common.priority = 5
        common.pushType = .alert
        common.data = ["a b": ["x": [1, 1.5, nil, true, .string(odd), [:], []]], "<<": "y", "1": .integer(.max)]
        common.deliveryKey = "key"
        var ios = MessageContent()
        ios.badge = .increment
        ios.sound = .name(odd)
        var android = MessageContent()
        android.silent = false
        android.action = odd
        android.channel = "null"
        let message = Message(
            common: common, ios: ios, android: android, vendors: ["mi": ["a": [.string(odd)]], "fcm": [:]])
        var audience = Audience(channels: ["Giants", "新闻"], segments: ["fans"], platforms: [.ios, .android])
        audience.condition = [
            "scores": true, "n": ["$gte": 1.5], "name": .string(odd),
            "when": ["$lt": ["__type": "Date", "iso": "2027-01-01T00:00:00.000Z"]],
        ]
        let zoned = OffsetInstant(try #require(Instant("2026-11-27T20:00:00+08:00")), offset: 28_800)
        let precise = OffsetInstant(Instant(milliseconds: zoned.instant.milliseconds + 90_000_001))
        let campaign = Campaign(
            name: "c", origin: Origin(file: "", line: 1), description: odd, hold: true, environment: .development,
            audience: audience, message: message, scheduledAt: zoned, expiration: .at(precise), throttlePerSecond: 1000)
        let text = ConfigurationText.text(of: campaign, comments: [odd], holdComments: [odd])
        let found = await SampleFiles.load([
            text, "kind: Channel\nname: Giants\n---\nkind: Channel\nname: 新闻\n",
            ConfigurationText.text(
                of: Segment(name: "fans", origin: Origin(file: "", line: 1), description: odd, condition: ["a": 1])),
        ])
        #expect(!found.diagnostics.hasErrors, "\(text)\n\(found.diagnostics)")
        let back = try #require(found.readable?.campaigns.first)
        #expect(back.message == message && back.audience == audience && back.description == odd && back.hold)
        #expect(back.scheduledAt == zoned && back.expiration == .at(precise) && back.throttlePerSecond == 1000)
        #expect(back.environment == .development)
        #expect(found.readable?.segments.first?.description == odd)
        #expect(found.declares(.channel, "Giants") && found.declares(.channel, "新闻") && found.declares(.campaign, "c"))
        #expect(!found.declares(.channel, "c") && !found.declares(.campaign, "Giants"))
    }

    @Test func aLiveActivityReadsBack() async throws {
        let time = OffsetInstant(try #require(Instant("2026-11-27T20:00:00+08:00")), offset: 28_800)
        var common = MessageContent()
        common.title = .text("t")
        common.liveActivity = LiveActivity(
            event: .start, contentState: ["a b": [1, nil]], attributesType: "true", attributes: [:], timestamp: time,
            staleDate: time, inputPushToken: true)
        var ios = MessageContent()
        ios.liveActivity = LiveActivity(event: .end, dismissalDate: time)
        let message = Message(common: common, ios: ios)
        let campaign = Campaign(
            name: "c", origin: Origin(file: "", line: 1), audience: Audience(everyone: true), message: message)
        let found = await SampleFiles.load([ConfigurationText.text(of: campaign)])
        #expect(found.readable?.campaigns.first?.message == message, "\(found.diagnostics)")
    }

    @Test(arguments: [
        Expiration.never, .after(.seconds(90)), .after(.seconds(86_400)), .after(.seconds(86_401)),
        .at(OffsetInstant(Instant(seconds: 1_900_000_000))),
    ])
    func everyExpirationReadsBack(expiration: Expiration) async throws {
        let campaign = Campaign(
            name: "c", origin: Origin(file: "", line: 1), audience: Audience(everyone: true),
            message: Message(common: MessageContent()), expiration: expiration)
        let found = await SampleFiles.load([ConfigurationText.text(of: campaign)])
        #expect(found.readable?.campaigns.first?.expiration == expiration)
        #expect(found.readable?.campaigns.first?.audience == Audience(everyone: true))
    }

    @Test func aChannelReadsBack() async throws {
        var channel = Channel(name: "=1", origin: Origin(file: "", line: 1), description: "- x")
        channel.broadcast = Channel.Broadcast(topic: "com.example.app", storage: .mostRecent)
        let found = await SampleFiles.load([
            ConfigurationText.text(of: channel, comments: ["12 installations", "\n---\n"])
        ])
        #expect(found.diagnostics.isEmpty)
        let back = try #require(found.readable?.channels.first)
        #expect(back.name == "=1" && back.description == "- x" && back.broadcast == channel.broadcast)
    }

    @Test func anUnfinishedProfileNamesExactlyWhatIsMissing() async throws {
        var profile = UnfinishedProfile(name: "driver-2")
        #expect(
            await SampleFiles.load([profile.text]).diagnostics.filter { $0.severity == .error }.map(\.message) == [
                "missing key 'environment'", "missing key 'topic'", "one of 'certificate' and 'token' is needed",
            ])
        profile.environment = "production"
        profile.topic = "com.example.driver"
        profile.isDefault = true
        profile.topicHints = ["installations name: x\nkind: Campaign"]
        #expect(
            await SampleFiles.load([profile.text]).diagnostics.filter { $0.severity == .error }.map(\.message) == [
                "one of 'certificate' and 'token' is needed"
            ])
        // Its comments, taken for what they are, finish it.
        let lines = profile.text.split(separator: "\n").map(String.init)
        let start = try #require(lines.firstIndex { $0 == "# token:" })
        let finished = lines[..<start] + lines[start...].map { String($0.dropFirst(2)) }
        let found = await SampleFiles.load([finished.joined(separator: "\n") + "\n"])
        #expect(!found.diagnostics.hasErrors, "\(found.diagnostics)")
        #expect(found.readable?.deviceProfiles.first?.isDefault == true)
    }
}
