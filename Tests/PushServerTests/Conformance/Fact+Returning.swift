import PushServer

extension Fact {
    private static let android = #""deviceType":"android","installationId":"i1","timeZone":"Asia/Shanghai""#
    private static let apple = #""deviceType":"ios","deviceToken":"t1""#
    private static let later = "2026-11-21T12:01:00.000Z"

    private static func returning(_ claim: String, _ steps: [Step]) -> [Fact] {
        ["/installations", "/classes/_Installation"].map { path in
            Fact(
                "2.3", "PUT \(path)/<unknown id> \(claim)",
                steps: steps.map { $0.replacing("/devices", with: path) })
        }
    }

    /// Section 2.3: apps keep the id of their device for good and PUT to it; the row may have been cleaned up, or was
    /// never copied.
    static let returning: [Fact] =
        returning(
            "registers the device under that id",
            [
                Step(
                    "PUT /devices/0qYaOiU08hqm8bgpDk4CrTXXBs1NPtSs", "{\(android)}", as: .app,
                    is: """
                        {"objectId":"0qYaOiU08hqm8bgpDk4CrTXXBs1NPtSs","createdAt":"2026-11-21T12:00:00.000Z",
                         "updatedAt":"2026-11-21T12:00:00.000Z"}
                        """),
                Step(
                    "GET /devices/0qYaOiU08hqm8bgpDk4CrTXXBs1NPtSs", as: .app,
                    has: #"{"installationId":"i1","deviceType":"android","valid":true}"#),
            ])
        + returning(
            "is found by its installationId",
            [
                Step("POST /devices", "{\(android)}", 201, has: #"{"objectId":"$id"}"#), .wait(60),
                Step(
                    "PUT /devices/51ff1808e4b074ac5c34d7fd", "{\(android),\"n\":1}", as: .app,
                    is: #"{"objectId":"$id","createdAt":"2026-11-21T12:00:00.000Z","updatedAt":"\#(later)"}"#),
                Step("GET /devices?count=1", has: #"{"results":[{"objectId":"$id","n":1}],"count":1}"#),
            ])
        + returning(
            "is found by its deviceToken, whose app may be installed anew",
            [
                Step("POST /devices", #"{\#(apple),"installationId":"old"}"#, 201, has: #"{"objectId":"$id"}"#),
                Step(
                    "PUT /devices/51ff1808e4b074ac5c34d7fd", #"{\#(apple),"installationId":"new"}"#, as: .app,
                    has: #"{"objectId":"$id"}"#),
                Step("GET /devices?count=1", has: #"{"results":[{"installationId":"new"}],"count":1}"#),
            ])
        + returning(
            "registers a device that was cleaned up, as Android's SDK saves it",
            [
                Step("POST /devices?fetchWhenSave=true", "{\(android)}", as: .app, 201, has: #"{"objectId":"$id"}"#),
                .wait(91 * 86_400), Step("GET /devices/$id", is: "{}"),
                Step(
                    "PUT /devices/$id?fetchWhenSave=true",
                    #"{\#(android),"objectId":"$id","createdAt":"2026-11-21T12:00:00.000Z","channels":["x"]}"#,
                    as: .app,
                    has: #"{"objectId":"$id","channels":["x"],"valid":true,"ACL":"-"}"#),
                Step("GET /devices/$id", has: #"{"installationId":"i1","channels":["x"]}"#),
            ])
        + returning(
            "is 101 for a change that does not say what the device is",
            [
                Step.refused("PUT /devices/51ff1808e4b074ac5c34d7fd", #"{"n":1}"#, as: .app, 404, code: 101),
                Step.refused(
                    "PUT /devices/51ff1808e4b074ac5c34d7fd", #"{"installationId":"i1","n":1}"#, as: .app, 404, code: 101
                ),
                Step.refused(#"PUT /devices/51ff1808e4b074ac5c34d7fd?where={"n":1}"#, "{\(android)}", 400, code: 305),
                Step("GET /devices", is: #"{"results":[]}"#),
            ])
        + returning(
            "is refused for an id that LeanCloud would not make, and where the rules are broken",
            [
                Step.refused("PUT /devices/a%20b", "{\(android)}", as: .app, 400, code: 1),
                Step.refused("PUT /devices/a,b", "{\(android)}", as: .app, 400, code: 1),
                Step.refused("PUT /devices/\(String(repeating: "x", count: 65))", "{\(android)}", 400, code: 1),
                Step.refused("PUT /devices/none", #"{"deviceType":"ios"}"#, as: .app, 400, code: 114),
                Step("GET /devices", is: #"{"results":[]}"#),
            ])
        + [
            Fact(
                "2.3", "a PUT that registers an Android device leaves it off where that is set",
                Step("PUT /installations/none", "{\(android)}", as: .app),
                Step("GET /installations/none", has: #"{"valid":false}"#), configure: { $0.androidIsValid = false }),
            Fact(
                "2.3", "a PUT in a batch registers too",
                Step(
                    "POST /batch",
                    #"{"requests":[{"method":"PUT","path":"/1.1/installations/none","body":{\#(android)}}]}"#, as: .app,
                    has: #"[{"success":{"objectId":"none"}}]"#)),
            Fact(
                "2.3", "other objects are not made by a PUT", Step("POST /classes/Note", "{}", 201),
                Step.refused("PUT /classes/Note/none", #"{"n":1}"#, 404, code: 101)),
        ]
}

extension Step {
    /// The same call to another path.
    fileprivate func replacing(_ text: String, with path: String) -> Step {
        var step = self
        step.line = line.replacing(text, with: path)
        return step
    }
}
