extension Fact {
    private static let noon = "2026-11-21T12:00:00.000Z"

    /// Section 2.1: paths, answers, conditions.
    static let installations: [Fact] =
        ["/installations", "/classes/_Installation"].flatMap(paths) + [
            Fact(
                "2.1", "both paths lead to one class",
                Step(
                    "POST /installations", #"{"deviceType":"ios","deviceToken":"a"}"#, 201, has: #"{"objectId":"$id"}"#),
                Step("GET /classes/_Installation/$id", has: #"{"deviceToken":"a"}"#),
                Step("DELETE /classes/_Installation/$id"), Step("GET /installations/$id", is: "{}")),
            Fact(
                "2.1", "fetchWhenSave answers the whole object to a POST",
                Step(
                    "POST /installations?fetchWhenSave=true", #"{"deviceType":"ios","deviceToken":"a","n":1}"#, 201,
                    is: """
                        {"objectId":"*","createdAt":"\(noon)","updatedAt":"\(noon)","deviceType":"ios","deviceToken":"a",
                         "n":1,"valid":true}
                        """)),
            Fact(
                "2.1", "fetchWhenSave answers the changed fields to a PUT",
                Step("POST /classes/Note", #"{"n":1,"s":"a"}"#, 201, has: #"{"objectId":"$id"}"#),
                Step(
                    "PUT /classes/Note/$id?fetchWhenSave=true", #"{"n":{"__op":"Increment","amount":4}}"#,
                    is: #"{"n":5,"objectId":"$id","updatedAt":"*"}"#)),
            Fact(
                "2.1", "a PUT whose where does not fit changes nothing: 305",
                Step(
                    "POST /installations", #"{"deviceType":"ios","deviceToken":"a","n":1}"#, 201,
                    has: #"{"objectId":"$id"}"#),
                Step.refused(
                    #"PUT /installations/$id?where={"n":2}"#, #"{"n":9}"#, 400, code: 305,
                    "No effect on updating/deleting a document."),
                Step(#"PUT /installations/$id?where={"n":1}"#, #"{"n":2}"#),
                Step("GET /installations/$id", has: #"{"n":2}"#)),
            Fact(
                "2.1", "a DELETE whose where does not fit removes nothing: 305",
                Step(
                    "POST /installations", #"{"deviceType":"ios","deviceToken":"a","n":1}"#, 201,
                    has: #"{"objectId":"$id"}"#),
                Step.refused(
                    #"DELETE /installations/$id?where={"n":2}"#, 400, code: 305,
                    "No effect on updating/deleting a document."),
                Step(#"DELETE /installations/$id?where={"n":1}"#, is: "{}"), Step("GET /installations/$id", is: "{}")),
            Fact(
                "2.1", "an unknown objectId of a class is 200 {}", Step("POST /classes/Note", #"{"n":1}"#, 201),
                Step("GET /classes/Note/51ff1808e4b074ac5c34d7fd", is: "{}")),
            Fact(
                "2.1", "an unknown class is 404 with code 101",
                Step.refused("GET /classes/Nothing/x", 404, code: 101, "Class or object doesn't exists."),
                Step.refused("GET /classes/Nothing", 404, code: 101, "Class or object doesn't exists.")),
            Fact(
                "2.1", "an unknown user is 400 with code 211", Step.refused("GET /classes/_User/x", 400, code: 211),
                Step.refused("GET /users/x", 400, code: 211)),
        ]

    private static func paths(_ path: String) -> [Fact] {
        let folder = "/1.1/installations"
        return [
            Fact(
                "2.1", "POST \(path) answers 201, a Location, objectId and createdAt",
                Step(
                    "POST \(path)",
                    #"{"deviceType":"ios","deviceToken":"abcdef0123","channels":["public","protected","private"]}"#,
                    as: .app, 201, is: #"{"createdAt":"\#(noon)","objectId":"$id"}"#, location: "\(folder)/$id")),
            Fact(
                "2.1", "GET \(path)/:id answers the object",
                Step(
                    "POST \(path)", #"{"deviceType":"ios","deviceToken":"a","channels":[""]}"#, 201,
                    has: #"{"objectId":"$id"}"#),
                Step(
                    "GET \(path)/$id", as: .app,
                    is: """
                        {"deviceType":"ios","deviceToken":"a","channels":[""],"createdAt":"\(noon)",
                         "updatedAt":"\(noon)","objectId":"$id","valid":true}
                        """)),
            Fact(
                "2.1", "PUT \(path)/:id answers updatedAt, and objectId",
                Step("POST \(path)", #"{"deviceType":"ios","deviceToken":"a"}"#, 201, has: #"{"objectId":"$id"}"#),
                .wait(60),
                Step(
                    "PUT \(path)/$id", #"{"n":1}"#, as: .app,
                    is: #"{"updatedAt":"2026-11-21T12:01:00.000Z","objectId":"$id"}"#)),
            Fact(
                "2.1", "GET \(path) answers results",
                Step("POST \(path)", #"{"deviceType":"ios","deviceToken":"a"}"#, 201),
                Step("GET \(path)", has: #"{"results":[{"deviceToken":"a"}],"count":"-"}"#)),
            Fact(
                "2.1", "DELETE \(path)/:id answers {}, whatever its body",
                Step("POST \(path)", #"{"deviceType":"ios","deviceToken":"a"}"#, 201, has: #"{"objectId":"$a"}"#),
                Step("POST \(path)", #"{"deviceType":"ios","deviceToken":"b"}"#, 201, has: #"{"objectId":"$b"}"#),
                Step("POST \(path)", #"{"deviceType":"ios","deviceToken":"c"}"#, 201, has: #"{"objectId":"$c"}"#),
                Step("DELETE \(path)/$a", is: "{}"), Step("DELETE \(path)/$b", "{}", is: "{}"),
                Step("DELETE \(path)/$c", "null", is: "{}")),
            Fact(
                "2.1", "\(path) is POSTed to as a whole and PUT one by one",
                Step.refused("PUT \(path)", "{}", 405, code: 405), Step.refused("DELETE \(path)", 405, code: 405),
                Step.refused("POST \(path)/x", "{}", 405, code: 405)),
        ]
    }
}
