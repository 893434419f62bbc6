import Base
import DeviceRegistry
import Push
import Testing

@testable import Delivery

/// The message that devices get through FCM, and its bytes.
@Suite struct FCMMessageTests {
    private func body(_ change: (inout MessageContent) -> Void, own: JSONValue? = nil) -> JSONValue {
        var content = MessageContent()
        change(&content)
        return FCMMessage.body(content, own: own, tag: "delivery1", reportedAs: nil)
    }

    /// The request's body for a device, as FCM reads it.
    private func sent(
        _ message: JSONValue, to token: String = "abc:DEF", badge: Int = 7, values: [String: String] = [:],
        countsBadge: Bool = false, isPersonal: Bool = false, life: Duration? = nil
    ) throws -> JSONValue {
        let template = BodyTemplate(toFCM: message, countsBadge: countsBadge, isPersonal: isPersonal, life: life)
        var bytes = template.pieces[0]
        for (gap, piece) in zip(template.gaps, template.pieces.dropFirst()) {
            bytes += gap.filling(address: token, badge: badge) { values[$0.field] ?? $0.default } + piece
        }
        return try #require(try JSONValue(parsing: bytes)["message"])
    }

    @Test func theCustomKeysAreOneTextAsLeanCloudsSDKReadsThem() throws {
        let message = body {
            ($0.title, $0.body) = (.text("Giants"), .text("Game"))
            $0.data = ["id": 42, "deep": ["list": [1, "\"two\""]]]
            ($0.action, $0.channel, $0.deliveryKey) = ("com.example.OPEN", "games", "delivery")
        }
        let sent = try sent(message)
        #expect(sent["token"] == "abc:DEF")
        #expect(sent["notification"] == ["title": "Giants", "body": "Game"])
        #expect(
            try JSONValue(parsing: try #require(sent["data"]?["payload"]?.string)) == [
                "alert": "Game", "title": "Giants", "id": 42, "deep": ["list": [1, "\"two\""]],
                "action": "com.example.OPEN", "_channel": "games", "delivery": "delivery1",
            ])
        #expect(sent["android"]?["notification"] == ["tag": "delivery1", "channel_id": "games"])
    }

    @Test func aSilentOneHasNoNotification() throws {
        let sent = try sent(body { ($0.body, $0.silent) = (.text("Game"), true) })
        #expect(sent["notification"] == nil && sent["android"]?["notification"] == nil)
        #expect(sent["data"]?["payload"]?.string?.contains("Game") == true)
    }

    @Test func localizedTextsAreKeysForTheApp() throws {
        let sent = try sent(body { $0.body = .localized(key: "GAME", arguments: ["7"]) })
        #expect(sent["android"]?["notification"]?["body_loc_key"] == "GAME")
        #expect(sent["android"]?["notification"]?["body_loc_args"] == ["7"])
    }

    @Test func theVendorsOwnFieldsAreLaidOverIt() throws {
        let message = body(
            { $0.body = .text("Game") },
            own: ["android": ["notification": ["icon": "news"], "ttl": "60s"], "data": ["k": 1]])
        let sent = try sent(message, life: .seconds(9))
        #expect(sent["android"]?["ttl"] == "60s" && sent["android"]?["notification"]?["icon"] == "news")
        #expect(sent["android"]?["notification"]?["tag"] == "delivery1")
        // FCM takes texts only.
        #expect(sent["data"]?["k"] == "1")
    }

    @Test(arguments: [(60, "60s"), (0, "0s"), (-5, "0s"), (99_999_999, "2419200s")])
    func itLivesAsLongAsIsLeft(seconds: Int64, ttl: String) throws {
        let sent = try sent(body { $0.body = .text("Game") }, life: .seconds(seconds))
        #expect(sent["android"]?["ttl"] == .string(ttl))
    }

    @Test func aCountedBadgeIsEachDevicesOwn() throws {
        let sent = try sent(body { ($0.body, $0.badge) = (.text("Game"), .increment) }, countsBadge: true)
        #expect(sent["android"]?["notification"]?["notification_count"] == 7)
        #expect(sent["android"]?["notification"]?["tag"] == "delivery1")
    }

    @Test(arguments: ["Ada", "\"", "\\", "\"}],\"token\":\"x", "line\nbreak", "\u{0}\u{1F}", "名字", "a\u{2028}b"])
    func aValueStaysInsideItsText(name: String) throws {
        let message = body {
            $0.body = .text("Hi {{name|you}}")
            $0.data = ["greeting": "to {{name|you}}"]
        }
        let sent = try sent(message, values: ["name": name], isPersonal: true)
        #expect(sent["token"] == "abc:DEF")
        #expect(sent["notification"]?["body"] == .string("Hi " + name))
        let payload = try JSONValue(parsing: try #require(sent["data"]?["payload"]?.string))
        #expect(payload["greeting"] == .string("to " + name) && payload["alert"] == .string("Hi " + name))
    }

    @Test func aHostileAddressStaysInsideItsText() throws {
        let token = "x\",\"topic\":\"all\\"
        #expect(try sent(body { $0.body = .text("Game") }, to: token)["token"] == .string(token))
    }

    @Test func anOrderWithItReadsBackAsItWasWritten() throws {
        var order = DeliveryOrder(
            payload: ["aps": ["alert": "x"]], pushType: .alert, priority: 10, environment: .production,
            routes: [
                .init(profile: "main", topic: "com.example", apnsTopic: "com.example", isDefault: true),
                .init(profile: "cars", vendor: .fcm, installations: "driver", isDefault: true),
            ], target: .condition([:]))
        order.others[.fcm] = .init(own: body { $0.body = .text("Game") })
        #expect(try DeliveryOrder(order.body) == order)
        order.others = [:]
        #expect(throws: DeliveryOrderError.self) { try DeliveryOrder(order.body) }
    }
}
