import Base
import RegistryTesting
import Testing

@testable import DeviceRegistry

/// Whatever stands in a condition, it is refused or is a value: it never becomes SQL or a path of JSON.
@Suite struct InjectionTests {
    private static let hostile = [
        "'", "\"", "`", "k'", "k\"", "k') OR 1=1 --", "k\" OR \"1\"=\"1", "'; DROP TABLE installation; --", "$", "$.k",
        "$.\"k\"", "k[0]", "k[#-1]", "k.*", "k..k", ".k", "k.", "k\".\"k", "k\u{0}", "\u{0}", "k\\", "\\\"", "k--",
        "k/*",
        "k;", "k?", "?1", ":k", "@k", "$k", "k||'", "%", "_id' --", "k\nk", "\u{202E}k", "𝒌", "k%00", "x'41'",
        "(SELECT 1)",
        String(repeating: "k", count: 100_000), String(repeating: "k.", count: 500) + "k",
        String(repeating: "\"", count: 1000), "",
    ]

    /// A hostile text in each place that takes one.
    private static let places: [@Sendable (JSONValue, String) -> JSONValue] = [
        { _, text in .object([text: 1]) },
        { _, text in .object(["k." + text: 1]) },
        { _, text in .object([text + ".k": ["$exists": true]]) },
        { _, text in ["$or": [.object([text: ["$gt": 1]]), ["k": 1]]] },
        { _, text in ["k": .object([text: 1])] },
        { _, text in ["k": .object(["$" + text: 1])] },
        { value, _ in ["k": value] },
        { value, _ in ["channels": value] },
        { value, _ in ["deviceToken": value] },
        { value, _ in ["deviceProfile": ["$in": [value, "x"]]] },
        { value, _ in ["channels": ["$all": [value]]] },
        { value, _ in ["k": ["$nin": [value]]] },
        { value, _ in ["k": ["$gt": value]] },
        { value, _ in ["k": ["$regex": value]] },
        { value, _ in ["k": ["$regex": "a", "$options": value]] },
        { value, _ in ["objectId": value] },
        { value, _ in ["updatedAt": ["$gt": value]] },
        { value, _ in ["k": ["__type": "Pointer", "className": value, "objectId": "a"]] },
        { value, _ in ["k": ["__type": "Pointer", "className": "C", "objectId": value]] },
        { value, _ in ["k": ["__type": "Date", "iso": value]] },
        { value, _ in ["k": ["__type": value, "iso": value]] },
        { value, _ in ["k": ["$inQuery": ["className": value, "where": [:]]]] },
        { value, text in ["k": ["$inQuery": .object([text: value])]] },
        { value, _ in ["k": ["$select": ["query": ["className": "C"], "key": value]]] },
        { value, _ in ["k": ["$select": ["query": ["className": value], "key": "k"]]] },
        { value, _ in
            ["$relatedTo": ["object": ["__type": "Pointer", "className": "C", "objectId": value], "key": value]]
        },
        { value, text in ["k": .array([value, .object([text: value])])] },
        { value, _ in ["k": ["$size": value]] },
        { value, _ in ["k": ["$within": ["$box": [value, value]]]] },
        { value, _ in ["k": ["$nearSphere": value]] },
    ]

    private let registry: Registry

    init() async throws {
        registry = try await Registry.test()
        try await registry.register("t", ["channels": ["c"], "k": "v"])
        _ = try await registry.create(["k": "v"], in: try ClassName("C"), as: .master, at: .noon)
        try await registry.index(["k"])
    }

    /// Asks, and gives whether the answer was one of a request that cannot be read or that fits nothing.
    private func ask(_ query: ObjectQuery, _ name: String) async throws {
        for access in name == "C" ? [Access.master, .client] : [.master] {
            do throws(RegistryError) {
                _ = try await registry.find(query, in: name == "C" ? ClassName(name) : .installation, as: access)
            } catch {
                #expect(!error.isInternal, "\(error) for \(query.condition.canonicalText.prefix(300))")
                #expect(error.description.utf8.count < 400)
            }
        }
    }

