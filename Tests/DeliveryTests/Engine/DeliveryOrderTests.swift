import Base
import DeliveryTesting
import DeviceRegistry
import Push
import Testing

@testable import Delivery

@Suite struct DeliveryOrderTests {
    static let route = DeliveryOrder.Route(
        profile: "driver", topic: "com.example.driver", apnsTopic: "com.example.driver", isDefault: true)
    static let start = Instant(seconds: 1_800_000_000)

    static func order(_ change: (inout DeliveryOrder) -> Void = { _ in }) -> DeliveryOrder {
        var order = DeliveryOrder(
            payload: ["aps": ["alert": "Hi"], "newsItem": 1], pushType: .alert, priority: 10, environment: .production,
            routes: [route], target: .condition(["scores": true]))
        change(&order)
        return order
    }

    static let orders: [DeliveryOrder] = [
        order(), order { $0.countsBadge = true }, order { $0.expiration = .after(.zero) },
        order { $0.expiration = .after(.seconds(604_800)) },
        order { $0.expiration = .at(OffsetInstant(Instant(milliseconds: 1_800_000_000_001))) },
        order { $0.target = .devices(["a0", "b1"]) },
        order {
            $0.target = .broadcast(channel: "Giants", topic: "com.example.driver")
            $0.pushType = .liveactivity
        },
        order {
            $0.collapseID = "字"
            $0.resendsDoubtful = true
            $0.throttle = 7
            $0.environment = .development
            $0.priority = 1
            $0.pushType = .widgets
        },
        order {
            $0.routes.append(.init(profile: "p", topic: "com.p", apnsTopic: "com.p.voip", isDefault: false))
            $0.pushType = .voip
        },
    ]

    @Test(arguments: orders)
    func anOrderReadsBackAsWritten(_ order: DeliveryOrder) throws {
        #expect(try DeliveryOrder(order.body) == order)
        let parsed = try JSONValue(parsing: order.body.canonicalBytes)
        #expect(try DeliveryOrder(parsed).body == order.body)
    }

