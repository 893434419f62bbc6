import PushServer

extension Fact {
    /// A push that is refused and leaves nothing behind.
    private static func refused(
        _ claim: String, _ body: String, code: Int, _ text: String = "*", section: String = "3.1",
        path: String = "/push"
    ) -> Fact {
        Fact(
            section, claim, Step("POST /installations", #"{"deviceType":"ios","deviceToken":"a"}"#, 201),
            Step.refused("POST \(path)", body, 400, code: code, text), .inbox("a"),
            Step("GET /notifications", is: #"{"results":[]}"#))
    }

    private static func named(_ claim: String, _ body: String) -> Fact {
        refused(claim, body, code: 1, section: "3.2", path: "/push/devices")
    }

    private static func body(_ size: Int) -> String {
        let frame = #"{"data":{"alert":""}}"#
        let room = size - frame.utf8.count
        let alert = String(repeating: "新", count: room / 3) + String(repeating: "x", count: room % 3)
        return #"{"data":{"alert":"\#(alert)"}}"#
    }

    /// Sections 3.1 to 3.5: what a push must not be.
    static let pushRefusals: [Fact] = [
        refused(
            "a body that is no object is malformed: 107", "[]", code: 107,
            "Malformed json object. A json dictionary is expected.", section: "3.5"),
        refused("data is required", "{}", code: 1),
        refused("data of null is none", #"{"data":null}"#, code: 1),
        refused("data is an object", #"{"data":"x"}"#, code: 1),
        refused(
            "notification_id has 16 letters and digits at most", #"{"data":{},"notification_id":"12345678901234567"}"#,
            code: 1),
        refused("req_id has letters and digits only", #"{"data":{},"req_id":"a-b"}"#, code: 1),
        refused("req_id is not empty", #"{"data":{},"req_id":""}"#, code: 1),
        refused("push_time is a time: 152", #"{"data":{},"push_time":"tomorrow"}"#, code: 152),
        refused("expiration_interval is a number", #"{"data":{},"expiration_interval":"soon"}"#, code: 1),
        refused("expiration_interval is more than 0", #"{"data":{},"expiration_interval":0}"#, code: 1),
        refused("expiration_time is a time", #"{"data":{},"expiration_time":7}"#, code: 1),
        refused("expiration_time is a time, and not any text", #"{"data":{},"expiration_time":"x"}"#, code: 1),
        refused(
            "the two expirations exclude each other",
            #"{"data":{},"expiration_interval":60,"expiration_time":"2027-01-01T00:00:00Z"}"#, code: 1),
        refused("prod is dev or prod", #"{"data":{},"prod":"test"}"#, code: 1),
        refused("where is a condition", #"{"data":{},"where":5}"#, code: 1),
        refused("where as a text is JSON: 107", #"{"data":{},"where":"{"}"#, code: 107),
        refused("channels are texts: 112", #"{"data":{},"channels":[1]}"#, code: 112),
        refused("channels name one at least: 112", #"{"data":{},"channels":[]}"#, code: 112),
        refused("topic is a text", #"{"data":{},"topic":1}"#, code: 1),
        refused("where has known operators: 102", #"{"data":{},"where":{"n":{"$near":1}}}"#, code: 102),
        refused(
            "cql that cannot be translated is refused: 300",
            #"{"data":{},"cql":"select * from _Installation where at near geopoint(1,2)"}"#, code: 300),
        refused(
            "cql of another class is refused: 300", #"{"data":{},"cql":"select * from _User"}"#, code: 300,
            "The cql of a push selects from _Installation."),
        refused(
            "cql of a part is refused: 300", #"{"data":{},"cql":"select * from _Installation limit 5"}"#, code: 300),
        refused(
            "cql and where exclude each other: 300",
            #"{"data":{},"cql":"select * from _Installation","where":{"n":1}}"#, code: 300),
        refused("flow_control is a number", #"{"data":{},"flow_control":"fast"}"#, code: 1),
        named("device_type is ios or android", #"{"device_type":"wp","device_ids":["a"],"data":{}}"#),
        named("device_ids is required", #"{"device_type":"ios","data":{}}"#),
        named(
            "device_ids has 500 at most",
            #"{"device_type":"ios","data":{},"device_ids":[\#((0...500).map { "\"\($0)\"" }.joined(separator: ","))]}"#),
        Fact(
            "3.4", "a body has fewer than 4096 bytes, three to a Chinese character", Step("POST /push", body(4095)),
            Step.refused("POST /push", body(4096), 413, code: 413, "Payload Too Large.")),
        Fact(
            "3.4", "over the rate, 429 until the minute is over", Step("POST /push", #"{"data":{}}"#),
            Step("POST /push", #"{"data":{}}"#),
            Step.refused("POST /push", #"{"data":{}}"#, 429, code: 429, "Too many requests."), .wait(59),
            Step.refused("POST /push/devices", "{}", 429, code: 429, "Too many requests."),
            Step("GET /installations"), .wait(1), Step("POST /push", #"{"data":{}}"#),
            configure: { $0.pushesPerMinute = 2 }),
        Fact(
            "3.4", "so many pushes may wait for their time: 154",
            Step("POST /push", #"{"data":{},"push_time":"2026-11-21T13:00:00Z"}"#),
            Step.refused("POST /push", #"{"data":{},"push_time":"2026-11-21T13:00:00Z"}"#, 400, code: 154),
            Step("POST /push", #"{"data":{}}"#), Step("DELETE /scheduledPushMessages/1"),
            Step("POST /push", #"{"data":{},"push_time":"2026-11-21T13:00:00Z"}"#),
            configure: { $0.mostScheduledPushes = 1 }),
        Fact(
            "3.5", "an empty audience is taken and counted as none",
            Step("POST /push", #"{"data":{"alert":"x"},"where":{"n":1},"notification_id":"n"}"#),
            Step(
                "GET /notifications/n",
                has: #"{"status":"done","devices":0,"successes":0,"simulated":{"devices":0,"successes":0}}"#)),
    ]
}
