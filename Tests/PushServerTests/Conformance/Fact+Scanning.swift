extension Fact {
    private static let given = Step(
        "POST /batch",
        #"{"requests":[\#((1...5).map { #"{"method":"POST","path":"/1.1/classes/Note","body":{"n":\#($0),"even":\#($0 % 2 == 0)}}"# }.joined(separator: ","))]}"#
    )
    private static let path = "GET /scan/classes/Note"

    /// Section 2.4: `scan`.
    static let scanning: [Fact] = [
        Fact(
            "2.4", "a scan goes page by page until its cursor is null", given,
            Step("\(path)?scan_key=n&limit=2", has: #"{"results":[{"n":1},{"n":2}],"cursor":"$one"}"#),
            Step("\(path)?scan_key=n&limit=2&cursor=$one", has: #"{"results":[{"n":3},{"n":4}],"cursor":"$two"}"#),
            Step(
                "\(path)?scan_key=n&limit=2&cursor=$two",
                is: #"{"results":[{"n":5,"even":false,"objectId":"*","createdAt":"*","updatedAt":"*"}],"cursor":null}"#)
        ),
        Fact(
            "2.4", "without scan_key a scan goes by objectId, over devices too",
            Step("POST /installations", #"{"objectId":"b","deviceType":"ios","deviceToken":"2"}"#, 201),
            Step("POST /installations", #"{"objectId":"a","deviceType":"ios","deviceToken":"1"}"#, 201),
            Step("GET /scan/classes/_Installation?limit=1", has: #"{"results":[{"objectId":"a"}],"cursor":"$one"}"#),
            Step(
                "GET /scan/classes/_Installation?limit=1&cursor=$one",
                has: #"{"results":[{"objectId":"b"}],"cursor":null}"#)),
        Fact(
            "2.4", "scan_key with - goes downwards", given,
            Step("\(path)?scan_key=-n&limit=3", has: #"{"results":[{"n":5},{"n":4},{"n":3}],"cursor":"$one"}"#),
            Step("\(path)?scan_key=-n&limit=3&cursor=$one", has: #"{"results":[{"n":2},{"n":1}],"cursor":null}"#)),
        Fact(
            "2.4", "objects that share a key are met once each", given,
            Step("\(path)?scan_key=createdAt&limit=3", has: #"{"results":[{"n":1},{"n":2},{"n":3}],"cursor":"$one"}"#),
            Step("\(path)?scan_key=createdAt&limit=3&cursor=$one", has: #"{"results":[{"n":4},{"n":5}],"cursor":null}"#)
        ),
        Fact(
            "2.4", "where narrows a scan", given,
            Step(
                #"\#(path)?scan_key=n&limit=1&where={"even":true}"#, has: #"{"results":[{"n":2}],"cursor":"$one"}"#),
            Step(
                #"\#(path)?scan_key=n&limit=1&where={"even":true}&cursor=$one"#,
                has: #"{"results":[{"n":4}],"cursor":null}"#)),
        Fact(
            "2.4", "scan_key must not be in where", given,
            Step.refused(#"\#(path)?scan_key=n&where={"n":{"$gt":1}}"#, 400, code: 102),
            Step.refused(#"\#(path)?scan_key=n&where={"$or":[{"n":1},{"even":true}]}"#, 400, code: 102)),
        Fact(
            "2.4", "a cursor lives 10 minutes", given,
            Step("\(path)?scan_key=n&limit=1", has: #"{"cursor":"$one"}"#), .wait(599),
            Step("\(path)?scan_key=n&limit=1&cursor=$one", has: #"{"results":[{"n":2}]}"#), .wait(1),
            Step.refused("\(path)?scan_key=n&limit=1&cursor=$one", 400, code: 1)),
        Fact(
            "2.4", "a cursor belongs to one scan", given,
            Step(#"\#(path)?limit=1&where={"even":false}"#, has: #"{"cursor":"$one"}"#),
            Step.refused("\(path)?limit=1&cursor=$one", 400, code: 1),
            Step.refused(#"\#(path)?limit=1&where={"even":false}&scan_key=n&cursor=$one"#, 400, code: 1),
            Step.refused("\(path)?cursor=x' OR 1=1 --", 400, code: 1)),
        Fact(
            "2.4", "a scan of an unknown class is 404 with code 101",
            Step.refused("GET /scan/classes/Nothing", 404, code: 101, "Class or object doesn't exists.")),
    ]
}
