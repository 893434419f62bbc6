import Base
import Push
import RemoteTesting
import Testing

/// New names of campaigns and workspaces, in plans.
@Suite struct RenameTests {
    private static let now = Sample.start

    private static func sent(_ name: String = "score", _ state: DeliveryState = .sent, revision: Int = 1) -> LedgerEntry
    {
        Ledger.entry(Sample.campaign(name, revision: revision), state, now: now, age: .seconds(60))
    }

    private static func plan(_ campaigns: [Campaign], _ ledger: [LedgerEntry], _ selection: Selection = Selection())
        -> Plan
    {
        Ledger.plan(Sample.workspace(campaigns), RemoteState(now: now, ledger: ledger), selection: selection)
    }

    @Test func aRenameIsALineOfThePlan() throws {
        let plan = Self.plan([Sample.campaign("result") { $0.formerly = ["score"] }], [Self.sent()])
        let change = try #require(plan.changes.first)
        #expect(plan.changes.count == 1 && plan.hasChanges)
        #expect(change.action == .update && change.name == "result" && change.reason.text == "renamed from score")
        #expect(change.before == ["name": "score"] && change.after == ["name": "result"])
        #expect(try Plan.read(saved: plan.savedBytes()) == plan)
    }

    @Test(arguments: [["second"], ["score"], ["score", "second"], []])
    func aRecordedRenameCountsWhateverFormerlySays(formerly: [String]) {
        let entry = Self.sent().renamed(to: "second")
        let name = formerly.isEmpty ? "second" : "third"
        let plan = Self.plan([Sample.campaign(name) { $0.formerly = formerly }], [entry])
        #expect(plan.changes.map(\.action) == (formerly.isEmpty ? [] : [.update]))
    }

    @Test func aRenameThatWasTakenBackIsOne() {
        let plan = Self.plan([Sample.campaign("score")], [Self.sent().renamed(to: "second")])
        #expect(plan.changes.map(\.reason.text) == ["renamed from second"])
    }

    @Test func ofTwoEntriesOfOneDeliveryTheStrongestIsRenamed() throws {
        var weak = Self.sent()
        weak.state = .sending
        let desired = Sample.workspace([Sample.campaign("result") { $0.formerly = ["score"] }])
        let result = Planner.plan(
            Ledger.answered(Sample.input(desired, RemoteState(now: Self.now, ledger: [weak, Self.sent()]))))
        #expect(result.steps.map(\.operation) == [.rename([Self.sent().renamed(to: "result")], saving: nil)])
    }

