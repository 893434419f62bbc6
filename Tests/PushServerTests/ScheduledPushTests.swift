import Base
import DeviceRegistry
import Foundation
import ProgramTesting
import Push
import RegistryTesting
import Synchronization
import Testing

@testable import PushServer

@Suite struct ScheduledPushTests {
    private func schedule(_ server: TestServer, _ members: JSONValue = [:]) async throws -> Answer {
        var body: JSONValue = [
            "data": ["alert": "later"], "push_time": "2026-11-21T13:00:00.000Z", "notification_id": "n1",
            "where": ["n": 1],
        ]
        for (key, value) in members.object ?? [:] { body[key] = value }
        return try await server.call("POST", "/push", body)
    }

    @Test func oneThatExpiredBeforeItCouldBeSentIsNotSent() async throws {
        try await TestServer.run { (server) async throws in
            try await server.device("a", ["n": 1])
            _ = try await schedule(server, ["expiration_interval": 60])
            server.clock.advance(bySeconds: 3661)
            try await server.advance(0)
            #expect(try await server.inbox("a").isEmpty)
            #expect(try await server.call("GET", "/notifications/n1").body["status"] == "expired")
        }
    }

    @Test func theBackgroundFollowsTheClock() async throws {
        try await TestServer.run { (server) async throws in
            try await server.device("a", ["n": 1])
            _ = try await schedule(server)
            server.clock.advance(bySeconds: 3600)
            try await eventually { try await !server.inbox("a").isEmpty }
        }
    }

    /// A registry with a push that came due after its server had stopped.
    private func dueSinceTheServerStopped() async throws -> (Registry, ServerClock) {
        let registry = try await Registry.test()
        let clock = ServerClock(standingAt: .noon)
        let first = try await TestServer(registry, clock: clock)
        try await first.device("a", ["n": 1])
        _ = try await schedule(first)
        await first.server.stop()
        clock.advance(bySeconds: 86_400)
        return (registry, clock)
    }

    @Test func theNextStartSendsWhatCameDueMeanwhile() async throws {
        let (registry, clock) = try await dueSinceTheServerStopped()
        let second = try await TestServer(registry, clock: clock)
        #expect(try await second.inbox("a") == [["alert": "later"]])
        await second.server.stop()
    }

    @Test func aPurgeThatTakesLongHoldsNothingUpAndIsTheOnlyOneUntilTheServerEndsIt() async throws {
        let registry = try await Registry.test()
        let clock = ServerClock(standingAt: .noon)
        let pushes = PushDispatcher(registry, TestServer.configuration, clock: clock, logger: PushServer.quietLogger)
        let purges = Mutex(0)
        let following = Task {
            await pushes.run(purgingEvery: 1) {
                purges.withLock { $0 += 1 }
                // Until the task is cancelled.
                for await _ in AsyncStream<Void>.makeStream().stream {}
            }
        }
        let order = PushOrder(
            notificationID: "n1", requestID: nil, audience: .query([:]), data: ["alert": "later"], environment: "prod",
            incrementsBadge: false, fireAt: Instant.noon.advanced(bySeconds: 60), expiresAt: nil)
        try await running(
            {
                try await eventually { purges.withLock { $0 } == 1 }
                _ = try await pushes.submit(order, at: clock.now)
                clock.advance(bySeconds: 60)
                try await eventually {
                    try await registry.record(notificationID: "n1", at: clock.now)?["status"] == "done"
                }
            },
            then: {
                following.cancel()
                await following.value
            })
        #expect(purges.withLock { $0 } == 1)
    }

    /// It ends at once, and whoever starts it again and again would each time leave devices in doubt.
    @Test func aServerThatCannotListenSendsNothing() async throws {
        let (registry, clock) = try await dueSinceTheServerStopped()
        let (socket, port) = try HTTPClient.listening()
        await #expect(throws: PushServerError.self) {
            _ = try await TestServer(
                registry, clock: clock, configure: { $0.listen = ListenAddress(host: "127.0.0.1", port: port) })
        }
        close(socket)
        #expect(try await registry.inbox(of: "a").isEmpty)
        let second = try await TestServer(registry, clock: clock)
        #expect(try await second.inbox("a").count == 1)
        await second.server.stop()
    }

    @Test func aRequestThatIsRepeatedSchedulesOnce() async throws {
        try await TestServer.run { (server) async throws in
            let first = try await schedule(server, ["req_id": "r1"])
            let second = try await schedule(server, ["req_id": "r1"])
            #expect(first.body == second.body)
            #expect(try await server.call("GET", "/scheduledPushMessages").body["results"]?.array?.count == 1)
        }
    }
}
