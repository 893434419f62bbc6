import APNsSimulator
import Base
import PushServer
import Testing

/// What is told of pushes to Apple besides their records.
@Suite struct AppleObservingTests {
    @Test func theMetricsCountWhatBecameOfNotifications() async throws {
        try await AppleWorld.run { (world) async throws in
            for number in 1...3 { try await world.device(number) }
            try world.apple.forget(token: AppleWorld.token(3))
            try await world.push(["data": ["alert": "x"]])
            let page = try await HTTPClient.sendText("GET", "/metrics", port: world.server.port).text
            #expect(page.contains(#"bugle_notifications_total{service="apple",outcome="accepted"} 2"#), "\(page)")
            #expect(page.contains(#"bugle_notifications_total{service="apple",outcome="refused"} 1"#))
            #expect(page.contains(#"bugle_notifications_total{service="apple",outcome="in_doubt"} 0"#))
        }
    }
}
