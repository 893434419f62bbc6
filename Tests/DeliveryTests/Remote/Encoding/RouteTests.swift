import Base
import Push
import Testing

@testable import Delivery

@Suite struct RouteTests {
    private func routes(_ sample: Sample) throws -> [String] {
        try DeliveryOrder(sample.body).routes.map { "\($0.profile) \($0.apnsTopic)\($0.isDefault ? " default" : "")" }
    }

    @Test func withoutAProfileThereIsNoWay() {
        #expect(
            Sample.alert { $0.profiles = [] }.findings == [
                "error not-supported environment: no DeviceProfile of environment production is in the files: "
                    + "Apple needs one"
            ])
    }

    @Test func theOnlyProfileServesThoseThatNameNone() throws {
        #expect(try routes(.alert()) == ["app com.example.app default"])
    }

    @Test func withoutADefaultOfSeveralSomeAreLeftOut() throws {
        let sample = Sample.alert { $0.profiles = [.token("app"), .token("driver")] }
        #expect(try routes(sample) == ["app com.example.app", "driver com.example.driver"])
        #expect(
            sample.findings == [
                "warning not-supported audience: no DeviceProfile of production that can push it is marked as the default: "
                    + "devices that name no profile are left out"
            ])
    }

    @Test func aProfileForAnotherPushTypeServesOtherCampaigns() throws {
        let profiles = [DeviceProfile.token("app", isDefault: true), .token("calls", "com.example.app.voip")]
        #expect(try routes(.alert { $0.profiles = profiles }) == ["app com.example.app default"])
        let call = Sample(.voip) {
            $0.content.data = ["caller": "x"]
            $0.profiles = profiles
        }
        #expect(try routes(call) == ["app com.example.app.voip default", "calls com.example.app.voip"])
        #expect(
            Sample.alert { $0.profiles = [.token("calls", "com.example.app.voip")] }.findings == [
                "error push-type environment: topic 'com.example.app.voip' fits push type voip only, not alert"
            ])
    }

    @Test func theOnlyProfileThatCanPushItServesThoseThatNameNone() throws {
        let calls = DeviceProfile.token("calls", "com.example.app.voip")
        #expect(try routes(.alert { $0.profiles = [.token("app"), calls] }) == ["app com.example.app default"])
        #expect(Sample.alert { $0.profiles = [.token("app"), calls] }.findings == [])
        var main = calls
        main.isDefault = true
        let sample = Sample.alert { $0.profiles = [.token("app"), main] }
        #expect(try routes(sample) == ["app com.example.app"])
        #expect(sample.findings.map { $0.hasPrefix("warning not-supported audience: no DeviceProfile") } == [true])
    }

    @Test func aLocationPushNeedsAKey() {
        let sample = Sample(.location) { $0.profiles = [.certificate("app", names: ["com.example.app"])] }
        #expect(
            sample.findings == [
                "error not-supported message.pushType: device profile 'app' has a certificate, "
                    + "and Apple accepts location pushes with a key only"
            ])
    }

    @Test func aCertificateMustHaveTheTopicOfThePushType() {
        func findings(_ topics: [String]?) -> [String] {
            Sample(.voip) {
                $0.content.data = ["caller": "x"]
                $0.profiles = [.certificate("app", names: topics)]
            }.findings
        }
        #expect(findings(nil) == [], "it could not be read here")
        #expect(findings(["com.example.app", "com.example.app.voip"]) == [])
        #expect(
            findings(["com.example.app", "com.example.app.complication"]) == [
                "error certificate message.pushType: the certificate of device profile 'app' is not for topic "
                    + "com.example.app.voip, which push type voip needs, but for com.example.app, "
                    + "com.example.app.complication"
            ])
        #expect(Sample.alert { $0.profiles = [.certificate("app", names: ["com.example.app"])] }.findings == [])
    }
}

@Suite struct ContentFindingTests {
    @Test(arguments: [PushType.widgets, .controls, .mdm])
    func whatNobodyWouldSeeIsAnError(_ type: PushType) {
        let sample = Sample(type) {
            $0.content.title = .text("t")
            $0.content.category = "c"
            $0.content.data = ["mdm": "magic"]
        }
        #expect(
            Set(sample.findings) == [
                "error push-type message.title: a \(type.rawValue) push has no 'title'",
                "warning adjusted message.category: a \(type.rawValue) push has no 'category': it is left out",
            ])
    }

    @Test func aFieldIsFoundWhereItStands() {
        let sample = Sample(.widgets) {
            var ios = MessageContent()
            ios.badge = .increment
            $0.ios = ios
        }
        #expect(sample.findings == ["error push-type message.ios.badge: a widgets push has no 'badge'"])
        #expect(sample.body["badge"] == nil)
    }

    @Test func aBackgroundPushHasContentAvailableOnly() {
        let sample = Sample {
            $0.content.contentAvailable = true
            $0.content.pushType = .background
            $0.content.threadId = "t"
            $0.content.data = ["a": 1]
        }
        #expect(
            sample.findings == [
                "warning adjusted message.threadId: a background push has no 'threadId': it is left out"
            ])
        #expect(sample.body["payload"] == ["aps": ["content-available": 1], "a": 1])
    }

    @Test func aLiveActivityShowsTitleAndBodyOnly() {
        let sample = Sample {
            $0.content.title = .text("t")
            $0.content.sound = .name("default")
            $0.content.subtitle = .text("s")
            $0.content.liveActivity = LiveActivity(event: .update, contentState: ["x": 1])
        }
        #expect(sample.findings == ["error push-type message.subtitle: a liveactivity push has no 'subtitle'"])
        #expect(
            sample.body["payload"] == [
                "aps": [
                    "event": "update", "content-state": ["x": 1], "alert": ["title": "t", "sound": "default"],
                ]
            ])
    }

    @Test func anMDMPushNeedsItsMagicAndHasNothingElse() {
        let sample = Sample(.mdm) { $0.content.data = ["mdm": "magic"] }
        #expect(sample.findings == [] && sample.body["payload"] == ["mdm": "magic"])
        for data in [nil, ["mdm": 1], ["mdm": ""]] as [JSONObject?] {
            #expect(
                Sample(.mdm) { $0.content.data = data }.findings == [
                    "error push-type message.data: an mdm push needs the device's PushMagic"
                ])
        }
    }

    @Test func pushToTalkIsForNow() {
        let sample = Sample(.pushtotalk) {
            $0.content.priority = 5
            $0.content.data = ["speaker": "x"]
        }
        #expect(
            sample.findings == [
                "warning push-type expiration: Apple requires a single attempt for pushtotalk: a late one is useless",
                "warning push-type message.priority: Apple requires priority 10 for pushtotalk, not 5",
            ])
    }
}
