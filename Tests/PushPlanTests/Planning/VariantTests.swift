import Diagnostics
import JSONValue
import PushModel
import PushPlan
import RemoteTesting
import Testing

/// Tests of variants, in plans.
@Suite struct VariantTests {
    private static func campaign(_ winner: String? = nil) -> Campaign {
        Sample.campaign("tickets") { campaign in
            var content = MessageContent()
            content.title = .text("Season tickets!")
            campaign.variants = [
                Variant(name: "emoji", share: Share(parts: 1000), content: content),
                Variant(name: "plain", share: Share(parts: 1000)),
            ]
            (campaign.decideBy, campaign.otherwise, campaign.winner) = (.seconds(86_400), "plain", winner)
        }
    }

    /// The body of a request with a test, as the encoder for Apple writes it.
    private static func request(_ winner: String? = nil) -> PushRequest {
        var test: JSONValue = ["arms": [["name": "emoji"], ["name": "plain"]], "otherwise": "plain"]
        test["winner"] = winner.map { .string($0) }
        return PushRequest(endpoint: .push, body: ["where": [:], "variants": test])
    }

    private static func input(_ campaign: Campaign, ledger: [LedgerEntry] = []) -> PlanInput {
        var input = Sample.input(
            Sample.workspace([campaign]),
            RemoteState(
                now: Sample.start, ledger: ledger, ledgerStarted: true, installations: InstallationSample(size: 0)),
            canSchedule: false, keepsJournal: true)
        for digest in Planner.questions(input).counts.keys {
            input.state.audiences[digest] = AudienceCount(devices: 10_000)
        }
        return input
    }

    @Test func aTestIsListedWithItsVariantsAndWhatItCanShow() throws {
        let plan = Planner.plan(Self.input(Self.campaign())).plan
        let change = try #require(plan.changes.first)
        #expect(change.action == .send && !change.isBlocked)
        let parts = change.audience?.review.parts.map { "\($0.label) \($0.devices)" }
        #expect(parts == ["emoji 1000", "plain 1000", "rest 8000"])
        #expect(change.looks.filter { $0.platform == .ios }.map(\.variant) == ["emoji", "plain"])
        #expect(change.looks.first?.title == .text("Season tickets!") && change.looks.last?.title == nil)
        let note = try #require(plan.diagnostics.first { $0.code == .variantPower })
        #expect(note.message.contains("show a difference of 6.3 percentage points or more, with 80 % power"))
        #expect(try Plan.read(saved: plan.savedBytes()) == plan)
    }

    @Test func aWinnerBeforeTheTestIsBlocked() throws {
        let steps = Planner.plan(Self.input(Self.campaign("emoji"))).steps
        #expect(steps.first?.change.blocked.map(\.rule) == [.winner])
        guard case .deliver(let entry, _)? = steps.first?.operation else { throw Unplanned() }
        #expect(entry.request?.winner == nil)
    }

    private struct Unplanned: Error {}

    private static func waiting(_ campaign: Campaign) -> (Change, Operation) {
        var entry = Ledger.entry(Self.campaign(), .sending, now: Sample.start, age: .seconds(7200))
        entry.request = request()
        var input = input(campaign, ledger: [entry])
        var state = JournalState(
            targets: 10_000, answered: 2000, inDoubt: 0, waiting: 8000, lastOutcomeAt: Sample.start - .seconds(7000),
            windowFrom: Sample.start + .seconds(79_400), opensAt: Sample.start + .seconds(79_400))
        state.standing = VariantStanding(
            variants: [
                VariantAnswers(name: "emoji", answers: .init(accepted: 970, refused: 30)),
                VariantAnswers(name: "plain", answers: .init(accepted: 1000)),
            ], decideBy: Sample.start + .seconds(79_400))
        input.state.evidence[entry.notificationID] = .journal(state)
        let step = Planner.plan(input).steps[0]
        return (step.change, step.operation)
    }

    @Test func aTestThatWaitsShowsItsFiguresAndByWhenItIsDecided() throws {
        let (change, _) = Self.waiting(Self.campaign())
        #expect(change.action == .wait)
        #expect(
            change.reason.hasSuffix(
                "a winner may be named until 2026-11-21T10:03:20Z, otherwise plain: emoji 970 of 1,000 accepted (95.7% to "
                    + "97.8%); plain 1,000 of 1,000 accepted (99.6% to 100.0%)"), "\(change.reason)")
    }

    @Test func aWinnerIsALineWithTheFiguresOfEveryVariant() throws {
        let (change, operation) = Self.waiting(Self.campaign("emoji"))
        #expect(change.action == .resume && change.audience?.devices == 8000)
        #expect(
            change.reason
                == "the winner is emoji, for 8,000 more devices: emoji 970 of 1,000 accepted (95.7% to 97.8%); plain 1,000 of "
                + "1,000 accepted (99.6% to 100.0%)")
        #expect(change.request?.winner == "emoji")
        guard case .resume(let entry, _) = operation else { throw Unplanned() }
        #expect(entry.request?.winner == "emoji")
    }

    @Test func aChoiceDoesNotEditWhatIsDelivered() {
        var entry = Ledger.entry(Self.campaign(), .sent, now: Sample.start, age: .seconds(7200))
        entry.request = Self.request("emoji")
        let plan = Planner.plan(Self.input(Self.campaign("emoji"), ledger: [entry])).plan
        #expect(plan.changes.isEmpty && !plan.diagnostics.contains { $0.code == .editedAfterDelivery })
    }
}
