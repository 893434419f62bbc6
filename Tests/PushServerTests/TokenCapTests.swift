import Base
import Foundation
import Push
import PushServer
import RegistryTesting
import Testing

@testable import DeviceRegistry

/// How often a device was reached that registers anew.
@Suite struct TokenCapTests {
    private static func token(_ number: Int) -> String { String(format: "%064x", 0xA000 + number) }

    private static func audience(_ numbers: [Int], isCapped: Bool) -> DeliveryAudience {
        DeliveryAudience(
            selection: .tokens(numbers.map(token)),
            routes: [DeliveryRoute(profile: "main", topic: "t", isDefault: true)],
            frequency: isCapped ? [FrequencyRule(most: 1, per: .seconds(3600))] : [])
    }

    /// Sends a delivery to devices; returns the number of targets and of those capped, which must be as counted.
    private func deliver(
        _ delivery: String, _ numbers: [Int], isCapped: Bool = true, in server: TestServer
    ) async throws -> [Int] {
        let now = server.clock.now
        let store = Journal(server.registry) { now }
        let audience = Self.audience(numbers, isCapped: isCapped)
        let counted = try await store.count(audience, at: now)
        let figures = try await store.freeze(
            DeliveryFreeze(delivery: delivery, workspace: "", audience: audience, environment: "production"), under: nil
        )
        #expect([counted.devices, counted.leftOut[.capped] ?? 0] == [figures.targets, figures.leftOut[.capped] ?? 0])
        while case .batch(let batch) = try await store.claim(from: delivery, by: "c", under: nil) {
            _ = try await store.settle(batch, [], under: nil)
        }
        _ = try await store.close(delivery, under: nil)
        return [figures.targets, figures.leftOut[.capped] ?? 0]
    }

    private func remembered(_ server: TestServer) async throws -> Int {
        try await server.registry.read { db in try db.number("SELECT COUNT(*) FROM formerToken") }
    }

    @Test func aDeviceThatRegistersAnewWithItsTokenIsStillCapped() async throws {
        try await TestServer.run { (server) async throws in
            var ids: [String] = []
            for number in 0..<4 { ids.append(try await server.device(Self.token(number))) }
            #expect(try await deliver("one", [0, 1, 2], in: server) == [3, 0])
            // One leaves, another gets a new token, and both tokens register anew.
            #expect(try await server.call("DELETE", "/installations/\(ids[0])", key: .master).status == 200)
            let change: JSONValue = ["deviceToken": .string(Self.token(7))]
            #expect(try await server.call("PUT", "/installations/\(ids[1])", change, key: .master).status == 200)
            for number in 0..<2 { #expect(try await server.device(Self.token(number)) != ids[number]) }
            #expect(try await deliver("two", [0, 1, 2, 3, 7], in: server) == [1, 4])
            // And again: every installation that had the token counts, each delivery once.
            #expect(try await server.call("DELETE", "/installations/\(ids[3])", key: .master).status == 200)
            _ = try await server.device(Self.token(3))
            #expect(try await deliver("three", [0, 1, 2, 3, 7], in: server) == [0, 5])
            try await server.advance(3601)
            #expect(try await deliver("four", [0, 1, 2, 3, 7], in: server) == [5, 0])
        }
    }

    @Test func aDeviceThatIsRemovedAsStaleAndRegistersAnewIsStillCapped() async throws {
        try await TestServer.run { (server) async throws in
            let id = try await server.device(Self.token(0))
            // It is reached in the last half hour before it counts as stale.
            try await server.advance(90 * 86_400 - 1000)
            #expect(try await deliver("one", [0], in: server) == [1, 0])
            try await server.advance(1800)
            #expect(try await remembered(server) == 1)
            #expect(try await server.device(Self.token(0)) != id)
            #expect(try await deliver("two", [0], in: server) == [0, 1])
        }
    }

    @Test func whoUsesNoCapsRemembersNoTokens() async throws {
        try await TestServer.run { (server) async throws in
            let id = try await server.device(Self.token(0))
            #expect(try await deliver("one", [0], isCapped: false, in: server) == [1, 0])
            #expect(try await server.call("DELETE", "/installations/\(id)", key: .master).status == 200)
            #expect(try await remembered(server) == 0)
            let again = try await server.device(Self.token(0))
            #expect(try await deliver("two", [0], in: server) == [1, 0])
            #expect(try await server.call("DELETE", "/installations/\(again)", key: .master).status == 200)
            #expect(try await remembered(server) == 1)
        }
    }
}
