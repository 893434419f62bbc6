import Apply
import Base
import Push
import RemoteTesting
import Testing

/// The life of a campaign over several applies.
@Suite struct LifeTests {
    private let service = FakeService()

    private func apply(_ campaigns: Campaign...) async -> Applied {
        await Applier().apply(Sample.workspace(campaigns), to: service)
    }

    @Test func editingADeliveredCampaignSendsNothing() async throws {
        _ = await apply(Sample.campaign("score"))
        let edited = Sample.campaign("score", text: "another text")
        #expect(await apply(edited).remote.writes == ["acquireLock", "release"])
        #expect(service.received == ["score@1": 1])
        let plan = try await service.plan(Sample.workspace([edited]))
        #expect(plan.changes.isEmpty)
        #expect(plan.diagnostics.map(\.code) == [.editedAfterDelivery])
    }

    @Test func raisingTheRevisionSendsOnceMore() async throws {
        _ = await apply(Sample.campaign("score"))
        _ = await apply(Sample.campaign("score", revision: 2))
        _ = await apply(Sample.campaign("score", revision: 2))
        #expect(service.received == ["score@1": 1, "score@2": 1])
    }

    @Test func loweringTheRevisionSendsNothing() async throws {
        _ = await apply(Sample.campaign("score", revision: 2))
        _ = await apply(Sample.campaign("score", revision: 1))
        #expect(service.received == ["score@2": 1])
    }

    @Test func raisingTheRevisionOfAPendingCampaignReplacesIt() async throws {
        _ = await apply(Sample.campaign("score", at: Sample.start + .seconds(7200)))
        _ = await apply(Sample.campaign("score", revision: 2, at: Sample.start + .seconds(7200)))
        #expect(service.state("score") == .cancelled)
        service.advance(.seconds(86_400))
        #expect(service.received == ["score@2": 1])
    }

    @Test func aRenamedCampaignThatSaysSoIsNotSentAgain() async throws {
        _ = await apply(Sample.campaign("score"))
        _ = await apply(Sample.campaign("result") { $0.formerly = ["score"] })
        #expect(service.received == ["score@1": 1])
    }

    @Test func aRenamedPendingCampaignIsMovedUnderItsOldName() async throws {
        _ = await apply(Sample.campaign("score", at: Sample.start + .seconds(7200)))
        let renamed = Sample.campaign("result", at: Sample.start + .seconds(9000)) { $0.formerly = ["score"] }
        _ = await apply(renamed)
        service.advance(.seconds(86_400))
        #expect(service.received == ["score@1": 1])
        #expect(try await service.plan(Sample.workspace([renamed])).changes.isEmpty)
    }

    @Test func holdingAPendingCampaignCancelsItAndReleasingDeliversIt() async throws {
        let campaign = Sample.campaign("score", at: Sample.start + .seconds(7200))
        var held = campaign
        held.hold = true
        _ = await apply(campaign)
        _ = await apply(held)
        #expect(service.state("score") == .cancelled)
        #expect(try await service.plan(Sample.workspace([held])).changes.map(\.action) == [.wait])
        _ = await apply(campaign)
        service.advance(.seconds(86_400))
        #expect(service.received == ["score@1": 1])
    }

    @Test func onARemoteWithoutAClockADueCampaignIsSentByALaterApply() async throws {
        let applier = Applier(canSchedule: false)
        let workspace = Sample.workspace([Sample.campaign("score", at: Sample.start + .seconds(7200))])
        await applier.apply(workspace, to: service)
        #expect(service.received.isEmpty && service.state("score") == nil)
        service.advance(.seconds(7200))
        await applier.apply(workspace, to: service)
        #expect(service.received == ["score@1": 1])
        service.advance(.seconds(3601))
        await applier.apply(workspace, to: service)
        #expect(service.received == ["score@1": 1])
    }

    @Test func aCampaignPastItsWindowIsMissedNotSent() async throws {
        let applied = await apply(Sample.campaign("score", at: Sample.start - .seconds(3601)))
        #expect(applied.remote.writes == ["acquireLock", "release"])
        #expect(service.received.isEmpty)
    }

    @Test func aFreshLedgerWithFiftyOldCampaignsSendsNone() async throws {
        let workspace = Sample.workspace((1...50).map { Sample.campaign("old\($0)") })
        let applied = await Applier().apply(workspace, to: service)
        #expect(service.received.isEmpty)
        #expect(applied.outcome?.results.count == 50)
        #expect(applied.outcome?.results.allSatisfy { $0.outcome == .skipped } == true)
        #expect(applied.remote.writes == ["acquireLock", "release"])
    }

    @Test func aPushCancelledElsewhereIsNotSentAgain() async throws {
        let campaign = Sample.campaign("score", at: Sample.start + .seconds(7200))
        _ = await apply(campaign)
        service.with { $0.kept = [] }
        service.advance(.seconds(601))
        let plan = try await service.plan(Sample.workspace([campaign]))
        #expect(plan.changes.isEmpty)
        #expect(plan.diagnostics.map(\.code) == [.cancelledElsewhere])
        _ = await apply(campaign)
        service.advance(.seconds(86_400))
        #expect(service.received.isEmpty)
    }

    @Test func anotherVersionOfTheEncoderIsNoChange() async throws {
        let campaigns = [Sample.campaign("sent"), Sample.campaign("pending", at: Sample.start + .seconds(7200))]
        await Applier().apply(Sample.workspace(campaigns), to: service)
        let plan = try await service.plan(Sample.workspace(campaigns), encoder: FakeEncoder(version: 2))
        #expect(plan.changes.isEmpty && plan.diagnostics.isEmpty)
    }
}
