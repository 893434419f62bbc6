import Base
import DeviceRegistry
import Foundation
import Push
import RegistryTesting
import Testing

/// A backup that is put back, and the pushes that may have been sent since it was taken.
@Suite struct RestoreTests {
    private let now = Instant.system

    private func order(_ id: String, fireAt: Instant? = nil) -> PushOrder {
        PushOrder(id: id, data: ["alert": .string(id)], fireAt: fireAt)
    }

    /// A backup with a device, a push that was sent, one that was not, and two that are scheduled.
    private func backup(in folder: URL) async throws -> (file: String, queued: String, due: String, later: String) {
        let source = folder.appending(path: "source.sqlite").path
        let registry = try Registry.test(at: source)
        defer { registry.close() }
        _ = try await registry.create(
            ["deviceType": "ios", "deviceToken": "aa"], in: .installation, as: .master, at: now)
        let sent = try await registry.accept(order("sent"), at: now)
        try await registry.deliver(objectID: sent.objectID, at: now)
        let queued = try await registry.accept(order("queued"), at: now)
        let due = try await registry.accept(order("due", fireAt: now.advanced(bySeconds: 60)), at: now)
        let later = try await registry.accept(order("later", fireAt: now.advanced(bySeconds: 7200)), at: now)
        let file = folder.appending(path: "backup.sqlite").path
        _ = try Registry.backUp(source, to: file)
        return (file, queued.objectID, due.objectID, later.objectID)
    }

    private func messages(_ registry: Registry) async throws -> [String?] {
        try await registry.inbox(of: "aa").map { $0.data["alert"]?.string }
    }

    @Test func whatMayHaveBeenSentIsHeldUntilSomebodyDecides() async throws {
        try await inFolder { folder in
            let backup = try await backup(in: folder)
            let data = folder.appending(path: "d.sqlite").path
            let restored = now.advanced(bySeconds: 3600)
            let report = try await Registry.restore(backup.file, to: data, replacing: false, at: restored)
            #expect(report.held == 2 && report.scheduled == 1 && report.locked == 0)
            let registry = try Registry.test(at: data)
            defer { registry.close() }
            #expect(try await registry.heldPushes().map(\.order.objectID) == [backup.queued, backup.due])
            try await registry.fireDue(at: restored)
            try await registry.deliverQueued(at: restored)
            #expect(try await messages(registry) == ["sent"])
            // Messages are kept for 30 days, what is held until somebody decides.
            _ = try await registry.purge(at: restored.advanced(byDays: 40), keepsStaleDevices: true)
            #expect(try await registry.heldPushes().count == 2)
            #expect(try await registry.decide(.send, onHeld: backup.queued, at: restored))
            #expect(try await registry.decide(.drop, onHeld: backup.due, at: restored))
            for held in [backup.queued, backup.due, backup.later, "none"] {
                #expect(try await !registry.decide(.send, onHeld: held, at: restored))
            }
            for _ in 0..<2 { try await registry.deliverQueued(at: restored) }
            #expect(try await messages(registry) == ["queued"])
            let later = restored.advanced(bySeconds: 3600)
            try await registry.fireDue(at: later)
            #expect(try await messages(registry) == ["queued", "later"])
            #expect(try await registry.heldPushes().isEmpty)
        }
    }

    @Test func theRecordOfAPushSaysThatItIsHeldAsLongAsItIs() async throws {
        let registry = try await Registry.test()
        var ids: [String] = []
        for (id, way) in [("queued", nil), ("begun", .services([.apns]))] as [(String, PushWay?)] {
            let receipt = try await registry.accept(order(id), at: now)
            if let way { try await registry.deliver(objectID: receipt.objectID, by: way, at: now) }
            ids.append(receipt.objectID)
        }
        #expect(try await registry.holdOverdue(at: now).held == 2)
        for id in ids {
            let record = try await registry.record(objectID: id, at: now)
            #expect(record?["status"] == "in-queue")
            #expect(record?["waiting"]?.string?.contains("'bugle-server held'") == true)
            #expect(try await registry.decide(.send, onHeld: id, at: now))
        }
        try await registry.deliverQueued(by: .services([.apns]), at: now)
        for id in ids {
            let record = try await registry.record(objectID: id, at: now)
            #expect(record?["status"] == "in-queue" && record?["waiting"] == nil)
        }
    }

