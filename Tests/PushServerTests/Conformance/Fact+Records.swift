extension Fact {
    private static let later = Step(
        "POST /push",
        """
        {"data":{"message":"test msg"},"where":{"installationId":"just-for-test"},
         "push_time":"2026-11-21T13:00:00.000Z","notification_id":"n"}
        """, has: #"{"objectId":"$push"}"#)

    private static let listed = """
        {"results":[{"id":1,"expire_time":1795266000000,"createdAt":"2026-11-21T12:00:00.000Z",
         "push_msg":{"through?":null,"app-id":"giants","api-version":"1.1","prod":"prod","msg":{"message":"test msg"},
         "where":{"sort":{"createdAt":1},"query":{"installationId":"just-for-test","valid":true}},
         "id":"$push","notificationId":"n"}}]}
        """

    /// Section 4: scheduled pushes and records.
    static let records: [Fact] = [
        Fact(
            "4.1", "scheduled pushes are listed with expire_time as the time of sending", later,
            Step("GET /scheduledPushMessages", is: listed)),
        Fact(
            "4.1", "the list is answered to the POST of the prose too", later,
            Step("POST /scheduledPushMessages", is: listed)),
        Fact(
            "4.1", "a scheduled push is cancelled by its outer id, is never sent and leaves no record",
            Step("POST /installations", #"{"deviceType":"android","installationId":"just-for-test"}"#, 201), later,
            Step("DELETE /scheduledPushMessages/1", "{}", is: "{}"),
            Step("GET /scheduledPushMessages", is: #"{"results":[]}"#),
            Step.refused("DELETE /scheduledPushMessages/1", 404, code: 101), .wait(7200), .inbox("just-for-test"),
            Step.refused("GET /notifications/n", 404, code: 101)),
        Fact(
            "4.1", "push_msg.id is not the id to cancel with", later,
            Step.refused("DELETE /scheduledPushMessages/$push", 404, code: 101)),
        Fact(
            "4.1", "it is sent once when its time has come, to whomever it reaches then", later,
            Step("POST /installations", #"{"deviceType":"android","installationId":"just-for-test"}"#, 201),
            .wait(3599), .inbox("just-for-test"), .wait(1), .inbox("just-for-test", #"{"message":"test msg"}"#),
            Step("GET /scheduledPushMessages", is: #"{"results":[]}"#),
            Step("GET /notifications/n", has: #"{"status":"done","simulated":{"devices":1}}"#), .wait(3600),
            .inbox("just-for-test", #"{"message":"test msg"}"#)),
        Fact(
            "4.1", "expiration_interval counts from push_time",
            Step("POST /installations", #"{"deviceType":"ios","deviceToken":"a"}"#, 201),
            Step("POST /push", #"{"data":{"alert":"x"},"push_time":"2026-11-21T13:00:00Z","expiration_interval":60}"#),
            .wait(3659), .inbox("a", #"{"alert":"x"}"#)),
        Fact(
            "4.2", "a record has its fields",
            Step("POST /installations", #"{"deviceType":"ios","deviceToken":"a"}"#, 201),
            Step(
                "POST /push", #"{"data":{"alert":"x"},"where":{"deviceType":"ios"},"notification_id":"n"}"#,
                has: #"{"objectId":"$id"}"#),
            Step(
                "GET /tables/Notifications/$id", as: .app,
                is: """
                    {"objectId":"$id","notificationId":"n","msg":{"alert":"x"},"status":"done","devices":0,"successes":0,
                     "iosSuccesses":0,"lcSuccesses":0,"invalidTokens":0,"prod":"prod","from-service":"push",
                     "simulated":{"devices":1,"successes":1,"iosSuccesses":1},
                     "where":{"deviceType":"ios","valid":true},"createdAt":"*","updatedAt":"*"}
                    """)),
        Fact(
            "4.2", "each vendor's channel has its counter",
            Step("POST /installations", #"{"deviceType":"android","installationId":"a","vendor":"mi"}"#, 201),
            Step("POST /installations", #"{"deviceType":"android","installationId":"b","vendor":"HMS"}"#, 201),
            Step("POST /installations", #"{"deviceType":"android","installationId":"c","vendor":"mz"}"#, 201),
            Step("POST /installations", #"{"deviceType":"android","installationId":"d"}"#, 201),
            Step("POST /push", #"{"data":{"alert":"x"},"notification_id":"n"}"#),
            Step(
                "GET /notifications/n",
                has: """
                    {"simulated":{"miSuccesses":1,"hmsSuccesses":1,"meizuSuccesses":1,"lcSuccesses":1,"devices":4}}
                    """)),
        Fact(
            "4.2", "what is simulated is not among what left for a real service",
            Step("POST /installations", #"{"deviceType":"ios","deviceToken":"a"}"#, 201),
            Step("POST /push", #"{"data":{"alert":"x"},"notification_id":"n"}"#),
            Step(
                "GET /notifications/n",
                has: #"{"devices":0,"successes":0,"iosSuccesses":0,"simulated":{"devices":1,"successes":1}}"#)),
        Fact(
            "4.2", "a record says that a class of the push's condition does not exist",
            Step("POST /installations", #"{"deviceType":"ios","deviceToken":"a"}"#, 201),
            Step("POST /classes/Here", #"{"n":1}"#, 201),
            Step(
                "POST /push",
                #"""
                {"data":{"alert":"x"},"notification_id":"n","where":{"$or":[
                {"o":{"$inQuery":{"className":"Here","where":{}}}},{"o":{"$notInQuery":{"className":"Gone","where":{}}}},
                {"n":{"$select":{"query":{"className":"Lost","where":{}},"key":"n"}}}]}}
                """#),
            Step("GET /notifications/n", has: #"{"status":"done","absentClasses":["Gone","Lost"]}"#)),
        Fact(
            "4.2", "a record of classes that exist says nothing of them",
            Step("POST /classes/Here", #"{"n":1}"#, 201),
            Step(
                "POST /push",
                #"{"data":{},"notification_id":"n","where":{"o":{"$inQuery":{"className":"Here","where":{}}}}}"#),
            Step("GET /notifications/n", has: #"{"status":"done","absentClasses":"-"}"#)),
        Fact(
            "4.2", "a scheduled push's record says so", later,
            Step("GET /notifications/n", has: #"{"status":"scheduled","push-time":"2026-11-21T13:00:00.000Z"}"#)),
        Fact(
            "4.2", "records are listed, the newest first",
            Step("POST /push", #"{"data":{},"notification_id":"a"}"#), .wait(1),
            Step("POST /push", #"{"data":{},"notification_id":"b"}"#),
            Step("GET /notifications", has: #"{"results":[{"notificationId":"b"},{"notificationId":"a"}]}"#),
            Step("GET /notifications?limit=1&skip=1&count=1", has: #"{"results":[{"notificationId":"a"}],"count":2}"#)),
        Fact(
            "4.2", "a record is deleted by its notification id",
            Step("POST /push", #"{"data":{},"notification_id":"a"}"#), Step("DELETE /notifications/a", "{}", is: "{}"),
            Step.refused("GET /notifications/a", 404, code: 101),
            Step.refused("DELETE /notifications/a", 404, code: 101)),
        Fact(
            "4.2", "records are kept 7 days",
            Step("POST /push", #"{"data":{},"notification_id":"a"}"#, has: #"{"objectId":"$id"}"#),
            .wait(7 * 86_400 - 1),
            Step("GET /notifications/a"), .wait(1), Step.refused("GET /tables/Notifications/$id", 404, code: 101),
            Step.refused("GET /notifications/a", 404, code: 101)),
        Fact(
            "4.2", "an unknown record is 404 with code 101",
            Step.refused("GET /tables/Notifications/none", 404, code: 101),
            Step.refused("GET /notifications/none", 404, code: 101)),
    ]

    /// Section 6: what is no case of its own.
    static let errors: [Fact] = [
        Fact(
            "6", "an error is an object with code and error",
            Step("GET /nowhere", nil, 404, is: #"{"code":404,"error":"*"}"#),
            Step("PATCH /date", nil, 405, is: #"{"code":405,"error":"*"}"#)),
        Fact(
            "6", "a body that is no dictionary is malformed: 107",
            steps: ["", "[]", "5", "{", #""x""#, "null"].map {
                Step.refused(
                    "POST /classes/Note", $0, 400, code: 107, "Malformed json object. A json dictionary is expected.")
            }),
        Fact("6", "a class name has its rule: 103", Step.refused("POST /classes/no-name", "{}", 400, code: 103)),
        Fact(
            "6", "an object has 300 fields at most: 105",
            Step("POST /classes/Note", "{\((1...300).map { "\"f\($0)\":1" }.joined(separator: ","))}", 201),
            Step.refused(
                "POST /classes/Note", "{\((1...301).map { "\"f\($0)\":1" }.joined(separator: ","))}", 400, code: 105)),
        Fact(
            "6", "an object of over 16 MB is too large: 116",
            Step.refused("POST /classes/Note", #"{"s":"\#(String(repeating: "x", count: 16 << 20))"}"#, 400, code: 116)),
        Fact(
            "6", "changing what is not there is 404 with code 101",
            Step.refused("PUT /installations/none", "{}", 404, code: 101),
            Step.refused("DELETE /installations/none", 404, code: 101, "Class or object doesn't exists.")),
        Fact(
            "10", "an ACL that hides an object hides it from clients",
            Step("POST /classes/Note", #"{"n":1,"ACL":{}}"#, 201, has: #"{"objectId":"$id"}"#),
            Step("GET /classes/Note/$id", as: .app, is: "{}"),
            Step("GET /classes/Note", as: .app, is: #"{"results":[]}"#),
            Step.refused("PUT /classes/Note/$id", "{}", as: .app, 404, code: 101),
            Step("GET /classes/Note/$id", has: #"{"n":1}"#)),
    ]
}
