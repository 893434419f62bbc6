import CurlHTTP
import JSONValue
import PushModel
import PushRemote
import Testing

@testable import LeanCloudRemote

@Suite struct RecordTests {
    private let id = k3j

    @Test(arguments: [
        (404, #"{"code":101,"error":"Class or object doesn't exists."}"#), (200, "{}"), (200, #"{"results":[]}"#),
    ])
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

    @Test(
        arguments: [
            (#"{"status":"in-queue"}"#, false, false, nil), (#"{"status":"in queue"}"#, false, false, nil),
            (#"{"status":"scheduled"}"#, true, false, nil), (#"{"status":"done"}"#, false, true, nil),
            (#"{"status":"done","errors":"部分推送被 APNs 拒绝"}"#, false, true, nil),
            (#"{"status":"expired"}"#, false, true, "expired"),
            (
                #"{"status":"error","errors":"dev profile disabled for massive push"}"#, false, true,
                "dev profile disabled for massive push"
            ),
            (
                #"{"status":"done","errors":"dev profile disabled for massive push"}"#, false, true,
                "dev profile disabled for massive push"
            ),
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
