import Apply
import Base
import Push
import RemoteTesting
import Testing

/// Renames over several applies.
@Suite struct RenameTests {
    private let service = FakeService()

    private func apply(_ name: String, _ formerly: [String] = [], at: Instant? = nil) async -> Applied {
        await Applier().apply(Sample.workspace([Sample.campaign(name, at: at) { $0.formerly = formerly }]), to: service)
    }

    @Test func aChainOfRenamesSendsOnce() async {
        _ = await apply("score")
        let renamed = await apply("second", ["score"])
        #expect(renamed.result("second")?.outcome == .done)
        _ = await apply("third", ["second"])
        _ = await apply("third")
        _ = await apply("second")
        _ = await apply("fourth", ["score"])
        #expect(service.received == ["score@1": 1])
        #expect(service.with { $0.ledger.count } == 1)
    }

    @Test func whatIsPendingIsMovedUnderItsOldIDsWhenFormerlyIsGone() async {
        _ = await apply("score", at: Sample.start + .seconds(7200))
        _ = await apply("second", ["score"], at: Sample.start + .seconds(7200))
        _ = await apply("second", at: Sample.start + .seconds(9000))
        service.advance(.seconds(86_400))
        #expect(service.received == ["second@1": 1])
        #expect(service.with { $0.ledger.map(\.delivery) } == [Sample.delivery("score")])
    }

    @Test func aRenameThatIsKilledBetweenItsEntriesGoesOn() async throws {
        for revision in 1...3 {
            await Applier().apply(Sample.workspace([Sample.campaign("score", revision: revision)]), to: service)
        }
        let renamed = Sample.workspace([Sample.campaign("second", revision: 3) { $0.formerly = ["score"] }])
        for number in 1...6 {
            var applier = Applier()
            applier.name = "dying\(number)"
            applier.hook = { point, _ in
                point.name == "update sent" && (point.phase == .before) == (number % 2 == 0) ? .die : .live
            }
            await applier.apply(renamed, to: service)
            service.advance(.seconds(200))
        }
        await Applier().apply(renamed, to: service)
        #expect(service.with { $0.ledger.map(\.campaign) } == ["second", "second", "second"])
        #expect(try await service.plan(Sample.workspace([Sample.campaign("second", revision: 3)])).changes.isEmpty)
        #expect(service.received == ["score@1": 1, "score@2": 1, "score@3": 1])
    }

    @Test func aCampaignThatIsMissedIsRecordedOnceAndThenANote() async throws {
        _ = await apply("first")
        service.advance(.seconds(9000))
        let files = Sample.workspace([
            Sample.campaign("first"), Sample.campaign("late", at: Sample.start + .seconds(60), text: "another text"),
        ])
        let run = await Applier().apply(files, to: service)
        #expect(run.result("late")?.detail?.text.hasSuffix("; recorded as missed") == true)
        #expect(service.entry("late")?.state == .unsent && service.entry("late")?.isMissed == true)
        let plan = try await service.plan(files)
        #expect(!plan.isBlocked && plan.changes.map(\.action) == [.missed])
        #expect(plan.diagnostics.map(\.severity) == [.note])
        _ = await Applier().apply(files, to: service)
        #expect(service.received == ["first@1": 1])
    }

    @Test func whatMayStillBeSentIsNotFollowedByAnother() async {
        _ = await apply("score", at: Sample.start + .seconds(7200))
        service.with { $0.ignoresCancel = true }
        let at = Sample.start + .seconds(7200)
        let run = await Applier().apply(Sample.workspace([Sample.campaign("score", revision: 2, at: at)]), to: service)
        #expect(run.outcome?.results.map(\.outcome) == [.failed, .skipped])
    }
}