    @Test func theOldFileIsKeptWithItsLogAndNothingElseIsLeft() async throws {
        try await inFolder { folder in
            let backup = try await backup(in: folder)
            let data = folder.appending(path: "d.sqlite").path
            let old = try Registry.test(at: data)
            _ = try await old.create(
                ["deviceType": "ios", "deviceToken": "bb"], in: .installation, as: .master, at: now)
            old.close()
            await #expect(throws: RegistryError.self) {
                try await Registry.restore(backup.file, to: data, replacing: false, at: now)
            }
            _ = try await Registry.restore(backup.file, to: data, replacing: true, at: now)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("d.") }
            let kept = try #require(
                names.first { $0.contains(".before-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") })
            #expect(names.allSatisfy { !$0.contains("restoring") && !$0.contains("partial") })
            for (path, token) in [(data, "aa"), (folder.appending(path: kept).path, "bb")] {
                let registry = try Registry.test(at: path)
                defer { registry.close() }
                let devices = try await registry.find(ObjectQuery(), in: .installation, as: .master).results
                #expect(devices.compactMap { $0["deviceToken"]?.string } == [token])
            }
        }
    }

    @Test func aFileThatIsServedOrABackupThatIsNoneIsLeftAlone() async throws {
        try await inFolder { folder in
            let backup = try await backup(in: folder)
            let data = folder.appending(path: "d.sqlite").path
            let served = try Registry.test(at: data, isAlone: true)
            defer { served.close() }
            let busy = await #expect(throws: RegistryError.self) {
                try await Registry.restore(backup.file, to: data, replacing: true, at: now)
            }
            #expect(busy?.description.contains("another process sends from this registry") == true)
            let garbage = folder.appending(path: "garbage").path
            try Data("no database".utf8).write(to: URL(fileURLWithPath: garbage))
            await #expect(throws: RegistryError.self) {
                try await Registry.restore(garbage, to: data + "2", replacing: false, at: now)
            }
            #expect(!FileManager.default.fileExists(atPath: data + "2"))
        }
    }

    @Test func aPushToAppleThatHadBegunGoesOnOrEndsWithWhatItReached() async throws {
        try await inFolder { folder in
            let source = folder.appending(path: "source.sqlite").path
            let registry = try Registry.test(at: source)
            var ids: [String] = []
            for id in ["kept", "dropped"] {
                let receipt = try await registry.accept(order(id), at: now)
                try await registry.deliver(objectID: receipt.objectID, by: .services([.apns]), at: now)
                ids.append(receipt.objectID)
            }
            let (file, data) = (folder.appending(path: "b.sqlite").path, folder.appending(path: "d.sqlite").path)
            _ = try Registry.backUp(source, to: file)
            registry.close()
            #expect(try await Registry.restore(file, to: data, replacing: false, at: now).held == 2)
            let restored = try Registry.test(at: data)
            defer { restored.close() }
            #expect(try await restored.applePushes().isEmpty)
            #expect(try await restored.heldPushes().allSatisfy(\.hasBegun))
            #expect(try await restored.decide(.send, onHeld: ids[0], at: now))
            #expect(try await restored.decide(.drop, onHeld: ids[1], at: now))
            #expect(try await restored.applePush(objectID: ids[0])?.order.expiresAt == nil)
            let end = try await restored.applePush(objectID: ids[1])?.order.expiresAt
            #expect(end?.milliseconds == now.milliseconds)
        }
    }

    @Test func noApplyGoesOnUntilSomebodyUnlocksIt() async throws {
        try await inFolder { folder in
            let source = folder.appending(path: "source.sqlite").path
            let registry = try Registry.test(at: source)
            let store = Journal(registry)
            let lease = try await store.lease(on: "giants", holder: "ci", run: "1")
            try await store.release(lease, lastApplied: nil)
            let lock: JSONObject = ["workspace": "giants", "holder": "ci", "run": "", "fence": 4, "expiresAt": "1970"]
            _ = try await registry.create(lock, in: ClassName("BugleLock"), as: .master, at: now)
            let (file, data) = (folder.appending(path: "b.sqlite").path, folder.appending(path: "d.sqlite").path)
            _ = try Registry.backUp(source, to: file)
            registry.close()
            #expect(try await Registry.restore(file, to: data, replacing: false, at: now).locked == 2)
            let restored = try Registry.test(at: data)
            defer { restored.close() }
            let after = Journal(restored)
            let attempt = try await after.acquireLock(of: "giants", holder: "ci", run: "2")
            guard case .held(let held, _) = attempt else {
                Issue.record("\(attempt)")
                return
            }
            #expect(held.holder == "the restore of a backup" && held.fence == lease.fence + 1)
            #expect(try await after.unlock("giants", fence: held.fence))
            let object = try await restored.find(ObjectQuery(), in: ClassName("BugleLock"), as: .master).results.first
            #expect(object?["fence"] == 5 && object?["expiresAt"] == "9999-12-31T23:59:59.000Z")
            #expect(object?["run"]?.string?.isEmpty == false)
        }
    }

    @Test func whatServersLockIsFreeAfterARestore() async throws {
        let registry = try await Registry.test()
        let store = Journal(registry)
        // What a team was told of, and a push that a person stopped.
        for place in ["notify ", ""] {
            try await store.put(DeployRecord(workspace: place, kind: .mark, key: "k", document: [:]), under: nil)
        }
        _ = try await store.lease(on: "notify ")
        #expect(try await registry.holdOverdue(at: now).locked == 0)
        for place in ["notify ", ""] { _ = try await store.lease(on: place) }
    }

    @Test func aFileThatAnyProcessHasOpenIsLeftAlone() async throws {
        try await inFolder { folder in
            let backup = try await backup(in: folder)
            let data = folder.appending(path: "d.sqlite").path
            let open = try Registry.test(at: data)
            _ = try await open.deviceCount()
            let error = await #expect(throws: RegistryError.self) {
                try await Registry.restore(backup.file, to: data, replacing: true, at: now)
            }
            #expect(error?.description.contains("another process has") == true, "\(error?.description ?? "")")
            open.close()
            _ = try await Registry.restore(backup.file, to: data, replacing: true, at: now)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(!names.contains { $0.contains("restoring") })
        }
    }

    @Test func aDamagedFileIsReplacedToo() async throws {
        try await inFolder { folder in
            let backup = try await backup(in: folder)
            let data = folder.appending(path: "d.sqlite")
            try Data(repeating: 7, count: 9000).write(to: data)
            _ = try await Registry.restore(backup.file, to: data.path, replacing: true, at: now)
            let registry = try Registry.test(at: data.path)
            defer { registry.close() }
            #expect(try await registry.deviceCount() == 1)
        }
    }
}
