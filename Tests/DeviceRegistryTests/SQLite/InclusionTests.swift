import Base
import RegistryTesting
import Testing

@testable import DeviceRegistry

@Suite struct InclusionTests {
    private let registry: Registry

    init() async throws {
        registry = try await Registry.test()
    }

    private func add(_ className: String, _ members: JSONObject) async throws -> JSONValue {
        let written = try await registry.create(members, in: try ClassName(className), as: .master, at: .noon)
        return ["__type": "Pointer", "className": .string(className), "objectId": .string(written.object.objectID)]
    }

    private func find(_ className: String, include: [String], as access: Access = .master) async throws -> [JSONValue] {
        try await registry.find(ObjectQuery(include: include), in: try ClassName(className), as: access).results
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
        try await registry.write { db in
            func text(_ size: Int) -> String { #"{"text":"\#(String(repeating: "x", count: size))"}"# }
            var rows: [[any SQLBindable]] = (1...70).map { n in
                let id = n <= 60 ? #""t""# : "null"
                let team = #"{"__type":"Pointer","className":"Team","objectId":\#(id)}"#
                return ["Fan", "f\(n)", n, n, #"{"team":\#(team)}"#]
            }
            rows.append(["Team", "t", 0, 0, text(1_000_000)])
            rows += (1...5).map { n in ["Large", "\(n)", n, n, text(16_000_000)] }
            try db.add(rows, to: "object(class, objectId, createdAt, updatedAt, document)")
            try db.execute("INSERT INTO class(name) VALUES ('Team'), ('Large')", [])
        }
        #expect(try await find("Fan", include: []).count == 71)
        #expect(try await find("Fan", include: ["team"]).count == 71)
        _ = try await registry.write { db in
            let cast = db.dialect == .sqlite ? ("", "") : ("::text", "::jsonb")
            try db.execute(
                "UPDATE object SET document = replace(document\(cast.0), 'null', '\"t\"')\(cast.1) WHERE class = 'Fan'",
                [])
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
