import Base
import LeanCloud
import Push
import Testing

@Suite struct LeanCloudEncoderTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var draft: PushDraft
        var body: String

        init(_ name: String, _ draft: PushDraft, _ body: String) {
            testDescription = name
            self.draft = draft
            self.body = body
        }
    }

    @Test func androidShowsNothingOfAMessageInApplesOwnForm() {
        var content = MessageContent()
        content.body = .text("4:2")
        let encoder = LeanCloudEncoder()
        func look(_ platform: Platform, among platforms: Set<Platform>) -> NotificationLook {
            encoder.look(of: Message(common: content), on: platform, among: platforms)
        }
        #expect(look(.android, among: [.ios, .android]).body == .text("4:2"))
        content.interruptionLevel = .timeSensitive
        #expect(look(.android, among: [.ios, .android]).isSilent)
        #expect(look(.ios, among: [.ios, .android]).body == .text("4:2"))
        // Alone, Android gets a form of its own.
        #expect(look(.android, among: [.android]).body == .text("4:2"))
    }

    static let ids = #""notification_id":"k3j","prod":"prod","req_id":"k3j""#

    static let guides: [Row] = [
        Row(
            "one channel", draft(text("Giants 太牛掰了"), condition: ["channels": ["$in": ["Giants"]]]),
            #"{"data":{"alert":"Giants 太牛掰了"},\#(ids),"where":{"channels":{"$in":["Giants"]}}}"#),
        Row(
            "several channels",
            draft(text("The Giants won against the Mets 2-3."), condition: ["channels": ["$in": ["Giants", "Mets"]]]),
            #"{"data":{"alert":"The Giants won against the Mets 2-3."},\#(ids),"#
                + #""where":{"channels":{"$in":["Giants","Mets"]}}}"#),
        Row(
            "everybody on both platforms", draft(text("Hi"), platforms: [.ios, .android]),
            #"{"data":{"alert":"Hi"},\#(ids),"where":{}}"#),
        Row(
            "badge increment and sound",
            draft(
                text("The Mets scored! The game is now tied 1-1!") {
                    $0.badge = .increment
                    $0.sound = .name("cheering.caf")
                }),
            #"{"data":{"alert":"The Mets scored! The game is now tied 1-1!","badge":"Increment","sound":"cheering.caf"},"#
                + #"\#(ids),"where":{}}"#),
        Row(
            "badge increment and sound on both platforms",
            draft(
                text("The Mets scored!") {
                    $0.title = .text("Mets")
                    $0.badge = .increment
                    $0.sound = .name("cheering.caf")
                }, platforms: [.ios, .android]),
            #"{"data":{"alert":"The Mets scored!","badge":"Increment","sound":"cheering.caf","title":"Mets"},"#
                + #"\#(ids),"where":{}}"#),
        Row(
            "custom data and the delivery's id",
            draft(
                text("Ricky Vaughn was injured in last night's game!") {
                    $0.data = ["name": "Vaughn", "newsItem": "Man bites dog"]
                    $0.deliveryKey = "delivery"
                }),
            #"{"data":{"alert":"Ricky Vaughn was injured in last night's game!","delivery":"k3j","name":"Vaughn","#
                + #""newsItem":"Man bites dog"},\#(ids),"where":{}}"#),
        Row(
            "expiration by date",
            draft(
                text("Season tickets on sale until October 12th"),
                expiration: .at(OffsetInstant(instant("2026-10-12T00:00:00+08:00"), offset: 28_800))),
            #"{"data":{"alert":"Season tickets on sale until October 12th"},"#
                + #""expiration_time":"2026-10-11T16:00:00.000Z",\#(ids),"where":{}}"#),
        Row(
            "expiration by interval, scheduled",
            draft(
                text("Season tickets on sale until October 18th"), expiration: .after(.seconds(604_800)),
                scheduledAt: "2026-11-27T20:00:00+08:00"),
            #"{"data":{"alert":"Season tickets on sale until October 18th"},"expiration_interval":604800,"#
                + #""notification_id":"k3j","prod":"prod","push_time":"2026-11-27T12:00:00.000Z","req_id":"k3j","where":{}}"#
        ),
        Row(
            "a text for each platform",
            draft(
                MessageContent(), ios: text("Your suitcase has been filled with tiny apples!"),
                android: text("Your suitcase has been filled with tiny robots!"), platforms: [.ios, .android],
                condition: ["channels": ["$in": ["suitcaseOwners"]]]),
            #"{"data":{"android":{"alert":"Your suitcase has been filled with tiny robots!"},"#
                + #""ios":{"alert":"Your suitcase has been filled with tiny apples!"}},\#(ids),"#
                + #""where":{"channels":{"$in":["suitcaseOwners"]}}}"#),
        Row(
            "silent",
            draft(
                content {
                    $0.contentAvailable = true
                    $0.data = ["sync": 1]
                }, environment: .development),
            #"{"data":{"apns-priority":5,"apns-push-type":"background","content-available":1,"sync":1},"#
                + #""notification_id":"k3j","prod":"dev","req_id":"k3j","where":{}}"#),
        Row(
            "localized weather",
            draft(content { $0.body = .localized(key: "weather", arguments: ["晴", "15"]) }),
            #"{"data":{"alert":{"loc-args":["晴","15"],"loc-key":"weather"}},\#(ids),"where":{}}"#),
        Row(
            "subtitle, category, mutable content",
            draft(
                text("这是body") {
                    $0.title = .text("这是title")
                    $0.subtitle = .text("这是subtitle")
                    $0.category = "myNotificationCategory"
                    $0.mutableContent = true
                }),
            #"{"data":{"alert":{"body":"这是body","subtitle":"这是subtitle","title":"这是title"},"#
                + #""category":"myNotificationCategory","mutable-content":1},\#(ids),"where":{}}"#),
        Row(
            "driver, by certificate",
            draft(text("New ride"), condition: ["deviceProfile": "driver"], profile: certificateProfile),
            #"{"data":{"alert":"New ride"},\#(ids),"where":{"deviceProfile":"driver"}}"#),
        Row(
            "passenger, by token",
            draft(text("Your car is here"), condition: ["deviceProfile": "passenger"], profile: tokenProfile),
            #"{"apns_team_id":"ABCDE12345","data":{"alert":"Your car is here"},\#(ids),"#
                + #""topic":"com.example.passenger","where":{"deviceProfile":"passenger"}}"#),
    ]

    @Test(arguments: guides) func theGuidesGiveTheseBodies(_ row: Row) {
        let encoded = LeanCloudEncoder().encode(row.draft)
        #expect(encoded.request.body.canonicalText == row.body)
        #expect(encoded.request.endpoint == .push)
        #expect(encoded.bytes == row.body.utf8.count)
        #expect(encoded.findings.filter { $0.severity != .note } == [])
    }

    static let forms: [Row] = [
        Row(
            "every flat key",
            draft(
                text("b") {
                    $0.launchImage = "launch.png"
                    $0.badge = .number(0)
                    $0.sound = .detailed(name: "alarm.caf", critical: true, volume: 0.5)
                    $0.threadId = "t"
                    $0.targetContentId = "w"
                    $0.contentAvailable = true
                    $0.collapseId = "c"
                    $0.priority = 5
                }, throttle: 500),
            #"{"data":{"alert":{"body":"b","launch-image":"launch.png"},"apns-priority":5,"badge":0,"collapse-id":"c","#
                + #""content-available":1,"sound":{"critical":true,"name":"alarm.caf","volume":0.5},"#
                + #""target-content-id":"w","thread-id":"t"},"flow_control":1000,\#(ids),"where":{}}"#),
        Row(
            "the raw form",
            draft(
                text("b") {
                    $0.interruptionLevel = .timeSensitive
                    $0.relevanceScore = 0.5
                    $0.filterCriteria = "work"
                    $0.badge = .number(3)
                    $0.collapseId = "c"
                    $0.data = ["k": "v"]
                }),
            #"{"data":{"aps":{"alert":"b","badge":3,"filter-criteria":"work","interruption-level":"time-sensitive","#
                + #""relevance-score":0.5},"collapse-id":"c","k":"v"},\#(ids),"where":{}}"#),
        Row(
            "VoIP in the raw form, with the topic's suffix",
            draft(text("b") { $0.pushType = .voip }, profile: tokenProfile),
            #"{"apns_team_id":"ABCDE12345","data":{"apns-push-type":"voip","aps":{"alert":"b"}},\#(ids),"#
                + #""topic":"com.example.passenger.voip","where":{}}"#),
        Row(
            "iOS needs an object, Android reads the top",
            draft(text("b") { $0.subtitle = .text("s") }, platforms: [.ios, .android]),
            #"{"data":{"alert":"b","ios":{"alert":{"body":"b","subtitle":"s"}}},\#(ids),"where":{}}"#),
        Row(
            "a title on top would reach iOS twice, so each platform has its own",
            draft(
                text("b") {
                    $0.title = .text("t")
                    $0.subtitle = .text("s")
                    $0.data = ["k": 1]
                }, platforms: [.ios, .android]),
            #"{"data":{"android":{"alert":"b","k":1,"title":"t"},"#
                + #""ios":{"alert":{"body":"b","subtitle":"s","title":"t"},"k":1}},\#(ids),"where":{}}"#),
        Row(
            "Android alone, with vendors and a notification channel",
            draft(
                text("b") {
                    $0.title = .text("t")
                    $0.silent = true
                    $0.action = "com.example.OPEN"
                    $0.channel = "news"
                    $0.badge = .increment
                }, vendors: ["vivo": ["pushMode": 1]], platforms: [.android]),
            #"{"_notificationChannel":"news","data":{"action":"com.example.OPEN","alert":"b","silent":true,"title":"t","#
                + #""vivo":{"pushMode":1}},\#(ids),"where":{}}"#),
        Row(
            "vendors override what stands on top",
            draft(
                text("b"), android: content { $0.channel = "news" }, vendors: ["mi": ["title": "m"]],
                platforms: [.ios, .android]),
            #"{"_notificationChannel":"news","data":{"alert":"b","android":{"alert":"b"},"ios":{"alert":"b"},"#
                + #""mi":{"title":"m"}},\#(ids),"where":{}}"#),
        Row(
            "an override for iOS alone",
            draft(text("b"), ios: content { $0.sound = .name("x") }, platforms: [.ios, .android]),
            #"{"data":{"alert":"b","ios":{"alert":"b","sound":"x"}},\#(ids),"where":{}}"#),
    ]

    @Test(arguments: forms) func theOtherFormsGiveTheseBodies(_ row: Row) {
        #expect(LeanCloudEncoder().encode(row.draft).request.body.canonicalText == row.body)
    }

    @Test func devicesGoByTheirOwnCallWithoutWhereAndTime() {
        let encoded = LeanCloudEncoder().encode(
            draft(
                text("Hi"), scheduledAt: "2026-11-27T12:00:00Z", profile: certificateProfile,
                devices: ["abcdef", "012345"], environment: .development))
        #expect(encoded.request.endpoint == .devices)
        let counted =
            #"{"data":{"alert":"Hi"},"device_profile":"driver","device_type":"ios","notification_id":"k3j","#
            + #""prod":"dev","req_id":"k3j"}"#
        var body = encoded.request.body
        #expect(body["device_ids"] == ["abcdef", "012345"])
        body["device_ids"] = nil
        #expect(body.canonicalText == counted)
        #expect(encoded.bytes == counted.utf8.count)
    }

    @Test func androidDevicesNameTheirNotificationChannel() {
        let encoded = LeanCloudEncoder().encode(
            draft(text("Hi") { $0.channel = "news" }, platforms: [.android], devices: ["installation"]))
        #expect(
            encoded.request.body.canonicalText
                == #"{"channel":"news","data":{"alert":"Hi"},"device_ids":["installation"],"device_type":"android","#
                + #"\#(Self.ids)}"#)
    }

    @Test func aTopicKeepsASuffixThatIsAlreadyThere() {
        var profile = tokenProfile
        profile.topic = "com.example.passenger.voip"
        let encoded = LeanCloudEncoder().encode(draft(text("b") { $0.pushType = .voip }, profile: profile))
        #expect(encoded.request.body["topic"] == "com.example.passenger.voip")
    }

    @Test func aDefaultCertificateIsNoCustomOne() {
        var profile = certificateProfile
        profile.isDefault = true
        let encoded = LeanCloudEncoder().encode(draft(text("b"), profile: profile, devices: ["abcdef"]))
        #expect(encoded.request.body["device_profile"] == nil)
    }
}