    @Test(arguments: [DeliveryState.sent, .sending, .unknown, .scheduled, .halted])
    func theSameContentUnderANewNameIsBlocked(_ state: DeliveryState) throws {
        let plan = Self.plan([Sample.campaign("result")], [Self.sent("score", state)])
        let send = try #require(plan.changes.first { $0.name == "result" })
        #expect(send.blocked.map(\.rule) == [.renamed])
        #expect(
            send.blocked.first?.message.text
                == "is this score renamed? It was delivered with the same content and is no longer in the files: say "
                + "'formerly: [score]', or 'revision: 2' to deliver it again")
        #expect(plan.changes.filter { $0.action.isChange }.allSatisfy { $0.isBlocked })
    }

    @Test func aHigherRevisionOtherContentOrAKnownCampaignIsNone() {
        let isFree = { (campaign: Campaign, ledger: [LedgerEntry]) in
            Self.plan([campaign], ledger).changes.filter { $0.name == campaign.name }.allSatisfy { !$0.isBlocked }
        }
        #expect(isFree(Sample.campaign("result", revision: 2), [Self.sent()]))
        #expect(!isFree(Sample.campaign("result", revision: 2), [Self.sent(revision: 2)]))
        #expect(isFree(Sample.campaign("result", text: "another text"), [Self.sent()]))
        #expect(isFree(Sample.campaign("result"), [Self.sent(), Self.sent("result", .unknown)]))
        #expect(isFree(Sample.campaign("result"), [Self.sent("score", .cancelled)]))
    }

    /// Refused as `score`, sent as `result`, and called `score` again: the refusal is no reason to send it once more.
    @Test(arguments: [DeliveryState.refused, .unsent, .cancelled])
    func aNameThatReachedNobodyIsNew(_ state: DeliveryState) throws {
        let plan = Self.plan([Sample.campaign("score")], [Self.sent("score", state), Self.sent("result")])
        #expect(plan.changes.first { $0.action == .send }?.blocked.map(\.rule) == [.renamed])
    }

    @Test func aCampaignThatIsGoneWithDevicesInDoubtWaitsForAPerson() {
        var entry = Self.sent()
        entry.figures = DeliveryFigures(devices: 10, successes: 9, invalidTokens: 0, inDoubt: 1)
        #expect(Self.plan([], [entry]).changes.map(\.action) == [.none])
        entry.expiresAt = Self.now
        #expect(Self.plan([], [entry]).changes.isEmpty)
    }

    @Test func oneThatIsOnlyNotSelectedOrElsewhereHasNotVanished() {
        let new = Sample.campaign("result")
        let elsewhere = Sample.campaign("score") { $0.remotes = ["elsewhere"] }
        #expect(!Self.plan([new, elsewhere], [Self.sent()]).isBlocked)
        let selection = Selection(targets: [.resource(.campaign, "result")])
        #expect(!Self.plan([new, Sample.campaign("score")], [Self.sent()], selection).isBlocked)
        #expect(Self.plan([new], [Self.sent()], selection).isBlocked)
    }

    @Test func aNameThatAnotherCampaignHadIsBlockedWhileTheIDsAreTheSame() {
        let others = [Sample.campaign("second"), Sample.campaign("score", text: "another text")]
        let plan = Self.plan(others, [Self.sent().renamed(to: "second")])
        #expect(plan.changes.map { $0.blocked.map(\.rule) } == [[.renamed]])
        let raised = [others[0], Sample.campaign("score", revision: 2, text: "another text")]
        #expect(!Self.plan(raised, [Self.sent().renamed(to: "second")]).isBlocked)
    }

    /// Recorded under those ids it would take the place of the other's delivery, which would be sent again.
    @Test func aNameThatAnotherCampaignHadIsNotRecordedAsMissedUnderTheSameIDs() {
        let sent = Ledger.entry(Sample.campaign("score"), .sent, now: Self.now, age: .seconds(7200))
        let files = Sample.workspace([
            Sample.campaign("second"), Sample.campaign("score", at: Self.now - .seconds(3601), text: "another text"),
        ])
        let state = RemoteState(now: Self.now, ledger: [sent.renamed(to: "second")])
        let result = Planner.plan(Ledger.answered(Sample.input(files, state)))
        #expect(result.plan.changes.map(\.action) == [.missed])
        #expect(result.plan.changes.map { $0.blocked.map(\.rule) } == [[.renamed]])
        #expect(result.steps.map(\.operation) == [.nothing])
    }

    // MARK: Workspaces

    private static func plan(
        _ neighbours: [String: Int], ledger: [LedgerEntry] = [], started: Bool = false, formerly: [String] = []
    ) -> Plan {
        var state = RemoteState(now: now, ledger: ledger, ledgerStarted: started)
        state.neighbours = neighbours
        return Ledger.plan(Sample.workspace([Sample.campaign("score")]) { $0.formerly = formerly }, state)
    }

    @Test func anEmptyLedgerBesideAnotherWorkspaceAsksWhetherItIsThis() {
        #expect(
            Self.plan(["my-app": 9]).changes.first?.blocked == [
                Block(
                    .newLedger, Reason(.workspaceThere, .count(9), .text("my-app"), .text("my-app")))
            ])
        #expect(Self.plan(["a": 1, "b": 2]).changes.allSatisfy { $0.isBlocked })
        #expect(!Self.plan(["my-app": 9], started: true).isBlocked)
        #expect(!Self.plan(["my-app": 9], ledger: [Self.sent()]).isBlocked)
        #expect(!Self.plan([:]).isBlocked)
    }

    @Test func aWorkspaceWithDeliveriesUnderTwoOfItsNamesIsBlocked() {
        #expect(Self.plan(["giants": 2], ledger: [Self.sent()], formerly: ["my-app"]).changes.isEmpty)
        #expect(
            Self.plan(["giants": 2], started: true, formerly: ["my-app"]).changes.first?.blocked.map(\.rule) == [
                .renamed
            ])
    }

    @Test func aRenamedWorkspaceKeepsTheIDsOfItsOldestName() {
        let plan = Self.plan([:], started: true, formerly: ["oldest", "older"])
        #expect(
            plan.changes.first?.delivery?.id == DeliveryID(workspace: "oldest", campaign: "score", revision: 1))
        #expect(Sample.workspace([]) { $0.formerly = ["a"] }.desiredDigest != Sample.workspace([]).desiredDigest)
    }
}
