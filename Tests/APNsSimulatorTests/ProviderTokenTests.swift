import Testing

@testable import APNsSimulator

@Suite struct ProviderTokenTests {
    private static let other = ProviderSigningKey(id: "OTHERKEY23", team: Sample.key.team)
    private static let foreign = ProviderSigningKey(id: "FOREIGN234", team: "OTHERTEAM2")

    private func push(_ provider: String) -> TestRequest { .push(Sample.token, provider) }

    @Test func aPushNeedsAToken() async throws {
        try await Sample.connected { _, client in
            #expect(await client.send(.push()).text == "403 MissingProviderToken")
            for value in ["bearer ", "Basic a"] {
                let request = TestRequest.push().with("authorization", value)
                #expect(await client.send(request).text == "403 MissingProviderToken")
            }
        }
    }

    @Test func bothFormsOfASignatureAreTaken() async throws {
        for token in [Sample.provider(), try Sample.key.token(issuedAt: Sample.now, .init(isDER: true))] {
            try await Sample.connected { _, client in #expect(await client.send(push(token)).text == "200") }
        }
    }

    @Test func aSpoiledTokenIsInvalid() async throws {
        let forms: [ProviderSigningKey.TokenForm] = [
            .init(algorithm: "none"), .init(team: "OTHERTEAM2"), .init(keyID: "UNKNOWNKEY"),
        ]
        let good = Sample.provider()
        let parts = good.split(separator: ".")
        let forged = ProviderSigningKey(id: Sample.key.id, team: Sample.key.team)
        var tokens = try forms.map { try Sample.key.token(issuedAt: Sample.now, $0) }
        tokens += [
            "a.b.c", "..", "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1]).AAAA", good + ".x", good + "=",
            try forged.token(issuedAt: Sample.now), String(repeating: "x", count: 5000),
        ]
        try await Sample.connected { _, client in
            for token in tokens { #expect(await client.send(push(token)).text == "403 InvalidProviderToken") }
            #expect(await client.send(push(good)).text == "200")
        }
    }

    @Test(arguments: [
        (-3600, "200"), (-3601, "403 ExpiredProviderToken"), (3600, "200"), (3601, "403 ExpiredProviderToken"),
    ]) func theTimeMayBeAnHourAway(_ offset: Int64, _ expected: String) async throws {
        try await Sample.connected { _, client in
            #expect(await client.send(push(Sample.provider(offset))).text == expected)
        }
    }

    @Test func aTokenExpiresWhileItIsInUse() async throws {
        try await Sample.connected { simulator, client in
            let token = Sample.provider()
            #expect(await client.send(push(token)).text == "200")
            await simulator.advance(bySeconds: 3600)
            #expect(await client.send(push(token)).text == "200")
            await simulator.advance(bySeconds: 1)
            #expect(await client.send(push(token)).text == "403 ExpiredProviderToken")
            #expect(await client.send(push(Sample.provider(3601))).text == "200")
        }
    }

    @Test func aSecondTokenWithinTwentyMinutesIsOneTooMany() async throws {
        try await Sample.connected { simulator, client in
            let first = Sample.provider()
            #expect(await client.send(push(first)).text == "200")
            #expect(await client.send(push(Sample.provider())).text == "429 TooManyProviderTokenUpdates")
            await simulator.advance(bySeconds: 1199)
            #expect(await client.send(push(Sample.provider(1199))).text == "429 TooManyProviderTokenUpdates")
            await simulator.advance(bySeconds: 1)
            let second = Sample.provider(1200)
            #expect(await client.send(push(second)).text == "200")
            // Requests under way may still bear the first.
            #expect(await client.send(push(first)).text == "200")
            #expect(await client.send(push(Sample.provider(2400))).text == "429 TooManyProviderTokenUpdates")
            try await ProviderClient.with(simulator) { other in
                #expect(await other.send(push(Sample.provider(1201))).text == "200")
            }
        }
    }

    @Test func aConnectionIsBoundToItsFirstKey() async throws {
        try await Sample.connected { simulator, client in
            for key in [Self.other, Self.foreign] { simulator.register(key.registered) }
            let unrelated = try Self.other.token(issuedAt: Sample.now)
            #expect(await client.send(push(Sample.provider())).text == "200")
            #expect(await client.send(push(unrelated)).text == "403 UnrelatedKeyIdInToken")
            let foreign = try Self.foreign.token(issuedAt: Sample.now)
            #expect(await client.send(push(foreign)).text == "403 InvalidProviderToken")
            var related = Self.other.registered
            related.related = [Sample.key.id]
            simulator.register(related)
            #expect(await client.send(push(unrelated)).text == "200")
        }
    }

    @Test func aKeyHasItsTopicsAndItsEnvironment() async throws {
        try await Sample.connected { simulator, client in
            var key = Sample.key.registered
            key.topics = ["com.example.other"]
            simulator.register(key)
            let token = Sample.provider()
            #expect(await client.send(push(token)).text == "400 TopicDisallowed")
            // What is added later needs a new connection.
            simulator.register(Sample.key.registered)
            #expect(await client.send(push(token)).text == "400 TopicDisallowed")
            try await ProviderClient.with(simulator) { #expect(await $0.send(push(token)).text == "200") }
            key.environments = [.development]
            simulator.register(key)
            #expect(await client.send(push(token)).text == "403 BadEnvironmentKeyIdInToken")
        }
    }

    @Test func aRevokedKeyIsNotKnownAnyMore() async throws {
        try await Sample.connected { simulator, client in
            let token = Sample.provider()
            #expect(await client.send(push(token)).text == "200")
            simulator.revoke(keyID: Sample.key.id)
            #expect(await client.send(push(token)).text == "403 InvalidProviderToken")
        }
    }
}
