import CurlHTTP
import JSONValue
import PushModel
import PushRemote
import Testing

@testable import LeanCloudRemote

@Suite struct ReadingTests {
    private let tooMany = FakeService.Script.answer(429, #"{"code":429,"error":"Too many requests."}"#)

    @Test func aReadIsTriedAgainWithLongerAndLongerWaits() async throws {
        let service = FakeService()
        service.script(
            .get, "BugleLedger", .refuseConnection, .answer(503, "<html>"), .loseAnswer,
            .answer(500, #"{"code":1,"error":"Internal server error."}"#),
            .answer(400, #"{"code":124,"error":"The request timed out on the server."}"#))
        #expect(try await service.reader.ledger() == [])
        #expect(service.pauses == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8)])
    }

    @Test func theWaitsAreHalfByChance() {
        let service = FakeService()
        let api = LeanCloudAPI(connection, http: service, pausing: FakePause(service: service), jitter: { 0 })
        #expect((0..<8).map(api.backoff) == [250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000].map { .milliseconds($0) })
    }

    @Test func aReadEndsAfterTheRetries() async {
        let service = FakeService()
        service.with {
            $0.rules.append(.init(method: .get, path: "", scripts: Array(repeating: .answer(503, ""), count: 99)))
        }
        let error = await failure { () throws(RemoteError) in _ = try await service.reader.ledger() }
        #expect(error?.kind == .unavailable)
        #expect(service.seen.count == 6)
        #expect(service.pauses.count == 5)
    }

    @Test func aRateLimitIsWaitedOutUntilTheMinuteIsOver() async throws {
        let service = FakeService(now: "2026-11-20T12:00:40Z")
        service.script(.get, "BugleLedger", tooMany, tooMany)
        #expect(try await service.reader.ledger() == [])
        // The second answer comes one second into the next minute.
        #expect(service.pauses == [.seconds(21), .seconds(60)])
    }

    @Test func aRateLimitThatOutlastsTheRetriesIsItsOwnKind() async {
        let service = FakeService()
        service.with { $0.rules.append(.init(method: nil, path: "", scripts: Array(repeating: tooMany, count: 99))) }
        let error = await failure { () throws(RemoteError) in _ = try await service.reader.ledger() }
        #expect(error?.kind == .rateLimited)
    }

    @Test(arguments: [
        (401, #"{"code":401,"error":"Unauthorized."}"#, RemoteError.Kind.credentials), (401, "", .credentials),
        (400, #"{"code":102,"error":"Invalid query"}"#, .refused), (200, #"{"code":1,"error":"x"}"#, .refused),
        (404, "<html>not found</html>", .unexpectedAnswer), (301, "", .unexpectedAnswer), (200, "", .unexpectedAnswer),
        (404, #"{"code":404,"error":"no such path"}"#, .refused),
    ])
    func aClearAnswerIsNotAskedForAgain(_ status: Int, _ body: String, _ kind: RemoteError.Kind) async {
        let service = FakeService()
        service.script(.get, "BugleLedger", .answer(status, body))
        let error = await failure { () throws(RemoteError) in _ = try await service.reader.ledger() }
        #expect(error?.kind == kind)
        #expect(service.seen.count == 1)
        #expect((error?.description.count ?? 999) <= 300)
    }

    @Test func aCancelledTaskStopsWaiting() async {
        let service = FakeService()
        service.with {
            $0.rules.append(.init(method: .get, path: "", scripts: Array(repeating: .answer(503, ""), count: 99)))
        }
        let task = Task { await failure { () throws(RemoteError) in _ = try await service.reader.ledger() } }
        task.cancel()
        #expect(await task.value?.kind == .unavailable)
        #expect(service.seen.count <= 2)
    }

    @Test func theRealPauseEndsWithItsTask() async {
        let task = Task {
            do throws(CancellationError) {
                try await TaskPause().pause(for: .seconds(3600))
                return false
            } catch {
                return true
            }
        }
        task.cancel()
        #expect(await task.value)
    }
}

@Suite struct RecordTests {
    private let id = DeliveryID("k3j")!

    @Test(arguments: [(404, #"{"code":101,"error":"Class or object doesn't exists."}"#), (200, "{}"), (200, #"{"results":[]}"#)])
    func noneIsBelievedInTheseShapesOnly(_ status: Int, _ body: String) async throws {
        let service = FakeService()
        service.script(.get, "/notifications/k3j", .answer(status, body))
        #expect(try await service.reader.record(notification: id) == nil)
        #expect(service.seen.map(\.path) == ["/1.1/notifications/k3j"])
    }

    @Test(arguments: [
        (200, "[]"), (200, #"{"results":{}}"#), (200, #"{"objectId":"x"}"#), (200, #"{"status":5}"#), (200, "null"),
        (200, #"{"results":[{}]}"#), (200, #"{"status":"done","notificationId":"another"}"#), (404, "<html>"),
        (404, #"{"code":404,"error":"no such path"}"#), (403, #"{"code":403,"error":"Forbidden"}"#), (200, ""),
        (200, #"{"status":"done","devices":"many"}"#), (200, #"{"status":"done","devices":-1}"#),
    ])
    func anythingElseIsAFailedLookUp(_ status: Int, _ body: String) async {
        let service = FakeService()
        service.script(.get, "/notifications/k3j", .answer(status, body))
        let error = await failure { () throws(RemoteError) in _ = try await service.reader.record(notification: id) }
        #expect(error != nil)
    }

    private func record(_ body: String) async throws -> PushRecord? {
        let service = FakeService()
        service.script(.get, "/notifications/k3j", .answer(200, body))
        return try await service.reader.record(notification: id)
    }

    @Test func aRecordIsReadWithItsFigures() async throws {
        let json =
            #"{"objectId":"o","notificationId":"k3j","status":"done","devices":12,"successes":10,"invalidTokens":2}"#
        let expected = PushRecord(
            objectID: "o", isScheduled: false, isDone: true, failure: nil,
            figures: DeliveryFigures(devices: 12, successes: 10, invalidTokens: 2))
        #expect(try await record(json) == expected)
        #expect(try await record(#"{"results":[\#(json)]}"#) == expected)
    }

    @Test(arguments: [
        (#"{"status":"in-queue"}"#, false, false, nil), (#"{"status":"in queue"}"#, false, false, nil),
        (#"{"status":"scheduled"}"#, true, false, nil), (#"{"status":"done"}"#, false, true, nil),
        (#"{"status":"done","errors":"部分推送被 APNs 拒绝"}"#, false, true, nil), (#"{"status":"expired"}"#, false, true, "expired"),
        (#"{"status":"error","errors":"dev profile disabled for massive push"}"#, false, true,
            "dev profile disabled for massive push"),
        (#"{"status":"done","errors":"dev profile disabled for massive push"}"#, false, true,
            "dev profile disabled for massive push"),
        (#"{"status":"error","errors":[{"a":1}]}"#, false, true, #"[{"a":1}]"#),
        (#"{"status":"error","errors":null}"#, false, true, "error"),
    ] as [(String, Bool, Bool, String?)])
    func aStatusSaysHowFarItIs(_ json: String, _ isScheduled: Bool, _ isDone: Bool, _ failure: String?) async throws {
        let record = try #require(try await record(json))
        #expect(record.isScheduled == isScheduled)
        #expect(record.isDone == isDone)
        #expect(record.failure == failure)
    }

    @Test func aRecordByItsObjectIdComesFromTheTable() async throws {
        let service = FakeService()
        service.script(.get, "/tables/Notifications/", .answer(200, #"{"status":"done"}"#))
        #expect(try await service.reader.record(objectID: "o/../x")?.isDone == true)
        #expect(service.seen.map(\.path) == ["/1.1/tables/Notifications/o/../x"])
        service.script(.get, "/tables/Notifications/", .answer(200, "{}"))
        #expect(try await service.reader.record(objectID: "o") == nil)
    }

    @Test func scheduledPushesAreReadInTheirOddShape() async throws {
        let service = FakeService()
        service.script(
            .get, "/scheduledPushMessages",
            .answer(
                200,
                #"{"results":[{"id":1,"expire_time":1373912050838,"push_msg":{"through?":null,"where":{"query":{}},"#
                    + #""id":"XRs9jmWnLd0GH2EH","notificationId":"mhWjvHvJARB6Q6ni"},"createdAt":"2016-01-21T00:47:46.000Z"},"#
                    + #"{"id":2,"expire_time":1373912050839,"push_msg":{}}]}"#))
        #expect(
            try await service.reader.scheduledPushes() == [
                ScheduledPush(
                    id: 1, notificationID: "mhWjvHvJARB6Q6ni", at: Instant(milliseconds: 1_373_912_050_838)),
                ScheduledPush(id: 2, notificationID: nil, at: Instant(milliseconds: 1_373_912_050_839)),
            ])
    }

    @Test(arguments: [
        "{}", "[]", #"{"results":[{}]}"#, #"{"results":[{"id":"1","expire_time":1,"push_msg":{}}]}"#,
        #"{"results":[{"id":1,"expire_time":"soon","push_msg":{}}]}"#, #"{"results":[{"id":1,"expire_time":1}]}"#,
    ])
    func aListOfScheduledPushesOfAnotherShapeIsAnError(_ body: String) async {
        let service = FakeService()
        service.script(.get, "/scheduledPushMessages", .answer(200, body))
        let error = await failure { () throws(RemoteError) in _ = try await service.reader.scheduledPushes() }
        #expect(error?.kind == .unexpectedAnswer)
    }
}

@Suite struct AudienceTests {
    private let fresh = #""updatedAt":{"$gte":{"__type":"Date","iso":"2026-08-22T12:00:00.000Z"}},"valid":true"#

    private func wheres(_ service: FakeService, _ path: String) -> [String?] {
        service.seen.filter { $0.path == path }.map { $0.query["where"] }
    }

    @Test func theConditionIsCountedWithWhatTheServiceAdds() async throws {
        let service = FakeService()
        service.script(.get, "/installations", .answer(200, #"{"results":[],"count":12345}"#))
        let count = try await service.reader.count(["channels": ["$in": ["巨人"]]])
        #expect(count == AudienceCount(devices: 12_345))
        #expect(wheres(service, "/1.1/installations") == [#"{"channels":{"$in":["巨人"]},\#(fresh)}"#])
        let query = try #require(service.seen.last?.query)
        #expect(query["limit"] == "0")
        #expect(query["count"] == "1")
    }

    @Test func aConditionOnTheSameKeysIsJoinedAndNotReplaced() async throws {
        let service = FakeService()
        service.script(.get, "/installations", .answer(200, #"{"results":[],"count":0}"#))
        _ = try await service.reader.count(["valid": false])
        #expect(wheres(service, "/1.1/installations") == [#"{"$and":[{"valid":false},{\#(fresh)}]}"#])
    }

    @Test func everyInnerQueryIsCountedAndTheLargestTold() async throws {
        let service = FakeService()
        service.script(.get, "/installations", .answer(200, #"{"results":[],"count":5}"#))
        service.script(
            .get, "/classes/", .answer(200, #"{"results":[],"count":3}"#), .answer(200, #"{"results":[],"count":1001}"#),
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
        #expect(try await reader.count(condition) == AudienceCount(devices: 5, innerQuery: 1001))
        #expect(wheres(service, "/1.1/classes/_User") == [#"{"location":{"$exists":true}}"#])
        #expect(wheres(service, "/1.1/classes/Team") == [#"{"coach":{"$inQuery":{"className":"Coach"}}}"#])
        #expect(wheres(service, "/1.1/classes/Coach") == ["{}"])
    }

    @Test func anInnerQueryCannotLeadToAnotherPath() async {
        let service = FakeService()
        service.script(.get, "/installations", .answer(200, #"{"results":[],"count":5}"#))
        let error = await failure { () throws(RemoteError) in
            _ = try await service.reader.count(["o": ["$inQuery": ["className": "../push", "where": [:]]]])
        }
        #expect(error?.kind == .refused)
        #expect(!service.seen.contains { $0.path.contains("push") })
    }

    @Test(arguments: [#"{"results":[]}"#, #"{"results":[],"count":"5"}"#, #"{"results":[],"count":-1}"#])
    func anAnswerWithoutACountIsAnError(_ body: String) async {
        let service = FakeService()
        service.script(.get, "/installations", .answer(200, body))
        let error = await failure { () throws(RemoteError) in _ = try await service.reader.count([:]) }
        #expect(error?.kind == .unexpectedAnswer)
    }

    @Test func aSampleCountsWhatItSeesAndAsksForTheRest() async throws {
        let service = FakeService()
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
            Set(wheres(service, "/1.1/installations").compactMap { $0 }) == [
                #"{"channels":"Giants"}"#, #"{"channels":"Dodgers"}"#, #"{"deviceProfile":"driver"}"#,
            ])
    }

    @Test func oneFailedCountFailsTheSample() async {
        let service = FakeService()
        service.script(.get, "/installations", .answer(200, #"{"results":[]}"#))
        service.with {
            $0.rules.append(
                .init(
                    method: .get, path: "/installations",
                    scripts: Array(repeating: .answer(401, #"{"code":401,"error":"Unauthorized."}"#), count: 99)))
        }
        let error = await failure { () throws(RemoteError) in
            _ = try await service.reader.sampleInstallations(channels: (0..<50).map { "c\($0)" }, deviceProfiles: [])
        }
        #expect(error?.kind == .credentials)
        #expect(service.seen.count < 10)
    }
}
