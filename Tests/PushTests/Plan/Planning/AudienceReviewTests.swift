import Base
import RemoteTesting
import Testing

@testable import Push

@Suite struct AudienceReviewTests {
    private static let now = Sample.start

    /// A campaign for the subscribers of one channel.
    private static func campaign(
        _ name: String, channel: String, _ change: (inout Campaign) -> Void = { _ in }
    ) -> Campaign {
        Sample.campaign(name) { campaign in
            campaign.audience = Audience(channels: [channel])
            change(&campaign)
        }
    }

    private static func input(
        _ campaigns: [Campaign], ledger: [LedgerEntry] = [], encoder: any RequestEncoding = FakeEncoder(),
        change: (inout Workspace) -> Void = { _ in }
    ) -> PlanInput {
        let workspace = Sample.workspace(campaigns) { workspace in
            workspace.policy.maxSendsPerApply = 1000
            change(&workspace)
        }
        var input = Sample.input(
            workspace, RemoteState(now: now, ledger: ledger, ledgerStarted: true), encoder: encoder)
        input.explainsAudiences = true
        return input
    }

    /// The input with answers to all that is asked.
    private static func answered(
        _ input: PlanInput, devices: Int = 100, shared: Int = 7,
        explanation: AudienceCount = AudienceCount(devices: 100)
    ) -> PlanInput {
        var input = Ledger.answered(input, devices: devices)
        let questions = Planner.questions(input)
        for digest in questions.explanations.keys { input.state.explanations[digest] = explanation }
        for digest in questions.comparisons.keys { input.state.audiences[digest] = AudienceCount(devices: shared) }
        return input
    }

    private static func change(_ plan: Plan, _ name: String) throws -> Change {
        try #require(plan.changes.last { $0.name == name })
    }

    private func notes(_ plan: Plan) -> [String] {
        plan.diagnostics.filter { $0.code == .notExplained }.map(\.message.text)
    }

    // MARK: Questions

    @Test func nothingMoreIsAskedForAPlanThatNobodyReviews() {
        var input = Self.input([Self.campaign("a", channel: "A"), Self.campaign("b", channel: "B")])
        #expect(Planner.questions(input).explanations.count == 2)
        #expect(Planner.questions(input).comparisons.count == 1)
        input.explainsAudiences = false
        let questions = Planner.questions(input)
        #expect(questions.explanations.isEmpty && questions.comparisons.isEmpty)
        #expect(questions.counts.count == 2)
        let plan = Planner.plan(Ledger.answered(input)).plan
        #expect(plan.changes.allSatisfy { $0.audience?.review == AudienceReview() })
    }

    @Test func whatIsAnsweredIsAskedNoMore() {
        let input = Self.answered(Self.input([Self.campaign("a", channel: "A"), Self.campaign("b", channel: "B")]))
        let questions = Planner.questions(input)
        #expect(questions.explanations.isEmpty && questions.comparisons.isEmpty && questions.counts.isEmpty)
    }

    @Test func sendsSchedulesAndReschedulesAreAskedAboutAndNothingElse() {
        let later = Self.now + .seconds(86_400)
        let pending = Sample.campaign("pending", at: later)
        let entry = Ledger.entry(pending, .scheduled, now: Self.now, age: .seconds(60))
        var moved = pending
        moved.scheduledAt = OffsetInstant(later + .seconds(600))
        moved.audience = Audience(channels: ["C"])
        var input = Self.input(
            [
                Self.campaign("a", channel: "A"),
                Self.campaign("b", channel: "B") { $0.scheduledAt = OffsetInstant(later) }, moved,
                Self.campaign("held", channel: "D") { $0.hold = true },
            ], ledger: [entry])
        input.state.scheduled = [ScheduledPush(id: 1, notificationID: entry.notificationID.text, at: later)]
        let asked = Planner.questions(input).explanations.values.map(\.canonicalText).sorted()
        #expect(
            asked == ["A", "B", "C"].map { #"{"channels":{"$in":["\#($0)"]}}"# })
    }

    @Test func fiftyAudiencesAreTakenApartAndTheRestIsSaid() {
        let campaigns = (10..<70).map { Self.campaign("c\($0)", channel: "\($0)") }
        let input = Self.answered(Self.input(campaigns))
        #expect(input.state.explanations.count == 50)
        let plan = Planner.plan(input).plan
        #expect(plan.changes.count { $0.audience?.review.explanation != nil } == 50)
        #expect(plan.changes.prefix(50).allSatisfy { $0.audience?.review.explanation != nil })
        #expect(
            notes(plan) == [
                "only the first 10 of 60 deliveries are checked for shared devices",
                "the audiences of 10 deliveries are not broken down: a plan does so for 50",
            ])
    }

