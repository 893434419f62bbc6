import PushApply
import PushModel
import PushPlan
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
        let applied = await Applier().apply(workspace, to: service)
        #expect(applied.outcome?.results.map(\.outcome) == [.done, .done])
        #expect(service.now == Sample.start + .seconds(60))
        #expect(service.entry("a")?.figures == nil)
        #expect(service.state("a") == .sent)
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
        service.with { $0.recordFailure = "dev profile disabled for massive push" }
        let applied = await Applier().apply(workspace, to: service)
        #expect(applied.outcome?.results.map(\.outcome) == [.refused, .refused])
        service.with { $0.recordFailure = nil }
        await Applier().apply(workspace, to: service)
        #expect(service.received == ["a@1": 1, "b@1": 1])
        #expect(service.entry("a")?.generation == 1)
    }
}
