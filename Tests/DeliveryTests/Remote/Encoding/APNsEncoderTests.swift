import Base
import Testing

@testable import Delivery
@testable import Push

@Suite struct APNsEncoderTests {
    /// What docs/background/apple/payloads.md#push-types says of a push type.
    struct Row: Sendable, CustomTestStringConvertible {
        let type: PushType
        let suffix: String
        let priority: String
        let limit: Int
        var testDescription: String { type.rawValue }
    }

    static let types = [
        Row(type: .alert, suffix: "", priority: "10", limit: 4096),
        Row(type: .background, suffix: "", priority: "5", limit: 4096),
        Row(type: .voip, suffix: ".voip", priority: "10", limit: 5120),
        Row(type: .complication, suffix: ".complication", priority: "10", limit: 4096),
        Row(type: .fileprovider, suffix: ".pushkit.fileprovider", priority: "10", limit: 4096),
        Row(type: .mdm, suffix: "", priority: "10", limit: 4096),
        Row(type: .location, suffix: ".location-query", priority: "10", limit: 4096),
        Row(type: .liveactivity, suffix: ".push-type.liveactivity", priority: "10", limit: 4096),
        Row(type: .pushtotalk, suffix: ".voip-ptt", priority: "10", limit: 4096),
        Row(type: .widgets, suffix: ".push-type.widgets", priority: "10", limit: 4096),
        Row(type: .controls, suffix: ".push-type.controls", priority: "10", limit: 4096),
    ]

    /// A campaign of one type that has what the type needs.
    private func campaign(_ type: PushType, _ change: (inout Sample) -> Void = { _ in }) -> Sample {
        Sample(type) { sample in
            sample.content.data = ["mdm": "magic"]
            if type == .background { sample.content.contentAvailable = true }
            if type == .liveactivity { sample.content.liveActivity = LiveActivity(event: .end) }
            if type == .pushtotalk { sample.expiration = .after(.zero) }
            change(&sample)
        }
    }

