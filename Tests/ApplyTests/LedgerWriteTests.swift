import Apply
import Push
import RemoteTesting
import Testing

/// A ledger that cannot be written.
@Suite struct LedgerWriteTests {
    @Test(arguments: ["update sent", "release"])
    func aLedgerThatIsLostAfterASendIsUnknownAndSaidSo(write: String) async throws {
        let service = FakeService()
        service.with { $0.failingWrites[write] = Array(repeating: .ledgerLost, count: 9) }
        if write != "release" { service.with { $0.failingWrites["release"] = [.ledgerLost] } }
        let applied = await Applier(keepsJournal: true).apply(Sample.workspace([Sample.campaign("a")]), to: service)
        guard case .ledgerLost(let what) = applied.outcome?.ending else {
            Issue.record("it ended as \(applied.ending)")
            return
        }
        #expect(what == "the ledger was taken away")
        #expect(applied.outcome?.results.map(\.outcome) == [.unknown])
        #expect(applied.warnings.isEmpty)
    }

    @Test(arguments: [FakeDeviceAnswer.later(.seconds(3600)), .interrupt])
    func aLedgerThatIsLostAfterSomeWereSentToIsUnknown(second: FakeDeviceAnswer) async throws {
        let service = FakeService()
        service.with {
            $0.deviceAnswers = [.accept, second]
            $0.failingWrites["release"] = [.ledgerLost]
        }
        let applied = await Applier(keepsJournal: true).apply(Sample.workspace([Sample.campaign("a")]), to: service)
        #expect(applied.ending == "ledgerLost")
        #expect(applied.outcome?.results.map(\.outcome) == [.unknown])
        #expect(applied.outcome?.results.first?.next == nil)
        #expect(service.with { $0.inboxes.values.map(\.count).reduce(0, +) } == 1)
    }

    @Test func aLedgerThatIsLostBeforeAnythingWasSentSendsNothing() async throws {
        let service = FakeService()
        service.with {
            $0.failingWrites["insert sending"] = [.ledgerLost]
            $0.failingWrites["release"] = [.ledgerLost]
        }
        let applied = await Applier(keepsJournal: true).apply(Sample.workspace([Sample.campaign("a")]), to: service)
        #expect(applied.ending == "ledgerLost")
        #expect(applied.outcome?.results.map(\.outcome) == [.failed])
        #expect(service.received.isEmpty)
    }

    @Test func aLockThatCannotBeFreedIsSaidAlsoWhereNothingWasCarriedOut() async throws {
        let service = FakeService()
        service.with { $0.failingWrites["release"] = [.refused] }
        let applied = await Applier(differences: { _ in ["another"] })
            .apply(Sample.workspace([Sample.campaign("a")]), to: service)
        #expect(applied.ending == "stale")
        let warning = try #require(applied.warnings.first)
        #expect(warning.contains("the lock was not freed (") && warning.contains("keeps it until 20"), "\(warning)")
        #expect(warning.hasSuffix("Z, or until 'bugle unlock 1'"), "\(warning)")
    }

    private let service = FakeService()
    private let workspace = Sample.workspace([Sample.campaign("score")])

    @Test(arguments: [FakeWriteFailure.refused, .lostAnswer])
    func withoutARecordedIntentNothingIsSent(failure: FakeWriteFailure) async throws {
        service.with { $0.failingWrites["insert sending"] = [failure] }
        let applied = await Applier().apply(workspace, to: service)
        #expect(applied.result("score")?.outcome == .failed)
        #expect(!applied.remote.writes.contains("send"))
        service.advance(.seconds(660))
        await Applier().apply(workspace, to: service)
        #expect(service.received == ["score@1": 1])
    }

    @Test(arguments: [FakeWriteFailure.refused, .lostAnswer])
    func anOutcomeThatIsNotRecordedIsSaidAndTheNextApplyAdoptsIt(failure: FakeWriteFailure) async throws {
        service.with {
            $0.failingWrites["update sent"] = [failure]
            $0.recordDelay = .seconds(600)
        }
        let applied = await Applier().apply(workspace, to: service)
        #expect(applied.result("score")?.detail?.text.contains("the ledger could not be written") == true)
        service.advance(.seconds(660))
        await Applier().apply(workspace, to: service)
        #expect(service.state("score") == .sent)
        #expect(service.received == ["score@1": 1])
    }

    @Test func anInsertThatTakesLongerThanTheLockSendsNothing() async {
        service.with { $0.failingWrites["insert sending"] = [.slow(.seconds(119))] }
        let applied = await Applier { point, _ in
            if point.phase == .after, point.name == "insert sending" { service.advance(.seconds(2)) }
            if point.phase == .before, point.name == "renew" { service.with { $0.lock?.run = "somebody else" } }
            return .live
        }
        .apply(workspace, to: service)
        #expect(applied.ending == "lockLost")
        #expect(!applied.remote.writes.contains("send"))
        #expect(service.received.isEmpty)
    }

    @Test func twoEntriesOfOneDeliveryCountAsTheStrongest() async throws {
        let campaign = Sample.campaign("score")
        service.leave(campaign, .sending, age: .seconds(60))
        service.leave(campaign, .sent, age: .seconds(60))
        #expect(try await service.plan(workspace).changes.isEmpty)
        await Applier().apply(workspace, to: service)
        #expect(service.received.isEmpty)
    }

    @Test func aWriteUnderALaterFenceStopsAnEarlierRun() async {
        let applied = await Applier { point, _ in
            if point.phase == .after, point.name == "send" { service.with { $0.ledger[0].fence = 99 } }
            return .live
        }
        .apply(workspace, to: service)
        #expect(applied.result("score")?.detail?.text.contains("a later apply wrote it") == true)
        #expect(service.state("score") == .sending)
    }
}
