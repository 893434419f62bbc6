import Apply
import Base
import HTTP
import Push
import RemoteTesting
import Testing

@testable import LeanCloud

@Suite struct LedgerTests {
    private let service = FakeService()

    @Test func anAppWithoutTheClassesIsEmpty() async throws {
        #expect(try await service.reader.ledger() == [])
        #expect(try await service.reader.resources() == [])
        #expect(try await service.reader.isLedgerStarted() == false)
        #expect(try await service.reader.lock() == nil)
        #expect(try await service.reader.now() == service.now)
        #expect(service.seen.allSatisfy { $0.method == .get })
    }

    @Test(arguments: [LedgerEntry.example(), .full])
    func anEntryReadsBackAsItWasWritten(_ entry: LedgerEntry) async throws {
        try await service.writer.insert(entry, under: service.lease())
        #expect(try await service.reader.ledger() == [entry])
    }

    @Test func anUpdateReplacesEverythingAndRemovesWhatIsGone() async throws {
        try await service.writer.insert(.full, under: service.lease())
        var entry = LedgerEntry.example(state: .sent)
        entry.delivery = LedgerEntry.full.delivery
        try await service.writer.update(entry, under: service.lease())
        #expect(try await service.reader.ledger() == [entry])
    }

    @Test func theFenceOfTheLeaseIsWritten() async throws {
        try await service.writer.insert(.example(fence: 0), under: service.lease(fence: 7))
        #expect(try await service.reader.ledger().map(\.fence) == [7])
    }

