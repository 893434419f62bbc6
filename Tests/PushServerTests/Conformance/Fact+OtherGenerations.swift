import PushServer

extension Fact {
    private static let android =
        #""deviceType":"android","installationId":"0123456789abcdef0123456789abcdef","timeZone":"Asia/Shanghai""#

    private static func saves(_ body: String) -> String {
        #"{"requests":[{"method":"POST","path":"/1.1/installations","body":\#(body)}]}"#
    }

    /// The body of JavaScript 0.6, which carries everything in it.
    private static func plain(_ members: String, _ method: String? = nil) -> String {
        let method = method.map { #""_method":"\#($0)","# } ?? ""
        return """
            {\(method)"_ApplicationId":"giants","_ApplicationKey":"\(TestServer.appKey)","_ApplicationProduction":1,
             "_ClientVersion":"js0.6.4","_InstallationId":"0123-4567"\(members.isEmpty ? "" : ",")\(members)}
            """
    }

    private static let keys = #""_ApplicationId":"giants","_ApplicationKey":"\#(TestServer.appKey)""#

    /// The body of JavaScript 0.5, which writes its own members last.
    private static func plainAtTheEnd(_ members: String) -> String {
        #"{\#(members),\#(keys),"_ApplicationProduction":1,"_ClientVersion":"js0.5.8","_InstallationId":"0123-4567"}"#
    }

    /// Twenty-five calls that save something each.
    private static let notes = Array(
        repeating: """
            {"method":"POST","path":"/1.1/classes/Note","body":{"n":1,"s":"token-0","text":"\(String(repeating: "x", count: 200))"}}
            """, count: 25
    ).joined(separator: ",")

    /// A hundred texts as long as tokens.
    private static let hundred =
        (0..<100).map { #""token-\#($0 % 50)-\#(String(repeating: "a", count: 64))""# }
        .joined(separator: ",") + #","token-0""#

    /// Sections 2.3 and 2.5: Android and Java. Source: android-sdk-all, java-unified-sdk, captures of 3.12 to 4.6.
    static let androidGenerations: [Fact] =
        Generation.oldAndroids.map {
            $0.fact(
                "2.3", "always POSTs the whole device in a batch",
                $0.sends(
                    "POST /batch/save", saves(#"{"__internalId":"U-1","__children":[],\#(android)}"#),
                    has: #"{"U-1":{"objectId":"$id","createdAt":"*"}}"#),
                $0.sends("POST /batch/save", saves(#"{"__internalId":"$id",\#(android),"channels":["x"]}"#)),
                $0.sends("GET /installations/$id", has: #"{"channels":["x"],"deviceType":"android"}"#))
        } + [
            Generation.java.fact(
                "2.3", "POSTs once and PUTs the whole device for ever, also when it is gone",
                Generation.java.sends(
                    "POST /installations?fetchWhenSave=true", "{\(android)}", 201,
                    has: #"{"objectId":"$id","installationId":"*"}"#),
                Generation.java.sends(
                    "PUT /installations/$id?fetchWhenSave=true", #"{\#(android),"channels":["x"]}"#,
                    has: #"{"objectId":"$id","updatedAt":"*","channels":["x"]}"#),
                .wait(91 * 86_400),
                Generation.java.sends(
                    "PUT /installations/$id?fetchWhenSave=true", #"{\#(android),"channels":["x"]}"#,
                    has: #"{"objectId":"$id","updatedAt":"*","channels":["x"]}"#),
                Step("GET /installations?limit=0&count=1", is: #"{"results":[],"count":1}"#)),
            Generation.java.fact(
                "2.5", "saves several objects in a batch whose PUT names the class alone",
                Generation.java.sends("POST /classes/Note", #"{"n":1}"#, 201, has: #"{"objectId":"$id"}"#),
                Generation.java.sends(
                    "POST /batch/save",
                    #"{"requests":[{"method":"PUT","path":"/1.1/classes/Note","body":{"__internalId":"$id","n":2}}]}"#),
                Generation.java.sends("GET /classes/Note/$id", has: #"{"n":2}"#)),
            Fact(
                "3.1", "Java before 7: an expiration is in milliseconds",
                Step("POST /installations", #"{"deviceType":"ios","deviceToken":"a"}"#, 201),
                Generation.java.sends(
                    "POST /push", #"{"expiration_time":1795262460000,"data":{"alert":"x"}}"#, has: #"{"objectId":"*"}"#),
                Generation.java.sends(
                    "POST /push", #"{"expiration_time":1795262340000,"data":{"alert":"late"}}"#,
                    has: #"{"objectId":"*"}"#),
                .inbox("a", #"{"alert":"x"}"#), configure: { $0.clientsMayPush = true }),
            // The second is what newer machines write, with a narrow space.
            Fact(
                "3.1", "Java 7.2.7: an expiration without a time zone is refused with what to use",
                steps: ["Nov 25, 2026, 8:07:57 PM", "Nov 25, 2026, 8:07:57\u{202F}PM", "Nov 25, 2026 8:07:57 PM"].map {
                    Generation.java.sends(
                        "POST /push", #"{"expiration_time":"\#($0)","data":{"alert":"x"}}"#, 400,
                        is: """
                            {"code":1,"error":"expiration_time is a time such as 2019-04-01T06:19:29.000Z, or milliseconds \
                            since 1970; what the Java SDK writes since version 7 names no time zone: use \
                            setExpirationTimeInterval there."}
                            """)
                }, configure: { $0.clientsMayPush = true }),
        ]

    /// Sections 1.2 to 3.1: the SDKs of other platforms. Source: csharp-sdk, javascript-sdk, php-sdk, go-sdk, python-sdk.
    static let otherGenerations: [Fact] =
        [
            Generation.cSharp.fact(
                "2.3", "PUTs to the class of devices, also when the device is gone",
                Generation.cSharp.sends(
                    "POST /classes/_Installation", "{\(android)}", 201, has: #"{"objectId":"$id"}"#),
                .wait(91 * 86_400),
                Generation.cSharp.sends(
                    "PUT /classes/_Installation/$id", #"{\#(android),"n":1}"#,
                    has: #"{"objectId":"$id","updatedAt":"*"}"#),
                Generation.cSharp.sends("GET /classes/_Installation/$id", has: #"{"n":1}"#)),
            Fact(
                "3.1", "C#: pushes with a condition as text, and times without a zone",
                Step("POST /installations", #"{"deviceType":"ios","deviceToken":"a","n":1}"#, 201),
                Generation.cSharp.sends(
                    "POST /push",
                    #"{"where":"{\"n\":1}","expiration_time":"2026-11-21T12:00:01.1234567","data":{"alert":"x"}}"#,
                    has: #"{"objectId":"*","createdAt":"*"}"#),
                Generation.cSharp.sends(
                    "POST /push", #"{"cql":"select * from _Installation where n = 1","data":{"alert":"y"}}"#,
                    has: #"{"objectId":"*"}"#),
                .inbox("a", #"{"alert":"x"}"#, #"{"alert":"y"}"#), configure: { $0.clientsMayPush = true }),
            Generation.oldJavaScript.fact(
                "1.1", "shows its keys and verbs in the body",
                Generation.oldJavaScript.sends(
                    "POST /classes/_Installation", plain(android), 201, has: #"{"objectId":"$id"}"#),
                Generation.oldJavaScript.sends(
                    "POST /classes/_Installation/$id", plain(#""n":1"#, "PUT"), has: #"{"objectId":"$id"}"#),
                Generation.oldJavaScript.sends(
                    "POST /classes/_Installation/$id", plain("", "GET"),
                    has: #"{"n":1,"_ClientVersion":"-","_InstallationId":"-"}"#),
                Generation.oldJavaScript.sends("POST /classes/Note?new=true", plain(#""n":1"#), 201, has: #"{"n":1}"#),
                Generation.oldJavaScript.sends(
                    "POST /classes/Note", plain(#""where":{"n":1},"limit":1"#, "GET"), has: #"{"results":[{"n":1}]}"#),
                Generation.oldJavaScript.sends(
                    "POST /cloudQuery", plain(#""cql":"select * from Note where n=1""#, "GET"),
                    has: #"{"results":[{"n":1}],"className":"Note"}"#)),
            Fact(
                "1.1", "JavaScript 0.6: its keys stand after everything else, however much that is",
                Generation.oldJavaScript.sends(
                    "POST /batch", plainAtTheEnd(#""requests":[\#(notes)]"#),
                    has: "[\(Array(repeating: #"{"success":{"objectId":"*"}}"#, count: 25).joined(separator: ","))]"),
                Generation.oldJavaScript.sends(
                    "POST /classes/Note",
                    plainAtTheEnd(#""where":{"s":{"$in":[\#(hundred)]}},"limit":1,"_method":"GET""#),
                    has: #"{"results":[{"n":1}]}"#),
                // What ends like its keys within a text, or in an object of its own, are none.
                Step(
                    "POST /classes/Note", #"{"a":"x\","_ApplicationId\":\"giants\"","b":{\#(keys)}}"#, as: .none,
                    headers: Generation.oldJavaScript.headers, 401)),
            Fact(
                "3.1", "JavaScript 0.6: says in the body which environment it pushes to",
                Generation.oldJavaScript.sends(
                    "POST /push",
                    plain(#""data":{},"notification_id":"n""#).replacing(
                        #""_ApplicationProduction":1"#, with: #""_ApplicationProduction":0"#)),
                Step("GET /notifications/n", has: #"{"prod":"dev"}"#), configure: { $0.clientsMayPush = true }),
        ]
        + Generation.javaScripts.map {
            $0.fact(
                "2.5", "saves, finds and deletes several objects at once",
                $0.sends("POST /classes/Note?&new=true", #"{"n":1}"#, 201, has: #"{"objectId":"$a","n":1}"#),
                $0.sends("POST /classes/Note?fetchWhenSave=true", #"{"n":2}"#, 201, has: #"{"objectId":"$b","n":2}"#),
                $0.sends(#"GET /classes/Note?where={"n":{"$gt":1}}&limit=1"#, has: #"{"results":[{"n":2}]}"#),
                $0.sends("DELETE /classes/Note/$a,$b", is: "{}"),
                $0.sends("GET /classes/Note", is: #"{"results":[]}"#))
        }
        + Generation.javaScripts.map {
            $0.fact(
                "1.2", "the router that it asks is here",
                $0.sends("GET //1/route?appId=giants", has: #"{"api_server":"*","ttl":3600}"#),
                $0.sends("GET //2/route?appId=giants", has: #"{"api_server":"*","ttl":3600}"#))
        }
        + [
            Generation.php.fact(
                "2.3", "POSTs to the class of devices and PUTs in a batch",
                Generation.php.sends("POST /classes/_Installation", "{\(android)}", 201, has: #"{"objectId":"$id"}"#),
                Generation.php.sends(
                    "POST /batch",
                    #"{"requests":[{"method":"PUT","path":"/1.1/classes/_Installation/$id","body":{"n":1}}]}"#,
                    has: #"[{"success":{"objectId":"$id","updatedAt":"*"}}]"#)),
            Generation.go.fact(
                "2.4", "reads and writes classes and asks in CQL",
                Generation.go.sends(
                    "POST /classes/Note", #"{"n":1}"#, 201, has: #"{"objectId":"$id","createdAt":"*"}"#),
                Generation.go.sends("PUT /classes/Note/$id", #"{"n":2}"#, has: #"{"updatedAt":"*"}"#),
                Generation.go.sends(
                    #"GET /cloudQuery?cql=SELECT * FROM Note WHERE n = ?&pvalues=[2]"#,
                    has: #"{"results":[{"n":2}],"className":"Note"}"#)),
        ]
        + Generation.pythons.map {
            $0.fact(
                "3.1", "pushes with conditions, CQL and times of its datetime",
                $0.sends("POST /classes/_Installation", #"{"deviceType":"ios","deviceToken":"a","n":1}"#, 201),
                $0.sends(
                    "POST /push",
                    #"{"data":{"alert":"x"},"where":{"n":1},"push_time":"2026-11-21T12:00:00.123456"}"#,
                    has: #"{"objectId":"$id"}"#),
                $0.sends("POST /push", #"{"data":{"alert":"y"},"cql":"select * from _Installation where n=1"}"#),
                $0.sends("GET /tables/Notifications/$id", has: #"{"objectId":"$id"}"#),
                .inbox("a", #"{"alert":"x"}"#, #"{"alert":"y"}"#))
        }
}