    @Test func noPlaceOfAConditionTakesSQL() async throws {
        for text in Self.hostile {
            for place in Self.places {
                let query = ObjectQuery(where: place(.string(text), text), countsAll: true)
                try await ask(query, "C")
                try await ask(query, "_Installation")
            }
        }
        try await expectAllIsThere()
    }

    @Test func noOrderAndNoKeyTakesSQL() async throws {
        for text in Self.hostile {
            try await ask(ObjectQuery(order: [text, "-" + text], keys: [text, "-" + text]), "C")
        }
        let names = (0..<5000).map { "k\($0)" }
        try await ask(ObjectQuery(order: names, keys: names), "C")
        try await expectAllIsThere()
    }

    @Test func aHostileValueFindsItselfOnly() async throws {
        for text in Self.hostile where !text.contains("\u{0}") {
            let value = JSONValue.string(text)
            let id = try await registry.create(["k": value], in: try ClassName("C"), as: .master, at: .noon).object
                .objectID
            for condition in [["k": value], ["k": ["$in": [value]]], ["k": ["$all": [value]]]] as [JSONValue] {
                let query = ObjectQuery(where: condition)
                let found = try await registry.find(query, in: try ClassName("C"), as: .master).results
                #expect(found.compactMap { $0["objectId"]?.string } == [id], "\(text.prefix(50))")
            }
        }
    }

    private func expectAllIsThere() async throws {
        #expect(try await registry.deviceCount() == 1)
        let counts = try await registry.read { db in
            let tables = ["object"] + (db.dialect == .sqlite ? ["channel", "fieldValue"] : [])
            return try tables.map { try db.number("SELECT COUNT(*) FROM \($0)") }
        }
        #expect(counts.allSatisfy { $0 == 1 }, "\(counts)")
    }

    /// Conditions at the bounds of what is taken: each is answered or refused with code 102, quickly.
    @Test(
        arguments: [
            ["$or": .array((0..<498).map { ["k": .integer($0)] })],
            ["$and": .array((0..<498).map { ["k": ["$ne": .integer($0)]] })],
            ["$or": .array((0..<10_000).map { _ in [:] })],
            ["k": ["$in": .array((0..<10_000).map { .integer($0) })]],
            ["k": ["$all": .array((0..<10_000).map { .integer($0) })]],
            ["k": ["$nin": .array((0..<490).map { _ in true })]],
            ["k": ["$nin": .array((0..<10_000).map { _ in nil })]],
            .array((0..<10_000).map { ["k": .integer($0)] }),
            nested(15) { depth, inner in depth % 2 == 0 ? ["$or": [["k": 1], inner]] : ["$and": [["k": 2], inner]] },
            nested(15) { _, inner in ["$or": [["k": ["$regex": "a"]], ["k": ["$ne": 1]], inner]] },
            nested(15) { _, inner in ["k": ["$inQuery": inner]] },
            nested(15) { _, inner in ["k": ["$notInQuery": ["className": "C", "where": inner]]] },
            nested(15) { _, inner in ["k": ["$dontSelect": ["query": ["className": "C", "where": inner], "key": "k"]]]
            },
            nested(15) { depth, inner in
                depth % 2 == 0 ? ["$or": [["k": 1], inner]] : ["k": ["$notInQuery": inner]]
            },
            nested(300) { _, inner in ["$or": [inner]] },
            nested(300) { _, inner in ["k": ["$inQuery": inner]] },
        ] as [JSONValue])
    func complexConditionsAreAnsweredOrRefused(condition: JSONValue) async throws {
        let query = ObjectQuery(where: condition)
        for className in [ClassName.installation, try ClassName("C")] {
            do throws(RegistryError) {
                _ = try await registry.find(query, in: className, as: .master)
            } catch {
                #expect(error.code == .invalidQuery && !error.isInternal, "\(error)")
            }
        }
    }

    private static func nested(_ depth: Int, _ wrap: (Int, JSONValue) -> JSONValue) -> JSONValue {
        (0..<depth).reduce(["k": ["$ne": 5]]) { wrap($1, $0) }
    }
}
