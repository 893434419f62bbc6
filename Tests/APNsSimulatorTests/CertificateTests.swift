import NIOSSL
import Testing

@testable import APNsSimulator

@Suite struct CertificateTests {
    /// A certificate of the simulator's authority, valid at the time of the tests.
    private func certificate(
        _ simulator: APNsSimulator, _ change: (inout PushCertificate.Contents) -> Void = { _ in }
    ) throws -> PushCertificate {
        var contents = PushCertificate.Contents(
            bundle: Sample.bundle, notBefore: Sample.now - 100, notAfter: Sample.now + 100)
        change(&contents)
        return try simulator.identity.pushCertificate(contents)
    }

    /// What a push over a certificate's connection is answered.
    private func answer(
        _ simulator: APNsSimulator, _ certificate: PushCertificate, _ push: TestRequest = .push()
    ) async throws -> String {
        try await ProviderClient.with(simulator, certificate: certificate) { await $0.send(push).text }
    }

    @Test func aCertificateStandsForATokenAndHasNoSlowStart() async throws {
        try await Sample.connected { simulator, _ in
            let certificate = try certificate(simulator)
            try await ProviderClient.with(simulator, certificate: certificate) { client in
                #expect(await client.send(.push()).text == "200")
                #expect(client.log.streamLimits == [1000])
                // It counts, whatever else is there.
                #expect(await client.send(.push(Sample.token, "a.b.c")).text == "200")
            }
        }
    }

    @Test func itsTopicsAreInItsExtensions() async throws {
        try await Sample.connected { simulator, _ in
            let several = try certificate(simulator)
            #expect(
                try await answer(simulator, several, TestRequest.push().with("apns-topic", nil)) == "400 MissingTopic")
            let other = TestRequest.push().with("apns-topic", "com.example.other")
            #expect(try await answer(simulator, several, other) == "400 TopicDisallowed")
            try simulator.register(token: "0a", topic: Sample.bundle + ".voip")
            let voip = TestRequest.push("0a").with("apns-topic", Sample.bundle + ".voip").with("apns-push-type", "voip")
            #expect(try await answer(simulator, several, voip) == "200")
            let location = TestRequest.push().with("apns-topic", Sample.bundle + ".location-query")
                .with("apns-push-type", "location")
            let single = try certificate(simulator) { $0.suffixes = [:] }
            #expect(try await answer(simulator, single, TestRequest.push().with("apns-topic", nil)) == "200")
            #expect(try await answer(simulator, single, voip) == "400 TopicDisallowed")
            let much = try certificate(simulator) { $0.suffixes = [".location-query": "location"] }
            #expect(try await answer(simulator, much, location) == "400 TopicDisallowed")
        }
    }

    @Test func itsEnvironmentMustBeTheServers() async throws {
        try await Sample.connected { simulator, _ in
            let development = try certificate(simulator) { $0.environments = [.development] }
            #expect(try await answer(simulator, development) == "403 BadCertificateEnvironment")
        }
    }

    @Test func theHandshakeFailsWithABadCertificate() async throws {
        try await Sample.connected { simulator, client in
            #expect(await client.send(.push(Sample.token, Sample.provider())).text == "200")
            let revoked = try certificate(simulator)
            try await ProviderClient.with(simulator, certificate: revoked) { open in
                #expect(await open.send(.push()).text == "200")
                simulator.revoke(revoked)
                #expect(await open.send(.push()).text == "403 BadCertificate")
            }
            let unknown = try SimulatorIdentity().pushCertificate(.init(bundle: Sample.bundle))
            let expired = try certificate(simulator) { $0.notAfter = Sample.now - 1 }
            let early = try certificate(simulator) { $0.notBefore = Sample.now + 1 }
            for certificate in [revoked, unknown, expired, early] {
                #expect(try await answer(simulator, certificate) == "lost")
            }
            await simulator.wait { $0.failedHandshakes == 4 }
            #expect(await client.send(.push(Sample.token, Sample.provider())).text == "429 TooManyProviderTokenUpdates")
        }
    }

    @Test func aClientThatDoesNotTrustItGetsNothingThrough() async throws {
        try await Sample.connected { simulator, _ in
            let client = try await ProviderClient(simulator, trusting: try SimulatorIdentity())
            #expect(await client.send(.push(Sample.token, Sample.provider())) == .lost)
            #expect(simulator.deliveries(to: Sample.token) == 0)
        }
    }

    @Test func olderTLSIsRefused() async throws {
        try await Sample.connected { simulator, _ in
            let old = try await ProviderClient(simulator, version: .tlsv11)
            #expect(await old.send(.push(Sample.token, Sample.provider())) == .lost)
            let least = try await ProviderClient(simulator, version: .tlsv12)
            #expect(await least.send(.push(Sample.token, Sample.provider())).text == "200")
            await least.close()
        }
    }
}
