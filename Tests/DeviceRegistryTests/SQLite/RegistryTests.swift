import Base
import Foundation
import GRDB
import RegistryTesting
import Testing

@testable import DeviceRegistry

@Suite struct RegistryTests {
    private let registry: Registry

    init() async throws {
        registry = try await Registry.test()
    }

    private func create(
        _ members: JSONObject, in className: String = "_Installation", as access: Access = .master
    ) async throws -> WrittenObject {
        try await registry.create(members, in: try ClassName(className), as: access, at: .noon)
    }

    @Test(
        arguments: [
            (["a", "b"], ["__op": "Add", "objects": ["a", "c"]], ["a", "b", "a", "c"]),
            (["a", "b"], ["__op": "AddUnique", "objects": ["a", "c"]], ["a", "b", "c"]),
            (["a", "b"], ["__op": "Remove", "objects": ["a"]], ["b"]),
            (
                ["a", "b"],
                ["__op": "Batch", "ops": [["__op": "Remove", "objects": ["a"]], ["__op": "Add", "objects": ["z"]]]],
                ["b", "z"]
            ),
            (["a", "b"], ["x"], ["x"]),
            (5, ["__op": "Increment", "amount": 3], 8), (5, ["__op": "Increment"], 6),
            (5, ["__op": "Decrement", "amount": 1.5], 3.5), (5, ["__op": "BitAnd", "value": 4], 4),
            (5, ["__op": "BitOr", "value": 2], 7), (5, ["__op": "BitXor", "value": 1], 4),
        ] as [(JSONValue, JSONValue, JSONValue)])
    func operatorsChangeAValue(old: JSONValue, operation: JSONValue, result: JSONValue) async throws {
        let id = try await create(["k": old], in: "Note").object.objectID
        let note = try ClassName("Note")
        let written = try await registry.update(id, in: note, with: ["k": operation], as: .master, at: .noon)
        #expect(written.object.fields["k"] == result)
    }

    @Test func deleteRemovesAField() async throws {
        let id = try await create(["n": 5], in: "Note").object.objectID
        let note = try ClassName("Note")
        let written = try await registry.update(id, in: note, with: ["n": ["__op": "Delete"]], as: .master, at: .noon)
        #expect(written.object.fields.isEmpty)
    }

