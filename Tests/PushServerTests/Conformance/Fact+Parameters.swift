extension Fact {
    /// Users, teams and notes with pointers, in one batch.
    private static let given = Step(
        "POST /batch",
        """
        {"requests":[
         {"method":"POST","path":"/1.1/classes/Team","body":{"name":"t"}},
         {"method":"POST","path":"/1.1/classes/Note","body":{"name":"a","n":1,"even":false,"deep":{"x":1,"y":2}}},
         {"method":"POST","path":"/1.1/classes/Note","body":{"name":"b","n":2,"even":true}},
         {"method":"POST","path":"/1.1/classes/Note","body":{"name":"c","n":3,"even":false}}]}
        """, has: #"[{"success":{"objectId":"$team"}},{"success":{"objectId":"$note"}},{},{}]"#)

    private static func finds(_ claim: String, _ query: String, _ names: String) -> Fact {
        let results = names.split(separator: " ").map { #"{"name":"\#($0)"}"# }.joined(separator: ",")
        return Fact("2.4", claim, given, Step("GET /classes/Note?\(query)", has: #"{"results":[\#(results)]}"#))
    }

    private static let pointer = #"{"__type":"Pointer","className":"Team","objectId":"$team"}"#

    /// Section 2.4: the parameters of a query.
    static let parameters: [Fact] = [
        finds("limit is the most that is answered", "limit=2", "a b"),
        finds("a limit over 1000 counts as 100", "limit=1001", "a b c"),
        finds("a limit of 0 counts as 100", "limit=0", "a b c"),
        finds("a limit that is no number counts as 100", "limit=many", "a b c"),
        Fact(
            "2.4", "limit=0 with count=1 answers the count alone", given,
            Step("GET /classes/Note?limit=0&count=1", is: #"{"results":[],"count":3}"#)),
        Fact(
            "2.4", "the default limit is 100",
            Step(
                "POST /batch",
                #"{"requests":[\#((0...100).map { #"{"method":"POST","path":"/1.1/classes/Many","body":{"n":\#($0)}}"# }.joined(separator: ","))]}"#
            ),
            Step(
                "GET /classes/Many?keys=n&skip=1",
                has: #"{"results":[\#(Array(repeating: "{}", count: 100).joined(separator: ","))]}"#)),
        finds("skip leaves the first out", "skip=1", "b c"),
        finds("limit counts from where skip ends", "limit=2&skip=1", "b c"),
        finds("order sorts upwards", "order=n", "a b c"),
        finds("order with - sorts downwards", "order=-n", "c b a"),
        finds("order is a list of keys", "order=even,-n", "c a b"),
        finds("what one key leaves equal the next one orders", "order=-createdAt,n", "a b c"),
        Fact(
            "2.4", "count=1 adds how many fit", given,
            Step(
                #"GET /classes/Note?count=1&limit=1&where={"n":{"$gt":1}}"#,
                has: #"{"results":[{"name":"b"}],"count":2}"#)),
        Fact(
            "2.4", "keys chooses fields; the server's own stay", given,
            Step(
                #"GET /classes/Note?keys=name&limit=1"#,
                is: #"{"results":[{"name":"a","objectId":"*","createdAt":"*","updatedAt":"*"}]}"#)),
        Fact(
            "2.4", "keys with - leaves fields out", given,
            Step(
                #"GET /classes/Note?keys=-name,-deep,-createdAt&limit=1"#,
                is: #"{"results":[{"n":1,"even":false,"objectId":"*","updatedAt":"*"}]}"#),
            Step(
                #"GET /classes/Note?keys=name,-createdAt,-updatedAt&limit=1"#,
                is: #"{"results":[{"name":"a","objectId":"*"}]}"#)),
        Fact(
            "2.4", "keys may have dots", given,
            Step("GET /classes/Note?keys=deep.x&limit=1", has: #"{"results":[{"deep":{"x":1,"y":"-"},"name":"-"}]}"#),
            Step("GET /classes/Note?keys=-deep.x&limit=1", has: #"{"results":[{"deep":{"x":"-","y":2},"name":"a"}]}"#)),
        Fact(
            "2.4", "keys apply to one object too", given,
            Step("GET /classes/Note/$note?keys=name", has: #"{"name":"a","n":"-"}"#)),
        Fact(
            "2.4", "include puts the object in its pointer's place, still a Pointer", given,
            Step("POST /classes/Fan", #"{"team":\#(pointer)}"#, 201, has: #"{"objectId":"$fan"}"#),
            Step(
                "GET /classes/Fan?include=team",
                has: """
                    {"results":[{"team":{"__type":"Pointer","className":"Team","objectId":"$team","name":"t",
                     "createdAt":"*","updatedAt":"*"}}]}
                    """),
            Step("GET /classes/Fan/$fan?include=team", has: #"{"team":{"name":"t"}}"#),
            Step("GET /classes/Fan/$fan", has: #"{"team":{"name":"-"}}"#)),
        Fact(
            "2.4", "dots in include go deeper", given,
            Step("POST /classes/Fan", #"{"team":\#(pointer)}"#, 201, has: #"{"objectId":"$fan"}"#),
            Step("POST /classes/Seat", #"{"fan":{"__type":"Pointer","className":"Fan","objectId":"$fan"}}"#, 201),
            Step("GET /classes/Seat?include=fan.team", has: #"{"results":[{"fan":{"team":{"name":"t"}}}]}"#),
            Step("GET /classes/Seat?include=fan", has: #"{"results":[{"fan":{"team":{"name":"-"}}}]}"#)),
        Fact(
            "2.4", "include reaches into lists, and keys into what is included", given,
            Step("POST /classes/Fan", #"{"teams":[\#(pointer),5]}"#, 201),
            Step("GET /classes/Fan?include=teams", has: #"{"results":[{"teams":[{"name":"t"},5]}]}"#),
            Step("POST /classes/Seat", #"{"team":\#(pointer)}"#, 201),
            Step(
                "GET /classes/Seat?include=team&keys=team.createdAt",
                has: #"{"results":[{"team":{"__type":"Pointer","createdAt":"*","name":"-"}}]}"#)),
        Fact(
            "2.4", "a pointer that leads nowhere stays one", given,
            Step("POST /classes/Fan", #"{"team":{"__type":"Pointer","className":"Team","objectId":"none"}}"#, 201),
            Step(
                "GET /classes/Fan?include=team",
                has: #"{"results":[{"team":{"__type":"Pointer","className":"Team","objectId":"none","name":"-"}}]}"#)),
        Fact(
            "2.4", "returnACL shows the ACL", Step("POST /classes/Note", #"{"ACL":{"*":{"read":true}}}"#, 201),
            Step("GET /classes/Note?returnACL=true", has: #"{"results":[{"ACL":{"*":{"read":true}}}]}"#),
            Step("GET /classes/Note", has: #"{"results":[{"ACL":"-"}]}"#)),
    ]
}
