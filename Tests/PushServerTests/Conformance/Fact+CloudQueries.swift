extension Fact {
    private static let given = Step(
        "POST /batch",
        """
        {"requests":[
         {"method":"POST","path":"/1.1/classes/Note","body":{"name":"a","n":1}},
         {"method":"POST","path":"/1.1/classes/Note","body":{"name":"b","n":2}},
         {"method":"POST","path":"/1.1/classes/Note","body":{"name":"c","n":3}}]}
        """)

    private static func finds(_ claim: String, _ query: String, _ names: String) -> Fact {
        let results = names.split(separator: " ").map { #"{"name":"\#($0)"}"# }.joined(separator: ",")
        return Fact(
            "2.4", claim, given,
            Step("GET /cloudQuery?\(query)", as: .app, has: #"{"results":[\#(results)],"className":"Note"}"#))
    }

    private static func refused(_ claim: String, _ query: String, _ status: Int = 400, code: Int = 300) -> Fact {
        Fact("2.4", claim, given, Step.refused("GET /cloudQuery?\(query)", as: .app, status, code: code))
    }

    /// Section 2.4: queries in CQL.
    static let cloudQueries: [Fact] = [
        finds("CQL selects from a class", "cql=select * from Note", "a b c"),
        finds("CQL has conditions", "cql=select * from Note where n > 1 and name != 'c'", "b"),
        finds("CQL has placeholders", #"cql=select * from Note where n in (?, ?)&pvalues=[1, 3]"#, "a c"),
        finds("CQL limits and sorts", "cql=select * from Note limit 1,1 order by -n", "b"),
        finds("a limit of CQL outside 1 to 1000 counts as 100", "cql=select * from Note limit 0", "a b c"),
        Fact(
            "2.4", "CQL chooses fields", given,
            Step(
                "GET /cloudQuery?cql=select n from Note where name='a'",
                has: #"{"results":[{"n":1,"name":"-","objectId":"*"}]}"#)),
        Fact(
            "2.4", "CQL finds devices for the holder of the Master Key alone",
            Step("POST /installations", #"{"deviceType":"ios","deviceToken":"a","n":1}"#, 201),
            Step(
                "GET /cloudQuery?cql=select * from _Installation where n = 1",
                has: #"{"results":[{"deviceToken":"a"}],"className":"_Installation"}"#),
            Step.refused("GET /cloudQuery?cql=select * from _Installation", as: .app, 403, code: 403)),
        Fact(
            "2.4", "a refusal of CQL says where, and what to write instead", given,
            Step(
                "GET /cloudQuery?cql=select * from Note where n near 1", nil, 400,
                is: """
                    {"code":300,"error":"A field is followed by =, !=, <, <=, >, >=, in, not in, like or is \
                    (cql, byte 28). Write the condition as where instead, such as \
                    {\\"deviceType\\":\\"ios\\",\\"score\\":{\\"$gt\\":80}}."}
                    """)),
        refused("CQL is needed", "x=1"), refused("CQL changes nothing", "cql=delete from Note where objectId='a'"),
        refused("pvalues is a list: 300", #"cql=select * from Note where n=?&pvalues={"a":1}"#),
        refused("pvalues is JSON: 107", #"cql=select * from Note where n=?&pvalues=["#, code: 107),
        refused(
            "a value of pvalues brings no operator", #"cql=select * from Note where n=?&pvalues=[{"$ne":9}]"#),
        refused("what where refuses, CQL does not pass: 102", "cql=select * from Note where n < true", code: 102),
        refused("a class has a name: 103", "cql=select * from a.b", code: 103),
        refused("an unknown class is 101", "cql=select * from Nothing", 404, code: 101),
    ]

    /// Section 1.2: what SDKs ask of LeanCloud's routers, and what they report.
    static let routers: [Fact] = [
        Fact(
            "1.2", "the app router answers with this server, whoever asks",
            Step(
                "GET //2/route?appId=giants", as: .none, headers: [("X-LC-UA", "LeanCloud-JS-SDK/4.15.0")],
                has: """
                    {"ttl":3600,"api_server":"$host","push_server":"$host","stats_server":"$host","engine_server":"$host",
                     "rtm_router_server":"$host","server":"-"}
                    """),
            Step("GET //v1/route?appId=giants&secure=1", as: .none, has: #"{"ttl":3600,"server":"*","secondary":"*"}"#),
            Step.refused("POST //2/route", as: .none, 405, code: 405)),
        Fact(
            "1.2", "there is no other route",
            Step.refused("GET //2/x", as: .none, 401, code: 401),
            Step.refused("GET //2/route/x", as: .none, 401, code: 401)),
        Fact(
            "1.2", "what SDKs count is answered and dropped",
            steps: [
                "POST /stats/collect", "POST /stats/open/collect", "POST /always_collect",
                "GET /statistics/apps/giants/sendPolicy",
            ].map { Step($0, #"{"client":{"id":"x"},"events":[]}"#, as: .app, is: "{}") } + [
                Step.refused("POST /stats/collect", "{}", as: .none, 401, code: 401)
            ]),
    ]
}
