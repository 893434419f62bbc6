import Push
import RemoteTesting
import Testing

@Suite struct SelectionTests {
    @Test(arguments: [
        ("Campaign/score", Selection.Target.resource(.campaign, "score")),
        ("deviceprofile/main", .resource(.deviceProfile, "main")), ("channel/a/b", .resource(.channel, "a/b")),
        ("label=giants", .label("giants")), ("label=team:giants", .label("team:giants")),
    ])
    func aTargetIsAKindAndNameOrALabel(text: String, target: Selection.Target) {
        #expect(Selection.Target(text) == target)
    }

    @Test(arguments: ["", "score", "Campaign/", "/score", "Push/score", "label="])
    func anythingElseIsNoTarget(text: String) {
        #expect(Selection.Target(text) == nil)
    }

    private func plan(_ targets: String...) -> [String] {
        let workspace = Sample.workspace([
            Sample.campaign("a") { $0.labels = ["team": "giants"] }, Sample.campaign("b"),
        ]) { $0.channels = [Channel(name: "Giants", origin: Sample.origin("channels"))] }
        let selection = Selection(targets: targets.compactMap { Selection.Target($0) })
        return Ledger.plan(workspace, selection: selection).changes.map(\.name)
    }

    @Test func onlyTargetsArePlanned() {
        #expect(plan() == ["Giants", "a", "b"])
        #expect(plan("Campaign/b") == ["b"])
        #expect(plan("Campaign/b", "Channel/Giants") == ["Giants", "b"])
        #expect(plan("label=giants") == ["a"])
        #expect(plan("label=team:giants") == ["a"])
        #expect(plan("label=team:mets") == [])
    }

    @Test func aRemovedCampaignCanBeATarget() {
        let at = Sample.start + .seconds(7200)
        let entries = ["gone", "other"].map {
            Ledger.entry(Sample.campaign($0, at: at), .scheduled, now: Sample.start, age: .seconds(60))
        }
        let state = RemoteState(
            now: Sample.start, ledger: entries,
            scheduled: entries.enumerated().map {
                ScheduledPush(id: Int64($0), notificationID: $1.notificationID.text, at: at)
            })
        let held = Sample.campaign("held") { $0.hold = true }
        let selection = Selection(targets: [.resource(.campaign, "gone")])
        let plan = Ledger.plan(Sample.workspace([held]), state, selection: selection)
        #expect(plan.changes.map(\.name) == ["gone"])
    }

    @Test func aStopOfWhatIsNotSelectedAsksNobody() {
        let one = Sample.campaign("one") { $0.labels = ["team": "giants"] }
        let workspace = Sample.workspace([one, Sample.campaign("two")])
        let entry = Ledger.entry(one, .sending, now: Sample.start, age: .seconds(60))
        var state = RemoteState(now: Sample.start, ledger: [entry], ledgerStarted: true)
        func stops(_ targets: String...) -> [String] {
            let selection = Selection(targets: targets.compactMap { Selection.Target($0) })
            return Ledger.plan(workspace, state, selection: selection).stops.map(\.title)
        }
        state.stops = [StopOrder(entry, by: "mina on mac", at: Sample.start, why: "wrong link")]
        #expect(stops() == ["one@1"] && stops("Campaign/one") == ["one@1"] && stops("label=giants") == ["one@1"])
        #expect(stops("Campaign/two") == [])
        state.stops.append(StopOrder(by: "mina on mac", at: Sample.start, why: "wrong link"))
        #expect(stops("Campaign/two") == [""], "everything is stopped")
    }

    @Test func whatIsDueWaitsForAnApplyThatCancelsAnotherPushOfIt() {
        let (now, at) = (Sample.start, Sample.start + .seconds(7200))
        let old = Ledger.entry(Sample.campaign("score", at: at), .scheduled, now: now, age: .seconds(60))
        let state = RemoteState(
            now: now, ledger: [old],
            scheduled: [ScheduledPush(id: 1, notificationID: old.notificationID.text, at: at)])
        let workspace = Sample.workspace([
            Sample.campaign("other", at: now), Sample.campaign("score", revision: 2, at: now),
        ])
        let plan = Ledger.plan(workspace, state, selection: Selection(onlyDue: true))
        #expect(plan.changes.map { "\($0.name) \($0.action)" } == ["other send", "score wait"])
        #expect(plan.changes.last?.reason.text == "another push of it was not cancelled")
        #expect(Ledger.plan(workspace, state).changes.map(\.action) == [.cancel, .send, .send])
    }

    @Test func onlyWhatIsDueAndResumesAreLookedAt() {
        let now = Sample.start
        let entry = Ledger.entry(Sample.campaign("open"), .sending, now: now, age: .seconds(700))
        let workspace = Sample.workspace([
            Sample.campaign("due", at: now), Sample.campaign("open"), Sample.campaign("immediate"),
            Sample.campaign("later", at: now + .seconds(3600)),
        ]) { $0.channels = [Channel(name: "Giants", origin: Sample.origin("channels"))] }
        let plan = Ledger.plan(
            workspace, RemoteState(now: now, ledger: [entry]), selection: Selection(onlyDue: true))
        #expect(plan.changes.map(\.name) == ["open", "due"])
    }
}
