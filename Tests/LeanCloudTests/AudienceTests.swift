import Base
import HTTP
import Push
import RemoteTesting
import Testing

@testable import LeanCloud

@Suite struct AudienceTests {
    private let service = FakeService()
    private let fresh = #""updatedAt":{"$gte":{"__type":"Date","iso":"2026-08-22T12:00:00.000Z"}},"valid":true"#

    private func wheres(_ path: String) -> [String?] {
        service.seen.filter { $0.path == path }.map { $0.query["where"] }
    }

    @Test func theConditionIsCountedWithWhatTheServiceAdds() async throws {
        service.script(.get, "/installations", .answer(200, #"{"results":[],"count":12345}"#))
        let count = try await service.reader.count(["channels": ["$in": ["巨人"]]])
        #expect(count == AudienceCount(devices: 12_345))
        #expect(
            wheres("/1.1/installations") == [
                #"{"channels":{"$in":["巨人"]},\#(fresh)}"#, #"{"channels":{"$in":["巨人"]}}"#,
            ])
        let query = try #require(service.seen.last?.query)
        #expect(query["limit"] == "0")
        #expect(query["count"] == "1")
    }

    @Test func aConditionOnTheSameKeysIsJoinedAndNotReplaced() async throws {
        service.script(.get, "/installations", .answer(200, #"{"results":[],"count":0}"#))
        _ = try await service.reader.count(["valid": false])
        #expect(
            wheres("/1.1/installations") == [#"{"$and":[{"valid":false},{\#(fresh)}]}"#, #"{"valid":false}"#])
    }

    @Test func everyInnerQueryIsCountedAndTheLargestTold() async throws {
        service.script(.get, "/installations", .answer(200, #"{"results":[],"count":5}"#))
        service.script(
            .get, "/classes/", .answer(200, #"{"results":[],"count":3}"#),
            .answer(200, #"{"results":[],"count":1001}"#),
            .answer(404, #"{"code":101,"error":"Class or object doesn't exists."}"#))
        let condition: JSONValue = [
            "$or": [
                ["owner": ["$inQuery": ["location": ["$exists": true]]]],
                [
                    "team": [
                        "$notInQuery": [
                            "className": "Team", "where": ["coach": ["$inQuery": ["className": "Coach"]]],
                        ]
                    ]
                ],
            ]
        ]
        // The lock's class is asked for the clock first; it takes the script's first answer otherwise.
        service.script(.get, "BugleLock", .answer(200, #"{"results":[]}"#))
        let reader = service.reader
        reader.api.clock.note(service.now)
        #expect(
            try await reader.count(condition)
                == AudienceCount(devices: 5, innerQuery: 1001, doubts: [.absentClass("Coach")]))
        #expect(wheres("/1.1/classes/_User") == [#"{"location":{"$exists":true}}"#])
        #expect(wheres("/1.1/classes/Team") == [#"{"coach":{"$inQuery":{"className":"Coach"}}}"#])
        #expect(wheres("/1.1/classes/Coach") == ["{}"])
    }

    @Test func anInnerQueryCannotLeadToAnotherPath() async {
        service.script(.get, "/installations", .answer(200, #"{"results":[],"count":5}"#))
        let error = await #expect(throws: RemoteError.self) {
            try await service.reader.count(["o": ["$inQuery": ["className": "../push", "where": [:]]]])
        }
        #expect(error?.kind == .refused)
        #expect(!service.seen.contains { $0.path.contains("push") })
    }

    @Test(arguments: [#"{"results":[]}"#, #"{"results":[],"count":"5"}"#, #"{"results":[],"count":-1}"#])
    func anAnswerWithoutACountIsAnError(_ body: String) async {
        service.script(.get, "/installations", .answer(200, body))
        let error = await #expect(throws: RemoteError.self) { try await service.reader.count([:]) }
        #expect(error?.kind == .unexpectedAnswer)
    }

    @Test func aSampleCountsWhatItSeesAndAsksForTheRest() async throws {
        service.script(
            .get, "/installations",
            .answer(
                200,
                #"{"results":[{"channels":["Giants","Giants",""],"deviceProfile":"driver"},{"channels":"odd"},"#
                    + #"{"channels":["Giants","Mets",5],"deviceProfile":""}]}"#))
        for _ in 0..<3 { service.script(.get, "/installations", .answer(200, #"{"results":[],"count":9}"#)) }
        let sample = try await service.reader.sampleInstallations(
            channels: ["Giants", "Dodgers"], deviceProfiles: ["driver"])
        #expect(
            sample
                == InstallationSample(
                    size: 3, channels: ["Giants": 2, "Mets": 1], deviceProfiles: ["driver": 1],
                    subscribers: ["Giants": 9, "Dodgers": 9], bearers: ["driver": 9]))
        #expect(service.seen.first?.query["limit"] == "1000")
        #expect(
            Set(wheres("/1.1/installations").compactMap { $0 }) == [
                #"{"channels":"Giants"}"#, #"{"channels":"Dodgers"}"#, #"{"deviceProfile":"driver"}"#,
            ])
    }

    @Test func oneFailedCountFailsTheSample() async {
        service.script(.get, "/installations", .answer(200, #"{"results":[]}"#))
        service.script(.get, "/installations", always: .answer(401, #"{"code":401,"error":"Unauthorized."}"#))
        let error = await #expect(throws: RemoteError.self) {
            try await service.reader.sampleInstallations(channels: (0..<50).map { "c\($0)" }, deviceProfiles: [])
        }
        #expect(error?.kind == .credentials)
        #expect(service.seen.count < 10)
    }
}

extension AudienceTests {
    @Test func whatIsAskedAboutFieldsIsBoundedAndOnlyAskedWhereTheyMayDecide() async throws {
        for _ in 0..<5 { service.register(["deviceType": "ios", "valid": true, "f1": 1]) }
        let reader = service.reader
        reader.api.clock.note(service.now)
        #expect(try await reader.count(["f1": 1, "deviceType": "ios"]).doubts == [])
        // The audience, and all that match.
        #expect(service.seen.count == 2)
        let many = JSONObject((0..<100).map { ("f\($0)x", JSONValue.integer(1)) })
        #expect(try await reader.count(.object(many)).doubts.count == 8)
        // Both again, eight fields, and one page of installations.
        #expect(service.seen.count == 13)
        #expect(service.seen.allSatisfy { $0.method == .get })
        // Another audience with the same fields asks nothing about them again.
        #expect(try await reader.count(["f0x": 1]).doubts.count == 1)
        #expect(service.seen.count == 15)
    }

    @Test func aDoubtThatCannotBeClearedUpIsNoErrorAndWhereNobodyIsRegisteredThereIsNone() async throws {
        let reader = service.reader
        reader.api.clock.note(service.now)
        #expect(try await reader.count(["goals": 1]) == AudienceCount(devices: 0))
        service.register(["deviceType": "ios", "valid": true])
        service.script(
            .get, "/installations", .answer(200, #"{"results":[],"count":0}"#),
            .answer(400, #"{"code":1,"error":"no"}"#))
        #expect(try await reader.count(["goals": 1]) == AudienceCount(devices: 0))
    }

    @Test func ofAServerThatReachesApplesDevicesOnlyTheseAreCounted() async throws {
        service.script(.get, "/installations", .answer(200, #"{"results":[],"count":6000}"#))
        let reader = service.reader
        reader.api.clock.note(service.now)
        reader.api.clock.note(ways: ["apple"])
        #expect(try await reader.count(["scores": true]).devices == 6000)
        let asked = try #require(wheres("/1.1/installations").first ?? nil)
        #expect(
            asked.contains(#""deviceToken":{"$exists":true},"deviceType":{"$in":["ios","macos","tvos","watchos"]}"#))
        #expect(asked.contains(#""scores":true"#) && asked.contains(#""valid":true"#))
    }

    private func register(_ count: Int, _ members: JSONValue, days: Int64 = 0) {
        let all: JSONObject = ["deviceType": "ios", "deviceToken": "ab", "valid": true]
        let device = JSONValue.object(all.merging(members.object ?? [:]) { $1 })
        for _ in 0..<count { service.register(device, seen: .seconds(days * 86_400)) }
    }

    @Test func whoMatchesAndGetsNothingIsCountedByReasonInTwoMoreRequests() async throws {
        register(5, [:])
        register(4, [:], days: 91)
        register(2, ["valid": false])
        let reader = service.reader
        reader.api.clock.note(service.now)
        let count = try await reader.count([:])
        #expect(count == AudienceCount(devices: 5, leftOut: [.stale: 4, .invalid: 2]))
        #expect(service.seen.filter { $0.path == "/1.1/installations" }.count == 3)
    }

    @Test func whereNobodyIsLeftOutOneMoreRequestSaysSoAndASharedAudienceAsksForNone() async throws {
        register(5, [:])
        let reader = service.reader
        reader.api.clock.note(service.now)
        #expect(try await reader.count([:]) == AudienceCount(devices: 5))
        #expect(service.seen.filter { $0.path == "/1.1/installations" }.count == 2)
        #expect(try await reader.shared([:]) == AudienceCount(devices: 5))
        #expect(service.seen.filter { $0.path == "/1.1/installations" }.count == 3)
    }
}