    @Test func operatorsOnAnotherTypeAreRefused() async throws {
        let id = try await create(["n": "x"], in: "Note").object.objectID
        for operation in [["__op": "Add", "objects": [1]], ["__op": "Increment"], ["__op": "Nonsense"]] as [JSONValue] {
            let error = await #expect(throws: RegistryError.self) {
                try await registry.update(
                    id, in: try ClassName("Note"), with: ["n": operation], as: .master, at: .noon)
            }
            #expect(error?.code == .incorrectType)
        }
    }

    @Test func relationsAreFoundFromTheirOwner() async throws {
        let first = try await create(["name": "first"], in: "Song").object.objectID
        _ = try await create(["name": "second"], in: "Song")
        let pointer: JSONValue = ["__type": "Pointer", "className": "Song", "objectId": .string(first)]
        let owner = try await create(["likes": ["__op": "AddRelation", "objects": [pointer]]], in: "Fan")
        let query = ObjectQuery(where: [
            "$relatedTo": [
                "object": ["__type": "Pointer", "className": "Fan", "objectId": .string(owner.object.objectID)],
                "key": "likes",
            ]
        ])
        let song = try ClassName("Song")
        #expect(try await registry.find(query, in: song, as: .master).results.map { $0["name"] } == ["first"])
        _ = try await registry.update(
            owner.object.objectID, in: try ClassName("Fan"),
            with: ["likes": ["__op": "RemoveRelation", "objects": [pointer]]], as: .master, at: .noon)
        #expect(try await registry.find(query, in: song, as: .master).results.isEmpty)
    }

    @Test func aKnownDeviceIsUpdatedByEachOfItsIDs() async throws {
        let first = try await create(["deviceType": "ios", "deviceToken": "t", "installationId": "i", "a": 1])
        #expect(first.isNew)
        let id = first.object.objectID
        for members in [["objectId": .string(id)], ["installationId": "i"], ["deviceToken": "t"]]
            as [JSONObject]
        {
            let again = try await create(members.merging(["b": 2]) { $1 })
            #expect(!again.isNew)
            #expect(again.object.objectID == id)
            #expect(again.object.fields["a"] == 1)
        }
        #expect(try await registry.deviceCount() == 1)
    }

    @Test func aTokenOfAnotherDeviceIsTaken() async throws {
        _ = try await create(["deviceType": "ios", "deviceToken": "t1"])
        let second = try await create(["deviceType": "ios", "deviceToken": "t2"]).object.objectID
        let error = await #expect(throws: RegistryError.self) {
            try await registry.update(second, in: .installation, with: ["deviceToken": "t1"], as: .master, at: .noon)
        }
        #expect(error?.code == .valueTaken)
    }

    @Test(
        arguments: [
            (["deviceToken": "t"], 1), (["deviceType": "ios"], 114), (["deviceType": "android"], 1),
            (["deviceType": "ios", "deviceToken": 5], 111),
            (["deviceType": "ios", "deviceToken": "t", "channels": "a"], 111),
            (["deviceType": "ios", "deviceToken": "t", "channels": ["a b"]], 112),
            (["deviceType": "ios", "deviceToken": "t", "channels": [5]], 112),
            (["deviceType": "ios", "deviceToken": "t", "valid": 1], 111),
            (["deviceType": "ios", "deviceToken": "t", "badge": "1"], 111),
            (["deviceType": "ios", "deviceToken": "t", "a.b": 1], 105),
            (["deviceType": "ios", "deviceToken": "t", "ACL": 1], 111),
        ] as [(JSONObject, Int)])
    func devicesThatAreNoneAreRefused(members: JSONObject, code: Int) async throws {
        let error = await #expect(throws: RegistryError.self) { try await create(members) }
        #expect(error?.code.rawValue == code)
        #expect(try await registry.deviceCount() == 0)
    }

    @Test(arguments: ["", "Giants", "a-b_c=d", "新闻", "㐀𠀀", "0"])
    func channelNamesOfTheRuleAreTaken(name: String) async throws {
        _ = try await create(["deviceType": "ios", "deviceToken": "t", "channels": [.string(name)]])
    }

    @Test(arguments: ["a b", "a.b", "é", "のに", "a,b", "😀", "a\n"])
    func otherChannelNamesAreNot(name: String) {
        #expect(throws: RegistryError.self) { try ChannelName.check(name) }
    }

    @Test func twentyRacersForOneConditionHaveOneWinner() async throws {
        let fixture = try RegistryFixture()
        let lock = try ClassName("BugleLock")
        let id = try await fixture.registry.create(["fence": 1], in: lock, as: .master, at: .noon).object.objectID
        let wins = await withTaskGroup(of: Bool.self) { group in
            for racer in 0..<20 {
                group.addTask {
                    let written = try? await fixture.registry.update(
                        id, in: lock, with: ["fence": 2, "run": .integer(Int64(racer))], where: ["fence": 1],
                        as: .master, at: .noon)
                    return written != nil
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(wins == 1)
    }

    @Test func everyCommitIsSynchronized() async throws {
        let fixture = try RegistryFixture()
        #expect(try await fixture.registry.sqlite.write { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == 2)
        let mode = try await fixture.registry.sqlite.write { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
        #expect(mode == "wal")
    }

    @Test(.onlyInSQLite) func theChannelTableFollowsTheDevices() async throws {
        let id = try await create(["deviceType": "ios", "deviceToken": "t", "channels": ["a", "b", "a"]]).object
            .objectID
        func channels() async throws -> [String] {
            try await registry.sqlite.read { try String.fetchAll($0, sql: "SELECT name FROM channel ORDER BY name") }
        }
        #expect(try await channels() == ["a", "b"])
        _ = try await registry.update(id, in: .installation, with: ["channels": ["c"]], as: .master, at: .noon)
        #expect(try await channels() == ["c"])
        try await registry.delete([id], in: .installation, as: .master)
        #expect(try await channels() == [])
    }

    /// Patterns that are one text in Swift: a letter with its accent, and with its accent apart.
    @Test func aPatternMatchesWhatIsSpelledLikeIt() async throws {
        let texts = ["caf\u{E9}", "cafe\u{301}"]
        for text in texts { _ = try await create(["text": .string(text)], in: "Note") }
        for text in texts {
            let query = ObjectQuery(where: ["text": ["$regex": .string(text)]])
            let found = try await registry.find(query, in: try ClassName("Note"), as: .master).results
            let spellings = found.compactMap { $0["text"]?.string }.map { Array($0.utf8) }
            #expect(spellings == [Array(text.utf8)])
        }
    }

    @Test(.onlyInSQLite) func aRunawayExpressionIsStopped() async throws {
        let text = String(repeating: "a", count: 60) + "b"
        let error = await #expect(throws: RegistryError.self) {
            try await registry.sqlite.read { db in
                try Bool.fetchOne(
                    db, sql: "SELECT bugle_regexp('^(a+)+$', '', ?, ?)",
                    arguments: [RegularExpression.deadline(after: .milliseconds(50)), text])
            }
        }
        #expect(error?.code == .timeout)
    }

    @Test func aFileThatIsNoDatabaseIsAnError() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "none-\(UUID()).sqlite")
        try Data(String(repeating: "no database ", count: 100).utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(throws: RegistryError.self) { try Registry.test(at: file.path) }
        #expect(throws: RegistryError.self) { try Registry.test(at: "/nonexistent/folder/r.sqlite") }
    }
}
