import Base
import LeanCloud
import Testing

@testable import Push

@Suite struct DecodingTests {
    /// The request that a decoded campaign makes again, in a workspace without profiles.
    private func encodedAgain(_ campaign: Campaign) -> PushRequest {
        let draft = PushDraft(
            campaign: campaign, condition: campaign.audience.joinedCondition(segments: [:]),
            platforms: campaign.audience.possiblePlatforms(segments: [:]), profile: nil,
            scheduledAt: campaign.scheduledAt?.instant, notificationID: k3j)
        return LeanCloudEncoder().encode(draft).request
    }

    private func request(_ text: String) throws -> PushRequest {
        PushRequest(endpoint: .push, body: try JSONValue(parsing: text))
    }

    private func decoded(_ request: PushRequest) throws -> [Campaign] {
        try LeanCloudDecoder(request).campaigns(named: "c", origin: Origin(file: "", line: 1))
    }

    @Test func whatAnEncoderMadeIsDecodedToTheSame() throws {
        var generator = SeededGenerator(seed: 7)
        var count = 0
        for _ in 0..<4000 {
            let campaign = generator.campaign()
            let draft = PushDraft(
                campaign: campaign, condition: campaign.audience.joinedCondition(segments: [:]),
                platforms: campaign.audience.possiblePlatforms(segments: [:]), profile: nil,
                scheduledAt: campaign.scheduledAt?.instant, notificationID: k3j)
            let original = LeanCloudEncoder().encode(draft)
            if original.findings.contains(where: { $0.severity == .error }) { continue }
            count += 1
            guard let options = try? decoded(original.request), let first = options.first else {
                Issue.record("\(original.request.body.canonicalText) cannot be decoded")
                continue
            }
            let again = encodedAgain(first)
            let differences = try LeanCloudDecoder.differences(between: original.request, and: again)
            #expect(
                differences.isEmpty,
                "\(original.request.body.canonicalText) became \(again.body.canonicalText): \(differences)")
        }
        #expect(count > 1500, "\(count)")
    }

    @Test(arguments: [
        #"{"data":{"alert":"x"},"where":{"channels":"public"}}"#,
        #"{"data":{"alert":"x"},"where":{"channels":["public"]}}"#,
        #"{"data":{"alert":"x","title":"t","badge":"Increment","sound":"s.caf"},"where":{}}"#,
        #"{"data":{"alert":{"body":"x"}},"where":{"deviceType":"ios"}}"#,
        #"{"data":{"alert":{"title":"t","body":"x","launch-image":"l"},"category":"c"},"where":{"deviceType":"ios"}}"#,
        #"{"data":{"alert":{"loc-key":"K","loc-args":["a","a"],"title-loc-key":"T"}},"where":{"deviceType":"ios"}}"#,
        #"{"data":{"aps":{"alert":"x","badge":3},"k":1},"where":{"deviceType":"ios"}}"#,
        #"{"data":{"aps":{"alert":{"title":"t"},"interruption-level":"time-sensitive"}},"where":{"deviceType":"ios"}}"#,
        #"{"data":{"ios":{"alert":"a"},"android":{"alert":"b","title":"t"}},"where":{}}"#,
        #"{"data":{"alert":"a","title":"t","ios":{"badge":1},"android":{"silent":true,"k":"v"}},"where":{}}"#,
        #"{"data":{"alert":"a","mi":{"title":"m"},"hms":{"x":{"y":[1,null]}}},"where":{"deviceType":"android"}}"#,
        #"{"data":{"alert":"a","mi":{"title":"m"}},"where":{"scores":true}}"#,
        #"{"data":{"content-available":1,"apns-push-type":"background","k":"v"},"where":{"deviceType":"ios"}}"#,
        #"{"data":{"content-available":1,"k":"v"},"where":{"deviceType":"ios"}}"#,
        #"{"data":{"alert":"x","sound":{"name":"s","critical":true,"volume":"0.8"}},"where":{"deviceType":"ios"}}"#,
        #"{"data":{"alert":"x","mutable-content":0,"content-available":true},"where":{"deviceType":"ios"}}"#,
        #"{"data":{"alert":"x"},"expiration_interval":"86400","prod":"dev","flow_control":0,"where":{"a":1}}"#,
        #"{"data":{"alert":"x"},"expiration_time":"2027-01-01T00:00:00Z","flow_control":2500,"where":{"a":1}}"#,
        #"{"data":{"alert":"x","_notificationChannel":"c"},"where":{"deviceType":"android"}}"#,
        #"{"data":{"alert":"x"},"_notificationChannel":"c","where":{"deviceType":"android"}}"#,
        #"{"data":{"alert":"x"},"where":{"deviceType":{"$in":["android","ios"]}}}"#,
        #"{"data":{"alert":"x"},"where":{"deviceType":"macos","channels":{"$in":["b","a"]}}}"#,
        #"{"data":{"alert":"x"},"where":{"deviceProfile":"driver","$or":[{"a":1},{"b":{"$exists":true}}]}}"#,
        #"{"data":{"alert":"x","apns-priority":10,"collapse-id":"c","thread-id":"t"},"where":{"deviceType":"ios"}}"#,
    ])
    func everyFormIsDecodedToWhatMeansTheSame(text: String) throws {
        let original = try request(text)
        let first = try #require(try decoded(original).first)
        let again = encodedAgain(first)
        #expect(
            try LeanCloudDecoder.differences(between: original, and: again).isEmpty,
            "\(text) became \(again.body.canonicalText)")
    }

    @Test(arguments: [
        (#"{"data":{"alert":"x","url-args":["a"]},"where":{"deviceType":"ios"}}"#, "url-args"),
        (#"{"data":{"alert":{"action-loc-key":"A","body":"x"}},"where":{"deviceType":"ios"}}"#, "action-loc-key"),
        (#"{"data":{"alert":"x","aps":{"alert":"y"}},"where":{"deviceType":"ios"}}"#, "aps"),
        (#"{"data":{"alert":{"body":"x"}},"where":{}}"#, "Android"),
        (#"{"data":{"alert":17},"where":{}}"#, "alert"),
        (#"{"data":{"alert":{"body":"x","loc-key":"K"}},"where":{"deviceType":"ios"}}"#, "loc-key"),
        (#"{"data":{"alert":"x","badge":-1},"where":{}}"#, "badge"),
        (#"{"data":{"alert":"x","badge":"increment"},"where":{}}"#, "badge"),
        (#"{"data":{"alert":"x","wp":{}},"where":{}}"#, "Windows Phone"),
        (#"{"data":{"alert":"x","mi":1},"where":{"deviceType":"android"}}"#, "mi"),
        (#"{"data":{"alert":"x","ios":"y"},"where":{}}"#, "ios"),
        (#"{"data":{"title":"x"},"where":{"deviceType":"ios"}}"#, "title"),
        (#"{"data":{"alert":"x"},"where":{},"cql":"select * from _Installation"}"#, "cql"),
        (#"{"data":{"alert":"x"},"where":{},"expiration_interval":1,"expiration_time":"2027-01-01T00:00:00Z"}"#, "two"),
        (#"{"data":{"alert":"x"},"where":{},"expiration_interval":-1}"#, "expiration_interval"),
        (#"{"data":{"alert":"x"},"where":{},"prod":"staging"}"#, "prod"),
        (#"{"data":{"alert":"x"},"where":{},"flow_control":1.5}"#, "flow_control"),
        (#"{"data":{"alert":"x"},"where":"{}"}"#, "where"),
        (#"{"data":"x","where":{}}"#, "condition"),
    ])
    func whatACampaignCannotSayIsNamed(text: String, word: String) throws {
        let error = #expect(throws: Inexpressible.self) { try decoded(try request(text)) }
        #expect(error?.description.contains(word) == true, "\(error?.description ?? "")")
    }

    /// Pairs that do not mean the same, and what differs.
    @Test(arguments: [
        (
            #"{"data":{"alert":"x"},"where":{"a":1}}"#, #"{"data":{"alert":"x"},"where":{"a":2}}"#,
            [PushDifference.audience]
        ),
        (#"{"data":{"alert":"x"},"where":{}}"#, #"{"data":{"alert":"y"},"where":{}}"#, [.apple, .android]),
        (
            #"{"data":{"alert":"x"},"where":{"channels":["a"]}}"#, #"{"data":{"alert":"x"},"where":{"channels":"a"}}"#,
            [.audience]
        ),
        (#"{"data":{"alert":"x"}}"#, #"{"data":{"alert":"x"},"prod":"dev"}"#, [.environment]),
        (#"{"data":{"alert":"x"},"flow_control":1000}"#, #"{"data":{"alert":"x"}}"#, [.throttle]),
        (#"{"data":{"alert":"x"},"expiration_interval":9}"#, #"{"data":{"alert":"x"}}"#, [.expiration]),
        (
            #"{"data":{"alert":"x"},"push_time":"2027-01-01T00:00:00Z"}"#,
            #"{"data":{"alert":"x"},"push_time":"2027-01-01T00:00:00.001Z"}"#, [.time]
        ),
        (#"{"data":{"alert":"x"},"topic":"a.b"}"#, #"{"data":{"alert":"x"}}"#, [.topic]),
        (#"{"data":{"alert":"x"}}"#, #"{"data":{"alert":"x"},"topic":"a.b"}"#, [.addedTopic]),
        (#"{"data":{"alert":"x","badge":1}}"#, #"{"data":{"alert":"x"}}"#, [.apple]),
        (#"{"data":{"alert":"x","mi":{"a":1}}}"#, #"{"data":{"alert":"x"}}"#, [.android]),
        (#"{"data":{"alert":"x","k":1}}"#, #"{"data":{"alert":"x","k":"1"}}"#, [.apple, .android]),
        (
            #"{"data":{"aps":{"alert":"x"}},"where":{}}"#, #"{"data":{"alert":"x"},"where":{}}"#, [.android]
        ),
    ])
    func differencesAreFound(first: String, second: String, wanted: [PushDifference]) throws {
        #expect(try LeanCloudDecoder.differences(between: try request(first), and: try request(second)) == wanted)
    }

    @Test func theAudienceIsSaidTheWayPeopleDo() throws {
        let text =
            #"{"data":{"alert":"x"},"where":{"channels":{"$in":["a","b"]},"deviceType":"ios","scores":true,"#
            + #""deviceProfile":"driver"}}"#
        let options = try decoded(try request(text)).map(\.audience)
        #expect(options.count == 4)
        #expect(
            options.first
                == Audience(
                    channels: ["a", "b"], condition: ["scores": true, "deviceProfile": "driver"], platforms: [.ios]))
        #expect(options.contains { $0.deviceProfile == "driver" && $0.condition == ["scores": true] })
        #expect(
            try decoded(try request(#"{"data":{"alert":"x"},"where":{}}"#)).map(\.audience) == [
                Audience(everyone: true)
            ])
    }
}

@Suite struct KeptRequestTests {
    private func kept(_ text: String) throws -> JSONValue {
        let push = ScheduledPush(id: 1, notificationID: nil, at: instant("2027-01-01T00:00:00Z"))
        return try KeptRequest(KeptPush(push: push, message: try JSONValue(parsing: text))).request.body
    }

    @Test func theDocumentedListIsRead() throws {
        let text = #"""
            {"through?":null,"app-id":"OLnulS0MaC7EEyAJ0uA7uKEF-gzGzoHsz",
             "where":{"sort":{"createdAt":1},"query":{"installationId":"just-for-test","valid":true}},
             "prod":"prod","api-version":"1.1","msg":{"message":"test msg"},
             "id":"XRs9jmWnLd0GH2EH","notificationId":"mhWjvHvJARB6Q6ni"}
            """#
        #expect(
            try kept(text) == [
                "data": ["message": "test msg"], "prod": "prod", "push_time": "2027-01-01T00:00:00.000Z",
                "where": ["installationId": "just-for-test"],
            ])
    }

    @Test(arguments: [
        (#"{"a":1,"valid":true}"#, #"{"a":1}"#), (#"{"valid":true}"#, "{}"), ("{}", "{}"),
        (#"[{"a":1},{"b":2}]"#, #"{"$and":[{"a":1},{"b":2}]}"#),
        (#"{"$and":[{"valid":false},{"valid":true}]}"#, #"{"valid":false}"#),
        (#"{"$and":[{"a":1},{"b":2}],"valid":true}"#, #"{"$and":[{"a":1},{"b":2}]}"#),
    ])
    func whatTheServiceAddsIsTakenAway(query: String, condition: String) throws {
        let body = try kept(#"{"where":{"query":\#(query)},"msg":{"alert":"x"}}"#)
        #expect(body["where"] == (try JSONValue(parsing: condition)))
    }

    @Test func parametersAreReadInBothSpellings() throws {
        let dashes = #"{"msg":{"a":1},"expiration-time":"2027-01-02T00:00:00Z","apns-team-id":"T","flow-control":5}"#
        let lines = #"{"msg":{"a":1},"expiration_time":"2027-01-02T00:00:00Z","apns_team_id":"T","flow_control":5}"#
        #expect(try kept(dashes) == (try kept(lines)))
        #expect(try kept(dashes)["expiration_time"] == "2027-01-02T00:00:00Z")
    }

    @Test func channelsBesideTheConditionNarrowIt() throws {
        #expect(
            try kept(#"{"msg":{"a":1},"channels":"x","where":{"query":{"a":1}}}"#)["where"]
                == ["a": 1, "channels": ["$in": ["x"]]])
        #expect(
            try kept(#"{"msg":{"a":1},"channels":["x"],"where":{"query":{"channels":"y"}}}"#)["where"]
                == ["$and": [["channels": "y"], ["channels": ["$in": ["x"]]]]])
    }

    @Test(arguments: [
        (#"{"msg":{"a":1},"surprise":1}"#, "surprise"), (#"{"msg":"x"}"#, "content"), ("{}", "content"),
        (#"{"msg":{"a":1},"where":{"query":"x"}}"#, "where"), (#"{"msg":{"a":1},"channels":[1]}"#, "channels"),
    ])
    func whatIsNotKnownIsNamed(text: String, word: String) throws {
        let error = #expect(throws: Inexpressible.self) { try kept(text) }
        #expect(error?.description.contains(word) == true)
    }
}
