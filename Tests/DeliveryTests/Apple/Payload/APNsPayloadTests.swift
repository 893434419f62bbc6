import Base
import Push
import Testing

@testable import Delivery

@Suite struct APNsPayloadTests {
    private let id = DeliveryID(workspace: "w", campaign: "c", revision: 1)

    private func payload(_ change: (inout MessageContent) -> Void) -> JSONValue {
        var content = MessageContent()
        change(&content)
        return APNsPayload.body(content, deliveryID: id)
    }

    private func everything(_ type: PushType) -> MessageContent {
        var content = MessageContent()
        content.pushType = type
        content.title = .text("t")
        content.subtitle = .text("s")
        content.body = .localized(key: "B", arguments: ["1"])
        content.badge = .number(3)
        content.sound = .name("x.caf")
        content.category = "c"
        content.threadId = "th"
        content.targetContentId = "tc"
        content.launchImage = "l"
        content.filterCriteria = "f"
        content.interruptionLevel = .timeSensitive
        content.relevanceScore = 0.5
        content.mutableContent = true
        content.contentAvailable = true
        content.data = ["mdm": "magic"]
        content.liveActivity = LiveActivity(event: .end)
        return content
    }

    @Test func anAlertHasEveryKeyInApplesSpelling() {
        let content = everything(.alert)
        #expect(
            APNsPayload.body(content, deliveryID: id) == [
                "aps": [
                    "alert": [
                        "title": "t", "subtitle": "s", "loc-key": "B", "loc-args": ["1"], "launch-image": "l",
                    ],
                    "badge": 3, "sound": "x.caf", "category": "c", "thread-id": "th", "target-content-id": "tc",
                    "filter-criteria": "f", "interruption-level": "time-sensitive", "relevance-score": 0.5,
                    "mutable-content": 1, "content-available": 1,
                ],
                "mdm": "magic",
            ])
    }

    @Test func eachTypeHasOnlyWhatItMay() {
        func aps(_ type: PushType) -> JSONValue? {
            APNsPayload.body(everything(type), deliveryID: id)["aps"]
        }
        #expect(aps(.background) == ["content-available": 1])
        #expect(aps(.widgets) == ["content-changed": true])
        #expect(aps(.controls) == ["content-changed": true])
        #expect(aps(.mdm) == nil)
        for type in [PushType.voip, .complication, .fileprovider, .location, .pushtotalk] {
            #expect(aps(type) == aps(.alert))
        }
        #expect(
            aps(.liveactivity) == [
                "event": "end", "relevance-score": 0.5,
                "alert": ["title": "t", "body": ["loc-key": "B", "loc-args": ["1"]], "sound": "x.caf"],
            ])
    }

    @Test func whatATypeHasNoPlaceForIsNotInItsPayload() {
        for type in PushType.allCases {
            let fields = everything(type).payloadFields
            #expect(fields.count == 14)
            #expect(
                fields.filter(type.carries).count
                    == [
                        .background: 1, .liveactivity: 4, .widgets: 0, .controls: 0, .mdm: 0,
                    ][type, default: 14])
        }
    }

    @Test func noPayloadHasMoreBytesThanItsMessagesBound() {
        let time = OffsetInstant(Instant(seconds: 1_800_000_000))
        for type in PushType.allCases {
            var content = everything(type)
            content.title = .localized(key: "T", arguments: [])
            content.subtitle = .localized(key: "S", arguments: ["\"", ""])
            content.sound = .detailed(name: "x", critical: true, volume: 0.333_333_333_333_333_3)
            content.relevanceScore = 0.333_333_333_333_333_3
            content.badge = .number(.max)
            content.deliveryKey = "d"
            content.liveActivity = LiveActivity(
                event: .start, contentState: [:], attributesType: "T", attributes: [:], timestamp: nil,
                staleDate: time, dismissalDate: time, inputPushToken: true)
            let order = DeliveryOrder(
                payload: APNsPayload.body(content, deliveryID: id), pushType: type, priority: 5,
                environment: .production, routes: [], target: .condition([:]))
            #expect(order.payloadBytes <= Message(common: content).encodedBytesBound(copies: 1))
        }
    }

    @Test func aLiveActivityIsAsAppleWritesIt() {
        let start = payload {
            $0.title = .text("Game on")
            $0.body = .text("Giants lead")
            $0.liveActivity = LiveActivity(
                event: .start, contentState: ["score": "2-2"], attributesType: "GameAttributes",
                attributes: ["home": "Giants"], timestamp: OffsetInstant(Instant(seconds: 1_800_000_000)),
                staleDate: OffsetInstant(Instant(seconds: 1_800_000_100), offset: 28_800),
                dismissalDate: OffsetInstant(Instant(milliseconds: 1_800_000_200_999)), inputPushToken: true)
        }
        #expect(
            start == [
                "aps": [
                    "event": "start", "content-state": ["score": "2-2"], "attributes-type": "GameAttributes",
                    "attributes": ["home": "Giants"], "timestamp": 1_800_000_000, "stale-date": 1_800_000_100,
                    "dismissal-date": 1_800_000_200, "input-push-token": 1,
                    "alert": ["title": "Game on", "body": "Giants lead"],
                ]
            ])
        let update = payload { $0.liveActivity = LiveActivity(event: .update, contentState: [:]) }
        #expect(update == ["aps": ["event": "update", "content-state": [:]]])
    }

    @Test func theDeliveryKeyBearsTheDelivery() {
        let payload = payload {
            $0.body = .text("b")
            $0.deliveryKey = "d"
        }
        #expect(payload == ["aps": ["alert": "b"], "d": .string(id.text)])
    }

    @Test func aCountedBadgeIsLeftOutUnlessItsNumberIsGiven() {
        var content = MessageContent()
        content.badge = .increment
        #expect(APNsPayload.body(content, deliveryID: id) == ["aps": [:]])
        #expect(APNsPayload.body(content, badge: 4, deliveryID: id) == ["aps": ["badge": 4]])
    }
}
