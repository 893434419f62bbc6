extension Fact {
    private static let token = String(repeating: "0a1b2c3d", count: 8)
    /// What old SDKs took from how the system shows the bytes of a token, when the app passed that on.
    private static let shown = "<" + Array(repeating: "0a1b2c3d", count: 8).joined(separator: " ") + ">"

    private static func save(_ body: String) -> String {
        #"{"requests":[{"method":"POST","path":"/1.1/installations","body":\#(body)}]}"#
    }

    /// What an app does from its first start to its return after months.
    private static func life(_ generation: Generation, always: String) -> Fact {
        let first = #"{"__internalId":"U-1","__children":[],"channels":["x"],\#(always)}"#
        let next = """
            {"__internalId":"$id","__children":[],"objectId":"$id",\(always),"badge":0,
             "channels":{"__op":"AddUnique","objects":["y"]}}
            """
        return generation.fact(
            "2.3", "registers, subscribes, resets its badge and comes back after its row is gone",
            generation.sends("POST /batch/save", save(first), has: #"{"U-1":{"objectId":"$id","createdAt":"*"}}"#),
            generation.sends("POST /batch/save", save(next)),
            generation.sends(
                "GET /installations/$id",
                has: #"{"deviceToken":"\#(token)","channels":["x","y"],"badge":0,"valid":true,"__children":"-"}"#),
            .wait(91 * 86_400), generation.sends("GET /installations/$id", is: "{}"),
            generation.sends("POST /batch/save", save(next)),
            generation.sends("GET /installations/$id", has: #"{"deviceToken":"\#(token)","channels":["y"]}"#),
            Step("GET /installations?limit=0&count=1", is: #"{"results":[],"count":1}"#))
    }

    /// Sections 1.2, 2.3 and 2.5: the SDKs of Apple's platforms. Source: objc-sdk and swift-sdk.
    static let appleGenerations: [Fact] =
        Generation.oldObjectiveC.map {
            life($0, always: #""deviceType":"ios","deviceToken":"\#(token)""#)
        }
        + Generation.oldObjectiveC.map {
            $0.fact(
                "2.2", "an app that passes the description of its token on is one device",
                $0.sends(
                    "POST /batch/save", save(#"{"__internalId":"U-1","deviceType":"ios","deviceToken":"\#(shown)"}"#),
                    has: #"{"U-1":{"objectId":"$id"}}"#),
                $0.sends(
                    "POST /batch/save", save(#"{"__internalId":"U-2","deviceType":"ios","deviceToken":"\#(token)"}"#),
                    has: #"{"U-2":{"objectId":"$id"}}"#))
        }
        + (Generation.newObjectiveC + Generation.swifts).map {
            life(
                $0,
                always: """
                    "deviceType":"ios","deviceToken":"\(token)","apnsTeamId":"ABCDE12345","timeZone":"Asia/Shanghai",\
                    "apnsTopic":"com.example.app"
                    """)
        }
        + (Generation.oldObjectiveC + Generation.newObjectiveC).map {
            $0.fact(
                "2.5", "a query that is too long for a URL is asked in a batch",
                $0.sends("POST /classes/Note", #"{"n":1}"#, 201),
                $0.sends(
                    "POST /batch",
                    #"{"requests":[{"method":"GET","path":"/1.1/classes/Note","params":{"where":"{\"n\":1}","limit":1}}]}"#,
                    has: #"[{"success":{"results":[{"n":1}]}}]"#))
        }
        + (Generation.oldObjectiveC + Generation.newObjectiveC + Generation.swifts).map {
            $0.fact(
                "1.2", "the router that it asks is here",
                $0.sends(
                    "GET //2/route?appId=giants", has: #"{"api_server":"$host","push_server":"$host","ttl":3600}"#),
                $0.sends("GET //v1/route?appId=giants&secure=1", has: #"{"server":"*","ttl":3600}"#))
        }
        + [
            Fact(
                "2.1", "Objective-C: a Mac whose app goes from 11 to 12 stays one device",
                Generation.oldObjectiveC[1].sends(
                    "POST /batch/save", save(#"{"__internalId":"U-1","deviceType":"osx","deviceToken":"\#(token)"}"#),
                    has: #"{"U-1":{"objectId":"$id"}}"#),
                Generation.newObjectiveC[0].sends(
                    "POST /batch/save",
                    save(
                        #"{"__internalId":"U-1","objectId":"$id","deviceType":"macos","deviceToken":"\#(token)"}"#),
                    has: #"{"U-1":{"objectId":"$id"}}"#),
                Generation.oldObjectiveC[1].sends("PUT /installations/$id", #"{"deviceType":"osx","badge":0}"#),
                Generation.newObjectiveC[0].sends("GET /installations/$id", has: #"{"deviceType":"macos","badge":0}"#),
                Step("POST /push", #"{"where":{"deviceType":"macos"},"data":{"alert":"x"}}"#),
                .inbox(token, #"{"alert":"x"}"#)),
            Fact(
                "2.3", "Objective-C: operations alone do not say which device a row that is gone was",
                Generation.newObjectiveC[0].sends(
                    "PUT /installations/gone0123456789", #"{"channels":{"__op":"AddUnique","objects":["y"]}}"#, 404,
                    is: """
                        {"code":101,"error":"No device has this objectId: send its deviceType, and its deviceToken or \
                        installationId, and it is registered again."}
                        """),
                Generation.newObjectiveC[0].sends(
                    "PUT /installations/gone0123456789",
                    """
                    {"deviceType":"ios","deviceToken":"\(token)","channels":{"__op":"AddUnique","objects":["y"]}}
                    """),
                Generation.newObjectiveC[0].sends(
                    "GET /installations/gone0123456789", has: #"{"deviceToken":"\#(token)","channels":["y"]}"#)),
        ]
        + Generation.oldObjectiveC.map {
            $0.fact(
                "1.2", "what it counts is dropped", $0.sends("POST /always_collect", #"{"attributes":{}}"#, is: "{}"),
                $0.sends("POST /stats/collect", "{}", is: "{}"),
                $0.sends("GET /statistics/apps/giants/sendPolicy", is: "{}"))
        }
}
