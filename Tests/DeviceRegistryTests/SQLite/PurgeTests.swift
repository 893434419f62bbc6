import Base
import Push
import RegistryTesting
import Testing

@testable import DeviceRegistry

@Suite struct PurgeTests {
    private let registry: Registry

    init() async throws {
        registry = try await Registry.test()
    }

    private func addDevices(_ count: Int, _ prefix: String, daysAgo: Int64) async throws {
        try await registry.fill(count, prefix, seenAt: Instant.noon.advanced(byDays: -daysAgo))
    }

    private func order(_ id: String, at fireAt: Instant? = nil) -> PushOrder {
        PushOrder(id: id, requestID: "r" + id, fireAt: fireAt)
    }

    private func rows(_ table: String) async throws -> Int {
        try await registry.read { db in try db.number("SELECT COUNT(*) FROM \(table)") }
    }

    @Test func staleDevicesGoWithTheirChannelsHoweverManyTheyAre() async throws {
        try await addDevices(12_001, "old", daysAgo: 91)
        try await addDevices(3, "new", daysAgo: 90)
        #expect(try await registry.purge(at: .noon, keepsStaleDevices: true) == 0)
        #expect(try await registry.deviceCount() == 12_004)
        #expect(try await registry.purge(at: .noon) == 12_001)
        #expect(try await registry.deviceCount() == 3)
        if !TestStore.isPostgres { #expect(try await rows("channel") == 3) }
        #expect(try await registry.purge(at: .noon) == 0)
    }

    /// A change in PostgreSQL may be interrupted as well.
    @Test(.onlyInSQLite) func aPurgeThatIsCancelledEndsAfterTheStepThatItIsAt() async throws {
        try await addDevices(12_001, "old", daysAgo: 91)
        let purging = Task { [registry] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await registry.purge(at: .noon)
        }
        #expect(try await purging.value == 5000)
        #expect(try await registry.purge(at: .noon) == 7001)
    }

    @Test func messagesAndSentPushesGoAfterThirtyDays() async throws {
        try await addDevices(6000, "d", daysAgo: 0)
        for id in ["a", "b"] {
            let receipt = try await registry.accept(order(id), at: .noon)
            try await registry.deliver(objectID: receipt.objectID, at: .noon)
        }
        try await registry.purge(at: Instant.noon.advanced(byDays: 30), keepsStaleDevices: true)
        #expect(try await rows("inbox") == 12_000)
        try await registry.purge(at: Instant.noon.advanced(byDays: 31), keepsStaleDevices: true)
        for table in ["inbox", "push", "pushRecord", "pushRequest"] { #expect(try await rows(table) == 0, "\(table)") }
    }

    @Test func whatWaitsIsNeverRemoved() async throws {
        try await addDevices(1, "d", daysAgo: 0)
        let later = Instant.noon.advanced(byDays: 60)
        _ = try await registry.accept(order("a", at: later), at: .noon)
        _ = try await registry.accept(order("b"), at: .noon)
        try await registry.purge(at: Instant.noon.advanced(byDays: 59))
        #expect(try await registry.scheduledPushes().map(\.fireAt) == [later])
        try await registry.fireDue(at: later)
        try await registry.deliverQueued(at: later)
        #expect(try await rows("push WHERE state = 'delivered'") == 2)
        try await registry.purge(at: later, keepsStaleDevices: true)
        #expect(try await registry.record(notificationID: "a", at: later)?["status"] == "done")
    }

    @Test func thirtyDaysCountFromTheTimeOfAScheduledPush() async throws {
        let later = Instant.noon.advanced(byDays: 60)
        let receipt = try await registry.accept(order("a", at: later), at: .noon)
        try await registry.purge(at: Instant.noon.advanced(byDays: 59))
        try await registry.fireDue(at: later)
        let soon = later.advanced(byDays: 6)
        try await registry.purge(at: soon)
        #expect(try await registry.record(objectID: receipt.objectID, at: soon)?["status"] == "done")
        try await registry.purge(at: later.advanced(byDays: 30))
        #expect(try await rows("push") == 1)
        try await registry.purge(at: later.advanced(byDays: 31))
        #expect(try await rows("push") == 0)
    }

    @Test func theRecordOfAScheduledPushIsKeptForAWeekAfterItsTime() async throws {
        let later = Instant.noon.advanced(byDays: 5)
        let receipt = try await registry.accept(order("a", at: later), at: .noon)
        try await registry.fireDue(at: later)
        for (days, status) in [(6, "done"), (7, nil)] as [(Int64, JSONValue?)] {
            let time = later.advanced(byDays: days)
            try await registry.purge(at: time, keepsStaleDevices: true)
            #expect(try await registry.record(objectID: receipt.objectID, at: time)?["status"] == status)
        }
    }

    @Test func theRecordOfAScheduledPushThatIsRefusedIsKeptForAWeekAfterItsTime() async throws {
        let later = Instant.noon.advanced(byDays: 5)
        let receipt = try await registry.accept(order("a", at: later), at: .noon)
        _ = try await registry.holdOverdue(at: later)
        #expect(try await registry.decide(.drop, onHeld: receipt.objectID, at: later))
        for (days, status) in [(6, "error"), (7, nil)] as [(Int64, JSONValue?)] {
            let time = later.advanced(byDays: days)
            try await registry.purge(at: time, keepsStaleDevices: true)
            #expect(try await registry.record(objectID: receipt.objectID, at: time)?["status"] == status)
        }
    }

    @Test func aPushThatIsDamagedHoldsNoOtherBack() async throws {
        try await addDevices(1, "d", daysAgo: 0)
        for id in ["a", "b"] { _ = try await registry.accept(order(id), at: .noon) }
        _ = try await registry.write { db in
            try db.execute("UPDATE push SET request = '{' WHERE notificationId = 'a'", [])
        }
        await #expect(throws: RegistryError.self) { try await registry.deliverQueued(at: .noon) }
        #expect(try await registry.record(notificationID: "b", at: .noon)?["status"] == "done")
    }

    @Test func soManyPushesMayWait() async throws {
        let later = Instant.noon.advanced(byDays: 1)
        for id in ["a", "b"] { _ = try await registry.accept(order(id, at: later), at: .noon, mostScheduled: 2) }
        let error = await #expect(throws: RegistryError.self) {
            try await registry.accept(order("c", at: later), at: .noon, mostScheduled: 2)
        }
        #expect(error?.code == .thresholdExceeded)
        // A repetition of one that waits is no new one.
        #expect(try await registry.accept(order("b", at: later), at: .noon, mostScheduled: 2).isRepeated)
        #expect(try await registry.record(notificationID: "c", at: .noon) == nil)
    }
}
