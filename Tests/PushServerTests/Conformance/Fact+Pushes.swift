extension Fact {
    private static let devices = Step(
        "POST /batch",
        """
        {"requests":[
         {"method":"POST","path":"/1.1/installations","body":
          {"deviceType":"ios","deviceToken":"a","channels":["Giants"],"n":1,"badge":4}},
         {"method":"POST","path":"/1.1/installations","body":
          {"deviceType":"ios","deviceToken":"b","channels":["Giants","Mets"],"n":2}},
         {"method":"POST","path":"/1.1/installations","body":
          {"deviceType":"android","installationId":"c","channels":["Mets"],"n":3}},
         {"method":"POST","path":"/1.1/installations","body":
          {"deviceType":"ios","deviceToken":"off","channels":["Giants"],"n":1,"valid":false}}]}
        """)

    /// A push whose message is "x", and the devices that get it.
    private static func reaches(_ claim: String, _ audience: String, _ reached: String) -> Fact {
        let inboxes = ["a", "b", "c", "off"].map { name in
            reached.split(separator: " ").contains(Substring(name)) ? Step.inbox(name, #"{"alert":"x"}"#) : .inbox(name)
        }
        let more = audience.isEmpty ? "" : "," + audience
        return Fact("3.1", claim, steps: [devices, Step("POST /push", #"{"data":{"alert":"x"}\#(more)}"#)] + inboxes)
    }

    private static func environment(_ claim: String, _ header: String?, _ member: String, _ prod: String) -> Fact {
        Fact(
            "3.1", claim,
            Step(
                "POST /push", #"{"data":{},"notification_id":"n"\#(member)}"#,
                headers: header.map { [("X-LC-Prod", $0)] } ?? []),
            Step("GET /notifications/n", has: #"{"prod":"\#(prod)"}"#))
    }

    private static let repeated = #"{"data":{"alert":"x"},"req_id":"r","notification_id":"n","where":{"n":1}}"#

    /// Sections 3.1 to 3.3: who gets what.
    static let pushes: [Fact] = [
        Fact(
            "3.1", "a push answers 200 with an objectId of 16 characters and createdAt",
            Step(
                "POST /push", #"{"data":{"alert":"x"}}"#,
                is: #"{"objectId":"$id","createdAt":"2026-11-21T12:00:00.000Z"}"#),
            Step("GET /tables/Notifications/$id", has: #"{"objectId":"$id"}"#)),
        reaches("without where, channels and cql every valid device is meant", "", "a b c"),
        reaches("where chooses devices", #""where":{"n":{"$gte":2}}"#, "b c"),
        reaches("where may be a text, as the C# SDK sends it", #""where":"{\"n\":1}""#, "a"),
        reaches("where may be a list", #""where":[{"n":2},{"deviceType":"ios"}]"#, "b"),
        reaches("channels is one text", #""channels":"Mets""#, "b c"),
        reaches("channels is a list: any of them", #""channels":["Giants","Mets"]"#, "a b c"),
        reaches("channels and where are both required", #""channels":["Mets"],"where":{"deviceType":"ios"}"#, "b"),
        reaches(
            "a channel in where and channels are both required", #""channels":"Mets","where":{"channels":"Giants"}"#,
            "b"),
        reaches("nobody may be meant", #""where":{"n":99}"#, ""),
        reaches("an invalid device gets nothing, even when it is meant", #""where":{"deviceToken":"off"}"#, ""),
        reaches(
            "parameters of SDKs are taken",
            """
            "expiration_interval":"86400","topic":"com.example","apns_team_id":"T","flow_control":0,"appId":"i",\
            "_notificationChannel":"news","expiration_interval":60
            """, "a b c"),
        reaches("push_time less than a minute ahead is at once", #""push_time":"2026-11-21T12:00:59.999Z""#, "a b c"),
        reaches("push_time in the past is at once", #""push_time":"2019-04-01T06:19:29.000Z""#, "a b c"),
        reaches("expiration_time may lack milliseconds", #""expiration_time":"2026-11-21T13:00:00Z""#, "a b c"),
        reaches(
            "a time without a zone is UTC's, as the C# SDK sends it",
            #""push_time":"2026-11-21T12:00:30","expiration_time":"2026-11-21T12:00:01.1234567""#, "a b c"),
        reaches(
            "an expiration without a zone that is past reaches nobody", #""expiration_time":"2026-11-21T11:59:59""#, ""),
        Fact(
            "3.1", "a push_time without a zone is UTC's",
            Step("POST /push", #"{"data":{"alert":"x"},"push_time":"2026-11-21T13:00:00"}"#),
            Step("GET /scheduledPushMessages", has: #"{"results":[{"expire_time":1795266000000}]}"#)),
        reaches("cql chooses devices", #""cql":"select * from _Installation where n >= 2""#, "b c"),
        reaches(
            "cql and channels are both required",
            #""channels":["Mets"],"cql":"select * from _Installation where deviceType='ios' or n = 9""#, "b"),
        reaches("cql without a condition means every valid device", #""cql":"select * from _Installation""#, "a b c"),
        reaches("what has expired reaches nobody", #""expiration_time":"2026-11-21T11:00:00Z""#, ""),
        environment("prod is prod by default", nil, "", "prod"),
        environment("X-LC-Prod: 1 means prod", "1", "", "prod"),
        environment("X-LC-Prod: 0 means dev", "0", "", "dev"),
        environment("any other X-LC-Prod means dev", "x", "", "dev"),
        environment("prod in the body wins", "1", #","prod":"dev""#, "dev"),
        environment("prod in the body wins over a header of dev", "0", #","prod":"prod""#, "prod"),
        Fact(
            "3.1", "a req_id within 5 minutes is one push", devices,
            Step("POST /push", repeated, is: #"{"objectId":"$id","createdAt":"$time"}"#), .wait(299),
            Step("POST /push", repeated, is: #"{"objectId":"$id","createdAt":"$time"}"#),
            .inbox("a", #"{"alert":"x"}"#), .wait(2), Step("POST /push", repeated),
            .inbox("a", #"{"alert":"x"}"#, #"{"alert":"x"}"#),
            Step("GET /bugle/inboxes?notificationId=n", is: #"{"devices":1,"messages":2,"duplicates":1}"#)),
        Fact(
            "3.1", "pushes of one notification_id share a record", devices,
            Step(
                "POST /push", #"{"data":{"alert":"x"},"notification_id":"n","where":{"n":2}}"#,
                has: #"{"objectId":"$one"}"#),
            Step(
                "POST /push", #"{"data":{"alert":"x"},"notification_id":"n","where":{"n":3}}"#,
                has: #"{"objectId":"$other"}"#),
            Step(
                "GET /notifications/n",
                has: #"{"simulated":{"devices":2,"successes":2,"iosSuccesses":1,"lcSuccesses":1}}"#),
            Step("GET /tables/Notifications/$one", has: #"{"objectId":"$one","simulated":{"devices":2}}"#),
            Step("GET /tables/Notifications/$other", has: #"{"objectId":"$other","simulated":{"devices":2}}"#)),
        Fact(
            "3.2", "devices are named by their tokens, registered or not", devices,
            Step(
                "POST /push/devices", #"{"device_type":"ios","device_ids":["a","off","new"],"data":{"alert":"x"}}"#,
                has: #"{"objectId":"*","createdAt":"*"}"#),
            .inbox("a", #"{"alert":"x"}"#), .inbox("off", #"{"alert":"x"}"#), .inbox("new", #"{"alert":"x"}"#),
            .inbox("b")),
        Fact(
            "3.2", "Android devices are named by installationId", devices,
            Step(
                "POST /push/devices",
                #"{"device_type":"android","device_ids":["c"],"data":{"alert":"x"},"channel":"n","device_profile":"_default"}"#
            ),
            .inbox("c", #"{"alert":"x"}"#)),
        Fact(
            "3.3", "a platform's part overrides the defaults", devices,
            Step("POST /push", #"{"data":{"alert":"x","title":"T","ios":{"alert":"i"},"android":{"alert":"d"}}}"#),
            .inbox("a", #"{"alert":"i","title":"T","ios":"-"}"#), .inbox("c", #"{"alert":"d","title":"T"}"#)),
        Fact(
            "3.3", "Increment raises each device's stored badge by one", devices,
            Step("POST /push", #"{"data":{"alert":"x","badge":"Increment"},"where":{"deviceType":"ios"}}"#),
            .inbox("a", #"{"badge":5}"#), .inbox("b", #"{"badge":1}"#),
            Step(#"GET /installations?where={"deviceToken":"a"}"#, has: #"{"results":[{"badge":5}]}"#)),
        Fact(
            "3.3", "Increment is spelled so", devices,
            Step("POST /push", #"{"data":{"alert":"x","badge":"increment"},"where":{"n":1}}"#),
            .inbox("a", #"{"badge":"increment"}"#)),
        Fact(
            "3.3", "Increment works in the raw form too", devices,
            Step("POST /push", #"{"data":{"aps":{"alert":"x","badge":"Increment"},"own":1},"where":{"n":1}}"#),
            .inbox("a", #"{"aps":{"badge":5,"alert":"x"},"own":1}"#)),
    ]
}
