import Base
import Push
import RemoteTesting
import Testing

/// Every row of the campaign table, through the planner.
@Suite struct CampaignTableTests {
    /// What the ledger has, what the files say, and what is planned.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var state: DeliveryState?
        /// The time in the ledger, in seconds from now.
        var ledgerAt: Int?
        /// The time that had come when it was begun, in seconds from now.
        var dueAt: Int?
        var age = Duration.seconds(60)
        var isListed = false
        var scheduledID: Int64?
        var isMissed = false
        /// Nil: no file.
        var file: Campaign?
        var canSchedule = true
        var actions: [Action]
        var generation: Int?
        var codes: [DiagnosticCode] = []
    }

    private static let now = Sample.start
    private static func campaign(at seconds: Int? = nil, change: (inout Campaign) -> Void = { _ in }) -> Campaign {
        Sample.campaign("score", at: seconds.map { now + .seconds($0) }, change: change)
    }
    private static let held = campaign { $0.hold = true }

    static let rows: [Row] = undelivered + closed + pending + delivered + open

    private static let undelivered: [Row] = [
        Row(testDescription: "nothing, no schedule: send", file: campaign(), actions: [.send], generation: 0),
        Row(testDescription: "nothing, due in the window: send", file: campaign(at: -3600), actions: [.send]),
        Row(testDescription: "nothing, 59 s ahead: send", file: campaign(at: 59), actions: [.send]),
        Row(
            testDescription: "nothing, a minute ahead: schedule", file: campaign(at: 60), actions: [.schedule],
            generation: 0, codes: [.audienceAtFiring]),
        Row(
            testDescription: "nothing, future, no clock at the remote: wait", file: campaign(at: 60),
            canSchedule: false, actions: [.wait]),
        Row(
            testDescription: "nothing, future, listed devices: wait",
            file: campaign(at: 60) { $0.audience = Audience(platforms: [.ios], devices: ["aa"]) }, actions: [.wait]),
        Row(
            testDescription: "nothing, past the window: missed", file: campaign(at: -3601), actions: [.missed],
            codes: [.missed]),
        Row(
            testDescription: "nothing, expired: missed",
            file: campaign { $0.expiration = .at(OffsetInstant(now)) }, actions: [.missed], codes: [.missed]),
        Row(
            testDescription: "nothing, expires before its time: missed",
            file: campaign(at: 3600) { $0.expiration = .at(OffsetInstant(now + .seconds(3600))) },
            actions: [.missed], codes: [.missed]),
        Row(
            testDescription: "nothing, one attempt only: send",
            file: campaign { $0.expiration = .after(.zero) }, actions: [.send]),
        Row(testDescription: "nothing, held: wait", file: held, actions: [.wait]),
        Row(
            testDescription: "given up after its time had come: missed for good", state: .unsent, dueAt: -600,
            age: .seconds(300), isMissed: true, file: campaign(at: -600), actions: [.missed], codes: [.missed]),
        Row(
            testDescription: "given up after its time had come, at another time: send", state: .unsent,
            dueAt: -601, age: .seconds(300), isMissed: true, file: campaign(at: -600), actions: [.send],
            generation: 1),
        Row(
            testDescription: "given up after its time had come, by an older version: missed for good",
            state: .unsent, age: .seconds(659), isMissed: true, file: campaign(at: -600), actions: [.missed],
            codes: [.missed]),
        Row(
            testDescription: "given up long before its time, by an older version: send", state: .unsent,
            age: .seconds(660), isMissed: true, file: campaign(at: -600), actions: [.send], generation: 1),
    ]

    private static let closed: [Row] =
        [.refused, .cancelled, .unsent].flatMap { (state: DeliveryState) in
            [
                Row(
                    testDescription: "\(state), no schedule: send again", state: state, file: campaign(),
                    actions: [.send],
                    generation: 1),
                Row(
                    testDescription: "\(state), future: schedule again", state: state, file: campaign(at: 3600),
                    actions: [.schedule], generation: 1, codes: [.audienceAtFiring]),
                Row(
                    testDescription: "\(state), past the window: missed", state: state, file: campaign(at: -3601),
                    actions: [.missed], codes: [.missed]),
                Row(testDescription: "\(state), held: wait", state: state, file: held, actions: [.wait]),
                Row(testDescription: "\(state), gone: nothing", state: state, actions: []),
                Row(
                    testDescription: "\(state), still listed: reschedule", state: state, ledgerAt: 3600,
                    isListed: true, file: campaign(at: 3600), actions: [.reschedule], generation: 1,
                    codes: [.audienceAtFiring]),
                Row(
                    testDescription: "\(state), still listed, held: cancel", state: state, ledgerAt: 3600,
                    isListed: true, file: held, actions: [.cancel]),
                Row(
                    testDescription: "\(state), still listed, gone: cancel", state: state, ledgerAt: 3600,
                    isListed: true, actions: [.cancel]),
            ]
        } + [
            Row(
                testDescription: "unsent because it was too late: missed for good", state: .unsent, isMissed: true,
                file: campaign(), actions: [.missed], codes: [.missed]),
            Row(
                testDescription: "unsent because it expired, in the window of its time: missed for good",
                state: .unsent, ledgerAt: -600, isMissed: true, file: campaign(at: -600), actions: [.missed],
                codes: [.missed]),
            Row(
                testDescription: "unsent because it was too late, at another time: send", state: .unsent,
                ledgerAt: -7200, isMissed: true, file: campaign(at: -600), actions: [.send]),
        ]

    private static let pending: [Row] = [
        Row(
            testDescription: "pending, same: nothing", state: .scheduled, ledgerAt: 3600, isListed: true,
            file: campaign(at: 3600), actions: []),
        Row(
            testDescription: "pending, time changed: reschedule", state: .scheduled, ledgerAt: 3600, isListed: true,
            file: campaign(at: 7200), actions: [.reschedule], generation: 1, codes: [.audienceAtFiring]),
        Row(
            testDescription: "pending, request changed: reschedule", state: .scheduled, ledgerAt: 3600, isListed: true,
            file: Sample.campaign("score", at: now + .seconds(3600), text: "another"), actions: [.reschedule],
            generation: 1, codes: [.audienceAtFiring]),
        Row(
            testDescription: "pending, schedule removed: reschedule to now", state: .scheduled, ledgerAt: 3600,
            isListed: true, file: campaign(), actions: [.reschedule], generation: 1),
        Row(
            testDescription: "pending, moved past its window: cancel", state: .scheduled, ledgerAt: 3600,
            isListed: true, file: campaign(at: -3601), actions: [.cancel]),
        Row(
            testDescription: "pending, changed to listed devices: cancel, a later apply sends", state: .scheduled,
            ledgerAt: 3600, isListed: true,
            file: campaign(at: 3600) { $0.audience = Audience(platforms: [.ios], devices: ["aa"]) },
            actions: [.cancel]),
        Row(
            testDescription: "pending, gone: cancel", state: .scheduled, ledgerAt: 3600, isListed: true,
            actions: [.cancel]),
        Row(
            testDescription: "pending, for another remote now: cancel", state: .scheduled, ledgerAt: 3600,
            isListed: true, file: campaign(at: 3600) { $0.remotes = ["staging"] }, actions: [.cancel]),
        Row(
            testDescription: "pending, held: cancel", state: .scheduled, ledgerAt: 3600, isListed: true,
            file: campaign(at: 3600) { $0.hold = true }, actions: [.cancel]),
        Row(
            testDescription: "pending, revision raised: cancel, and the new one by its own row", state: .scheduled,
            ledgerAt: 3600, isListed: true, file: campaign { $0.revision = 2 }, actions: [.cancel, .send],
            generation: 0),
        Row(
            testDescription: "pending, revision lowered: cancel, and the lower one by its own row", state: .scheduled,
            ledgerAt: 3600, isListed: true, file: campaign { $0.revision = 0 }, actions: [.cancel, .send],
            generation: 0),
        Row(
            testDescription: "not listed yet, gone: cancel", state: .scheduled, ledgerAt: 3600, age: .seconds(600),
            actions: [.cancel]),
        Row(
            testDescription: "not listed yet, held: cancel", state: .scheduled, ledgerAt: 3600, age: .seconds(600),
            file: campaign(at: 3600) { $0.hold = true }, actions: [.cancel]),
        Row(
            testDescription: "not listed any more, gone: cancel", state: .scheduled, ledgerAt: 3600,
            age: .seconds(601), actions: [.cancel]),
        Row(
            testDescription: "not listed, but named by a list before, gone: cancel", state: .scheduled, ledgerAt: 3600,
            age: .seconds(601), scheduledID: 7, actions: [.cancel]),
        Row(
            testDescription: "not listed, its time past: sent", state: .scheduled, ledgerAt: 0, file: campaign(at: 0),
            actions: []),
        Row(
            testDescription: "not listed, its time come, scheduled long ago: sent", state: .scheduled, ledgerAt: 0,
            age: .seconds(601), file: campaign(at: 0), actions: []),
        Row(
            testDescription: "not listed, its time past, gone: sent", state: .scheduled, ledgerAt: 0, actions: []),
        Row(
            testDescription: "not listed, its time ahead, 10 minutes old: nothing yet", state: .scheduled,
            ledgerAt: 3600, age: .seconds(600), file: campaign(at: 3600), actions: []),
        Row(
            testDescription: "not listed, its time ahead, older: cancelled elsewhere", state: .scheduled,
            ledgerAt: 3600, age: .seconds(601), file: campaign(at: 3600), actions: [], codes: [.cancelledElsewhere]),
        Row(
            testDescription: "cancelling, gone: cancel", state: .cancelling, ledgerAt: 3600, isListed: true,
            actions: [.cancel]),
        Row(
            testDescription: "cancelling, wanted: reschedule", state: .cancelling, ledgerAt: 3600, isListed: true,
            file: campaign(at: 7200), actions: [.reschedule], generation: 1, codes: [.audienceAtFiring]),
        Row(
            testDescription: "cancelling, held: cancel", state: .cancelling, ledgerAt: 3600, file: held,
            actions: [.cancel]),
    ]

    private static let delivered: [Row] = [
        Row(testDescription: "sent, same: nothing", state: .sent, file: campaign(), actions: []),
        Row(testDescription: "sent, gone: nothing", state: .sent, actions: []),
        Row(
            testDescription: "sent, content changed: a note", state: .sent, file: Sample.campaign("score", text: "new"),
            actions: [], codes: [.editedAfterDelivery]),
        Row(
            testDescription: "sent, what does not reach a device changed: nothing", state: .sent,
            file: campaign { campaign in
                campaign.window = .seconds(60)
                campaign.labels = ["team": "giants"]
                campaign.description = "for later"
                campaign.maxAudience = 10
            }, actions: []),
        Row(
            testDescription: "sent, revision lowered: a warning", state: .sent,
            file: campaign { $0.revision = 0 }, actions: [], codes: [.revisionLowered]),
        Row(
            testDescription: "sent a minute ago, revision raised: send, a note", state: .sent,
            file: campaign { $0.revision = 2 }, actions: [.send], generation: 0, codes: [.collision]),
        Row(testDescription: "sent, held: nothing", state: .sent, file: held, actions: []),
    ]

    private static let open: [Row] = [
        Row(testDescription: "sending, present: resume", state: .sending, file: campaign(), actions: [.resume]),
        Row(testDescription: "sending, held: wait", state: .sending, file: held, actions: [.wait]),
        Row(testDescription: "sending, gone: resume, only looking", state: .sending, actions: [.resume]),
        Row(
            testDescription: "sending, content changed: resume, a note", state: .sending,
            file: Sample.campaign("score", text: "new"), actions: [.resume], codes: [.editedAfterDelivery]),
        Row(
            testDescription: "unknown, present: a person must look", state: .unknown, file: campaign(), actions: [.none]
        ),
        Row(testDescription: "unknown, gone: a person must look", state: .unknown, actions: [.none]),
        Row(
            testDescription: "halted, present: a person must decide", state: .halted, file: campaign(),
            actions: [.none], codes: [.rolloutStopped]),
        Row(
            testDescription: "holding, held: a person must decide", state: .holding, file: held, actions: [.none],
            codes: [.rolloutStopped]),
        Row(testDescription: "unknown, held: a person must look", state: .unknown, file: held, actions: [.none]),
        Row(
            testDescription: "unknown, revision raised: a person must look, the new one goes on", state: .unknown,
            file: campaign { $0.revision = 2 }, actions: [.send, .none], codes: [.collision]),
        Row(
            testDescription: "unknown, revision lowered: a person must look, once", state: .unknown,
            file: campaign { $0.revision = 0 }, actions: [.none]),
    ]

    @Test(arguments: rows)
    func aRowOfTheTable(row: Row) throws {
        var state = RemoteState(now: Self.now, ledgerStarted: true, installations: InstallationSample(size: 0))
        if let ledger = row.state {
            let recorded = Self.campaign(at: row.ledgerAt)
            var entry = Ledger.entry(recorded, ledger, now: Self.now, age: row.age)
            entry.dueAt = row.dueAt.map { Self.now + .seconds($0) }
            entry.isMissed = row.isMissed
            entry.scheduledID = row.scheduledID
            state.ledger = [entry]
            if row.isListed, let at = entry.scheduledAt {
                state.scheduled = [ScheduledPush(id: 7, notificationID: entry.notificationID.text, at: at)]
            }
        }
        // A campaign that is not in the question: a workspace without any is a rule of its own.
        let other = Sample.campaign("other", text: "Another.") { $0.remotes = ["elsewhere"] }
        let workspace = Sample.workspace([row.file, other].compactMap { $0 })
        let input = Ledger.answered(Sample.input(workspace, state, canSchedule: row.canSchedule))
        let plan = Planner.plan(input).plan
        #expect(plan.changes.map(\.action) == row.actions)
        #expect(plan.changes.allSatisfy { $0.blocked.isEmpty })
        #expect(plan.diagnostics.map(\.code) == row.codes)
        if let generation = row.generation {
            #expect(plan.changes.last?.delivery?.generation == generation)
        }
    }

    @Test(arguments: [(5400, "2026-11-20T14:30:00Z"), (9000, "2026-11-20T15:00:00Z")])
    func anApplyMustRunBeforeTheWindowAndTheExpirationAreOver(expiresIn seconds: Int, last: String) throws {
        let now = try #require(Instant("2026-11-20T13:00:00Z"))
        let waiting = Sample.campaign("score", at: now + .seconds(3600)) {
            $0.expiration = .at(OffsetInstant(now + .seconds(seconds)))
        }
        let state = RemoteState(now: now, ledgerStarted: true)
        let input = Ledger.answered(Sample.input(Sample.workspace([waiting]), state, canSchedule: false))
        let end = OffsetInstant(try #require(Instant(last)))
        #expect(
            Planner.plan(input).plan.changes.map(\.reason)
                == [Reason(.mustRun, .time(OffsetInstant(now + .seconds(3600))), .time(end))])
    }

    /// What a ledger should know of and does not was never sent: somebody must hear of it.
    @Test(arguments: [
        (age: 7200, state: DeliveryState?.none, isError: true), (3000, nil, false), (7200, .cancelled, false),
    ])
    func aTimeThatPassesWithoutADeliveryIsAnErrorOnceTheLedgerHasBegun(
        age: Int, state: DeliveryState?, isError: Bool
    ) throws {
        let late = Self.campaign(at: -3601)
        let first = Sample.campaign("first")
        var ledger = [Ledger.entry(first, .sent, now: Self.now, age: .seconds(age))]
        if let state { ledger.append(Ledger.entry(late, state, now: Self.now, age: .seconds(5000))) }
        let plan = Planner.plan(
            Ledger.answered(
                Sample.input(Sample.workspace([first, late]), RemoteState(now: Self.now, ledger: ledger)))
        ).plan
        #expect(plan.changes.map(\.action) == [.missed])
        #expect(plan.changes.first?.blocked.map(\.rule) == (isError ? [.missed] : []))
        #expect(plan.diagnostics.map(\.severity) == [isError ? .error : .note])
        #expect(plan.isBlocked == isError)
    }

    /// A delivery of generation 2, known under a former name too, with a push of generation 1 that is still pending.
    @Test(arguments: [DeliveryState.sent, .scheduled, .sending, .unknown], [[], ["former"]])
    func aPendingPushOfAnEarlierGenerationIsOursAndIsCancelled(state: DeliveryState, formerly: [String]) throws {
        let campaign = Self.campaign(at: 3600) { $0.formerly = formerly }
        var entry = Ledger.entry(campaign, state, now: Self.now, age: .seconds(60), generation: 2)
        let name = formerly.first ?? "score"
        entry.delivery = Sample.delivery(name)
        entry.notificationID = Sample.delivery(name, generation: 2)
        let at = Self.now + .seconds(7200)
        let stray = ScheduledPush(id: 7, notificationID: Sample.delivery(name, generation: 1).text, at: at)
        let other = ScheduledPush(id: 8, notificationID: "others", at: at)
        let remote = RemoteState(
            now: Self.now, ledger: [entry], scheduled: [stray, other], installations: InstallationSample(size: 0))
        let result = Planner.plan(Ledger.answered(Sample.input(Sample.workspace([campaign]), remote)))
        let step = try #require(result.steps.first)
        #expect(step.change.action == .cancel)
        #expect(step.change.reason.text == "a push of an earlier generation is still pending")
        #expect(step.operation == .withdraw(entry, [stray]))
        let unmanaged = result.plan.diagnostics.filter { $0.code == .unmanaged }
        #expect(unmanaged.count == 1)
        #expect(unmanaged.first?.message.text.contains("scheduled push 8") == true)
    }

    @Test func aRescheduledPushSaysWhatWasAndWhatWillBe() throws {
        let recorded = Self.campaign(at: 3600)
        let entry = Ledger.entry(recorded, .scheduled, now: Self.now, age: .seconds(60))
        let state = RemoteState(
            now: Self.now, ledger: [entry],
            scheduled: [ScheduledPush(id: 1, notificationID: entry.notificationID.text, at: Self.now + .seconds(3600))])
        let plan = Planner.plan(Ledger.answered(Sample.input(Sample.workspace([Self.campaign(at: 7200)]), state))).plan
        let change = try #require(plan.changes.first)
        #expect(change.before?["at"] == "2026-11-20T13:00:00Z")
        #expect(change.after?["at"] == "2026-11-20T14:00:00Z")
        #expect(change.delivery?.at?.instant == Self.now + .seconds(7200))
        #expect(change.reason.text == "changed while pending")
    }

    @Test func aPendingPushThatIsNowDueIsSentAtOnce() throws {
        let entry = Ledger.entry(Self.campaign(at: 3600), .scheduled, now: Self.now, age: .seconds(60))
        let state = RemoteState(
            now: Self.now, ledger: [entry],
            scheduled: [ScheduledPush(id: 1, notificationID: entry.notificationID.text, at: Self.now + .seconds(3600))])
        let plan = Planner.plan(Ledger.answered(Sample.input(Sample.workspace([Self.campaign(at: 59)]), state))).plan
        let change = try #require(plan.changes.first)
        #expect(change.action == .reschedule && change.delivery?.at == nil)
    }

    @Test func anUnknownDeliveryNamesTheCommandThatResolvesIt() throws {
        let entry = Ledger.entry(Self.campaign(), .unknown, now: Self.now, age: .seconds(60))
        let plan = Planner.plan(
            Ledger.answered(Sample.input(Sample.workspace(), RemoteState(now: Self.now, ledger: [entry])))
        ).plan
        #expect(plan.changes.first?.reason.text.contains("bugle resolve score@1 --as sent|unsent") == true)
    }

    @Test func theWindowOfADueCampaignBeginsAtItsTime() throws {
        let workspace = Sample.workspace([Self.campaign(at: -3000)])
        let result = Planner.plan(Ledger.answered(Sample.input(workspace, RemoteState(now: Self.now))))
        guard case .deliver(let entry, _)? = result.steps.first?.operation else {
            Issue.record("not a delivery")
            return
        }
        #expect(entry.scheduledAt == nil)
        #expect(entry.windowStart == Self.now - .seconds(3000) && entry.window == .seconds(3600))
        #expect(result.plan.calendar.entries.first?.latestStart == Self.now + .seconds(600))
    }
}