    @Test func everyPushTypeHasARow() { #expect(Self.types.map(\.type).count == PushType.allCases.count) }

    @Test(arguments: types)
    func eachTypeHasItsTopicPriorityAndSize(_ row: Row) throws {
        let sample = campaign(row.type)
        #expect(sample.findings == [])
        let order = try DeliveryOrder(sample.body)
        #expect(order.pushType == row.type)
        #expect(
            order.body["headers"] == [
                "apns-push-type": .string(row.type.rawValue), "apns-priority": .string(row.priority),
            ])
        #expect(
            order.routes == [
                .init(
                    profile: "app", topic: "com.example.app", apnsTopic: "com.example.app" + row.suffix, isDefault: true
                )
            ])
        #expect(sample.encoded.limit == row.limit)
        // A profile that has the suffix already gives the same.
        let suffixed = campaign(row.type) { $0.profiles = [.token("app", "com.example.app" + row.suffix)] }
        #expect(suffixed.findings == [] && suffixed.body == sample.body)
    }

    @Test(arguments: types)
    func theLimitIsExact(_ row: Row) {
        func bytes(_ filler: Int) -> (Int, [String]) {
            let sample = campaign(row.type) { $0.content.data?["x"] = .string(String(repeating: "x", count: filler)) }
            return (sample.encoded.bytes, sample.findings)
        }
        let room = row.limit - bytes(0).0
        #expect(bytes(room) == (row.limit, []))
        #expect(
            bytes(room + 1).1.map { $0.hasPrefix("error payload-too-large message.data.x: the payload has") } == [true])
    }

    @Test(arguments: types)
    func aTopicForAnotherTypeIsAnError(_ row: Row) {
        let other = row.type == .voip ? PushType.widgets : .voip
        let sample = campaign(row.type) {
            $0.profiles = [.token("app", "com.example.app" + other.topicSuffix)]
            $0.audience.deviceProfile = "app"
        }
        #expect(
            sample.findings == [
                "error push-type audience.deviceProfile: topic 'com.example.app\(other.topicSuffix)' fits push type "
                    + "\(other.rawValue) only, not \(row.type.rawValue)"
            ])
    }

    @Test func theOrderIsWholeAndReadsBack() throws {
        let sample = Sample.alert {
            $0.content.badge = .increment
            $0.content.collapseId = "score"
            $0.content.deliveryKey = "d"
            $0.inDoubt = .resend
            $0.throttle = 50
            $0.profiles = [.token("app", isDefault: true), .token("driver"), .certificate("old")]
        }
        #expect(sample.findings == [])
        let id = DeliveryID(workspace: "w", campaign: "score", revision: 1)
        #expect(
            sample.body == [
                "payload": ["aps": ["alert": "Hi"], "d": .string(id.text)], "badge": "Increment",
                "headers": ["apns-push-type": "alert", "apns-priority": "10", "apns-collapse-id": "score"],
                "where": ["scores": true], "environment": "production", "expiration": ["interval": 3600],
                "throttle": 50, "inDoubt": "resend",
                "routes": [
                    [
                        "profile": "app", "topic": "com.example.app", "apnsTopic": "com.example.app", "default": true,
                    ], ["profile": "driver", "topic": "com.example.driver", "apnsTopic": "com.example.driver"],
                    ["profile": "old", "topic": "com.example.old", "apnsTopic": "com.example.old"],
                ],
            ])
        #expect(try DeliveryOrder(sample.body).body == sample.body)
        #expect(sample.encoded.request.endpoint == .push)
    }

    /// What the app gets names the delivery; everything else stays as it was.
    @Test(arguments: types)
    func aDeliveryWhoseEventsCountIsNamedWhereTheAppReadsIt(_ row: Row) throws {
        let (mute, heard) = (campaign(row.type), campaign(row.type) { $0.events = EventPolicy() })
        #expect(heard.findings == [])
        let id = DeliveryID(workspace: "w", campaign: "score", revision: 1)
        guard row.type.reachesTheApp else {
            #expect(heard.body == mute.body)
            return
        }
        var expected = mute.body
        expected["payload"]?["bugle"] = ["delivery": .string(id.text)]
        expected["eventsKept"] = 604_800
        #expect(heard.body == expected)
        #expect(
            heard.encoded.bytes == mute.encoded.bytes + #","bugle":{"delivery":""}"#.utf8.count + id.text.utf8.count)
        #expect(try DeliveryOrder(heard.body).body == heard.body)
        #expect(Sample.broadcast { $0.events = EventPolicy() }.body == Sample.broadcast().body)
    }

    @Test func theIdOfTheDeliveryCountsForTheSize() {
        func sample(_ bytes: Int, _ events: EventPolicy?) -> Sample {
            Sample.alert {
                $0.content.body = .text(String(repeating: "x", count: bytes))
                $0.events = events
            }
        }
        let room = 4096 - sample(0, nil).encoded.bytes
        #expect(sample(room, nil).findings == [])
        #expect(sample(room, EventPolicy()).findings.count == 1)
        let less = room - (sample(0, EventPolicy()).encoded.bytes - sample(0, nil).encoded.bytes)
        #expect(sample(less, EventPolicy()).findings == [])
        #expect(sample(less + 1, EventPolicy()).findings.count == 1)
    }

    @Test func nothingInTheOrderDependsOnWhenItStarts() {
        let now = Sample.alert { $0.scheduledAt = nil }
        let later = Sample.alert { $0.scheduledAt = Instant(seconds: 1_900_000_000) }
        #expect(now.body == later.body)
    }

    @Test func aListOfDevicesIsSentToThoseDevices() throws {
        let sample = Sample.alert {
            $0.audience = Audience(platforms: [.ios], devices: ["a0", "b1"])
        }
        #expect(sample.findings == [])
        #expect(sample.encoded.request.endpoint == .devices)
        #expect(try DeliveryOrder(sample.body).target == .devices(["a0", "b1"]))
    }

    @Test(
        arguments: [
            (nil, .never), (.never, .never), (.after(.zero), .after(.zero)),
            (.after(.seconds(5)), .after(.seconds(5))),
            (.at(OffsetInstant(Instant(seconds: 7), offset: 3600)), .at(OffsetInstant(Instant(seconds: 7)))),
        ] as [(Expiration?, Expiration)])
    func absentAndNeverAreNotZero(_ written: Expiration?, _ expected: Expiration) throws {
        #expect(try DeliveryOrder(Sample.alert { $0.expiration = written }.body).expiration == expected)
    }

    @Test func thirtyDaysAreTheMost() {
        let message = "error not-supported expiration: Apple stores a notification for at most 30 days"
        let start = Instant(seconds: 1_800_000_000)
        let month = Duration.seconds(30 * 86_400)
        #expect(Sample.alert { $0.expiration = .after(month) }.findings == [])
        #expect(Sample.alert { $0.expiration = .after(month + .seconds(1)) }.findings == [message])
        func end(_ extra: Duration) -> Sample {
            Sample.alert {
                $0.scheduledAt = start
                $0.expiration = .at(OffsetInstant(start + month + extra))
            }
        }
        #expect(end(.zero).findings == [])
        #expect(end(.seconds(1)).findings == [message])
    }

    @Test func appleReachesNoAndroidDevice() {
        #expect(
            Sample.alert { $0.audience.platforms = [.android] }.findings == [
                "error not-supported audience.platforms: Apple reaches iOS devices only, and the audience has none"
            ])
        #expect(
            Sample.alert { $0.audience.platforms = [.android, .ios] }.findings == [
                "warning not-supported audience.platforms: Apple reaches iOS devices only: Android devices are left out"
            ])
    }
}
