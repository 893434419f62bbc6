import PushServer

extension Fact {
    private static let day = 86_400
    private static let text =
        "Invalid channel name. A channel name is either an empty string (the broadcast channel) or contains only "
        + "a-zA-Z0-9_=, '-' or chinese characters."

    private static func device(_ token: String, channels: String = "") -> String {
        #"{"deviceType":"ios","deviceToken":"\#(token)","channels":["\#(channels)"]}"#
    }

    /// Sections 2.6 and 2.7.
    static let channelsAndCleanUp: [Fact] =
        ["Giants", "", "a-b_c=d", "新闻", "9"].map { name in
            Fact("2.6", "the channel '\(name)' is one", Step("POST /installations", device("a", channels: name), 201))
        }
        + ["a b", "a.b", "é", "のに", "a,b"].map { name in
            Fact(
                "2.6", "the channel '\(name)' is none: 112",
                Step.refused("POST /installations", device("a", channels: name), 400, code: 112, text),
                Step.refused("POST /push", #"{"data":{},"channels":["\#(name)"]}"#, 400, code: 112, text))
        } + cleanUp

    private static let cleanUp: [Fact] = [
        Fact(
            "2.6", "a channel is subscribed with AddUnique and left with Remove",
            Step("POST /installations", device("a", channels: "x"), 201, has: #"{"objectId":"$id"}"#),
            Step("PUT /installations/$id", #"{"channels":{"__op":"AddUnique","objects":["y"]}}"#, as: .app),
            Step(#"GET /installations?where={"channels":"y"}"#, has: #"{"results":[{"objectId":"$id"}]}"#),
            Step("PUT /installations/$id", #"{"channels":{"__op":"Remove","objects":["x"]}}"#, as: .app),
            Step(#"GET /installations?where={"channels":"x"}"#, has: #"{"results":[]}"#)),
        Fact(
            "2.7", "devices that were not seen for 90 days are removed",
            Step("POST /installations", device("a"), 201, has: #"{"objectId":"$id"}"#), .wait(90 * day),
            Step("GET /installations/$id", has: #"{"deviceToken":"a"}"#), .wait(1),
            Step("GET /installations/$id", is: "{}")),
        Fact(
            "2.7", "the clean-up can be switched off",
            Step("POST /installations", device("a"), 201, has: #"{"objectId":"$id"}"#), .wait(400 * day),
            Step("GET /installations/$id", has: #"{"deviceToken":"a"}"#), configure: { $0.keepsStaleDevices = true }),
        Fact(
            "2.7", "any PUT keeps a device alive",
            Step("POST /installations", device("a"), 201, has: #"{"objectId":"$id"}"#), .wait(60 * day),
            Step("PUT /installations/$id", "{}"), .wait(60 * day), Step("POST /push", #"{"data":{"alert":"x"}}"#),
            .inbox("a", #"{"alert":"x"}"#)),
        Fact(
            "2.7", "a push reaches devices of the last three months",
            Step("POST /installations", device("a"), 201), .wait(91 * day),
            Step("POST /installations", device("b"), 201),
            Step("POST /push", #"{"data":{"alert":"x"},"notification_id":"n"}"#), .inbox("a"),
            .inbox("b", #"{"alert":"x"}"#),
            Step("GET /notifications/n", has: #"{"simulated":{"devices":1,"successes":1}}"#),
            configure: { $0.keepsStaleDevices = true }),
        Fact(
            "2.7", "a device whose token Apple reports dead is removed and counted",
            Step("POST /installations", device("a"), 201, has: #"{"objectId":"$id"}"#),
            Step("POST /installations", device("b"), 201), Step("POST /bugle/devices/a/dead"),
            Step("POST /push", #"{"data":{"alert":"x"},"notification_id":"n"}"#),
            Step(
                "GET /notifications/n",
                has: """
                    {"status":"done","errors":"*",
                     "simulated":{"devices":2,"successes":1,"iosSuccesses":1,"invalidTokens":1}}
                    """),
            .inbox("a"), .inbox("b", #"{"alert":"x"}"#), Step("GET /installations/$id", is: "{}")),
        Fact(
            "2.7", "a dead token is black-listed: later pushes to it are dropped",
            Step("POST /bugle/devices/a/dead"),
            Step(
                "POST /push/devices",
                #"{"device_type":"ios","device_ids":["a","b"],"data":{"alert":"x"},"notification_id":"n"}"#),
            Step(
                "POST /push/devices",
                #"{"device_type":"ios","device_ids":["a"],"data":{"alert":"y"},"notification_id":"m"}"#),
            Step("GET /notifications/n", has: #"{"simulated":{"devices":2,"successes":1,"invalidTokens":1}}"#),
            Step("GET /notifications/m", has: #"{"simulated":{"devices":1,"successes":0,"invalidTokens":1}}"#),
            .inbox("a"),
            .inbox("b", #"{"alert":"x"}"#)),
        Fact(
            "2.7", "a new registration with a dead token is alive",
            Step("POST /installations", device("a"), 201), Step("POST /bugle/devices/a/dead"),
            Step("POST /push", #"{"data":{"alert":"x"}}"#), Step("POST /installations", device("a"), 201),
            Step("POST /push", #"{"data":{"alert":"y"},"notification_id":"n"}"#), .inbox("a", #"{"alert":"y"}"#),
            Step(
                "GET /notifications/n",
                has: #"{"simulated":{"devices":1,"successes":1,"invalidTokens":"-"},"errors":"-"}"#)),
        Fact(
            "2.7", "tokens die by a call only where faults are allowed",
            Step.refused("POST /bugle/devices/a/dead", 404, code: 404), configure: { $0.allowsFaults = false }),
    ]
}
