import DeliveryJournal
import JSONValue
import PushModel
import RegistryTesting
import Testing

@testable import DeviceRegistry
@testable import RegistryModel

@Suite struct PushDeliveryTests {
    private func registry(devices count: Int) async throws -> Registry {
        let registry = try await Registry.test()
        try await registry.fill(count, "t", seenAt: .noon)
        return registry
    }

    private func order(
        _ environment: String = "prod", where condition: JSONValue = [:], expiresAt: Instant? = nil
    ) -> PushOrder {
        PushOrder(
            notificationID: "n1", requestID: nil, audience: .query(condition), data: ["alert": "x"],
            environment: environment, incrementsBadge: false, fireAt: nil, expiresAt: expiresAt)
    }

    @Test(arguments: [("dev", 20_000, "done"), ("dev", 20_001, "error"), ("prod", 20_001, "done")])
    func developmentDevicesAreReachedUpTo20000(environment: String, devices: Int, status: String) async throws {
        let registry = try await registry(devices: devices)
        let receipt = try await registry.accept(order(environment), at: .noon)
        try await registry.deliver(objectID: receipt.objectID, at: .noon)
        let record = try await registry.record(notificationID: "n1", at: .noon)
        let isSent = status == "done"
        #expect(record?["status"]?.string == status)
        #expect(record?["simulated"]?["devices"] == .integer(Int64(devices)))
        #expect(record?["simulated"]?["successes"] == (isSent ? .integer(Int64(devices)) : nil))
        #expect(record?["devices"] == 0 && record?["successes"] == 0)
        #expect(record?["errors"] == (isSent ? nil : "dev profile disabled for massive push"))
        #expect(try await registry.inboxSummary(notificationID: "n1").messages == (isSent ? devices : 0))
    }

    @Test func whatWasTakenAndNotSentIsSentOnceLater() async throws {
        let registry = try await registry(devices: 3)
        let receipt = try await registry.accept(order(), at: .noon)
        #expect(try await registry.record(notificationID: "n1", at: .noon)?["status"] == "in-queue")
        #expect(try await registry.inboxSummary(notificationID: "n1").messages == 0)
        for _ in 0..<2 { try await registry.deliverQueued(at: .noon) }
        try await registry.deliver(objectID: receipt.objectID, at: .noon)
        #expect(try await registry.record(notificationID: "n1", at: .noon)?["status"] == "done")
        let summary = try await registry.inboxSummary(notificationID: "n1")
        #expect(summary.messages == 3)
        #expect(summary.duplicates == 0)
    }

    @Test func anExpiredOneIsNotSent() async throws {
        let registry = try await registry(devices: 3)
        _ = try await registry.accept(order(expiresAt: .noon), at: .noon)
        try await registry.deliverQueued(at: .noon)
        #expect(try await registry.record(notificationID: "n1", at: .noon)?["status"] == "expired")
        #expect(try await registry.inboxSummary(notificationID: "n1").messages == 0)
    }

    @Test func aConditionThatCannotBeReadIsRefusedBeforeAnythingIsKept() async throws {
        let registry = try await registry(devices: 3)
        await #expect(throws: RegistryError.self) {
            try await registry.accept(order(where: ["n": ["$foo": 1]]), at: .noon)
        }
        #expect(try await registry.record(notificationID: "n1", at: .noon) == nil)
    }

    /// Sends a push whose audience was looked up before `change`.
    private func deliver(_ registry: Registry, after change: () async throws -> Void) async throws {
        let order = order()
        let receipt = try await registry.accept(order, at: .noon)
        let audience = try await registry.read { db in
            try PushDelivery.audience(order, at: .noon, timeLimit: .seconds(10), in: db)
        }
        try await change()
        try await registry.write { db in
            let sql = "SELECT id, request FROM push WHERE objectId = ?"
            let row = try #require(try db.row(sql, [receipt.objectID]))
            try PushDelivery(row).run(audience, at: .noon, in: db)
        }
    }

    @Test func aDeviceSwitchedOffSinceTheAudienceWasLookedUpGetsNothing() async throws {
        let registry = try await registry(devices: 3)
        try await deliver(registry) {
            _ = try await registry.update(
                "t2", in: .installation, with: ["valid": false], as: .client, at: .noon)
        }
        #expect(try await registry.inbox(of: "t2").isEmpty)
        #expect(try await registry.record(notificationID: "n1", at: .noon)?["simulated"]?["successes"] == 2)
    }

    @Test func aDeviceThatCameAfterAnotherWentDoesNotGetItsPush() async throws {
        let registry = try await registry(devices: 3)
        try await deliver(registry) {
            try await registry.delete(["t3"], in: .installation, as: .master)
            _ = try await registry.create(
                ["deviceType": "ios", "deviceToken": "stranger"], in: .installation, as: .client, at: .noon)
        }
        #expect(try await registry.inbox(of: "stranger").isEmpty)
        #expect(try await registry.record(notificationID: "n1", at: .noon)?["simulated"]?["successes"] == 2)
    }
}
