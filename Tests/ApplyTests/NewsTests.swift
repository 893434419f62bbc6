import Apply
import Base
import RemoteTesting
import Testing

@testable import Push

/// What a team is told of applies: every event once, whatever is killed and run again.
@Suite struct NewsTests {
    private static let hour = Duration.seconds(3600)

    /// What the applies so far told, in order; one that was killed tells nothing any more.
    private static func told(_ applied: [Applied]) -> [String] {
        applied.filter { !$0.remote.isDead }.flatMap { $0.outcome?.news ?? [] }.map {
            "\($0.subject) \($0.kind.rawValue)"
        }
    }

    private static func applier(
        _ name: String = "ann",
        _ hook: @escaping @Sendable (FakeRemote.WritePoint, Int) async -> FakeRemote.Fate = { _, _ in .live }
    ) -> Applier {
        Applier(name: name, notifies: true, hook: hook)
    }

    @Test func whatIsSentIsToldOnceAndNotAgain() async {
        let service = FakeService()
        let workspace = Sample.workspace([Sample.campaign("score"), Sample.campaign("news")])
        var applied: [Applied] = []
        for _ in 0..<3 { applied.append(await Self.applier().apply(workspace, to: service)) }
        #expect(Self.told(applied) == ["news@1 sent", "score@1 sent"])
        let event = applied[0].outcome?.news.last
        #expect(event?.id == "\(Sample.delivery("score").text)/sent" && event?.figures != nil)
        #expect(service.received == ["news@1": 1, "score@1": 1])
    }

    @Test func whatTheServiceKeepsIsToldWhenItsTimeHasCome() async {
        let service = FakeService()
        let workspace = Sample.workspace([Sample.campaign("later", at: Sample.start + Self.hour)])
        let scheduled = await Self.applier().apply(workspace, to: service)
        #expect(Self.told([scheduled]) == [] && service.entry("later")?.told == [])
        service.advance(Self.hour * 2)
        let after = [
            await Self.applier().apply(workspace, to: service), await Self.applier().apply(workspace, to: service),
        ]
        #expect(Self.told(after) == ["later@1 sent"])
        #expect(service.received == ["later@1": 1])
    }

    @Test func nobodyIsToldOfWhatWasDeliveredBeforeAnybodyAskedForIt() async {
        let service = FakeService()
        let old = Sample.workspace([Sample.campaign("old")])
        await Applier().apply(old, to: service)
        #expect(service.entry("old")?.told == nil)
        let both = Sample.workspace([Sample.campaign("old"), Sample.campaign("new")])
        let applied = await Self.applier().apply(both, to: service)
        #expect(Self.told([applied]) == ["new@1 sent"])
    }

    @Test func aRefusalIsToldOnceThoughEveryApplyTriesAgain() async {
        let service = FakeService()
        service.with { $0.answers = [.refuse, .refuse] }
        let workspace = Sample.workspace([Sample.campaign("score")])
        var applied: [Applied] = []
        for _ in 0..<3 { applied.append(await Self.applier().apply(workspace, to: service)) }
        #expect(Self.told(applied) == ["score@1 failed", "score@1 sent"])
    }

    @Test func anUnknownOutcomeIsToldWithTheCommandThatResolvesIt() async throws {
        let service = FakeService()
        let campaign = Sample.campaign("score")
        service.leave(campaign, .unknown, age: Self.hour) {
            $0.told = []
            $0.reason = .verbatim("nobody knows")
        }
        let applied = await Self.applier().apply(Sample.workspace([campaign]), to: service)
        #expect(Self.told([applied]) == ["score@1 doubt"])
        let reason = try #require(applied.outcome?.news.first?.reason?.text)
        #expect(reason == "nobody knows; bugle resolve score@1 --as sent|unsent --reason TEXT")
    }

    @Test func whatWaitsForAnApprovalIsToldOnce() async {
        let service = FakeService()
        let rule = ApprovalRule(when: .init(labels: ["kind": "promo"]), need: 1)
        let workspace = Sample.workspace([Sample.campaign("sale") { $0.labels = ["kind": "promo"] }]) {
            $0.policy.approvals = [rule]
        }
        var applied: [Applied] = []
        for _ in 0..<2 {
            var applier = Self.applier()
            applier.approvals = ApprovalInput(base: .rules([rule]), file: nil, state: .tree("t"), commit: "c1")
            applied.append(await applier.apply(workspace, to: service))
        }
        #expect(Self.told(applied) == ["sale@1 approval"])
        #expect(applied[0].outcome?.news.first?.reason?.text.contains("needs 1 approval") == true)
    }

