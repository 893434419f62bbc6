import Base
import Foundation
import GRDB
import RegistryTesting
import Testing

@testable import DeviceRegistry

/// No change of one client holds up those of the others.
@Suite struct ChangeCostTests {
    private let note: ClassName
    private let fixture: RegistryFixture
    private var registry: Registry { fixture.registry }

    init() throws {
        note = try ClassName("Note")
        fixture = try RegistryFixture()
    }

    private func device(_ fields: JSONObject = [:]) async throws -> String {
        let members = fields.merging(["deviceType": "ios", "deviceToken": "t"]) { $1 }
        return try await registry.create(members, in: .installation, as: .client, at: .noon).object.objectID
    }

    /// Lists of `null` and `0` that are all different and, as values, have one hash.
    private static func lists(_ count: Int) -> [JSONValue] {
        (0..<count).map { number in .array((0..<18).map { number >> $0 & 1 == 0 ? .null : 0 }) }
    }

    // MARK: Lists

    // Comparing each with each takes many minutes.
    @Test(.timeLimit(.minutes(10)), arguments: [FieldOperation.addUnique, .remove])
    func listsAreComparedInLinearTime(operation: FieldOperation) throws {
        let lists = Self.lists(20_000)
        let change: JSONValue = ["objects": .array(lists + lists)]
        let result = try operation.result(on: .array(lists), key: "l", arguments: change)
        #expect(result?.array?.count == (operation == .remove ? 0 : lists.count))
        let fromNothing = try operation.result(on: nil, key: "l", arguments: change)
        #expect(fromNothing?.array?.count == (operation == .remove ? 0 : lists.count))
    }

    @Test func elementsThatMeanTheSameAreOne() throws {
        let old: JSONValue = [1, ["a": 1, "b": [2]], "é"]
        let change: JSONValue = ["objects": [1.0, ["b": [2.0], "a": 1], "é", 2, 2]]
        #expect(try FieldOperation.addUnique.result(on: old, key: "l", arguments: change)?.array?.count == 4)
        #expect(try FieldOperation.remove.result(on: old, key: "l", arguments: change) == [])
    }

