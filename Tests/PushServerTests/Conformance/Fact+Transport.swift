import DeviceRegistry
import Push
import PushServer

extension Fact {
    private static let id = ("X-LC-Id", "giants")
    private static let unauthorized = "Unauthorized."

    private static func accepted(_ claim: String, _ headers: (String, String)..., start: Instant = .noon) -> Fact {
        Fact("1.1", claim, Step("GET /date", as: .none, headers: headers), start: start)
    }

    private static func refused(_ claim: String, _ headers: (String, String)...) -> Fact {
        Fact(
            "1.1", claim, Step.refused("GET /date", as: .none, headers: headers, 401, code: 401, unauthorized),
            Step.refused("GET /nowhere", as: .none, headers: headers, 401, code: 401, unauthorized))
    }

    /// The instant of the documented signatures.
    private static let documented = Instant(milliseconds: 1_453_014_943_466)

    /// Section 1: headers, versions, and what needs the master key.
    static let transport: [Fact] = [
        accepted("X-LC-Key holds the App Key", id, ("X-LC-Key", TestServer.appKey)),
        accepted("X-LC-Key holds the Master Key and ,master", id, ("X-LC-Key", TestServer.masterKey + ",master")),
        accepted(
            "the documented signature of the App Key is valid", id,
            ("X-LC-Sign", "d5bcbb897e19b2f6633c716dfdfaf9be,1453014943466"), start: documented),
        accepted(
            "the documented signature of the Master Key is valid", id,
            ("X-LC-Sign", "e074720658078c898aa0d4b1b82bdf4b,1453014943466,master"), start: documented),
        accepted(
            "a signature of seconds is valid, as the PHP SDK makes it", id,
            ("X-LC-Sign", "1ba712d781ff43d5b63e359832e862e2,1795262400")),
        accepted(
            "the legacy names X-AVOSCloud-* are known", ("X-AVOSCloud-Application-Id", "giants"),
            ("X-AVOSCloud-Application-Key", TestServer.appKey)),
        accepted(
            "X-AVOSCloud-Master-Key is known", ("X-AVOSCloud-Application-Id", "giants"),
            ("X-AVOSCloud-Master-Key", TestServer.masterKey)),
        accepted(
            "X-AVOSCloud-Request-Sign is known", ("X-AVOSCloud-Application-Id", "giants"),
            ("X-AVOSCloud-Request-Sign", "d5bcbb897e19b2f6633c716dfdfaf9be,1453014943466"), start: documented),
        accepted(
            "the legacy names X-Uluru-* are known", ("X-Uluru-Application-Id", "giants"),
            ("X-Uluru-Application-Key", TestServer.appKey)),
        refused("without credentials nothing is answered"),
        refused("a wrong App Key is refused", id, ("X-LC-Key", "x")),
        refused("a wrong Master Key is refused", id, ("X-LC-Key", "x,master")),
        refused("the Master Key alone is no App Key", id, ("X-LC-Key", TestServer.masterKey)),
        refused("the App Key is no Master Key", id, ("X-LC-Key", TestServer.appKey + ",master")),
        refused("there is no space before master", id, ("X-LC-Key", TestServer.masterKey + ", master")),
        refused("another app's id is refused", ("X-LC-Id", "mets"), ("X-LC-Key", TestServer.appKey)),
        refused("an id alone is refused", id),
        refused(
            "a signature in upper case is refused", id, ("X-LC-Sign", "1BA712D781FF43D5B63E359832E862E2,1795262400")),
        Fact(
            "1.3", "only version 1.1 is served", Step.refused("GET //1/date", 404, code: 404),
            Step.refused("GET //1.2/date", 404, code: 404), Step("GET /date", has: #"{"__type":"Date","iso":"*"}"#)),
        Fact(
            "1.4", "a push needs the Master Key by default",
            Step.refused("POST /push", #"{"data":{"alert":"x"}}"#, as: .app, 403, code: 403),
            Step.refused(
                "POST /push/devices", #"{"device_type":"ios","device_ids":["a"],"data":{}}"#, as: .app, 403, code: 403)),
        Fact(
            "1.4", "where clients may push, the App Key suffices",
            Step("POST /push", #"{"data":{"alert":"x"}}"#, as: .app), configure: { $0.clientsMayPush = true }),
        Fact(
            "1.4", "a device is registered, read and changed with the App Key",
            Step(
                "POST /installations", #"{"deviceType":"ios","deviceToken":"a"}"#, as: .app, 201,
                has: #"{"objectId":"$id"}"#),
            Step("GET /installations/$id", as: .app, has: #"{"deviceToken":"a"}"#),
            Step("PUT /installations/$id", #"{"channels":["x"]}"#, as: .app)),
        Fact(
            "1.4", "finding and deleting devices needs the Master Key",
            Step("POST /installations", #"{"deviceType":"ios","deviceToken":"a"}"#, 201, has: #"{"objectId":"$id"}"#),
            Step.refused("GET /installations", as: .app, 403, code: 403),
            Step.refused("GET /classes/_Installation", as: .app, 403, code: 403),
            Step.refused("DELETE /installations/$id", as: .app, 403, code: 403),
            Step("GET /installations", has: #"{"results":[{"deviceToken":"a"}]}"#)),
        Fact(
            "1.4", "scheduled pushes need the Master Key",
            Step.refused("GET /scheduledPushMessages", as: .app, 403, code: 403),
            Step.refused("DELETE /scheduledPushMessages/1", as: .app, 403, code: 403)),
        Fact(
            "1.4", "a record is read by its objectId with the App Key",
            Step("POST /push", #"{"data":{"alert":"x"}}"#, has: #"{"objectId":"$id"}"#),
            Step("GET /tables/Notifications/$id", as: .app, has: #"{"objectId":"$id"}"#),
            Step.refused("GET /notifications", as: .app, 403, code: 403)),
        Fact(
            "1.4", "a scan needs the Master Key",
            Step.refused("GET /scan/classes/_Installation", as: .app, 403, code: 403)),
    ]
}
