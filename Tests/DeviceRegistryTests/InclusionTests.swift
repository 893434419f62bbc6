import GRDB
import JSONValue
import Testing

@testable import DeviceRegistry
@testable import RegistryModel

@Suite struct InclusionTests {
    private let registry: Registry

    init() throws {
        registry = try Registry.inMemory()
    }

    private func add(_ className: String, _ members: JSONObject) async throws -> JSONValue {
        let written = try await registry.create(members, in: try ClassName(className), as: .master, at: .noon)
        return ["__type": "Pointer", "className": .string(className), "objectId": .string(written.object.objectID)]
    }

    private func find(_ className: String, include: [String], as access: Access = .master) async throws -> [JSONValue] {
        var query = ObjectQuery()
        query.include = include
        return try await registry.find(query, in: try ClassName(className), as: access).results
    }

    @Test func aRingOfPointersEndsWhereThePathEnds() async throws {
        let first = try await add("Node", ["name": "first"])
        let second = try await add("Node", ["name": "second", "next": first])
        _ = try await registry.update(
            first["objectId"]?.string ?? "", in: try ClassName("Node"), with: ["next": second], as: .master, at: .noon)
        let found = try await find("Node", include: ["next.next.next"])
        #expect(found.first?["next"]?["next"]?["next"]?["name"] == "second")
        #expect(found.first?["next"]?["next"]?["next"]?["next"]?["name"] == nil)
    }

    @Test func pointersWithinPlainObjectsAreReached() async throws {
        let team = try await add("Team", ["name": "t"])
        _ = try await add("Fan", ["meta": ["team": team, "list": [team, "x"]]])
        let found = try await find("Fan", include: ["meta.team", "meta.list"])
        #expect(found[0]["meta"]?["team"]?["name"] == "t")
        #expect(found[0]["meta"]?["list"]?.array?.first?["name"] == "t")
    }

    @Test func aClientSeesOnlyWhatItMayRead() async throws {
        let hidden = try await add("Team", ["name": "hidden", "ACL": [:]])
        let open = try await add("Team", ["name": "open"])
        let user = try await add("_User", ["username": "u"])
        let ledger = try await add("BugleLedger", ["state": "sent"])
        _ = try await add("Fan", ["hidden": hidden, "open": open, "user": user, "ledger": ledger])
        let keys = ["hidden", "open", "user", "ledger"]
        let asClient = try #require(try await find("Fan", include: keys, as: .client).first)
        #expect(asClient["hidden"] == hidden)
        #expect(asClient["open"]?["name"] == "open")
        #expect(asClient["user"] == user)
        #expect(asClient["ledger"] == ledger)
        let asMaster = try #require(try await find("Fan", include: keys).first)
        #expect(asMaster["hidden"]?["name"] == "hidden")
        #expect(asMaster["user"]?["username"] == "u")
        #expect(asMaster["hidden"]?["ACL"] == nil)
    }

    @Test func anAnswerThatGrowsTooLargeIsRefused() async throws {
        _ = try await add("Fan", ["n": 1])
        try await registry.sqlite.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 70)
                    INSERT INTO object(class, objectId, createdAt, updatedAt, document)
                    SELECT 'Fan', 'f' || n, n, n, json_object('team', json_object(
                      '__type', 'Pointer', 'className', 'Team', 'objectId', CASE WHEN n <= 60 THEN 't' END))
                    FROM number
                    UNION ALL SELECT 'Team', 't', 0, 0, json_object('text', printf('%.*c', 1000000, 'x'))
                    UNION ALL SELECT 'Large', n, n, n, json_object('text', printf('%.*c', 16000000, 'x'))
                    FROM number WHERE n <= 5
                    """)
            try db.execute(sql: "INSERT INTO class(name) VALUES ('Team'), ('Large')")
        }
        #expect(try await find("Fan", include: []).count == 71)
        #expect(try await find("Fan", include: ["team"]).count == 71)
        try await registry.sqlite.write {
            try $0.execute(sql: "UPDATE object SET document = replace(document, 'null', '\"t\"')")
        }
        for (className, include) in [("Fan", ["team"]), ("Large", [])] {
            let error = await #expect(throws: RegistryError.self) { try await find(className, include: include) }
            #expect(error?.code == .objectTooLarge)
        }
    }

    @Test(arguments: [
        Array(repeating: "a", count: 51), ["a.b.c.d.e.f.g.h.i"], ["."], ["", "a"],
    ])
    func pathsThatAreTooManyOrTooDeepAreRefused(include: [String]) async throws {
        _ = try await add("Fan", ["n": 1])
        let error = await #expect(throws: RegistryError.self) { try await find("Fan", include: include) }
        #expect(error?.code == .invalidKey)
    }

}
