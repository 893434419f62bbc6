import Base
import GRDB
import Push
import Testing

@testable import DeviceRegistry

@Suite struct ProvenTokenTests {
    private func freeze(_ delivery: String) -> DeliveryFreeze {
        DeliveryFreeze(delivery: delivery, workspace: "", audience: .devices(), environment: "production")
    }

    /// Sends to everybody, and settles every device alike.
    private func deliver(_ delivery: String, in store: Journal, _ ending: TargetFailure.Ending?) async throws {
        _ = try await store.freeze(freeze(delivery), under: nil)
        let batch = try await store.batch(of: delivery)
        let failures = ending.map { ending in
            batch.targets.indices.map { TargetFailure(index: $0, ending: ending, reason: "BadDeviceToken") }
        }
        _ = try await store.settle(batch, failures ?? [], under: nil)
    }

    @Test func aDeviceThatGetsTheNumberOfARemovedOneIsNotProvenByIt() async throws {
        let fixture = try RegistryFixture()
        let store = Journal(fixture.registry) { .noon }
        let first = String(repeating: "a", count: 64)
        let second = String(repeating: "b", count: 64)
        try await fixture.register([["deviceType": "ios", "deviceToken": .string(first)]], at: .noon)
        try await deliver("first", in: store, nil)
        // The team removes it and adds another by SQL of its own, which does not number its rows.
        try await fixture.registry.sqlite.write { db in
            try db.execute(sql: "DELETE FROM installation")
            try db.execute(
                sql: "INSERT INTO installation(objectId, createdAt, updatedAt, document) VALUES ('o', ?, ?, ?)",
                arguments: [
                    Instant.noon.milliseconds, Instant.noon.milliseconds,
                    #"{"deviceType":"ios","deviceToken":"\#(second)","valid":true}"#,
                ])
        }
        let row = try await fixture.registry.sqlite.read { try Int64.fetchOne($0, sql: "SELECT id FROM installation") }
        #expect(row == 1)
        try await deliver("second", in: store, .deadIfProven)
        #expect(try await fixture.device(second)?["valid"] == true)
        // Once it was accepted itself, it is proven.
        try await deliver("third", in: store, nil)
        try await deliver("fourth", in: store, .deadIfProven)
        #expect(try await fixture.device(second)?["valid"] == false)
    }
}