    @Test func theRequestIsStoredAsTextBecauseOfItsKeys() async throws {
        try await service.writer.insert(.example(), under: service.lease())
        #expect(
            service.objects("BugleLedger").first?["request"]?.string
                == #"{"body":{"data":{"alert":"赢了"},"where":{"a.b":1.5,"channels":{"$in":["Giants"]}}},"endpoint":"push"}"#
        )
    }

    @Test func entriesOfSeveralPagesAreAllRead() async throws {
        for index in 0..<401 {
            let entry = LedgerEntry.example(campaign: "c\(index)")
            service.put("BugleLedger", JSONObject(LedgerFields.members(of: entry, fence: 1).compactMapValues { $0 }))
        }
        #expect(try await service.reader.ledger().map(\.campaign) == (0..<401).map { "c\($0)" })
    }

    @Test func aPageWithFewerObjectsThanAskedForIsNotTheLast() async throws {
        for index in 0..<5 {
            let entry = LedgerEntry.example(campaign: "c\(index)")
            service.put("BugleLedger", JSONObject(LedgerFields.members(of: entry, fence: 1).compactMapValues { $0 }))
        }
        let all = (0..<5).map { "c\($0)" }
        #expect(try await service.reader.ledger().map(\.campaign) == all)
        #expect(service.seen.count == 1)
        service.with { $0.store.mostObjects = 2 }
        #expect(try await service.reader.ledger().map(\.campaign) == all)
        #expect(service.seen.count == 4)
    }

    @Test func tenThousandObjectsAreReadWithoutLoss() async throws {
        for index in 0..<10_000 {
            // Many share a time, across pages too.
            if index % 333 == 0 { service.advance(.milliseconds(1)) }
            service.put("BugleLedger", ["workspace": "giants", "campaign": .string("c\(index)")])
            if index % 100 == 0 { service.put("BugleLedger", ["workspace": "mets", "campaign": "other"]) }
        }
        let (objects, now) = try await service.api.objects(of: .ledger, where: ["workspace": "giants"])
        #expect(objects.map { $0.fields.members["campaign"]?.string } == (0..<10_000).map { "c\($0)" })
        #expect(service.seen.count == 51)
        #expect(now?.seconds == service.now.seconds)
    }

    @Test(arguments: [
        "{}", #"{"results":{}}"#, #"{"results":[5]}"#, #"{"results":[{"objectId":"x"}]}"#, "[]", "<html>",
        #"{"results":[],"count":1}"#,
    ])
    func aListOfAnotherShapeIsAnError(_ body: String) async {
        service.script(.get, "BugleLedger", .answer(200, body))
        let error = await #expect(throws: RemoteError.self) { try await service.reader.ledger() }
        #expect(error?.kind == .unexpectedAnswer)
    }

    @Test func anInsertWhoseAnswerIsLostIsFoundAndNotRepeated() async throws {
        service.script(.post, "BugleLedger", .loseAnswer)
        try await service.writer.insert(.example(), under: service.lease())
        #expect(service.objects("BugleLedger").count == 1)
        #expect(service.seen.filter { $0.method == .post }.count == 1)
    }

    @Test func anInsertThatNeverArrivedIsMadeAgain() async throws {
        service.script(.post, "BugleLedger", .loseRequest, .answer(502, "<html>"), .refuseConnection)
        try await service.writer.insert(.example(), under: service.lease())
        #expect(service.objects("BugleLedger").count == 1)
    }

    @Test func anInsertThatStaysUnknownIsAnError() async {
        service.script(.post, "BugleLedger", always: .loseRequest)
        let error = await #expect(throws: RemoteError.self) {
            try await service.writer.insert(.example(), under: service.lease())
        }
        #expect(error?.kind == .unknownOutcome)
        #expect(service.seen.filter { $0.method == .post }.count == 6)
    }

    @Test func nothingIsInsertedAfterTheLocksTime() async {
        let lease = service.lease()
        let writer = service.writer
        _ = try? await writer.unlock(fence: 1)
        service.advance(.seconds(120))
        let error = await #expect(throws: RemoteError.self) { try await writer.insert(.example(), under: lease) }
        #expect(error?.kind == .conditionFailed)
        #expect(service.objects("BugleLedger").isEmpty)
    }

    @Test func anUpdateByAnEarlierFenceFails() async throws {
        try await service.writer.insert(.example(), under: service.lease(fence: 5))
        let error = await #expect(throws: RemoteError.self) {
            try await service.writer.update(.example(state: .sent), under: service.lease(fence: 4))
        }
        #expect(error?.kind == .conditionFailed)
        #expect(try await service.reader.ledger().map(\.state) == [.sending])
        try await service.writer.update(.example(state: .sent), under: service.lease(fence: 5))
        try await service.writer.update(.example(state: .sent), under: service.lease(fence: 6))
    }

    @Test func anUpdateOfNothingFails() async {
        let error = await #expect(throws: RemoteError.self) {
            try await service.writer.update(.example(), under: service.lease())
        }
        #expect(error?.kind == .conditionFailed)
    }

    @Test func anUpdateReachesEveryObjectOfTheDelivery() async throws {
        let lease = service.lease()
        try await service.writer.insert(.example(), under: lease)
        try await service.writer.insert(.example(), under: lease)
        try await service.writer.insert(.example(campaign: "other"), under: lease)
        try await service.writer.update(.example(state: .sent), under: lease)
        #expect(try await service.reader.ledger().map(\.state) == [.sent, .sent, .sending])
    }

    @Test func anUpdateWhoseAnswerIsLostIsReadBack() async throws {
        try await service.writer.insert(.example(), under: service.lease())
        service.script(.put, "BugleLedger", .loseAnswer)
        try await service.writer.update(.example(state: .sent), under: service.lease())
        #expect(service.seen.filter { $0.method == .put }.count == 1)
        service.script(.put, "BugleLedger", .loseRequest)
        try await service.writer.update(.example(state: .refused), under: service.lease())
        #expect(service.seen.filter { $0.method == .put }.count == 3)
        #expect(try await service.reader.ledger().map(\.state) == [.refused])
    }

    @Test func aWriteWaitsOutARateLimit() async throws {
        let service = FakeService(now: "2026-11-20T12:00:45Z")
        service.script(.post, "BugleLedger", .answer(429, #"{"code":429,"error":"Too many requests."}"#))
        try await service.writer.insert(.example(), under: service.lease())
        #expect(service.pauses == [.seconds(16)])
        #expect(service.objects("BugleLedger").count == 1)
    }

    @Test func aRefusedWriteIsAnErrorAtOnce() async {
        service.script(.post, "BugleLedger", .answer(400, #"{"code":111,"error":"Field set to incorrect type."}"#))
        let error = await #expect(throws: RemoteError.self) {
            try await service.writer.insert(.example(), under: service.lease())
        }
        #expect(error?.kind == .refused)
        #expect(service.seen.count == 1)
    }

    @Test func startingTheLedgerTwiceIsStartingItOnce() async throws {
        service.script(.post, "BugleResource", .loseAnswer)
        try await service.writer.startLedger()
        try await service.writer.startLedger()
        #expect(service.objects("BugleResource").count == 1)
        #expect(try await service.reader.isLedgerStarted())
        #expect(try await service.reader.resources() == [])
    }
}

@Suite struct ResourceTests {
    private let service = FakeService()
    private let segment = ResourceRecord(
        kind: .segment, name: "near", fields: ["where": ["channels": ["$in": ["Giants"]], "a.b": ["$gt": 1.5]]],
        isProtected: false)

    @Test func aResourceReadsBackAsItWasWritten() async throws {
        let profile = ResourceRecord(kind: .deviceProfile, name: "driver", fields: ["topic": "t"], isProtected: true)
        try await service.writer.save(segment, under: service.lease())
        try await service.writer.save(profile, under: service.lease())
        #expect(try await service.reader.resources() == [profile, segment])
    }

    @Test func savingAgainReplaces() async throws {
        try await service.writer.save(segment, under: service.lease())
        var changed = segment
        changed.fields = ["where": [:]]
        changed.isProtected = true
        service.script(.put, "BugleResource", .loseAnswer)
        try await service.writer.save(changed, under: service.lease(fence: 4))
        #expect(try await service.reader.resources() == [changed])
        #expect(service.objects("BugleResource").count == 1)
        let error = await #expect(throws: RemoteError.self) {
            try await service.writer.save(segment, under: service.lease())
        }
        #expect(error?.kind == .conditionFailed)
    }

    @Test func theLaterOfTwoObjectsCounts() async throws {
        var later = segment
        later.fields = ["where": [:]]
        service.put("BugleResource", ResourceFields.members(of: later, workspace: "giants", fence: 5))
        service.put("BugleResource", ResourceFields.members(of: segment, workspace: "giants", fence: 4))
        #expect(try await service.reader.resources() == [later])
    }

    @Test func deletingForgetsEveryObjectOfTheResource() async throws {
        for _ in 0..<2 {
            service.put("BugleResource", ResourceFields.members(of: segment, workspace: "giants", fence: 3))
        }
        service.script(.delete, "BugleResource", .loseAnswer)
        try await service.writer.delete(segment, under: service.lease())
        #expect(service.objects("BugleResource") == [])
        try await service.writer.delete(segment, under: service.lease())
    }

    @Test func deletingWhatALaterApplyWroteFails() async throws {
        try await service.writer.save(segment, under: service.lease(fence: 5))
        let error = await #expect(throws: RemoteError.self) {
            try await service.writer.delete(segment, under: service.lease(fence: 4))
        }
        #expect(error?.kind == .conditionFailed)
        #expect(service.objects("BugleResource").count == 1)
    }

    @Test(
        arguments: [
            ["kind": "Poem"], ["name": nil], ["fields": [:]], ["fields": "[]"], ["fields": "{"],
            ["protected": 1], ["fence": nil],
        ] as [[String: JSONValue?]])
    func aRecordOfAnotherShapeIsAnErrorThatNamesIt(_ change: [String: JSONValue?]) async {
        var members = ResourceFields.members(of: segment, workspace: "giants", fence: 3)
        for (key, value) in change { members[key] = value }
        service.put("BugleResource", members)
        let error = await #expect(throws: RemoteError.self) { try await service.reader.resources() }
        #expect(error?.kind == .unexpectedAnswer)
        #expect(error?.description.contains("BugleResource object id00000001") == true)
    }
}