    @Test(arguments: ["release", "update sent"])
    func whatCouldNotBeRecordedIsToldByTheNextApply(_ write: String) async {
        let service = FakeService()
        let rule = ApprovalRule(when: .init(labels: ["kind": "promo"]), need: 1)
        let workspace = Sample.workspace([
            Sample.campaign("sale") { $0.labels = ["kind": "promo"] }, Sample.campaign("score"),
        ]) { $0.policy.approvals = [rule] }
        func apply() async -> Applied {
            var applier = Self.applier()
            applier.approvals = ApprovalInput(base: .rules([rule]), file: nil, state: .tree("t"), commit: "c1")
            return await applier.apply(workspace, to: service)
        }
        // The answer, the figures, and then the news.
        service.with {
            $0.failingWrites[write] = write == "release" ? [.refused] : [.slow(.zero), .slow(.zero), .refused]
        }
        let first = await apply()
        #expect(!first.warnings.isEmpty)
        service.advance(.seconds(130))
        let second = await apply()
        #expect(Set(Self.told([first])).isDisjoint(with: Self.told([second])))
        #expect(Set(Self.told([first, second])) == ["score@1 sent", "sale@1 approval"])
    }

    /// Killed at any write: an event is never told twice, and lost only if the kill came after its record.
    @Test func aKillAtAnyWriteTellsNothingTwice() async {
        let workspace = Sample.workspace([Sample.campaign("score"), Sample.campaign("news")])
        let points = await Self.applier().apply(workspace, to: FakeService()).remote.points
        #expect(points.contains { $0.name == "release" })
        for number in points.indices {
            let service = FakeService()
            var applied = [
                await Self.applier { _, index in index == number ? .die : .live }.apply(workspace, to: service)
            ]
            let recorded = ["score", "news"].filter { service.entry($0)?.told?.isEmpty == false }
            for _ in 0..<3 {
                service.advance(.seconds(660))
                applied.append(await Self.applier("bob").apply(workspace, to: service))
            }
            let told = Self.told(applied)
            #expect(Set(told).count == told.count, "killed \(points[number])")
            let lost = Set(["score@1 sent", "news@1 sent"]).subtracting(told)
            #expect(lost == Set(recorded.map { "\($0)@1 sent" }), "killed \(points[number])")
            #expect(service.received == ["score@1": 1, "news@1": 1])
        }
    }

    @Test func nothingIsRecordedForATeamThatNobodyDeclared() async {
        let service = FakeService()
        let workspace = Sample.workspace([Sample.campaign("score")])
        let without = await Applier().apply(workspace, to: service)
        #expect(without.outcome?.news == [])
        #expect(service.with { $0.lock?.lastApplied?.told } == [])
        let with = await Self.applier().apply(workspace, to: FakeService())
        #expect(with.remote.writes.count == without.remote.writes.count + 1, "one record for one event")
    }

    /// The pushes of an apply do not wait: the first record of news comes after the last of them.
    @Test func newsIsRecordedAfterTheLastPush() async throws {
        let workspace = Sample.workspace((1...5).map { Sample.campaign("score-\($0)") })
        let quiet = await Applier().apply(workspace, to: FakeService()).remote.writes
        let told = await Self.applier().apply(workspace, to: FakeService()).remote.writes
        let last = try #require(told.lastIndex(of: "send"))
        #expect(Array(told[...last]) == Array(quiet[...last]))
    }
}

/// A runner's rounds where a team is told.
@Suite struct NewsRoundTests {
    @Test func aRoundTellsWhatAKilledApplyCouldNot() async throws {
        let service = FakeService()
        let workspace = Sample.workspace([Sample.campaign("score")])
        var killed = Applier()
        killed.notifies = true
        killed.hook = { point, _ in point.phase == .before && point.name == "release" ? .die : .live }
        // What became of the push is recorded, and the news is not.
        service.with { $0.failingWrites["update sent"] = [.slow(.zero), .slow(.zero), .refused] }
        await killed.apply(workspace, to: service)
        #expect(service.entry("score")?.told == [])
        service.advance(.seconds(130))
        for notifies in [false, true, true] {
            let remote = FakeRemote(service)
            let ending = try await remote.dueRound(
                notifies: notifies, input: { Sample.input(workspace, $0, selection: Selection(onlyDue: true)) },
                session: {
                    ApplySession(
                        reader: remote, writer: remote,
                        options: ApplyOptions(holder: "runner", run: "run", notifies: notifies), stop: StopSignal(),
                        pausing: FakePause(service), heartbeat: NoPause(), elapsed: { service.elapsed },
                        report: { _ in })
                })
            switch ending {
            case .idle: #expect(!notifies || service.entry("score")?.told == ["sent"])
            case .applied(let outcome): #expect(outcome.news.map(\.kind) == [.sent])
            }
        }
        #expect(service.entry("score")?.told == ["sent"])
    }
}
