import Apply
import Base
import Push
import RemoteTesting
import Testing

@Suite struct StopTests {
    private let service = FakeService()
    private let workspace = Sample.workspace([Sample.campaign("a"), Sample.campaign("b")])

    /// An applier that is asked to stop at the first point of this name.
    private func stopping(_ phase: FakeRemote.WritePoint.Phase, _ name: String) -> Applier {
        var applier = Applier()
        let stop = applier.stop
        applier.hook = { point, _ in
            if point.phase == phase, point.name == name { stop.raise() }
            return .live
        }
        return applier
    }

    @Test func theChangeInFlightEndsAndNoNewOneStarts() async throws {
        let applied = await stopping(.before, "send").apply(workspace, to: service)
        #expect(applied.ending == "stopped")
        #expect(applied.outcome?.results.map(\.outcome) == [.done, .skipped])
        #expect(applied.result("b")?.detail?.text == "stopped before its turn")
        #expect(service.state("a") == .sent)
        #expect(service.state("b") == nil)
        #expect(applied.remote.writes.last == "release")
        #expect(service.with { $0.lock?.run } == "")
        await Applier().apply(workspace, to: service)
        #expect(service.received == ["a@1": 1, "b@1": 1])
    }

    @Test func aWaitForTheAnswerOfTheServiceEndsAtOnce() async throws {
        service.with { $0.answers = [.lostRequest] }
        let applied = await stopping(.after, "send").apply(workspace, to: service)
        #expect(applied.ending == "stopped")
        #expect(applied.result("a")?.outcome == .unknown)
        // The next apply finds out.
        #expect(applied.result("a")?.needsPerson == false)
        #expect(service.state("a") == .sending)
        #expect(service.now == Sample.start)
        await Applier().apply(workspace, to: service)
        #expect(service.received == ["a@1": 1, "b@1": 1])
    }

    @Test func aDeferredSendIsGivenUpAndSaidToBeUnsent() async throws {
        service.with { $0.answers = [.putOff(after: .seconds(60))] }
        #expect(await stopping(.after, "send").apply(workspace, to: service).result("a")?.outcome == .failed)
        #expect(service.state("a") == .unsent)
        #expect(service.now == Sample.start)
        await Applier().apply(workspace, to: service)
        #expect(service.received == ["a@1": 1, "b@1": 1])
    }

    @Test func waitingForRecordsEndsAtOnce() async throws {
        service.with { $0.recordDelay = .seconds(30) }
        #expect(await stopping(.before, "insert sending").apply(workspace, to: service).ending == "stopped")
        #expect(service.now == Sample.start)
    }

    @Test func whatTheServiceIsKnownToWaitForIsSaidAlsoWhenItComesBeforeTheFirstLook() async throws {
        service.with {
            $0.recordStanding = .queued
            $0.recordWait = Reason(.serverWaitsFor, .text("Apple"), .text("could not resolve host"))
        }
        let applied = await stopping(.before, "send").apply(Sample.workspace([Sample.campaign("a")]), to: service)
        #expect(applied.ending == "stopped")
        #expect(applied.outcome?.results.map(\.outcome) == [.ongoing])
        #expect(service.now == Sample.start)
    }

    @Test func raisedBeforeTheFirstChangeNothingIsDone() async throws {
        let applied = await stopping(.after, "acquireLock").apply(workspace, to: service)
        #expect(applied.ending == "stopped")
        #expect(applied.outcome?.results.map(\.outcome) == [.skipped, .skipped])
        #expect(applied.remote.writes == ["acquireLock", "release"])
    }

    @Test func aPauseUnderARaisedSignalDoesNotBegin() async {
        let stop = StopSignal()
        #expect(!stop.isRaised)
        stop.raise()
        stop.raise()
        #expect(stop.isRaised)
        await #expect(throws: CancellationError.self) { try await StoppablePause(stop).pause(for: .seconds(3600)) }
    }

    @Test func aSignalRaisedDuringAPauseEndsIt() async {
        let stop = StopSignal()
        let pause = Task { try await StoppablePause(stop).pause(for: .seconds(3600)) }
        stop.raise()
        await #expect(throws: CancellationError.self) { try await pause.value }
    }

    @Test func aPauseThatIsOverEnds() async throws {
        try await StoppablePause(StopSignal()).pause(for: .zero)
    }
}
