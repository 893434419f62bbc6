import Apply
import BaseTesting
import Push
import RemoteTesting
import Testing

@Suite struct RecordWatchTests {
    private let service = FakeService()
    private let workspace = Sample.workspace([Sample.campaign("a"), Sample.campaign("b")])

    @Test func theFiguresOfARecordGoIntoTheLedger() async throws {
        service.with { $0.recordDelay = .seconds(20) }
        let applied = await Applier().apply(workspace, to: service)
        let figures = DeliveryFigures(devices: 3, successes: 3, invalidTokens: 0)
        #expect(service.entry("a")?.figures == figures)
        #expect(service.entry("b")?.figures == figures)
        #expect(applied.outcome?.results.map(\.figures) == [figures, figures])
        #expect(applied.outcome?.results.map(\.outcome) == [.done, .done])
    }

    @Test func aRecordThatDoesNotComeInAMinuteChangesNothing() async throws {
        service.with { $0.recordDelay = .seconds(61) }
        #expect(await Applier().apply(workspace, to: service).outcome?.results.map(\.outcome) == [.done, .done])
        #expect(service.now == Sample.start + .seconds(60))
        #expect(service.entry("a")?.figures == nil)
        #expect(service.state("a") == .sent)
    }

    @Test func aPushThatTheServiceHasNotHandedOnIsOngoingAndWhatItWaitsForIsSaid() async throws {
        service.with {
            $0.recordStanding = .queued
            $0.recordWait = Reason(.serverWaitsFor, .text("Apple"), .text("could not resolve host"))
        }
        let applied = await Applier().apply(workspace, to: service)
        #expect(applied.outcome?.results.map(\.outcome) == [.ongoing, .ongoing])
        #expect(applied.outcome?.results.map(\.cause) == [.notHandedOn, .notHandedOn])
        #expect(applied.result("a")?.detail?.text == "the server waits for Apple: could not resolve host")
        #expect(service.now == Sample.start + .seconds(60))
        #expect(service.state("a") == .sent)
        // It is the service's by now, and nothing is sent again.
        #expect(try await service.plan(workspace).changes.isEmpty)
    }

    @Test func aPushThatWasStoppedInTheServersConsoleWaitsForAPersonInEveryApplyAndPlan() async throws {
        var stop = StopOrder(key: "", by: "the console, 127.0.0.1", at: Sample.start, why: "wrong link")
        stop.isAtServer = true
        service.with { [stop] world in
            world.isBugleServer = true
            world.recordStanding = .queued
            world.recordStop = stop
        }
        let words =
            "stopped by the console, 127.0.0.1 at 2026-11-20T12:00:00Z: wrong link; "
            + "go on with the rest or give it up in the server's console"
        let results = await Applier().apply(workspace, to: service).outcome?.results ?? []
        #expect(results.map(\.outcome) == [.unknown, .unknown])
        #expect(results.allSatisfy { $0.needsPerson && $0.detail?.text == words })
        #expect(service.state("a") == .sent)
        let plan = try await service.plan(workspace)
        #expect(Set(plan.stops.map(\.headline.text)) == ["a@1: \(words)", "b@1: \(words)"])
        #expect(plan.changes.isEmpty && plan.hasUnknown && PlanVerdict(of: plan).undecided == 2)
        #expect(await Applier().apply(workspace, to: service).outcome?.plan?.hasUnknown == true)
        // Somebody lets it go on.
        service.with { world in
            for index in world.records.indices { world.records[index].record.stop = nil }
        }
        #expect(try await !service.plan(workspace).hasUnknown)
    }

    @Test func aLookUpThatFailsIsTriedAgain() async throws {
        service.with { $0.failingReads[.record] = 5 }
        await Applier().apply(workspace, to: service)
        #expect(service.entry("a")?.figures != nil)
        #expect(service.entry("b")?.figures != nil)
    }

    @Test func aScheduledPushIsNotWaitedFor() async throws {
        let workspace = Sample.workspace([Sample.campaign("a", at: Sample.start + .seconds(3600))])
        await Applier().apply(workspace, to: service)
        #expect(service.now == Sample.start)
    }

    @Test func aRefusalInARecordIsRefusedAndTheNextApplyTriesAgain() async throws {
        service.with { $0.recordStanding = .refused(.massiveDevelopmentPush) }
        #expect(await Applier().apply(workspace, to: service).outcome?.results.map(\.outcome) == [.refused, .refused])
        service.with { $0.recordStanding = nil }
        await Applier().apply(workspace, to: service)
        #expect(service.received == ["a@1": 1, "b@1": 1])
        #expect(service.entry("a")?.generation == 1)
    }

    @Test(arguments: EvidenceTests.words)
    func anUndocumentedWordIsUnknownAfterAMinuteAndNothingIsSentAgain(word: String) async throws {
        service.with { $0.recordStanding = .unknown(word) }
        let applied = await Applier().apply(workspace, to: service)
        #expect(applied.outcome?.results.map(\.outcome) == [.unknown, .unknown])
        #expect(applied.result("a")?.detail?.text.contains("which is not documented") == true)
        #expect(service.state("a") == .unknown)
        service.with { $0.recordStanding = nil }
        let again = await Applier().apply(workspace, to: service)
        #expect(!again.remote.writes.contains("send"))
        #expect(service.received.isEmpty)
    }

    @Test(arguments: EvidenceTests.words)
    func aRecordWithSuccessesWasSentWhateverItsWord(word: String) async throws {
        let figures = DeliveryFigures(devices: 250, successes: 200, invalidTokens: 0)
        service.with {
            $0.recordStanding = .unknown(word)
            $0.recordFigures = figures
        }
        #expect(await Applier().apply(workspace, to: service).outcome?.results.map(\.outcome) == [.done, .done])
        #expect(service.state("a") == .sent)
        #expect(service.entry("a")?.figures == figures)
        #expect(try await service.plan(workspace).changes.isEmpty)
    }

    @Test func aWordThatBecomesADocumentedOneInTimeIsNothingStrange() async throws {
        service.with { $0.recordStanding = .unknown("sending") }
        var applier = Applier()
        let looks = Counter()
        applier.afterRead = { [service] read in
            guard read == .record, looks.next() == 5 else { return }
            service.with { world in
                for index in world.records.indices { world.records[index].record.standing = .done }
            }
        }
        #expect(await applier.apply(workspace, to: service).outcome?.results.map(\.outcome) == [.done, .done])
        #expect(service.state("a") == .sent)
    }
}
