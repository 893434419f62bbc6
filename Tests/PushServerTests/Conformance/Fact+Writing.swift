extension Fact {
    private static func changes(_ claim: String, _ operation: String, _ result: String) -> Fact {
        Fact(
            "2.5", claim,
            Step("POST /classes/Note", #"{"list":["a","b"],"n":5,"kept":1}"#, 201, has: #"{"objectId":"$id"}"#),
            Step("PUT /classes/Note/$id", operation), Step("GET /classes/Note/$id", has: result))
    }

    private static func refused(_ claim: String, _ body: String, code: Int) -> Fact {
        Fact(
            "2.5", claim,
            Step("POST /classes/Note", #"{"list":["a","b"],"n":5,"s":"x"}"#, 201, has: #"{"objectId":"$id"}"#),
            Step.refused("PUT /classes/Note/$id", body, 400, code: code),
            Step("GET /classes/Note/$id", has: #"{"list":["a","b"],"n":5,"s":"x"}"#))
    }

    /// Section 2.5: operators of writing.
    static let writing: [Fact] = [
        changes("a PUT leaves unnamed keys alone", #"{"n":6}"#, #"{"n":6,"kept":1,"list":["a","b"]}"#),
        changes("Add appends", #"{"list":{"__op":"Add","objects":["a"]}}"#, #"{"list":["a","b","a"]}"#),
        changes(
            "AddUnique appends what is missing", #"{"list":{"__op":"AddUnique","objects":["a","c"]}}"#,
            #"{"list":["a","b","c"]}"#),
        changes("AddUnique makes a list", #"{"new":{"__op":"AddUnique","objects":["a"]}}"#, #"{"new":["a"]}"#),
        changes("Remove takes out", #"{"list":{"__op":"Remove","objects":["a"]}}"#, #"{"list":["b"]}"#),
        changes("Increment adds its amount", #"{"n":{"__op":"Increment","amount":3}}"#, #"{"n":8}"#),
        changes("Decrement takes its amount away", #"{"n":{"__op":"Decrement","amount":3}}"#, #"{"n":2}"#),
        changes("Delete removes the field", #"{"n":{"__op":"Delete"}}"#, #"{"n":"-"}"#),
        changes("BitAnd", #"{"n":{"__op":"BitAnd","value":4}}"#, #"{"n":4}"#),
        changes("BitOr", #"{"n":{"__op":"BitOr","value":2}}"#, #"{"n":7}"#),
        changes("BitXor", #"{"n":{"__op":"BitXor","value":1}}"#, #"{"n":4}"#),
        changes(
            "AddRelation makes a relation",
            #"{"fans":{"__op":"AddRelation","objects":[{"__type":"Pointer","className":"Fan","objectId":"f"}]}}"#,
            #"{"fans":{"__type":"Relation","className":"Fan"}}"#),
        refused("an operator needs its type: 111", #"{"s":{"__op":"Increment"}}"#, code: 111),
        refused("an unknown operator is refused: 111", #"{"n":{"__op":"Explode"}}"#, code: 111),
        refused(
            "a pointer names its class and object: 106", #"{"p":{"__type":"Pointer","className":"Fan"}}"#, code: 106),
        refused(
            "a GeoPoint lies on the globe: 302", #"{"at":{"__type":"GeoPoint","latitude":0,"longitude":181}}"#,
            code: 302),
        refused(
            "an object has one GeoPoint: 302",
            #"{"a":{"__type":"GeoPoint","latitude":0,"longitude":1},"b":{"__type":"GeoPoint","latitude":0,"longitude":1}}"#,
            code: 302),
        refused("a Date has an iso: 111", #"{"d":{"__type":"Date","iso":"yesterday"}}"#, code: 111),
        changes(
            "a Date is kept with its milliseconds", #"{"d":{"__type":"Date","iso":"2015-06-21T18:02:52Z"}}"#,
            #"{"d":{"__type":"Date","iso":"2015-06-21T18:02:52.000Z"}}"#),
        Fact(
            "2.5", "users are kept without what lets them sign in",
            Step("POST /users", #"{"username":"u","email":"u@example.com"}"#, 201, has: #"{"objectId":"$id"}"#),
            Step("GET /classes/_User/$id", has: #"{"username":"u"}"#),
            Step.refused("POST /users", #"{"username":"u","password":"p"}"#, 400, code: 1),
            Step.refused("PUT /users/$id", #"{"sessionToken":"s"}"#, 400, code: 1),
            Step.refused("PUT /users/$id", #"{"old":[{"account":{"password":"p"}}]}"#, 400, code: 1),
            Step("PUT /users/$id", #"{"old":[{"account":{"name":"n"}}]}"#)),
    ]

    private static func call(_ method: String, _ path: String, _ body: String = "{}") -> String {
        #"{"method":"\#(method)","path":"\#(path)","body":\#(body)}"#
    }

    private static func requests(_ calls: String...) -> String { #"{"requests":[\#(calls.joined(separator: ","))]}"# }

    /// Section 2.5: batches.
    static let batches: [Fact] = [
        Fact(
            "2.5", "a batch answers 200 and each call in its order",
            Step(
                "POST /batch",
                requests(
                    call("POST", "/1.1/installations", #"{"deviceType":"ios","deviceToken":"a"}"#),
                    call("POST", "/1.1/classes/_Installation", #"{"deviceToken":"a","n":1}"#),
                    call("PUT", "/1.1/installations/none", #"{"n":1}"#),
                    call("GET", "/1.1/classes/_Installation")),
                has: """
                    [{"success":{"objectId":"$id"}},{"success":{"objectId":"$id"}},
                     {"error":{"code":101,"error":"*"}},{"success":{"results":[{"n":1}]}}]
                    """)),
        Fact(
            "2.5", "a path of a batch may have a query, or params",
            Step(
                "POST /batch",
                #"""
                {"requests":[
                 {"method":"POST","path":"/1.1/classes/Note?fetchWhenSave=true","body":{"n":1}},
                 {"method":"POST","path":"/1.1/classes/Note","params":{"fetchWhenSave":true},"body":{"n":2}},
                 {"method":"GET","path":"/1.1/classes/Note?where=%7B%22n%22%3A2%7D"},
                 {"method":"GET","path":"/1.1/classes/Note","params":{"where":{"n":1},"keys":"n"}}]}
                """#,
                has: """
                    [{"success":{"n":1}},{"success":{"n":2}},{"success":{"results":[{"n":2}]}},
                     {"success":{"results":[{"n":1}]}}]
                    """)),
        Fact(
            "2.5", "a conditional change in a batch has its own 305",
            Step("POST /classes/Note", #"{"n":1}"#, 201, has: #"{"objectId":"$id"}"#),
            Step(
                "POST /batch", requests(call("PUT", "/1.1/classes/Note/$id?where=%7B%22n%22%3A2%7D", #"{"n":3}"#)),
                is: #"[{"error":{"code":305,"error":"No effect on updating/deleting a document."}}]"#)),
        Fact(
            "2.5", "the version is part of a batch's path, and a batch holds no batch",
            Step(
                "POST /batch",
                requests(
                    call("GET", "/installations"), call("POST", "/1.1/batch", #"{"requests":[]}"#),
                    call("POST", "/1.1/batch/save", #"{"requests":[]}"#), call("BREW", "/1.1/date"), "5"),
                has:
                    #"[{"error":{"code":1}},{"error":{"code":1}},{"error":{"code":1}},{"error":{"code":1}},{"error":{"code":1}}]"#
            )),
        Fact(
            "2.5", "a batch is authorized call by call",
            Step(
                "POST /batch", requests(call("GET", "/1.1/installations"), call("POST", "/1.1/push", #"{"data":{}}"#)),
                as: .app, has: #"[{"error":{"code":403}},{"error":{"code":403}}]"#)),
        Fact(
            "2.5", "batch/save answers by __internalId, as the ObjC and Swift SDKs register",
            Step(
                "POST /batch/save",
                """
                {"requests":[{"method":"POST","path":"/1.1/installations","new":true,"body":
                 {"__internalId":"I-1","deviceType":"ios","deviceToken":"a","apnsTeamId":"T","channels":["x"]}}]}
                """, as: .app, is: #"{"I-1":{"objectId":"$id","createdAt":"2026-11-21T12:00:00.000Z"}}"#),
            Step(
                "POST /batch/save",
                """
                {"requests":[{"method":"POST","path":"/1.1/installations","body":
                 {"__internalId":"$id","objectId":"$id","channels":{"__op":"AddUnique","objects":["y"]}}}]}
                """, as: .app),
            Step("GET /installations/$id", has: #"{"channels":["x","y"],"__internalId":"-"}"#)),
        Fact(
            "2.5", "batch/save points to children that it saved before",
            Step(
                "POST /batch/save",
                """
                {"requests":[
                 {"method":"POST","path":"/1.1/classes/Team","body":{"__internalId":"c","name":"t"}},
                 {"method":"POST","path":"/1.1/classes/Fan","body":{"__internalId":"p",
                  "__children":[{"className":"Team","cid":"c","key":"team"}]}}]}
                """, has: #"{"c":{"objectId":"$team"},"p":{"objectId":"$fan"}}"#),
            Step(
                "GET /classes/Fan/$fan",
                has: #"{"team":{"__type":"Pointer","className":"Team","objectId":"$team"},"__children":"-"}"#)),
        Fact(
            "2.5", "batch/save PUTs the object that __internalId names, in its class",
            Step("POST /classes/Note", #"{"n":1}"#, 201, has: #"{"objectId":"$id"}"#),
            Step(
                "POST /installations", #"{"deviceType":"ios","deviceToken":"a"}"#, 201, has: #"{"objectId":"$device"}"#),
            Step(
                "POST /batch/save",
                requests(
                    call("PUT", "/1.1/classes/Note", #"{"__internalId":"$id","n":2}"#),
                    call("PUT", "/1.1/installations", #"{"__internalId":"$device","n":3}"#)), as: .app),
            Step("GET /classes/Note/$id", has: #"{"n":2}"#), Step("GET /installations/$device", has: #"{"n":3}"#),
            Step.refused(
                "POST /batch/save", requests(call("PUT", "/1.1/classes/Note", #"{"n":2}"#)), 405, code: 405)),
        Fact(
            "2.5", "a DELETE names several objects with commas, as the JavaScript SDK sends it",
            Step("POST /classes/Note", #"{"n":1}"#, 201, has: #"{"objectId":"$a"}"#),
            Step("POST /classes/Note", #"{"n":2}"#, 201, has: #"{"objectId":"$b"}"#),
            Step("POST /classes/Note", #"{"n":3}"#, 201, has: #"{"objectId":"$c"}"#),
            Step("POST /classes/Note", #"{"n":4,"ACL":{"*":{"read":true}}}"#, 201, has: #"{"objectId":"$d"}"#),
            Step.refused("DELETE /classes/Note/$a,$d", as: .app, 403, code: 403),
            Step.refused(#"DELETE /classes/Note/$a,$b?where={"n":1}"#, 400, code: 305),
            Step("GET /classes/Note?limit=0&count=1", has: #"{"count":4}"#),
            Step("DELETE /classes/Note/$a,$b,51ff1808e4b074ac5c34d7fd,$b", as: .app, is: "{}"),
            Step("GET /classes/Note", has: #"{"results":[{"n":3},{"n":4}]}"#),
            Step.refused("DELETE /classes/Note/$a,$b", 404, code: 101),
            Step.refused("DELETE /classes/Note/,", 400, code: 1),
            Step.refused("DELETE /classes/Note/\(String(repeating: "x,", count: 1001))", 400, code: 1)),
        Fact(
            "2.5", "a DELETE of several devices needs the Master Key",
            Step("POST /installations", #"{"deviceType":"ios","deviceToken":"a"}"#, 201, has: #"{"objectId":"$a"}"#),
            Step("POST /installations", #"{"deviceType":"ios","deviceToken":"b"}"#, 201, has: #"{"objectId":"$b"}"#),
            Step.refused("DELETE /installations/$a,$b", as: .app, 403, code: 403),
            Step("DELETE /installations/$a,$b", is: "{}"), Step("GET /installations", is: #"{"results":[]}"#)),
        Fact(
            "2.5", "batch/save answers the refusal of the call that failed",
            Step.refused(
                "POST /batch/save", requests(call("POST", "/1.1/installations", #"{"__internalId":"c"}"#)), 400, code: 1
            )),
    ]
}
