import Base
import Testing

@testable import APNsSimulator

@Suite struct BroadcastTests {
    private static let channels = "/1/apps/\(Sample.bundle)/channels"
    private static let broadcasts = "/4/broadcasts/apps/\(Sample.bundle)"

    private func settings(_ policy: Int) -> String {
        #"{"message-storage-policy":\#(policy),"push-type":"LiveActivity"}"#
    }

    private func broadcast(_ provider: String, _ id: String?) -> TestRequest {
        TestRequest.channel("POST", Self.broadcasts, provider, id: id, body: #"{"aps":{"event":"update"}}"#)
            .with("apns-push-type", "liveactivity").with("apns-expiration", "0").with("apns-priority", "5")
    }

    @Test func aChannelIsCreatedReadListedAndDeleted() async throws {
        try await Sample.connected { simulator, client in
            let provider = Sample.provider()
            let created = await client.send(.channel("POST", Self.channels, provider, body: settings(1))).reply
            let id = try #require(created.headers["apns-channel-id"])
            #expect(created.status == 201 && created.body.isEmpty)
            #expect(created.headers["apns-request-id"]?.count == 36)
            let request = "9f2c1b7e-0000-4000-8000-00000000000a"
            let read = await client.send(
                TestRequest.channel("GET", Self.channels, provider, id: id).with("apns-request-id", request)
            ).reply
            #expect(read.status == 200 && read.body == settings(1))
            #expect(read.headers["apns-request-id"] == request)
            let all = "/1/apps/\(Sample.bundle)/all-channels"
            #expect(await client.send(.channel("GET", all, provider)).reply.body == #"{"channels":["\#(id)"]}"#)
            #expect(await client.send(.channel("DELETE", Self.channels, provider, id: id)).text == "204")
            #expect(await client.send(.channel("GET", all, provider)).reply.body == #"{"channels":[]}"#)
            let gone = await client.send(.channel("DELETE", Self.channels, provider, id: id))
            #expect(gone.text == "400 ChannelNotRegistered")
        }
    }

    @Test func theLimitOfChannelsHolds() async throws {
        try await Sample.connected({ $0.channelLimit = 3 }) { simulator, client in
            let create = TestRequest.channel("POST", Self.channels, Sample.provider(), body: settings(0))
            for _ in 0..<3 { #expect(await client.send(create).text == "201") }
            #expect(await client.send(create).text == "400 CannotCreateChannelConfig")
            #expect(simulator.channels(of: Sample.bundle).count == 3)
        }
        #expect(SimulatorConfiguration().channelLimit == 10_000)
    }

    @Test func aBroadcastReachesThoseWhoListen() async throws {
        try await Sample.connected { simulator, client in
            let provider = Sample.provider()
            let created = await client.send(.channel("POST", Self.channels, provider, body: settings(1)))
            let id = try #require(created.reply.headers["apns-channel-id"])
            #expect(try simulator.subscribe(token: Sample.token, to: id, of: Sample.bundle))
            let answer = await client.send(
                broadcast(provider, id).with("apns-expiration", "1800000000").with("apns-push-type", "LiveActivity"))
            #expect(answer.text == "200")
            #expect(answer.reply.headers["apns-unique-id"]?.count == 36)
            #expect(simulator.inbox(of: Sample.token).map(\.channelID) == [id])
            // One who comes later gets what is stored.
            #expect(try simulator.subscribe(token: "0a", to: id, of: Sample.bundle))
            #expect(simulator.deliveries(to: "0a") == 1)
            #expect(simulator.channels(of: Sample.bundle).first?.received.count == 1)
        }
    }

    @Test func broadcastsAreChecked() async throws {
        try await Sample.connected { simulator, client in
            let provider = Sample.provider()
            let created = await client.send(.channel("POST", Self.channels, provider, body: settings(0)))
            let id = try #require(created.reply.headers["apns-channel-id"])
            let good = broadcast(provider, id)
            let rows: [(TestRequest, String)] = [
                (good, "200"),
                (good.with("apns-expiration", "1800000000"), "400 BadExpirationDate"),
                (good.with("apns-expiration", nil), "400 BadExpirationDate"),
                (good.with("apns-channel-id", nil), "400 MissingChannelId"),
                (good.with("apns-channel-id", "no base64!"), "400 BadChannelId"),
                (good.with("apns-channel-id", "AAAA"), "400 ChannelNotRegistered"),
                (good.with("apns-push-type", nil), "400 MissingPushType"),
                (good.with("apns-push-type", "alert"), "400 InvalidPushType"),
                (good.with("apns-priority", "7"), "400 BadPriority"),
                (good.with("apns-request-id", "one"), "400 BadMessageId"),
                (good.with(bodyOf: 5120), "200"), (good.with(bodyOf: 5121), "413 PayloadTooLarge"),
                (good.at(Self.broadcasts + ".push-type.liveactivity"), "400 TopicDisallowed"),
                (good.with("authorization", nil), "403 MissingProviderToken"),
                (.channel("GET", Self.broadcasts, provider, id: id), "405 MethodNotAllowed"),
                (.channel("POST", Self.broadcasts + "/x", provider, id: id), "404 BadPath"),
                (.channel("PUT", Self.channels, provider, id: id), "405 MethodNotAllowed"),
                (.channel("POST", Self.channels, provider), "400 PayloadEmpty"),
                (.channel("POST", Self.channels, provider, body: "x"), "400 BadRequestPayload"),
                (.channel("POST", Self.channels, provider, body: settings(2)), "400 BadRequestParams"),
                (.channel("POST", Self.channels, provider, body: "{}"), "400 MissingPushType"),
            ]
            for (request, expected) in rows {
                let end = await client.send(request)
                #expect(end.text == expected, "\(request.headers)")
            }
        }
    }

    @Test func broadcastsMustBeEnabledAndTheCertificatesTopic() async throws {
        try await Sample.connected({ $0.broadcastApps = ["com.example.other"] }) { simulator, client in
            let create = TestRequest.channel("POST", Self.channels, Sample.provider(), body: settings(0))
            #expect(await client.send(create).text == "400 FeatureNotEnabled")
            let certificate = try simulator.identity.pushCertificate(
                .init(bundle: Sample.bundle, notBefore: Sample.now - 1, notAfter: Sample.now + 1))
            try await ProviderClient.with(simulator, certificate: certificate) { client in
                let other = create.at("/1/apps/com.example.other/channels")
                #expect(await client.send(other).text == "403 TopicMismatch")
            }
        }
    }
}
