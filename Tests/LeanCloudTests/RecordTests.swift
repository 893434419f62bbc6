import Base
import HTTP
import Push
import RemoteTesting
import Testing

@testable import LeanCloud

@Suite struct RecordTests {
    private let service = FakeService()
    private let id = k3j

    @Test(arguments: [
        (404, #"{"code":101,"error":"Class or object doesn't exists."}"#), (200, "{}"), (200, #"{"results":[]}"#),
    ])
    func noneIsBelievedInTheseShapesOnly(_ status: Int, _ body: String) async throws {
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
        service.script(.get, "/notifications/k3j", .answer(status, body))
        await #expect(throws: RemoteError.self) { try await service.reader.record(notification: id) }
    }

    @Test(
        arguments: [
            ("in-queue", nil, "the push service: no host"), ("in-queue", "apns", "Apple: no host"),
            ("in-queue", "mi", "Xiaomi: no host"), ("in-queue", "carrier-pigeon", "the push service: no host"),
            ("done", "apns", nil),
        ] as [(String, String?, String?)])
    func whatTheServerWaitsForIsReadWhileThePushIsQueued(
        _ status: String, _ vendor: String?, _ wait: String?
    ) async throws {
        let service = vendor.map { #","waitingFor":"\#($0)""# } ?? ""
        let found = try await record(#"{"status":"\#(status)","waiting":"no host"\#(service)}"#)
        #expect(found?.wait?.text == wait.map { "the server waits for \($0)" })
    }

    @Test func aStopInTheServersConsoleIsReadWhileThePushIsQueued() async throws {
        let stopped =
            #""waiting":"could not resolve host","stopped":{"by":"the console, 127.0.0.1","#
            + #""at":"2026-11-20T12:00:00.000Z","reason":"wrong link"}"#
        let found = try #require(try await record(#"{"status":"in-queue",\#(stopped)}"#))
        #expect(found.stop?.why == "wrong link" && found.stop?.isAtServer == true)
        #expect(
            found.wait?.text == "stopped by the console, 127.0.0.1 at 2026-11-20T12:00:00Z: wrong link; "
                + "go on with the rest or give it up in the server's console")
        let ended = try await record(#"{"status":"done",\#(stopped)}"#)
        #expect(ended?.stop == nil && ended?.wait == nil)
        #expect(try await record(#"{"status":"in-queue","stopped":true}"#)?.stop == nil)
    }

    @Test(arguments: [500, 503, 408])
    func aServiceThatFailsSaysNotThatThereIsNone(_ status: Int) async {
        let absent = #"{"code":101,"error":"Class or object doesn't exists."}"#
        for _ in 0..<20 {
            service.script(.get, "/notifications/k3j", .answer(status, absent))
            service.script(.get, "/classes/BugleLedger", .answer(status, absent))
        }
        await #expect(throws: RemoteError.self) { try await service.reader.record(notification: id) }
        await #expect(throws: RemoteError.self) { try await service.reader.ledger() }
    }

    private func record(_ body: String) async throws -> PushRecord? {
        service.script(.get, "/notifications/k3j", .answer(200, body))
        return try await service.reader.record(notification: id)
    }

    @Test func aRecordIsReadWithItsFigures() async throws {
        let json =
            #"{"objectId":"o","notificationId":"k3j","status":"done","devices":12,"successes":10,"invalidTokens":2}"#
        let expected = PushRecord(
            objectID: "o", .done,
            figures: DeliveryFigures(devices: 12, successes: 10, invalidTokens: 2))
        #expect(try await record(json) == expected)
        #expect(try await record(#"{"results":[\#(json)]}"#) == expected)
    }

    @Test func whatBugleServerSimulatedIsNotCountedAmongWhatWasSent() async throws {
        let counters = #""devices":0,"successes":0,"simulated":{"devices":9,"successes":7,"invalidTokens":2}"#
        let found = try #require(try await record(#"{"status":"done",\#(counters)}"#))
        #expect(found.figures == DeliveryFigures(devices: 0, successes: 0, invalidTokens: 0, simulated: 7))
        // It was made, whatever else the record says.
        #expect(try await record(#"{"status":"error",\#(counters)}"#)?.doubt == nil)
    }

    @Test(
        arguments: [
            (#"{"status":"in-queue"}"#, .queued), (#"{"status":"in queue"}"#, .queued),
            (#"{"status":"scheduled"}"#, .scheduled), (#"{"status":"done"}"#, .done),
            (#"{"status":"done","errors":"部分推送被 APNs 拒绝"}"#, .done),
            (#"{"status":"done","errors":"dev profile disabled for massive push","successes":1}"#, .done),
        ] as [(String, PushRecord.Standing)])
    func aDocumentedWordSaysWhereItStands(_ json: String, _ standing: PushRecord.Standing) async throws {
        #expect(try await record(json)?.standing == standing)
    }

    @Test(arguments: ["error", "done", "in-queue"])
    func theDocumentedErrorOfARecordIsARefusalWhereNobodyGotIt(_ word: String) async throws {
        let errors = #""errors":"Error: dev profile disabled for massive push.""#
        #expect(try await record(#"{"status":"\#(word)",\#(errors)}"#)?.standing == .refused(.massiveDevelopmentPush))
        let sent = try await record(#"{"status":"\#(word)",\#(errors),"devices":250,"successes":200}"#)
        #expect(sent?.standing != .refused(.massiveDevelopmentPush))
        #expect(sent?.doubt == nil)
    }

    /// Everything that is not `in-queue`, `in queue`, `scheduled` or `done`.
    static let words = [
        "sending", "error", "expired", "failed", "waiting", "refused", "cancelled", "Done", "DONE", "done ", "queued",
        "in_queue", "", "完成", "dev profile disabled for massive push",
    ]

    @Test(
        arguments: words,
        [
            "", #","errors":"BadDeviceToken""#, #","errors":[{"a":1}]"#, #","errors":null"#, #","devices":250"#,
            #","devices":250,"errors":"no certificate""#,
        ])
    func anyOtherWordDecidesNothing(_ word: String, _ rest: String) async throws {
        let record = try #require(try await record(#"{"status":"\#(word)"\#(rest)}"#))
        #expect(record.standing == .unknown(word))
        #expect(record.doubt?.text.contains("which is not documented") == true)
        let sent = try await self.record(#"{"status":"\#(word)"\#(rest),"successes":200}"#)
        #expect(sent?.standing == .unknown(word))
        #expect(sent?.doubt == nil)
    }

    @Test func aRecordByItsObjectIdComesFromTheTable() async throws {
        service.script(.get, "/tables/Notifications/", .answer(200, #"{"status":"done"}"#))
        #expect(try await service.reader.record(objectID: "o/../x")?.isDone == true)
        #expect(service.seen.map(\.path) == ["/1.1/tables/Notifications/o/../x"])
        service.script(.get, "/tables/Notifications/", .answer(200, "{}"))
        #expect(try await service.reader.record(objectID: "o") == nil)
    }

    @Test func scheduledPushesAreReadInTheirOddShape() async throws {
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
        service.script(.get, "/scheduledPushMessages", .answer(200, body))
        let error = await #expect(throws: RemoteError.self) { try await service.reader.scheduledPushes() }
        #expect(error?.kind == .unexpectedAnswer)
    }
}