    @Test func fortyFivePairsAreComparedWhateverTheirNumber() {
        let questions = Planner.questions(
            Self.input((10..<40).map { Self.campaign("c\($0)", channel: "\($0)") }))
        #expect(questions.comparisons.count == 45)
        let one = Planner.questions(Self.input([Self.campaign("a", channel: "A"), Self.campaign("b", channel: "B")]))
        let other = Planner.questions(Self.input([Self.campaign("x", channel: "B"), Self.campaign("y", channel: "A")]))
        #expect(one.comparisons == other.comparisons)
        #expect(one.comparisons.values.first?["$and"]?.array?.count == 2)
    }

    @Test func broadcastsAreNotAskedAbout() {
        let input = Self.input(
            [Self.campaign("a", channel: "A"), Self.campaign("b", channel: "B")], encoder: Broadcaster())
        let questions = Planner.questions(input)
        #expect(questions.explanations.isEmpty && questions.comparisons.isEmpty && questions.counts.isEmpty)
        let plan = Planner.plan(Ledger.answered(input)).plan
        #expect(plan.changes.allSatisfy { $0.audience?.review == AudienceReview() })
        #expect(notes(plan).isEmpty)
    }

    // MARK: Answers

    @Test func whatDeliveriesShareStandsAtBothTheLargestFirst() throws {
        var input = Self.answered(
            Self.input([
                Self.campaign("a", channel: "A"), Self.campaign("b", channel: "B"), Self.campaign("c", channel: "C"),
                Self.campaign("same", channel: "C"),
            ]))
        let first = try #require(
            Planner.questions(Self.input([Self.campaign("a", channel: "A"), Self.campaign("c", channel: "C")]))
                .comparisons
                .keys.first)
        input.state.audiences[first] = AudienceCount(devices: 50)
        let plan = Planner.plan(input).plan
        func overlaps(_ name: String) throws -> [AudienceReview.Overlap] {
            try Self.change(plan, name).audience?.review.overlaps ?? []
        }
        #expect(
            try overlaps("a") == [
                .init(campaign: "c", devices: 50), .init(campaign: "same", devices: 50),
                .init(campaign: "b", devices: 7),
            ])
        // Equal audiences share all; nobody asks.
        #expect(try overlaps("c").first == .init(campaign: "same", devices: 100))
    }

    @Test func nothingSharedIsNotTold() throws {
        let plan = Planner.plan(
            Self.answered(
                Self.input([Self.campaign("a", channel: "A"), Self.campaign("b", channel: "B")]), shared: 0)
        ).plan
        #expect(try Self.change(plan, "a").audience?.review.overlaps == [])
    }

    @Test func listedDevicesAreComparedHereAndNeverTold() throws {
        func listed(_ name: String, _ devices: [String]) -> Campaign {
            Sample.campaign(name) { $0.audience = Audience(platforms: [.ios], devices: devices) }
        }
        let input = Self.answered(
            Self.input([
                listed("a", ["AB01", "cd02", "ef03"]), listed("b", ["ab01", "CD02"]), listed("c", ["99"]),
                Self.campaign("d", channel: "D"),
            ]))
        #expect(input.state.audiences.count == 1)
        let plan = Planner.plan(input).plan
        #expect(try Self.change(plan, "a").audience?.review.overlaps == [.init(campaign: "b", devices: 2)])
        #expect(try Self.change(plan, "c").audience?.review.overlaps == [])
        #expect(try Self.change(plan, "a").audience?.review.explanation == nil)
        let text = String(decoding: plan.savedBytes(), as: UTF8.self).lowercased()
        #expect(!text.contains("ab01") && !text.contains("cd02"))
    }

    @Test func theLastDeliveryIsTheNewestUnderAnyName() throws {
        func sent(_ name: String, _ revision: Int, age: Duration, devices: Int?, missed: Int = 0) -> LedgerEntry {
            var entry = Ledger.entry(
                Sample.campaign(name, revision: revision), .sent, now: Self.now, age: age)
            entry.figures = devices.map {
                DeliveryFigures(devices: $0, successes: 1, invalidTokens: 0, missed: missed)
            }
            return entry
        }
        let ledger = [
            sent("old", 1, age: .seconds(9000), devices: 10),
            sent("a", 2, age: .seconds(3000), devices: 1020, missed: 1000),
            sent("a", 3, age: .seconds(1000), devices: nil), sent("older", 1, age: .seconds(9000), devices: 10),
            sent("b", 9, age: .seconds(10), devices: 99),
        ]
        let plan = Planner.plan(
            Self.answered(
                Self.input(
                    [
                        Self.campaign("a", channel: "A") {
                            $0.revision = 4
                            $0.formerly = ["old"]
                        },
                        Self.campaign("new", channel: "B"),
                        Self.campaign("renamed", channel: "C") {
                            $0.revision = 2
                            $0.formerly = ["b", "older"]
                        },
                    ], ledger: Array(ledger.dropLast())))
        ).plan
        #expect(
            try Self.change(plan, "a").audience?.review.lastDelivery
                == .init(revision: 2, at: Self.now - .seconds(3000), devices: 20))
        #expect(try Self.change(plan, "new").audience?.review.lastDelivery == nil)
        #expect(try Self.change(plan, "renamed").audience?.review.lastDelivery?.devices == 10)
    }

    @Test func anAudienceOfNobodyIsExplainedToo() throws {
        let none = AudienceCount(devices: 0, leftOut: [.invalid: 4])
        let plan = Planner.plan(
            Self.answered(Self.input([Self.campaign("a", channel: "A")]), devices: 0, explanation: none)
        ).plan
        let audience = try #require(try Self.change(plan, "a").audience)
        #expect(audience.devices == 0)
        #expect(audience.review.explanation == none)
    }

    @Test func whatIsNotAnsweredIsOneNoteAndNoBlock() throws {
        var input = Ledger.answered(
            Self.input([Self.campaign("a", channel: "A"), Self.campaign("b", channel: "B")]))
        let questions = Planner.questions(input)
        for digest in Array(questions.explanations.keys) + questions.comparisons.keys {
            input.state.unanswered[digest] = "the service answered 503"
        }
        let again = Planner.questions(input)
        #expect(again.explanations.isEmpty && again.comparisons.isEmpty)
        let plan = Planner.plan(input).plan
        #expect(!plan.isBlocked)
        #expect(try Self.change(plan, "a").audience?.devices == 3)
        #expect(
            notes(plan) == [
                "an audience (and 2 more) was counted but could not be broken down: "
                    + "the service answered 503"
            ])
    }

    @Test func aPlanThatIsReviewedIsThePlanThatIsApplied() {
        let input = Self.answered(Self.input([Self.campaign("a", channel: "A"), Self.campaign("b", channel: "B")]))
        var plain = input
        plain.explainsAudiences = false
        let (reviewed, applied) = (Planner.plan(input).plan, Planner.plan(plain).plan)
        #expect(reviewed != applied)
        #expect(PlanDifference.between(reviewed: reviewed, now: applied, growth: 0.2, isTrusted: false).isEmpty)
        #expect(Planner.plan(input).steps.map(\.operation) == Planner.plan(plain).steps.map(\.operation))
    }

    @Test func aRecordedStateShowsWhatItHolds() throws {
        let input = Self.answered(
            Self.input([Self.campaign("a", channel: "A"), Self.campaign("b", channel: "B")]),
            explanation: AudienceCount(
                devices: 100, platforms: ["ios": 100], timeZones: ["Asia/Shanghai": 5], timeZoneSample: 9,
                leftOut: [.stale: 2]))
        let bytes = Snapshot(workspace: "giants", remote: input.remote, state: input.state).bytes
        var recorded = input
        recorded.state = try Snapshot.read(bytes).state
        let (live, again) = (Planner.plan(input).plan, Planner.plan(recorded).plan)
        #expect(live.changes == again.changes)
        // A snapshot may hold counts only.
        recorded.state.explanations = [:]
        recorded.state = try Snapshot.read(
            Snapshot(workspace: "giants", remote: input.remote, state: recorded.state).bytes
        ).state
        recorded.isSimulated = true
        let plan = Planner.plan(recorded).plan
        #expect(try Self.change(plan, "a").audience?.devices == 100)
        #expect(try Self.change(plan, "a").audience?.review.explanation == nil)
        #expect(notes(plan).isEmpty)
    }
}
