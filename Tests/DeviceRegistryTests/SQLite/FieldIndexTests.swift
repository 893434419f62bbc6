import Base
import GRDB
import RegistryTesting
import Testing

@testable import DeviceRegistry

/// Indexes over custom fields follow the devices and change no answer.
@Suite struct FieldIndexTests {
    private let registry: Registry

    init() throws {
        registry = try Registry.testInMemory()
    }

    /// The values of an index, by SQLite's spelling.
    private func values(_ field: String) async throws -> [String] {
        try await registry.sqlite.read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT quote(value) FROM fieldValue WHERE field = (SELECT id FROM indexedField WHERE name = ?)
                    ORDER BY value, installation
                    """, arguments: [field])
        }
    }

    @Test func theIndexHoldsTextsNumbersTruthAndPointersAlsoWithinLists() async throws {
        try await registry.register("a", ["k": "text"])
        try await registry.index(["k"])
        try await registry.register("b", ["k": 5])
        try await registry.register("c", ["k": true])
        try await registry.register("d", ["k": ["x", 1.5, "x", nil]])
        try await registry.register("e", ["k": ["__type": "Pointer", "className": "C", "objectId": "o"]])
        try await registry.register("f", ["k": nil])
        try await registry.register("g", ["k": .string(String(repeating: "x", count: 201))])
        #expect(try await values("k") == ["1.5", "5", "'text'", "'x'", "X'01'", "X'706F'"])
    }

    @Test func theIndexFollowsChangesAndRemovals() async throws {
        try await registry.index(["k"])
        let id = try await registry.register("a", ["k": ["x", "y"]]).objectID
        _ = try await registry.update(id, in: .installation, with: ["k": 1], as: .master, at: .noon)
        #expect(try await values("k") == ["1"])
        _ = try await registry.update(id, in: .installation, with: ["k": true], as: .master, at: .noon)
        #expect(try await values("k") == ["X'01'"])
        _ = try await registry.update(id, in: .installation, with: ["other": 1], as: .master, at: .noon)
        #expect(try await values("k") == ["X'01'"])
        try await registry.delete([id], in: .installation, as: .master)
        #expect(try await values("k") == [])
    }

    @Test func devicesThatWereThereBeforeAreIndexedInSteps() async throws {
        _ = try await registry.seed(devices: 4500, at: .noon)
        try await registry.write { try FieldIndexes.declare("timeZone", in: $0) }
        var steps = 0
        while try await registry.database.fillIndexes() {
            // Until it is complete it answers nothing.
            #expect(try await registry.indexedFields() == (steps == 5 ? ["timeZone"] : []))
            steps += 1
        }
        #expect(steps == 6)
        #expect(try await values("timeZone").count == 4500)
    }

    @Test func aFieldThatIsAskedForOftenGetsAnIndex() async throws {
        try await registry.register("a", ["level": 3])
        // A registry counts as large by its highest row.
        try await registry.sqlite.write { try $0.execute(sql: "UPDATE installation SET id = 20000") }
        let query = ObjectQuery(where: ["level": 3])
        for _ in 0..<FieldIndexes.oftenAsked {
            #expect(try await registry.find(query, in: .installation, as: .master).results.count == 1)
        }
        while try await registry.indexedFields().isEmpty { await Task.yield() }
        #expect(try await registry.indexedFields() == ["level"])
        #expect(try await registry.find(query, in: .installation, as: .master).results.count == 1)
    }

    @Test func aFieldBesideAnIndexedOneNeedsNone() async throws {
        try await registry.register("a", ["level": 3, "channels": ["c"]])
        try await registry.sqlite.write { try $0.execute(sql: "UPDATE installation SET id = 20000") }
        let query = ObjectQuery(where: ["level": 3, "channels": "c"])
        for _ in 0..<FieldIndexes.oftenAsked * 2 {
            _ = try await registry.find(query, in: .installation, as: .master)
        }
        #expect(try await registry.sqlite.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM indexedField") } == 0)
    }

    @Test func aCancelledTaskLeavesTheRestToTheNextStart() async throws {
        _ = try await registry.seed(devices: 10, at: .noon)
        let registry = registry
        let stopped = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await registry.index(["timeZone"])
        }
        try await stopped.value
        #expect(try await registry.indexedFields() == [])
        try await registry.index([])
        #expect(try await registry.indexedFields() == ["timeZone"])
    }

    @Test func sixteenFieldsHaveAnIndexAtMost() async throws {
        try await registry.index((0..<40).map { "f\($0)" })
        #expect(try await registry.indexedFields().count == FieldIndexes.mostFields)
    }

    @Test(arguments: ["a.b", "", "a\"", "a') --", "$k", "a b", "1a"])
    func otherNamesAreRefused(name: String) async throws {
        let error = await #expect(throws: RegistryError.self) { try await registry.index([name]) }
        #expect(error?.code == .invalidKey)
    }
}
