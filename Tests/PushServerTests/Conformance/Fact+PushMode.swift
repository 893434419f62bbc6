import PushServer

extension Fact {
    private static func refused(_ line: String, _ body: String? = nil, as key: TestServer.Key = .app) -> Step {
        Step.refused(line, body, as: key, 403, code: 119)
    }

    /// Section 2: what a server that is for push alone leaves out.
    static let pushMode: [Fact] = [
        Fact(
            "2.1", "in mode push no class but the devices' is written",
            refused("POST /classes/Note", #"{"n":1}"#), refused("POST /classes/Note", #"{"n":1}"#, as: .master),
            refused("PUT /classes/Note/x", #"{"n":1}"#), refused("DELETE /classes/Note/x,y"),
            refused("POST /users", #"{"username":"u"}"#, as: .master),
            refused("POST /classes/_Role", #"{"name":"r"}"#, as: .master),
            Step.refused("POST /classes/_User", "{}", as: .app, 403, code: 403),
            refused(
                "POST /batch/save",
                #"{"requests":[{"method":"POST","path":"/1.1/classes/Note","body":{"__internalId":"a"}}]}"#),
            Step(
                "POST /batch", #"{"requests":[{"method":"POST","path":"/1.1/classes/Note","body":{}}]}"#, as: .app,
                has: #"[{"error":{"code":119}}]"#),
            Step.refused("GET /classes/Note", 404, code: 101), configure: { $0.settings.mode = .push }),
        Fact(
            "2.1", "in mode push devices register, pushes are sent, and bugle keeps its own",
            Step("POST /installations", #"{"deviceType":"ios","deviceToken":"a"}"#, as: .app, 201),
            Step("PUT /classes/_Installation/none", #"{"deviceType":"ios","deviceToken":"b"}"#, as: .app),
            Step("POST /push", #"{"data":{"alert":"x"}}"#), .inbox("a", #"{"alert":"x"}"#),
            Step("POST /classes/BugleLedger", #"{"state":"sent"}"#, 201),
            Step.refused("POST /classes/BugleLedger", "{}", as: .app, 403, code: 403),
            Step("GET /classes/BugleLedger", has: #"{"results":[{"state":"sent"}]}"#),
            configure: { $0.settings.mode = .push }),
    ]
}
