import Apply
import Base
import Push
import RemoteTesting
import Testing

@Suite struct ApplySessionTests {
    private let service = FakeService()
    private let workspace = Sample.workspace([Sample.campaign("score")])

    @Test func anApplyIsFollowedByAnEmptyPlan() async throws {
        await Applier().apply(CrashTests.after, to: service)
        #expect(try await service.plan(CrashTests.after).changes.isEmpty)
        #expect(await Applier().apply(CrashTests.after, to: service).remote.writes == ["acquireLock", "release"])
    }

    @Test func aPlanWritesNothing() async throws {
        let remote = FakeRemote(service)
        let workspace = CrashTests.after
        _ = try await remote.observe { Planner.questions(Sample.input(workspace, $0)) }
        #expect(remote.writes.isEmpty)
    }

    /// Applies what still is as a plan says.
    private func applier(_ reviewed: Plan) -> Applier {
        Applier(differences: { PlanDifference.between(reviewed: reviewed, now: $0, growth: 0.2, isTrusted: false) })
    }

    @Test func aStalePlanCarriesNothingOutAndFreesTheLock() async throws {
        let reviewed = try await service.plan(workspace)
        let edited = Sample.workspace([Sample.campaign("score", text: "another text")])
        let applied = await applier(reviewed).apply(edited, to: service)
        #expect(applied.ending == "stale")
        #expect(applied.remote.writes == ["acquireLock", "release"])
        #expect(service.with { $0.lock?.run } == "")
        #expect(service.with { $0.lock?.lastApplied } == nil)
    }

    @Test func aPlanThatStillHoldsIsCarriedOut() async throws {
        let reviewed = try await service.plan(workspace)
        service.advance(.seconds(3600))
        #expect(await applier(reviewed).apply(workspace, to: service).ending == "finished")
        #expect(service.received == ["score@1": 1])
    }

    @Test func whatSomebodyElseDeliveredInBetweenMakesAPlanStale() async throws {
        let reviewed = try await service.plan(workspace)
        await Applier(name: "bob").apply(workspace, to: service)
        #expect(await applier(reviewed).apply(workspace, to: service).ending == "stale")
        #expect(service.received == ["score@1": 1])
    }

    @Test func aRemoteThatCannotBeAskedEndsBeforeAnythingAndFreesTheLock() async throws {
        service.with { $0.failingReads[.ledger] = 1 }
        let applied = await Applier().apply(workspace, to: service)
        #expect(applied.error?.kind == .unavailable)
        #expect(applied.remote.writes == ["acquireLock", "release"])
    }

    @Test func aLockThatIsNotFreedIsSaid() async throws {
        service.with { $0.failingWrites["release"] = [.refused] }
        let applied = await Applier().apply(workspace, to: service)
        #expect(applied.ending == "finished")
        #expect(applied.warnings.contains { $0.contains("keeps it until") && $0.contains("bugle unlock ") })
    }

    // MARK: Commits

    private func apply(commit: String?, at hours: Int?) async -> String {
        await Applier(
            provenance: Provenance(commit: commit, actor: "ann", run: "run 812"),
            committedAt: hours.map { Sample.start + .seconds($0 * 3600) }
        ).apply(workspace, to: service).ending
    }

    @Test func theLastAppliedCommitIsRemembered() async throws {
        #expect(await apply(commit: "abc", at: 1) == "finished")
        let last = try #require(service.with { $0.lock?.lastApplied })
        #expect(last.commit == "abc")
        #expect(last.committedAt == Sample.start + .seconds(3600))
        #expect(last.run == "run 812")
        #expect(try await service.plan(workspace).lastApplied == last)
        #expect(service.entry("score")?.provenance == Provenance(commit: "abc", actor: "ann", run: "run 812"))
    }

    @Test func anOlderCommitIsRefusedAndTheLockFreed() async throws {
        _ = await apply(commit: "abc", at: 2)
        #expect(await apply(commit: "aaa", at: 1) == "olderCommit")
        #expect(service.with { $0.lock?.run } == "")
        #expect(service.with { $0.lock?.lastApplied?.commit } == "abc")
    }

    @Test func theSameOrANewerCommitAndOneWithoutATimeAreApplied() async throws {
        _ = await apply(commit: "abc", at: 2)
        #expect(await apply(commit: "abc", at: 2) == "finished")
        #expect(await apply(commit: "def", at: 3) == "finished")
        #expect(await apply(commit: nil, at: nil) == "finished")
        #expect(service.with { $0.lock?.lastApplied?.commit } == "def")
    }

    // MARK: What comes between plan and turn

    @Test func aSendWhoseWindowEndsBeforeItsTurnIsNotMade() async throws {
        let workspace = Sample.workspace([Sample.campaign("score") { $0.window = .seconds(10) }]) {
            $0.channels = [Channel(name: "Giants", origin: Sample.origin("channels"))]
        }
        service.with { $0.failingWrites["save Giants"] = [.slow(.seconds(11))] }
        #expect(await Applier().apply(workspace, to: service).result("score")?.outcome == .skipped)
        #expect(service.received.isEmpty && service.state("score") == nil)
    }

    @Test func aSendInQuietHoursThatBeganSinceThePlanIsNotMade() async throws {
        let quiet = try #require(QuietHours(from: 12 * 60 + 1, to: 13 * 60, timeZone: "UTC"))
        let workspace = Sample.workspace([Sample.campaign("score")]) {
            $0.channels = [Channel(name: "Giants", origin: Sample.origin("channels"))]
            $0.policy.quietHours = quiet
        }
        service.with { $0.failingWrites["save Giants"] = [.slow(.seconds(61))] }
        #expect(await Applier().apply(workspace, to: service).result("score")?.outcome == .skipped)
        #expect(service.received.isEmpty)
    }

    // MARK: Results

    @Test func everyChangeHasAResult() async throws {
        service.leave(Sample.campaign("unknown"), .unknown, age: .seconds(60))
        let workspace = Sample.workspace([
            Sample.campaign("blocked") { $0.expiration = nil }, Sample.campaign("good"),
            Sample.campaign("held") { $0.hold = true }, Sample.campaign("unknown"),
        ])
        let applied = await Applier().apply(workspace, to: service)
        let endings = Dictionary(
            uniqueKeysWithValues: (applied.outcome?.results ?? []).map { ($0.change.name, $0.outcome) })
        #expect(endings == ["blocked": .skipped, "good": .done, "unknown": .unknown])
        #expect(applied.result("blocked")?.detail?.text.hasPrefix("blocked: requireExpiration") == true)
    }

    @Test func aResourceThatCannotBeWrittenFailsAndSendsGoOn() async throws {
        let workspace = Sample.workspace([Sample.campaign("score")]) {
            $0.channels = [Channel(name: "Giants", origin: Sample.origin("channels"))]
        }
        service.with { $0.failingWrites["save Giants"] = [.refused] }
        let applied = await Applier().apply(workspace, to: service)
        #expect(applied.result("Giants")?.outcome == .failed)
        #expect(applied.result("score")?.outcome == .done)
    }
}
