import Base
import Push
import RegistryTesting
import Testing

@testable import DeviceRegistry

@Suite struct PushDeliveryTests {
    private func registry(devices count: Int) async throws -> Registry {
        let registry = try await Registry.test()
        try await registry.fill(count, "t", seenAt: .noon)
        return registry
    }

    private func order(
        _ environment: String = "prod", where condition: JSONValue = [:], expiresAt: Instant? = nil,
        incrementsBadge: Bool = false
    ) -> PushOrder {
        PushOrder(
            to: .query(condition), id: "n1", environment: environment, incrementsBadge: incrementsBadge,
            expiresAt: expiresAt)
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
        let audience = try await registry.audience(objectID: receipt.objectID, by: .inboxes, at: .noon)
        try await change()
        let left = try await registry.step(
            objectID: receipt.objectID, audience?[...], by: .inboxes, most: .max, at: .noon)
        #expect(left == nil)
    }

    @Test func aPushInStepsReachesEachDeviceOnceWhoeverGoesOnWithIt() async throws {
        let registry = try await registry(devices: 10)
        try await registry.killToken("t9")
        let push = try await registry.accept(order(incrementsBadge: true), at: .noon).objectID
        let all = try await registry.audience(objectID: push, by: .inboxes, at: .noon)?[...]
        func step(_ rest: ArraySlice<Int64>?, _ most: Int) async throws -> Int? {
            try await registry.step(objectID: push, rest, by: .inboxes, most: most, at: .noon)?.count
        }
        #expect(try await step(all, 4) == 6)
        #expect(try await registry.record(notificationID: "n1", at: .noon)?["status"] == "in-queue")
        // Another copy of the server had looked up the audience, too.
        #expect(try await step(all, 3) == 3)
        #expect(try await step(all?.dropFirst(4), 1) == 2)
        try await registry.deliverQueued(at: .noon)
        #expect(try await step(all, 4) == nil)
        let record = try await registry.record(notificationID: "n1", at: .noon)
        #expect(record?["status"] == "done" && record?["errors"] != nil)
        #expect(record?["simulated"] == ["devices": 10, "successes": 9, "iosSuccesses": 9, "invalidTokens": 1])
        let summary = try await registry.inboxSummary(notificationID: "n1")
        #expect(summary.messages == 9 && summary.duplicates == 0)
        for device in 1...8 { #expect(try await registry.inbox(of: "t\(device)").map(\.badge) == [1]) }
        let badges = try await registry.read { db in try db.texts("SELECT document FROM installation") }
        #expect(badges.count == 9)
        for document in badges { #expect(try JSONValue(parsing: document)["badge"] == 1) }
    }

    @Test func aPushToManyTakesSeveralSteps() async throws {
        let registry = try await registry(devices: 7)
        let push = try await registry.accept(order(), at: .noon).objectID
        try await registry.deliver(objectID: push, most: 3, at: .noon)
        #expect(try await registry.record(notificationID: "n1", at: .noon)?["status"] == "done")
        #expect(try await registry.inboxSummary(notificationID: "n1") == InboxSummary(devices: 7, messages: 7))
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
