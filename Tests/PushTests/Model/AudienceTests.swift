import Base
import Push
import Testing

@Suite struct AudienceTests {
    private static let origin = Origin(file: "a.yaml", line: 1)
    private static let segments = [
        "vip": Segment(name: "vip", origin: origin, condition: ["vip": true]),
        "teen": Segment(name: "teen", origin: origin, condition: ["age": ["$lt": 20]]),
        "apple": Segment(name: "apple", origin: origin, condition: ["deviceType": "ios"]),
    ]

    private static let joined: [(Audience, JSONValue)] = [
        (Audience(everyone: true), [:]),
        (Audience(channels: ["Giants", "Mets"]), ["channels": ["$in": ["Giants", "Mets"]]]),
        (Audience(platforms: [.ios]), ["deviceType": "ios"]),
        (Audience(platforms: [.android, .ios]), ["deviceType": ["$in": ["ios", "android"]]]),
        (Audience(deviceProfile: "main"), ["deviceProfile": "main"]),
        (
            Audience(channels: ["Giants"], segments: ["vip", "teen"], condition: ["scores": true]),
            ["channels": ["$in": ["Giants"]], "vip": true, "age": ["$lt": 20], "scores": true]
        ),
        (
            Audience(segments: ["vip"], condition: ["vip": true]), ["vip": true]
        ),
        (
            Audience(segments: ["teen"], condition: ["age": ["$gt": 12], "vip": true]),
            ["$and": [["age": ["$lt": 20]], ["age": ["$gt": 12], "vip": true]]]
        ),
    ]

    @Test(arguments: joined)
    func everyPartNarrowsOneCondition(audience: Audience, condition: JSONValue) {
        #expect(audience.joinedCondition(segments: Self.segments) == condition)
    }

    @Test func listedDevicesHaveNoCondition() {
        #expect(Audience(platforms: [.ios], devices: ["a"]).joinedCondition(segments: [:]) == nil)
    }

    private static let possible: [(Audience, [Platform])] = [
        (Audience(), [.ios, .android]), (Audience(platforms: [.android]), [.android]),
        (Audience(segments: ["apple"]), [.ios]), (Audience(segments: ["apple"], platforms: [.android]), []),
        (Audience(condition: ["deviceType": "android"]), [.android]),
        (Audience(condition: ["deviceType": "other"]), []),
    ]

    @Test(arguments: possible)
    func aConditionLeavesPlatformsPossible(audience: Audience, platforms: [Platform]) {
        #expect(audience.possiblePlatforms(segments: Self.segments) == Set(platforms))
    }

    @Test func aTokenNamedInBothCasesIsOneDevice() {
        #expect(Audience(platforms: [.ios], devices: ["AB12", "ab12", "ab13"]).distinctDevices == 2)
        #expect(Audience(platforms: [.android], devices: ["AB12", "ab12"]).distinctDevices == 2)
    }
}

@Suite struct CampaignTests {
    private func campaign(_ expiration: Expiration?) -> Campaign {
        Campaign(
            name: "a", origin: Origin(file: "a.yaml", line: 1), formerly: ["c", "b"], audience: Audience(),
            message: Message(common: MessageContent()), expiration: expiration)
    }

    @Test func anExpirationCountsFromTheStartOrIsATime() {
        let start = Instant(seconds: 100)
        #expect(campaign(.after(.seconds(5))).expiration?.end(startingAt: start) == Instant(seconds: 105))
        #expect(
            campaign(.at(OffsetInstant(Instant(seconds: 7)))).expiration?.end(startingAt: start) == Instant(seconds: 7))
        #expect(campaign(.after(.zero)).expiration?.end(startingAt: start) == nil, "one attempt")
        #expect(campaign(.never).expiration?.end(startingAt: start) == nil)
        #expect(campaign(nil).expiration?.end(startingAt: start) == nil)
    }

    @Test func theOldestNameIsItsIdentity() {
        #expect(campaign(nil).identityName == "c")
        #expect(campaign(nil).names == ["a", "c", "b"])
    }

    @Test func withoutRemotesItIsMeantForAll() {
        var campaign = campaign(nil)
        #expect(campaign.isMeant(for: "x"))
        campaign.remotes = ["y"]
        #expect(!campaign.isMeant(for: "x") && campaign.isMeant(for: "y"))
        campaign.remotes = []
        #expect(!campaign.isMeant(for: "y"))
    }

    @Test func aWorkspaceSortsByName() {
        let origin = Origin(file: "a.yaml", line: 1)
        let workspace = Workspace(
            name: "w", origin: origin, channels: ["b", "a"].map { Channel(name: $0, origin: origin) })
        #expect(workspace.channels.map(\.name) == ["a", "b"])
    }
}

@Suite struct MessageContentTests {
    @Test func anOverrideReplacesWhatItSetsAndMergesData() {
        var common = MessageContent()
        common.title = .text("a")
        common.body = .text("b")
        common.data = ["x": 1, "y": 1]
        var ios = MessageContent()
        ios.body = .text("c")
        ios.data = ["y": 2]
        let message = Message(common: common, ios: ios)
        #expect(message.content(for: .android) == common)
        let content = message.content(for: .ios)
        #expect(content.title == .text("a") && content.body == .text("c"))
        #expect(content.data == ["x": 1, "y": 2])
    }

    @Test func everyFieldCanBeOverridden() {
        var all = MessageContent()
        all.title = .text("t")
        all.subtitle = .text("s")
        all.body = .text("b")
        all.badge = .increment
        all.sound = .name("n")
        all.category = "c"
        all.threadId = "t"
        all.targetContentId = "t"
        all.launchImage = "l"
        all.filterCriteria = "f"
        all.interruptionLevel = .passive
        all.relevanceScore = 1
        all.mutableContent = true
        all.contentAvailable = true
        all.collapseId = "c"
        all.priority = 5
        all.pushType = .alert
        all.liveActivity = LiveActivity(event: .end)
        all.data = [:]
        all.deliveryKey = "d"
        all.silent = true
        all.action = "a"
        all.channel = "c"
        // A field that is added and not overridden stays nil on one side.
        #expect(Mirror(reflecting: all).children.allSatisfy { "\($0.value)" != "nil" })
        #expect(MessageContent().overridden(by: all) == all)
        #expect(all.overridden(by: MessageContent()) == all)
    }

    @Test func onlyContentAvailableAndDataIsABackgroundPush() {
        var content = MessageContent()
        content.contentAvailable = true
        content.data = ["a": 1]
        #expect(content.effectivePushType == .background && content.effectivePriority == 5)
        content.body = .text("b")
        #expect(content.effectivePushType == .alert && content.effectivePriority == 10)
        content.liveActivity = LiveActivity(event: .end)
        #expect(content.effectivePushType == .liveactivity && content.effectivePriority == 10)
        content.pushType = .voip
        content.priority = 1
        #expect(content.effectivePushType == .voip && content.effectivePriority == 1)
    }

    @Test func onlyVoIPMayBeLarger() {
        #expect(PushType.allCases.filter { $0.payloadLimit == 5120 } == [.voip])
        #expect(PushType.allCases.filter { $0.payloadLimit == 4096 }.count == PushType.allCases.count - 1)
    }
}
