import Base
import DeviceRegistry
import Push
import RegistryTesting
import Testing

@testable import PushServer

/// What the record of a push says of its waiting.
@Suite struct WaitNoteTests {
    @Test func whyAPushWaitsIsNotTakenBackWithWhatWasOverBefore() async throws {
        let registry = try await Registry.test()
        let order = PushOrder(
            notificationID: nil, requestID: nil, audience: .query([:]), data: ["alert": "x"], environment: "prod",
            incrementsBadge: false, fireAt: nil, expiresAt: nil)
        let id = try await registry.accept(order, at: .noon).objectID
        try await registry.deliver(objectID: id, by: .services([.apns]), at: .noon)
        let note = WaitNote(of: id, in: registry, ServerClock(standingAt: .noon), isWritten: false)
        for number in 0..<200 {
            try await note.write("once", for: .apns)
            note.isOver()
            try await note.write("again", for: .apns)
            let record = try await registry.record(objectID: id, at: .noon)
            #expect(record?["waiting"] == "again", "in round \(number)")
        }
    }
}
