import Base
import Push
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
        let parts = change.audience?.review.parts.map { "\($0.label.text) \($0.devices)" }
        #expect(parts == ["emoji 1000", "plain 1000", "rest 8000"])
        #expect(change.looks.filter { $0.platform == .ios }.map(\.variant) == ["emoji", "plain"])
        #expect(change.looks.first?.title == .text("Season tickets!") && change.looks.last?.title == nil)
        let note = try #require(plan.diagnostics.first { $0.code == .variantPower })
        #expect(note.message.text.contains("show a difference of 6.3 percentage points or more, with 80 % power"))
        #expect(try Plan.read(saved: plan.savedBytes()) == plan)
    }

    @Test func aWinnerBeforeTheTestIsBlocked() throws {
        let steps = Planner.plan(Self.input(Self.campaign("emoji"))).steps
        #expect(steps.first?.change.blocked.map(\.rule) == [.winner])
        guard case .deliver(let entry, _)? = steps.first?.operation else { throw Unplanned() }
        #expect(entry.request?.winner == nil)
    }

    private struct Unplanned: Error {}

    /// A test of 2,000 devices that was answered 7,000 seconds ago, and waits for a winner.
    private static func waiting(
        _ campaign: Campaign, _ request: PushRequest = request(), age: Duration = .seconds(7000),
        change: (inout JournalState) -> Void = { _ in }
    ) -> PlanInput {
        var entry = Ledger.entry(Self.campaign(), .sending, now: Sample.start, age: age + .seconds(200))
        entry.request = request
        var input = input(campaign, ledger: [entry])
        let end = Sample.start - age + .seconds(86_400)
        var state = JournalState(
            targets: 10_000, answered: 2000, inDoubt: 0, waiting: 8000, lastOutcomeAt: Sample.start - age,
            windowFrom: end, opensAt: end)
        state.standing = VariantStanding(
            variants: [
                VariantAnswers(name: "emoji", answers: .init(accepted: 970, refused: 30)),
                VariantAnswers(name: "plain", answers: .init(accepted: 1000)),
            ], decideBy: end)
        change(&state)
        input.state.evidence[entry.notificationID] = .journal(state)
        return input
    }

    private static func step(_ input: PlanInput) -> (change: Change, entry: LedgerEntry?) {
        let step = Planner.plan(input).steps[0]
        guard case .resume(let entry, _) = step.operation else { return (step.change, nil) }
        return (step.change, entry)
    }

    private static let figures =
        "emoji 970 of 1,000 accepted (95.7% to 97.8%); plain 1,000 of 1,000 accepted (99.6% to 100.0%)"

    /// A day after the test.
    private static let late = Duration.seconds(86_460)

    @Test func aTestThatWaitsShowsItsFiguresAndByWhenItIsDecided() throws {
        let change = Self.step(Self.waiting(Self.campaign())).change
        #expect(change.action == .wait)
        #expect(
            change.reason.text.hasSuffix(
                "a winner may be named until 2026-11-21T10:03:20Z, otherwise plain: \(Self.figures)"),
            "\(change.reason)")
    }

    @Test(arguments: [nil, "plain"])
    func aWinnerIsALineWithTheFiguresOfEveryVariant(_ recorded: String?) throws {
        // What an apply wrote before it was killed, and the journal does not have, decides nothing.
        let (change, entry) = Self.step(Self.waiting(Self.campaign("emoji"), Self.request(recorded)))
        #expect(change.action == .resume && change.audience?.devices == 8000 && !change.isBlocked)
        #expect(change.reason.text == "the winner is emoji, for 8,000 more devices: \(Self.figures)")
        #expect(change.request?.winner == "emoji" && entry?.request?.winner == "emoji")
        #expect(!change.looks.isEmpty && change.looks.allSatisfy { $0.variant == "emoji" })
    }

    @Test func aWinnerIsForTheRestThatOtherwiseGetsNothing() {
        var request = Self.request()
        request.body["variants"]?["otherwise"] = "abandon"
        let change = Self.step(Self.waiting(Self.campaign("emoji"), request)).change
        #expect(change.action == .resume && change.audience?.devices == 8000)
    }

    @Test func aWinnerThatWasTakenBackInTimeIsNone() {
        let (change, entry) = Self.step(Self.waiting(Self.campaign(), Self.request("emoji")))
        #expect(change.action == .wait && entry?.request?.winner == nil)
    }

    @Test func aWinnerThatTheDeliveryDoesNotHaveIsBlocked() {
        var campaign = Self.campaign("shout")
        campaign.variants = [
            Variant(name: "quiet", share: Share(parts: 1000)), Variant(name: "shout", share: Share(parts: 1000)),
        ]
        for age in [Duration.seconds(7000), Self.late] {
            let plan = Planner.plan(Self.waiting(campaign, age: age)).plan
            #expect(plan.changes.first?.blocked.map(\.rule) == [.winner])
            #expect(
                plan.changes.first?.blocked.first?.message.text
                    == "its delivery has no variant 'shout', but emoji, plain")
        }
    }

    @Test func withoutAWinnerTheRestGetsTheOtherVariantOrNothing() {
        let plain = Self.step(Self.waiting(Self.campaign(), age: Self.late))
        #expect(plain.change.action == .resume && plain.change.audience?.devices == 8000)
        let end = "no winner was named until 2026-11-20T11:59:00Z: 8,000 more devices get"
        #expect(plain.change.reason.text == "\(end) plain: \(Self.figures)", "\(plain.change.reason)")
        #expect(plain.entry?.request?.winner == nil)
        var request = Self.request()
        request.body["variants"]?["otherwise"] = "abandon"
        let nothing = Self.step(Self.waiting(Self.campaign(), request, age: Self.late))
        #expect(nothing.change.action == .resume && nothing.change.audience?.devices == 0)
        #expect(nothing.change.reason.text == "\(end) nothing: \(Self.figures)")
        #expect(Set(nothing.change.looks.map(\.variant)) == ["emoji", "plain"])
        // The rest of a test whose window has ended as well is missed.
        let over = Self.step(Self.waiting(Self.campaign("emoji"), age: Self.late + .seconds(30 * 86_400))).change
        #expect(over.reason.text.hasSuffix("8,000 devices are missed"), "\(over.reason)")
        // Nobody has to choose any more.
        let late = Self.step(Self.waiting(Self.campaign("shout"), age: Self.late + .seconds(30 * 86_400))).change
        #expect(late.reason.text.hasSuffix("8,000 devices are missed") && !late.isBlocked, "\(late.reason)")
    }

    @Test func anotherWinnerOnceTheRestHasOneChangesNothing() {
        let input = Self.waiting(Self.campaign("plain"), Self.request("emoji")) { state in
            (state.standing, state.winner, state.opensAt) = (nil, "emoji", nil)
            (state.windowFrom, state.waiting) = (Sample.start, 4000)
        }
        let (change, entry) = Self.step(input)
        #expect(change.action == .resume && entry?.request?.winner == "emoji")
        #expect(Planner.plan(input).plan.diagnostics.map(\.code) == [.editedAfterDelivery])
        var sent = Ledger.entry(Self.campaign(), .sent, now: Sample.start, age: .seconds(7200))
        sent.figures = DeliveryFigures(devices: 3, successes: 3, invalidTokens: 0)
        sent.figures?.variants = [VariantAnswers(name: "emoji", answers: .init(accepted: 3))]
        let notes = Planner.plan(Self.input(Self.campaign("plain"), ledger: [sent])).plan.diagnostics
        #expect(
            notes.map(\.message.text) == [
                "the rest of tickets was given nothing, and the file names 'plain': nothing more is sent"
            ])
    }

    @Test func editingATestThatWaitsIsNoted() {
        var campaign = Self.campaign()
        var content = MessageContent()
        content.body = .text("Edited")
        campaign.message = Message(common: content)
        let plan = Planner.plan(Self.waiting(campaign)).plan
        #expect(plan.changes.map(\.action) == [.wait])
        #expect(
            plan.diagnostics.map(\.message.text) == [
                "tickets was edited during its delivery; its remaining devices get the original"
            ])
    }

    @Test func whoOpenedAVariantStandsBesideItsAnswers() {
        let events = EventFigures(parts: [
            .init(number: 1, form: 0, opened: 60), .init(number: 1, form: 1, opened: 40),
            .init(number: 1, form: 2, opened: 40), .init(number: 2, form: 5, opened: 400),
        ])
        var request = Self.request()
        request.body["variants"]?["arms"] = [
            ["name": "emoji", "languages": ["de": [:]]], ["name": "plain", "languages": ["de": [:]]],
        ]
        let variants = request.counting(
            events,
            in: [
                VariantAnswers(name: "emoji", answers: .init(accepted: 970, refused: 30)),
                VariantAnswers(name: "plain", answers: .init(accepted: 1000)),
            ])
        #expect(
            variants.map(\.reason.text) == [
                "emoji 970 of 1,000 accepted (95.7% to 97.8%), 100 opened (8.5% to 12.3%)",
                "plain 1,000 of 1,000 accepted (99.6% to 100.0%), 40 opened (2.9% to 5.4%)",
            ])
    }

    @Test func aChoiceDoesNotEditWhatIsDelivered() {
        var entry = Ledger.entry(Self.campaign(), .sent, now: Sample.start, age: .seconds(7200))
        entry.request = Self.request("emoji")
        let plan = Planner.plan(Self.input(Self.campaign("emoji"), ledger: [entry])).plan
        #expect(plan.changes.isEmpty && !plan.diagnostics.contains { $0.code == .editedAfterDelivery })
    }
}
