import Base
import GRDB
import RegistryTesting
import Testing

@testable import DeviceRegistry

@Suite struct ScanTests {
    private let registry: Registry
    private let note: ClassName

    init() async throws {
        registry = try await Registry.test()
        note = try ClassName("Note")
    }

    private func add(_ members: JSONObject) async throws -> String {
        try await registry.create(members, in: note, as: .master, at: .noon).object.objectID
    }

    /// The values of a key over all pages.
    private func walk(_ query: ScanQuery, _ key: String, between: () async throws -> Void = {}) async throws
        -> [JSONValue?]
    {
        var query = query
        var values: [JSONValue?] = []
        repeat {
            let page = try await registry.scan(query, in: note)
            values += page.results.map { $0[key] }
            query.start = page.end
            try await between()
        } while query.start != nil
        return values
    }

    private func query(_ key: String, limit: Int, isDescending: Bool = false) -> ScanQuery {
        var query = ScanQuery()
        query.key = key
        query.limit = limit
        query.isDescending = isDescending
        return query
    }

    @Test(arguments: [1, 2, 3, 4, 7, 8, 9, 1000], [false, true])
    func everyObjectIsMetOnceWhateverThePages(limit: Int, isDescending: Bool) async throws {
        let values: [JSONValue] = [1, 1, 1, -0.5, 2.5, "a", "a", "Z"]
        for value in values { _ = try await add(["k": value]) }
        _ = try await add(["other": 1])
        let found = try await walk(query("k", limit: limit, isDescending: isDescending), "k")
        let ordered: [JSONValue?] = [-0.5, 1, 1, 1, 2.5, "Z", "a", "a"]
        #expect(found == (isDescending ? ordered.reversed() : ordered))
        #expect(try await walk(query("createdAt", limit: limit), "objectId").count == 9)
    }

    @Test(.onlyInSQLite) func aTextThatCannotBeGoneOnFromDoesNotTrapAScan() async throws {
        for value in ["a", "a\u{0}b", "a\u{0}", "b'\"", "新"] as [JSONValue] { _ = try await add(["k": value]) }
        #expect(try await walk(query("k", limit: 1), "k") == ["a", "a\u{0}b", "a\u{0}", "b'\"", "新"])
        _ = try await add(["k": .string(String(repeating: "z", count: 1025))])
        let error = await #expect(throws: RegistryError.self) { try await walk(query("k", limit: 1), "k") }
        #expect(error?.code == .invalidQuery)
    }

    @Test func whatIsRemovedOrAddedMeanwhileDisturbsNoOther() async throws {
        var ids: [String] = []
        for _ in 0..<20 { ids.append(try await add(["n": 1])) }
        let kept = Set(ids.sorted().enumerated().filter { $0.offset % 4 != 1 }.map(\.element))
        var removed = Set(ids).subtracting(kept)
        let found = try await walk(query("objectId", limit: 3), "objectId") {
            if let id = removed.popFirst() { try await registry.delete([id], in: note, as: .master) }
            _ = try await add(["n": 2])
        }
        let met = found.compactMap { $0?.string }
        #expect(kept.isSubset(of: met))
        #expect(Set(met).count == met.count)
    }

    @Test(
        .onlyInSQLite,
        arguments: [
            ("_Installation", "objectId", "sqlite_autoindex_installation_1"),
            ("_Installation", "createdAt", "installationByCreation"),
            ("_Installation", "updatedAt", "installationByUpdate"),
            ("Note", "objectId", "sqlite_autoindex_object_1"), ("Note", "createdAt", "objectByCreation"),
            ("Note", "updatedAt", "objectByUpdate"),
        ])
    func aPageIsReadFromItsIndexWithoutSorting(className: String, key: String, index: String) async throws {
        var query = query(key, limit: 100)
        query.start = ScanPosition(value: key == "objectId" ? "x" : 5, row: 5)
        query.condition = ["n": ["$gt": 1]]
        for isDescending in [false, true] {
            query.isDescending = isDescending
            let plan = try await registry.sqlite.read { [query] db in
                let store = ObjectStore(
                    db: SQLiteTransaction(db: db), className: try ClassName(className), access: .master)
                let sql = SQL(sql: "EXPLAIN QUERY PLAN ") + (try query.sql(store).literal)
                return try Row.fetchAll(db, SQLRequest<Row>(literal: sql)).map { $0["detail"] as String }
            }
            #expect(plan.first?.hasPrefix("SEARCH t0") == true && plan[0].contains("\(index) ("), "\(plan)")
            #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
        }
    }
}