    @Test func aBatchOfOperationsIsBoundedAndFlat() async throws {
        func operations(_ count: Int) -> JSONValue {
            let step: JSONValue = ["__op": "Increment"]
            return ["__op": "Batch", "ops": .array(Array(repeating: step, count: count))]
        }
        let id = try await device()
        let written = try await registry.update(
            id, in: .installation, with: ["n": operations(100)], as: .client, at: .noon)
        #expect(written.object.fields["n"] == 100)
        for refused: JSONValue in [operations(101), ["__op": "Batch", "ops": [operations(1)]]] {
            let error = await #expect(throws: RegistryError.self) {
                try await registry.update(id, in: .installation, with: ["n": refused], as: .client, at: .noon)
            }
            #expect(error?.code == .incorrectType)
        }
    }

    // MARK: Sizes

    @Test func aDeviceHas128kBAtMostAndTheRefusalSaysSo() async throws {
        let id = try await device(["s": ""])
        let fields = try await registry.object(id, in: .installation, as: .master)?.fields ?? [:]
        let room = 128 * 1024 - JSONValue.object(fields).canonicalByteCount
        func write(_ count: Int) async throws(RegistryError) {
            let text = JSONValue.string(String(repeating: "x", count: count))
            _ = try await registry.update(id, in: .installation, with: ["s": text], as: .client, at: .noon)
        }
        try await write(room)
        let refusal = RegistryError(.objectTooLarge, "The object is too large. (128 kB for a device)")
        #expect(await #expect(throws: RegistryError.self) { try await write(room + 1) } == refusal)
        // Neither does it grow bit by bit, nor is a larger change worked out.
        let long = JSONValue.string(String(repeating: "x", count: 128 * 1024))
        for change: JSONValue in [["__op": "Add", "objects": [1]], ["__op": "Remove", "objects": [long]]] {
            let error = await #expect(throws: RegistryError.self) {
                try await registry.update(id, in: .installation, with: ["l": change], as: .client, at: .noon)
            }
            #expect(error == refusal)
        }
        #expect(try await registry.object(id, in: .installation, as: .master)?.fields["l"] == nil)
        _ = try await registry.create(["s": long], in: note, as: .client, at: .noon)
    }

    // MARK: The queue

    /// Runs something while a change that does not end holds the queue.
    private func whileTheQueueIsHeld(_ work: () async throws -> Void) async throws {
        let (isHeld, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let holder = Task {
            try await registry.sqlite.write { _ in
                isHeld.signal()
                gate.wait()
            }
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                isHeld.wait()
                continuation.resume()
            }
        }
        let result: Result<Void, any Error>
        do {
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        gate.signal()
        try await holder.value
        try result.get()
    }

    @Test(.timeLimit(.minutes(10)))
    func aChangeIsReadMergedAndCheckedOutsideTheQueue() async throws {
        let id = try await device(["l": "text"])
        try await whileTheQueueIsHeld {
            for (members, code): (JSONObject, RegistryError.Code) in [
                (["l": ["__op": "Add", "objects": [1]]], .incorrectType),
                (["channels": ["no channel"]], .invalidChannel),
                (["deviceType": "android"], .readOnlyKey), (["l": ["__op": "Nothing"]], .incorrectType),
            ] {
                let error = await #expect(throws: RegistryError.self) {
                    try await registry.update(id, in: .installation, with: members, as: .client, at: .noon)
                }
                #expect(error?.code == code)
            }
            await #expect(throws: RegistryError.noEffect) {
                try await registry.delete([id], in: .installation, where: ["l": "other"], as: .master)
            }
            await #expect(throws: RegistryError.self) {
                try await registry.create(
                    ["deviceType": "ios", "deviceToken": "t", "badge": "x"], in: .installation, as: .client, at: .noon)
            }
        }
    }

    @Test func whatAChangeGoesByMustBeSoWhenItIsWritten() async throws {
        let id = try await device(["n": 1])
        let prepared = try await registry.read { db in
            let store = ObjectStore(db: db, className: .installation, access: .client)
            let sighting = try store.look(for: "objectId", id)
            let object = try #require(sighting.object)
            return try store.change(
                object, [sighting, try store.look(for: "installationId", "i")],
                by: ["n": ["__op": "Increment"]], at: .noon)
        }
        func run() async throws -> WrittenObject? {
            try await registry.write { db in
                try prepared.run(in: ObjectStore(db: db, className: .installation, access: .client))
            }
        }
        #expect(try await run()?.object.fields["n"] == 2)
        #expect(try await run() == nil)
        _ = try await registry.update(id, in: .installation, with: ["n": 1], as: .client, at: .noon)
        #expect(try await run() != nil)
        _ = try await registry.update(id, in: .installation, with: ["n": 1], as: .client, at: .noon)
        _ = try await registry.create(
            ["deviceType": "android", "installationId": "i"], in: .installation, as: .client, at: .noon)
        #expect(try await run() == nil)
        #expect(try await registry.object(id, in: .installation, as: .master)?.fields["n"] == 1)
    }

    @Test func changesOfOneObjectAtATimeAllCount() async throws {
        let id = try await device(["n": 0])
        let one: JSONObject = ["n": ["__op": "Increment"]]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<100 {
                group.addTask {
                    if index % 2 == 0 {
                        _ = try await registry.update(id, in: .installation, with: one, as: .client, at: .noon)
                    } else {
                        _ = try await device(one)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await registry.object(id, in: .installation, as: .master)?.fields["n"] == 100)
        #expect(try await registry.deviceCount() == 1)
    }

    @Test func aChangeThatTakesTooLongInTheQueueIsCutOffAndUndone() async throws {
        let hasty = try Registry.open(path: fixture.folder.appending(path: "h.sqlite").path, changeTimeLimit: .zero)
        defer { hasty.close() }
        let id = try await hasty.create(["n": 1], in: note, as: .client, at: .noon).object.objectID
        let pointer: JSONValue = ["__type": "Pointer", "className": "Note", "objectId": .string(id)]
        await #expect(throws: RegistryError.late) {
            try await hasty.update(
                id, in: note, with: ["n": 2, "r": ["__op": "AddRelation", "objects": [pointer]]], as: .client, at: .noon
            )
        }
        #expect(try await hasty.object(id, in: note, as: .client)?.fields == ["n": 1])
    }

    @Test(.timeLimit(.minutes(10)))
    func whatWaitsBehindSlowChangesDoesNotWaitForAllOfThem() async throws {
        let hasty = try Registry.open(path: fixture.folder.appending(path: "h.sqlite").path, changeTimeLimit: .zero)
        let reader = try Registry.test(at: fixture.folder.appending(path: "h.sqlite").path)
        defer {
            hasty.close()
            reader.close()
        }
        // Each change finds those before it committed.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<40 {
                group.addTask {
                    try await hasty.sqlite.write { db in
                        let mine = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM class") ?? 0
                        let done = DispatchSemaphore(value: 0)
                        Task {
                            let seen = try await reader.sqlite.read {
                                try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM class")
                            }
                            #expect(seen == mine)
                            done.signal()
                        }
                        done.wait()
                        try db.execute(sql: "INSERT INTO class(name) VALUES (?)", arguments: ["C\(index)"])
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
