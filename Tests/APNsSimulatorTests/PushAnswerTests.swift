import APNsSimulator
import Testing

@Suite struct PushAnswerTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let claim: String
        let expected: String
        let request: TestRequest

        init(_ claim: String, _ expected: String, _ change: (TestRequest) -> TestRequest) {
            self.claim = claim
            self.expected = expected
            request = change(.push())
        }

        var testDescription: String { claim }
    }

    static let headers = [
        Row("a push is accepted", "200") { $0 },
        Row("an unknown header is ignored", "200") { $0.with("x-anything", "1") },
        Row("the push type may be absent", "200") { $0.with("apns-push-type", nil) },
        Row("the priority may be absent", "200") { $0.with("apns-priority", nil) },
        Row("priority 1", "200") { $0.with("apns-priority", "1") },
        Row("another priority", "400 BadPriority") { $0.with("apns-priority", "7") },
        Row("an unknown push type", "400 InvalidPushType") { $0.with("apns-push-type", "shout") },
        Row("no topic", "400 MissingTopic") { $0.with("apns-topic", nil) },
        Row("an empty topic", "400 BadTopic") { $0.with("apns-topic", "") },
        Row("an alert to a voip topic", "400 BadTopic") { $0.with("apns-topic", Sample.bundle + ".voip") },
        Row("voip to a plain topic", "400 BadTopic") { $0.with("apns-push-type", "voip") },
        Row("another app's topic", "400 DeviceTokenNotForTopic") { $0.with("apns-topic", "com.example.other") },
        Row("background with priority 10", "400 BadPriority") { $0.with("apns-push-type", "background") },
        Row("background without a priority, which is 10", "400 BadPriority") {
            $0.with("apns-push-type", "background").with("apns-priority", nil)
        },
        Row("background with priority 5", "200") { $0.with("apns-push-type", "background").with("apns-priority", "5") },
        Row("expiration 0", "200") { $0.with("apns-expiration", "0") },
        Row("an expiration that is no number", "400 BadExpirationDate") { $0.with("apns-expiration", "soon") },
        Row("an expiration below 0", "400 BadExpirationDate") { $0.with("apns-expiration", "-1") },
        Row("a collapse id of 64 bytes", "200") { $0.with("apns-collapse-id", String(repeating: "c", count: 64)) },
        Row("a collapse id of 65 bytes", "400 BadCollapseId") {
            $0.with("apns-collapse-id", String(repeating: "c", count: 65))
        },
        Row("a collapse id of 22 characters and 66 bytes", "400 BadCollapseId") {
            $0.with("apns-collapse-id", String(repeating: "推", count: 22))
        },
        Row("an apns-id in capitals", "400 BadMessageId") {
            $0.with("apns-id", "9F2C1B7E-0000-4000-8000-00000000000A")
        },
        Row("an apns-id that is no UUID", "400 BadMessageId") { $0.with("apns-id", "one") },
        Row("a header twice", "400 DuplicateHeaders") { request in
            var request = request
            request.headers.append(("apns-priority", "10"))
            return request
        },
    ]

    static let bodies = [
        Row("no body", "400 PayloadEmpty") { $0.with(body: "") },
        Row("a body that is no JSON", "400 PayloadEmpty") { $0.with(body: "{\"aps\":") },
        Row("a list for a body", "400 PayloadEmpty") { $0.with(body: "[]") },
        Row("4096 bytes", "200") { $0.with(bodyOf: 4096) },
        Row("4097 bytes", "413 PayloadTooLarge") { $0.with(bodyOf: 4097) },
        Row("60,000 bytes", "413 PayloadTooLarge") { $0.with(bodyOf: 60_000) },
    ]

    static let paths = [
        Row("no token", "400 MissingDeviceToken") { $0.at("/3/device/") },
        Row("no token and no slash", "400 MissingDeviceToken") { $0.at("/3/device") },
        Row("a token that is no hexadecimal text", "400 BadDeviceToken") { $0.at("/3/device/xyz") },
        Row("an unknown token", "400 BadDeviceToken") { $0.at("/3/device/" + String(repeating: "cd", count: 32)) },
        Row("a token in capitals", "200") { $0.at("/3/device/" + Sample.token.uppercased()) },
        Row("a path too many", "404 BadPath") { $0.at("/3/device/" + Sample.token + "/more") },
        Row("another path", "404 BadPath") { $0.at("/2/device/" + Sample.token) },
        Row("another method", "405 MethodNotAllowed") { request in
            var request = request.with(body: "")
            request.method = "GET"
            return request
        },
    ]

    @Test(arguments: headers + bodies + paths) func answers(_ row: Row) async throws {
        try await Sample.connected { simulator, client in
            let request = row.request.with("authorization", "bearer " + (Sample.provider()))
            let end = await client.send(request)
            #expect(end.text == row.expected)
            #expect(simulator.deliveries(to: Sample.token) == (row.expected == "200" ? 1 : 0))
            #expect((end.reply.headers["content-type"] == "application/json") == (row.expected != "200"))
        }
    }

    @Test(arguments: [
        ("voip", ".voip", 5120), ("complication", ".complication", 4096), ("controls", ".push-type.controls", 4096),
        ("fileprovider", ".pushkit.fileprovider", 4096), ("liveactivity", ".push-type.liveactivity", 4096),
        ("location", ".location-query", 4096), ("pushtotalk", ".voip-ptt", 4096),
        ("widgets", ".push-type.widgets", 4096),
    ]) func eachTypeHasItsTopicAndSize(_ type: String, _ suffix: String, _ limit: Int) async throws {
        try await Sample.connected { simulator, client in
            try simulator.register(token: Sample.token, topic: Sample.bundle + suffix)
            let push = TestRequest.push(Sample.token, Sample.provider()).with("apns-push-type", type)
            #expect(await client.send(push).text == "400 BadTopic")
            let right = push.with("apns-topic", Sample.bundle + suffix)
            #expect(await client.send(right.with(bodyOf: limit)).text == "200")
            #expect(await client.send(right.with(bodyOf: limit + 1)).text == "413 PayloadTooLarge")
            #expect(await client.send(right.with("apns-topic", suffix)).text == "400 BadTopic")
        }
    }

    @Test func mobileDeviceManagementHasATopicOfItsOwn() async throws {
        try await Sample.connected { simulator, client in
            try simulator.register(token: Sample.token, topic: "com.apple.mgmt.External.1")
            let push = TestRequest.push(Sample.token, Sample.provider()).with("apns-push-type", "mdm")
            #expect(await client.send(push).text == "400 BadTopic")
            #expect(await client.send(push.with("apns-topic", "com.apple.mgmt.External.1")).text == "200")
        }
    }

    @Test func theIDIsEchoedOrMade() async throws {
        try await Sample.connected { simulator, client in
            let push = TestRequest.push(Sample.token, Sample.provider())
            let id = "9f2c1b7e-0000-4000-8000-00000000000a"
            #expect(await client.send(push.with("apns-id", id)).reply.headers["apns-id"] == id)
            #expect(await client.send(push.with("apns-id", id).with(bodyOf: 5000)).reply.headers["apns-id"] == id)
            let made = await client.send(push).reply.headers["apns-id"]
            #expect(made?.count == 36 && made != id)
            #expect(simulator.inbox(of: Sample.token).map(\.id) == [id, made])
        }
    }

    @Test(arguments: SimulatedEnvironment.allCases)
    func onlyDevelopmentAnswersAUniqueID(_ environment: SimulatedEnvironment) async throws {
        try await Sample.connected({ $0.environment = environment }) { _, client in
            let reply = await client.send(.push(Sample.token, Sample.provider())).reply
            #expect(reply.status == 200)
            #expect((reply.headers["apns-unique-id"]?.count == 36) == (environment == .development))
        }
    }

    @Test func aDeadTokenIsAnsweredWithItsTimeInMilliseconds() async throws {
        try await Sample.connected { simulator, client in
            let push = TestRequest.push(Sample.token, Sample.provider())
            try simulator.unregister(token: Sample.token, at: 1_700_000_000_123)
            #expect(await client.send(push).reply.body == #"{"reason":"Unregistered","timestamp":1700000000123}"#)
            try simulator.expire(token: Sample.token)
            #expect(
                await client.send(push).reply.body == #"{"reason":"ExpiredToken","timestamp":\#(Sample.now * 1000)}"#)
            try simulator.register(token: Sample.token, topic: Sample.bundle)
            #expect(await client.send(push).text == "200")
        }
    }

    @Test func aTokenOfTheOtherEnvironmentIsBad() async throws {
        try await Sample.connected { simulator, client in
            try simulator.register(token: Sample.token, topic: Sample.bundle, environment: .development)
            #expect(await client.send(.push(Sample.token, Sample.provider())).text == "400 BadDeviceToken")
        }
    }

    @Test func everyTokenCanBeAccepted() async throws {
        try await Sample.connected({ $0.acceptsEveryToken = true }) { simulator, client in
            let provider = Sample.provider()
            for token in ["0a", String(repeating: "cd", count: 80)] {
                #expect(await client.send(.push(token, provider)).text == "200")
                #expect(simulator.deliveries(to: token) == 1)
            }
            for token in ["0", "0g", String(repeating: "cd", count: 257)] {
                #expect(await client.send(.push(token, provider)).text == "400 BadDeviceToken")
            }
        }
    }
}