    @Test func theRecordIsTheOneThatIsDocumented() {
        let order = Self.order {
            $0.countsBadge = true
            $0.collapseID = "score"
            $0.expiration = .after(.seconds(3600))
            $0.throttle = 50
            $0.resendsDoubtful = true
        }
        #expect(
            order.body == [
                "payload": ["aps": ["alert": "Hi"], "newsItem": 1],
                "headers": ["apns-push-type": "alert", "apns-priority": "10", "apns-collapse-id": "score"],
                "where": ["scores": true], "environment": "production",
                "routes": [
                    [
                        "profile": "driver", "topic": "com.example.driver", "apnsTopic": "com.example.driver",
                        "default": true,
                    ]
                ],
                "expiration": ["interval": 3600], "badge": "Increment", "throttle": 50, "inDoubt": "resend",
            ])
        #expect(order.request.endpoint == .push)
        #expect(Self.order { $0.target = .devices(["a"]) }.request.endpoint == .devices)
        #expect(Self.order().body["expiration"] == "never")
        #expect(Self.order { $0.expiration = .after(.zero) }.body["expiration"] == ["interval": 0])
    }

    /// A change of a good record, and the member that is said to be wrong.
    struct Broken: Sendable, CustomTestStringConvertible {
        let member: String
        let change: @Sendable (inout JSONValue) -> Void

        init(_ member: String, _ change: @escaping @Sendable (inout JSONValue) -> Void) {
            self.member = member
            self.change = change
        }

        var testDescription: String { member }
    }

    @Test(arguments: [
        Broken("body") { $0 = [] }, Broken("payload") { $0["payload"] = nil },
        Broken("payload") { $0["payload"] = "x" },
        Broken("headers") { $0["headers"] = nil }, Broken("headers") { $0["headers"] = [1] },
        Broken("headers.apns-priority") { $0["headers"] = ["apns-push-type": "alert", "apns-priority": "7"] },
        Broken("headers.apns-priority") { $0["headers"] = ["apns-push-type": "alert", "apns-priority": 10] },
        Broken("headers.apns-push-type") { $0["headers"] = ["apns-push-type": "Alert", "apns-priority": "10"] },
        Broken("headers.apns-topic") {
            $0["headers"] = ["apns-push-type": "alert", "apns-priority": "10", "apns-topic": "x"]
        },
        Broken("headers.apns-collapse-id") {
            $0["headers"] = ["apns-push-type": "alert", "apns-priority": "10", "apns-collapse-id": ""]
        },
        Broken("headers") {
            let long = JSONValue.string(String(repeating: "字", count: 22))
            $0["headers"] = ["apns-push-type": "alert", "apns-priority": "10", "apns-collapse-id": long]
        },
        Broken("environment") { $0["environment"] = "sandbox" }, Broken("environment") { $0["environment"] = nil },
        Broken("routes") { $0["routes"] = nil }, Broken("routes") { $0["routes"] = [] },
        Broken("routes") { $0["routes"] = [1] },
        Broken("routes.apnsTopic") { $0["routes"] = [["profile": "p", "topic": "t"]] },
        Broken("routes.default") {
            $0["routes"] = [["profile": "p", "topic": "t", "apnsTopic": "t", "default": false]]
        },
        Broken("routes.team") { $0["routes"] = [["profile": "p", "topic": "t", "apnsTopic": "t", "team": "x"]] },
        Broken("routes") {
            let route: JSONValue = ["profile": "p", "topic": "t", "apnsTopic": "t", "default": true]
            $0["routes"] = [route, route]
        },
        Broken("expiration") { $0["expiration"] = "always" }, Broken("expiration") { $0["expiration"] = [:] },
        Broken("expiration") { $0["expiration"] = ["interval": 1, "time": "2027-01-01T00:00:00Z"] },
        Broken("expiration.interval") { $0["expiration"] = ["interval": -1] },
        Broken("expiration.interval") { $0["expiration"] = ["interval": .integer(.max)] },
        Broken("expiration.time") { $0["expiration"] = ["time": "soon"] },
        Broken("where") { $0["where"] = nil }, Broken("where") { $0["where"] = "all" },
        Broken("where") { $0["device_ids"] = ["a"] },
        Broken("device_ids") {
            $0["where"] = nil
            $0["device_ids"] = []
        },
        Broken("device_ids") {
            $0["where"] = nil
            $0["device_ids"] = ["a", 1]
        },
        Broken("broadcast.topic") {
            $0["where"] = nil
            $0["broadcast"] = ["channel": "c"]
        },
        Broken("badge") { $0["badge"] = 1 },
        Broken("payload") {
            $0["badge"] = "Increment"
            $0["payload"] = ["aps": ["badge": 1]]
        },
        Broken("payload") {
            $0["badge"] = "Increment"
            $0["payload"] = ["mdm": "x"]
        },
        Broken("throttle") { $0["throttle"] = 0 }, Broken("throttle") { $0["throttle"] = 1.5 },
        Broken("inDoubt") { $0["inDoubt"] = "leave" }, Broken("inDoubt") { $0["inDoubt"] = "resend" },
        Broken("later") { $0["later"] = 1 },
    ])
    func aRecordThatIsNotOursIsRefusedByName(_ broken: Broken) {
        var body = Self.order().body
        broken.change(&body)
        do throws(DeliveryOrderError) {
            _ = try DeliveryOrder(body)
            Issue.record("read \(body.canonicalText)")
        } catch {
            #expect(error.member == broken.member)
            #expect(error.description.contains("'\(broken.member)'"))
        }
    }

    @Test func absentExpirationIsNever() throws {
        var body = Self.order().body
        body["expiration"] = nil
        #expect(try DeliveryOrder(body).expiration == .never)
    }

    @Test func theExpirationCountsFromTheStartOfTheDelivery() {
        func header(_ expiration: Expiration) -> Int64? {
            Self.order { $0.expiration = expiration }.notification(for: Self.route, startingAt: Self.start).expiration
        }
        #expect(header(.never) == nil)
        #expect(header(.after(.zero)) == 0)
        #expect(header(.after(.seconds(60))) == 1_800_000_060)
        #expect(header(.at(OffsetInstant(Instant(milliseconds: 1_800_000_061_999)))) == 1_800_000_061)
        #expect(header(.at(OffsetInstant(Instant(seconds: -5)))) == 1, "zero would mean one attempt")
    }

    @Test func aSingleAttemptIsOneForAndroidDevicesToo() {
        let order = Self.order {
            $0.expiration = .after(.zero)
            for vendor in [PushVendor.fcm, .hms] {
                $0.routes.append(.init(profile: vendor.rawValue, vendor: vendor, isDefault: true))
                $0.others[vendor] = DeliveryOrder.Messages(own: ["android": [:]])
            }
        }
        func sent(_ route: DeliveryOrder.Route) -> NotificationBody {
            order.single(for: route, to: "a", id: APNsID(delivery: "d", token: "a"), startingAt: Self.start)
                .notification.body
        }
        guard case .filled(let pieces) = sent(order.routes[1]),
            case .message(_, let life, _) = sent(order.routes[2])
        else {
            Issue.record("not the bodies of FCM and Huawei")
            return
        }
        #expect(String(decoding: Array(pieces.joined()), as: UTF8.self).contains(#""ttl":"0s""#))
        #expect(life == Duration.zero)
        // However late it is sent, or sent again.
        let later = Self.start + .seconds(60)
        #expect(order.expiration.life(at: later, startingAt: Self.start) == Duration.zero)
        #expect(Expiration.after(.seconds(90)).life(at: later, startingAt: Self.start) == Duration.seconds(30))
        #expect(Expiration.never.life(at: Self.start, startingAt: Self.start) == nil)
    }

    @Test func aNotificationHasItsRoutesTopicAndTheOrdersHeaders() {
        let route = DeliveryOrder.Route(profile: "p", topic: "com.p", apnsTopic: "com.p.voip", isDefault: false)
        let order = Self.order {
            $0.pushType = .voip
            $0.priority = 5
            $0.collapseID = "c"
            $0.routes = [Self.route, route]
        }
        let sent = order.notification(for: route, startingAt: Self.start)
        #expect(sent.topic == "com.p.voip" && sent.pushType == .voip && sent.priority == 5 && sent.collapseID == "c")
        #expect(sent.body == .same(order.payload.canonicalBytes))
    }

    @Test(
        arguments: [
            ["aps": ["alert": "a", "sound": "x"], "b": [1, 2]], ["aps": [:], "b": 1], ["aps": ["alert": "\"badge\":"]],
            ["aps": [:]],
        ] as [JSONValue])
    func aCountedBadgeStandsInItsPlace(_ payload: JSONValue) throws {
        let order = Self.order {
            $0.payload = payload
            $0.countsBadge = true
        }
        let sent = order.notification(for: Self.route, startingAt: Self.start)
        var expected = payload
        expected["aps"]?["badge"] = 99_999
        let bytes = sent.body.filled(with: order.fillings(JournalTarget(token: "ab", badge: 1_000_000)))
        #expect(try JSONValue(parsing: bytes) == expected)
        #expect(bytes.count == order.payloadBytes && bytes.count == expected.canonicalByteCount)
    }

    @Test func aLiveActivityBearsTheStartOfItsDelivery() throws {
        let order = Self.order {
            $0.pushType = .liveactivity
            $0.payload = ["aps": ["event": "update", "content-state": ["x": 1]]]
        }
        let sent = order.notification(for: Self.route, startingAt: Self.start)
        guard case .same(let bytes) = sent.body else {
            Issue.record("counted")
            return
        }
        #expect(try JSONValue(parsing: bytes)["aps"]?["timestamp"] == 1_800_000_000)
        #expect(bytes.count == order.payloadBytes)
        let timed = Self.order {
            $0.pushType = .liveactivity
            $0.payload = ["aps": ["event": "update", "timestamp": 5]]
        }
        #expect(timed.notification(for: Self.route, startingAt: Self.start).body == .same(timed.payload.canonicalBytes))
    }
}
