import PushServer

extension Fact {
    private static let apple = #"{"deviceType":"ios","deviceToken":"t1","installationId":"i1","n":1}"#
    private static let path = "POST /installations"

    private static func taken(_ claim: String, _ bodies: String...) -> Fact {
        Fact("2.2", claim, steps: bodies.map { Step(path, $0, 201) })
    }

    private static func refused(_ claim: String, code: Int, _ bodies: String...) -> Fact {
        Fact(
            "2.2", claim,
            steps: bodies.map { Step.refused(path, $0, 400, code: code) } + [
                Step("GET /installations", is: #"{"results":[]}"#)
            ])
    }

    /// Sections 2.2 and 2.3: fields and registering again.
    static let registration: [Fact] = [
        refused("deviceType is required", code: 1, #"{"deviceToken":"a"}"#),
        refused(
            "an iOS device has a deviceToken", code: 114, #"{"deviceType":"ios"}"#,
            #"{"deviceType":"ios","deviceToken":""}"#),
        refused("an Android device has an installationId", code: 1, #"{"deviceType":"android"}"#),
        refused(
            "fields have their types", code: 111, #"{"deviceType":5}"#, #"{"deviceType":"ios","deviceToken":["a"]}"#,
            #"{"deviceType":"ios","deviceToken":"a","valid":"true"}"#,
            #"{"deviceType":"ios","deviceToken":"a","badge":"1"}"#,
            #"{"deviceType":"ios","deviceToken":"a","channels":"x"}"#,
            #"{"deviceType":"ios","deviceToken":"a","timeZone":8}"#,
            #"{"deviceType":"ios","deviceToken":"a","apnsTopic":{}}"#),
        refused(
            "a key is a letter, then letters, digits and _", code: 105,
            #"{"deviceType":"ios","deviceToken":"a","a.b":1}"#,
            #"{"deviceType":"ios","deviceToken":"a","9a":1}"#, #"{"deviceType":"ios","deviceToken":"a","é":1}"#),
        refused(
            "deviceProfile is empty, or a letter, then letters, digits and _", code: 1,
            #"{"deviceType":"ios","deviceToken":"a","deviceProfile":"_x"}"#,
            #"{"deviceType":"ios","deviceToken":"a","deviceProfile":"a-b"}"#,
            #"{"deviceType":"ios","deviceToken":"a","deviceProfile":"9"}"#),
        taken(
            "a deviceProfile of that rule is taken",
            #"{"deviceType":"ios","deviceToken":"a","deviceProfile":"driver_2"}"#,
            #"{"deviceType":"ios","deviceToken":"b","deviceProfile":""}"#),
        taken(
            "a token is not checked to be 64 hex digits", #"{"deviceType":"ios","deviceToken":"xxx"}"#,
            #"{"deviceType":"ios","deviceToken":"6E4C9DA5-9A34-4C2B-8C2F-9E7A1E9D3A11"}"#),
        taken(
            "Apple's other platforms are known", #"{"deviceType":"macos","deviceToken":"a"}"#,
            #"{"deviceType":"tvos","deviceToken":"b"}"#, #"{"deviceType":"watchos","deviceToken":"c"}"#),
        taken(
            "an Android device may have a vendor's registrationId",
            #"{"deviceType":"android","registrationId":"r","vendor":"mi"}"#),
        taken(
            "any other field is any JSON", #"{"deviceType":"ios","deviceToken":"a","x":{"y":[1,null,"z",{"w":true}]}}"#),
        Fact(
            "2.2", "valid is set to true at creation", Step(path, apple, 201, has: #"{"objectId":"$id"}"#),
            Step("GET /installations/$id", has: #"{"valid":true}"#)),
        Fact(
            "2.2", "an Android row may begin as not valid",
            Step(path, #"{"deviceType":"android","installationId":"a"}"#, 201, has: #"{"objectId":"$id"}"#),
            Step("GET /installations/$id", has: #"{"valid":false}"#),
            Step(path, #"{"deviceType":"ios","deviceToken":"b"}"#, 201, has: #"{"objectId":"$apple"}"#),
            Step("GET /installations/$apple", has: #"{"valid":true}"#), configure: { $0.androidIsValid = false }),
        Fact(
            "2.2", "deviceType does not change",
            Step(path, apple, 201, has: #"{"objectId":"$id"}"#),
            Step.refused("PUT /installations/$id", #"{"deviceType":"android"}"#, 400, code: 117),
            Step.refused(path, #"{"installationId":"i1","deviceType":"android"}"#, 400, code: 117),
            Step("PUT /installations/$id", #"{"deviceType":"ios"}"#)),
        Fact(
            "2.2", "installationId does not change",
            Step(path, apple, 201, has: #"{"objectId":"$id"}"#),
            Step.refused("PUT /installations/$id", #"{"installationId":"i2"}"#, 400, code: 117)),
        Fact(
            "2.2", "a deviceToken is unique in the app", Step(path, apple, 201),
            Step(path, #"{"deviceType":"ios","deviceToken":"t2"}"#, 201, has: #"{"objectId":"$id"}"#),
            Step.refused(
                "PUT /installations/$id", #"{"deviceToken":"t1"}"#, 400, code: 137,
                "A unique field was given a value that is already taken.")),
        Fact(
            "2.2", "objectId and the times are the server's own",
            Step(path, apple, 201, has: #"{"objectId":"$id"}"#),
            Step("PUT /installations/$id", #"{"objectId":"x","createdAt":"y","updatedAt":"z"}"#),
            Step("GET /installations/$id", has: #"{"objectId":"$id","createdAt":"2026-11-21T12:00:00.000Z"}"#)),
        Fact(
            "2.2", "an objectId may have any length up to 64",
            Step(
                path, #"{"objectId":"0qYaOiU08hqm8bgpDk4CrTXXBs1NPtSs","deviceType":"ios","deviceToken":"a"}"#, 201,
                has: #"{"objectId":"0qYaOiU08hqm8bgpDk4CrTXXBs1NPtSs"}"#)),
        Fact(
            "2.3", "a POST with a known objectId updates it", Step(path, apple, 201, has: #"{"objectId":"$id"}"#),
            Step(
                path, #"{"objectId":"$id","deviceToken":"t9","apnsTeamId":"T"}"#, as: .app, has: #"{"objectId":"$id"}"#),
            Step("GET /installations/$id", has: #"{"deviceToken":"t9","apnsTeamId":"T","n":1}"#)),
        Fact(
            "2.3", "a POST with a known installationId updates it, and takes __op",
            Step(
                path, #"{"deviceType":"android","installationId":"i1","channels":["a","b"]}"#, 201,
                has: #"{"objectId":"$id"}"#),
            .wait(1),
            Step(
                path, #"{"deviceType":"android","installationId":"i1","channels":{"__op":"Remove","objects":["a"]}}"#,
                as: .app,
                is: """
                    {"objectId":"$id","createdAt":"2026-11-21T12:00:00.000Z","updatedAt":"2026-11-21T12:00:01.000Z"}
                    """),
            Step("GET /installations/$id", has: #"{"channels":["b"]}"#)),
        Fact(
            "2.3", "a POST with a known deviceToken updates it", Step(path, apple, 201, has: #"{"objectId":"$id"}"#),
            Step(path, #"{"deviceType":"ios","deviceToken":"t1","n":2}"#, as: .app, has: #"{"objectId":"$id"}"#),
            Step("GET /installations?count=1&limit=0", has: #"{"count":1}"#)),
        Fact(
            "2.3", "an app installed anew keeps its device's row by the token",
            Step(path, apple, 201, has: #"{"objectId":"$id"}"#),
            Step(path, #"{"deviceType":"ios","deviceToken":"t1","installationId":"i2"}"#, has: #"{"objectId":"$id"}"#),
            Step("GET /installations/$id", has: #"{"installationId":"i2"}"#)),
        Fact(
            "2.3", "an objectId and another device's installationId are in conflict: 137",
            Step(path, apple, 201, has: #"{"objectId":"$id"}"#),
            Step(path, #"{"deviceType":"android","installationId":"i2"}"#, 201),
            Step.refused(
                path, #"{"objectId":"$id","installationId":"i2"}"#, 400, code: 137,
                "A unique field was given a value that is already taken.")),
        Fact(
            "2.3", "the Java SDK's POST and PUT of the whole object are taken",
            Step("POST /installations?fetchWhenSave=true", apple, 201, has: #"{"objectId":"$id"}"#),
            Step(
                "PUT /installations/$id?fetchWhenSave=true",
                """
                {"objectId":"$id","className":"_Installation","createdAt":"2026-11-21T12:00:00.000Z","deviceType":"ios",
                 "deviceToken":"t1","installationId":"i1","n":7,"valid":true,"ACL":{"*":{"read":true,"write":true}}}
                """, as: .app, has: #"{"n":7,"ACL":"-"}"#)),
    ]
}
