import Base
import Delivery
import DeviceRegistry
import HTTP
import LeanCloud
import Push
import PushServer
import Testing

/// What a condition names that nobody has, found out through the server's API and straight from the registry.
@Suite struct AudienceDoubtTests {
    /// Asks both about the same registry.
    private func doubts(_ condition: JSONValue) async throws -> [AudienceDoubt] {
        var found: [AudienceDoubt] = []
        try await TestServer.run { (server) async throws in
            for index in 0..<3 {
                try await server.device("a\(index)", ["scores": true, "level": .integer(Int64(index))])
            }
            _ = try await server.call("POST", "/classes/Team", ["name": "Giants"])
            let (leancloud, apple) = server.readers
            let routes: JSONValue = [["profile": "main", "topic": "com.example.app", "default": true]]
            found = try await leancloud.count(condition).doubts
            let direct = try await apple.count(["where": condition, "routes": routes]).doubts
            #expect(found == direct)
        }
        return found
    }

    @Test func aFieldThatNobodyHasIsNamedWithTheNearestThatSomebodyHas() async throws {
        #expect(try await doubts(["scroes": true]) == [.absentField("scroes", nearest: "scores")])
        #expect(try await doubts(["xyzzy.deep": 1]) == [.absentField("xyzzy", nearest: nil)])
        #expect(try await doubts(["chanels": "news"]) == [.absentField("chanels", nearest: "channels")])
    }

    @Test(
        arguments: [
            ["scores": true], ["scores": false], ["level": ["$gt": 7]], ["channels": "nobody"], ["timeZone": "x"],
            ["$and": [["scores": ["$ne": false]], ["level": ["$nin": [5]]]]], [:],
        ] as [JSONValue])
    func fieldsThatSomebodyHasAreInNoDoubt(condition: JSONValue) async throws {
        #expect(try await doubts(condition) == [])
    }

    @Test(
        arguments: [
            ["levle": ["$ne": 1]], ["levle": ["$nin": [1]]], ["levle": ["$exists": false]],
            ["$or": [["levle": 1], ["scores": true]]], ["$and": [["levle": ["$ne": 1]], ["scores": true]]],
        ] as [JSONValue])
    func aTypingErrorThatLetsEverybodyInIsFoundOutToo(condition: JSONValue) async throws {
        #expect(try await doubts(condition) == [.absentField("levle", nearest: "level")])
    }

    @Test func aClassThatDoesNotExistIsNamed() async throws {
        let missing: JSONValue = ["$inQuery": ["className": "Teem", "where": [:]]]
        #expect(try await doubts(["scores": true, "level": missing]) == [.absentClass("Teem")])
        let selected: JSONValue = ["$dontSelect": ["query": ["className": "Lost", "where": [:]], "key": "name"]]
        #expect(try await doubts(["level": selected]) == [.absentClass("Lost")])
        let there: JSONValue = ["$notInQuery": ["className": "Team", "where": [:]]]
        #expect(try await doubts(["level": there]) == [])
    }
}
