import Base
import HTTP
import Push
import RemoteTesting
import Testing

@testable import LeanCloud

@Suite struct ReadingTests {
    private let service = FakeService()
    private let tooMany = FakeService.Script.answer(429, #"{"code":429,"error":"Too many requests."}"#)

    @Test func aReadIsTriedAgainWithLongerAndLongerWaits() async throws {
        service.script(
            .get, "BugleLedger", .refuseConnection, .answer(503, "<html>"), .loseAnswer,
            .answer(500, #"{"code":1,"error":"Internal server error."}"#),
            .answer(400, #"{"code":124,"error":"The request timed out on the server."}"#))
        #expect(try await service.reader.ledger() == [])
        #expect(service.pauses == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8)])
    }

    @Test func theWaitsAreHalfByChance() {
        let waits = (0..<8).map(TaskPause().backoff)
        for (wait, most) in zip(waits, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
            #expect((Duration.milliseconds(most / 2)...(.milliseconds(most))).contains(wait))
        }
    }

    @Test func aReadEndsAfterTheRetries() async {
        service.script(.get, "/1.1", always: .answer(503, ""))
        let error = await #expect(throws: RemoteError.self) { try await service.reader.ledger() }
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
        service.script(nil, "/1.1", always: tooMany)
        let error = await #expect(throws: RemoteError.self) { try await service.reader.ledger() }
        #expect(error?.kind == .rateLimited)
    }

    @Test(arguments: [
        (401, #"{"code":401,"error":"Unauthorized."}"#, RemoteError.Kind.credentials), (401, "", .credentials),
        (400, #"{"code":102,"error":"Invalid query"}"#, .refused), (200, #"{"code":1,"error":"x"}"#, .refused),
        (404, "<html>not found</html>", .unexpectedAnswer), (301, "", .unexpectedAnswer), (200, "", .unexpectedAnswer),
        (404, #"{"code":404,"error":"no such path"}"#, .refused),
    ])
    func aClearAnswerIsNotAskedForAgain(_ status: Int, _ body: String, _ kind: RemoteError.Kind) async {
        service.script(.get, "BugleLedger", .answer(status, body))
        let error = await #expect(throws: RemoteError.self) { try await service.reader.ledger() }
        #expect(error?.kind == kind)
        #expect(service.seen.count == 1)
        #expect((error?.description.count ?? 999) <= 300)
    }

    @Test func aCancelledTaskStopsWaiting() async {
        service.script(.get, "/1.1", always: .answer(503, ""))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await service.reader.ledger()
        }
        let error = await #expect(throws: RemoteError.self) { try await task.value }
        #expect(error?.kind == .unavailable)
        #expect(service.seen.count == 1)
    }

    @Test func aReaderMakesNothingButGets() async {
        let reader = connection.reader(
            name: "production", workspace: "giants", http: service, pausing: FakePause(service: service))
        #expect(reader.description == LeanCloudRemote.description(name: "production", connection: connection))
        _ = try? await reader.now()
        _ = try? await reader.ledger()
        _ = try? await reader.isLedgerStarted()
        _ = try? await reader.resources()
        _ = try? await reader.lock()
        _ = try? await reader.scheduledPushes()
        _ = try? await reader.record(notification: k3j)
        _ = try? await reader.record(objectID: "o")
        _ = try? await reader.count(["owner": ["$inQuery": ["a": 1]]])
        _ = try? await reader.sampleInstallations(channels: ["Giants"], deviceProfiles: ["driver"])
        #expect(service.seen.count >= 10)
        #expect(service.seen.allSatisfy { $0.method == .get && $0.body == nil })
    }

    @Test func theRealPauseEndsWithItsTask() async {
        let task = Task { try await TaskPause().pause(for: .seconds(3600)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
