import Base
import Push
import RemoteTesting
import Testing

@Suite struct PlannerTests {
    private static func world() -> (Workspace, RemoteState) {
        let now = Sample.start
        let pending = ["gone", "moved"].map { Sample.campaign($0, at: now + .seconds(7200)) }
        let entries =
            pending.map { Ledger.entry($0, .scheduled, now: now, age: .seconds(900)) } + [
                Ledger.entry(Sample.campaign("open"), .sending, now: now, age: .seconds(700)),
                Ledger.entry(Sample.campaign("sent"), .sent, now: now, age: .seconds(700)),
            ]
        let state = RemoteState(
            now: now, ledger: entries,
            resources: [
                ResourceRecord(kind: .channel, name: "Mets", fields: [:]),
                ResourceRecord(kind: .segment, name: "vip", fields: ["where": ["vip": false]]),
                ResourceRecord(kind: .channel, name: "As", fields: [:]),
            ],
            scheduled: pending.enumerated().map {
                ScheduledPush(
                    id: Int64($0), notificationID: Sample.delivery($1.name).text, at: now + .seconds(7200))
            } + [ScheduledPush(id: 9, notificationID: nil, at: now + .seconds(60))])
        let workspace = Sample.workspace([
            Sample.campaign("later", at: now + .seconds(3600)), Sample.campaign("held") { $0.hold = true },
            Sample.campaign("moved", at: now + .seconds(9000)), Sample.campaign("open"), Sample.campaign("sent"),
            Sample.campaign("b"), Sample.campaign("a"), Sample.campaign("old", at: now - .seconds(9000)),
        ]) { workspace in
            workspace.channels = [Channel(name: "Giants", origin: Sample.origin("channels"))]
            workspace.segments = [Segment(name: "vip", origin: Sample.origin("segments"), condition: ["vip": true])]
        }
        return (workspace, state)
    }

    @Test func changesAreInTheOrderOfTheirExecution() {
        let (workspace, state) = Self.world()
        let plan = Ledger.plan(workspace, state)
        #expect(
            plan.changes.map { "\($0.action.rawValue) \($0.name)" } == [
                "create Giants", "update vip", "cancel gone", "reschedule moved", "resume open", "send a", "send b",
                "schedule later", "delete As", "delete Mets", "wait held", "missed old",
            ])
    }

    /// An app has many channels that are none of a new workspace's: one line, and one for each that is.
    @Test func whatIsNotDeclaredIsOneLineOfEachKind() {
        var (workspace, state) = Self.world()
        workspace.channels = [Channel(name: "Giants", origin: Sample.origin("channels"))]
        func drift(_ sample: InstallationSample) -> [String] {
            state.installations = sample
            return Ledger.plan(workspace, state).diagnostics.filter { $0.code == .drift }.map(\.message.text).sorted()
        }
        let some = ["Mets": 20, "Cubs": 300, "Dodgers": 20, "Giants": 1]
        #expect(
            drift(
                InstallationSample(
                    size: 1000, channels: some, deviceProfiles: ["driver": 7], subscribers: ["Giants": 0, "Mets": 3]))
                == [
                    "3 channels are in use among the 1,000 newest installations and not declared: "
                        + "Cubs (300), Dodgers (20), Mets (20)",
                    "3 devices still subscribe to channel Mets, which is no longer declared",
                    "deviceProfile driver is in use (7 of 1,000 newest installations) and not declared",
                    "no device subscribes to channel Giants",
                ])
        let many = Dictionary(uniqueKeysWithValues: (10..<60).map { ("c\($0)", 1) })
        #expect(drift(InstallationSample(size: 60, channels: many)).first?.hasSuffix("c21 (1) and 38 more") == true)
    }

    @Test func twoPlansOfOneWorldAreEqualWhateverTheOrderOfItsParts() {
        let (workspace, state) = Self.world()
        var shuffled = state
        shuffled.ledger.reverse()
        shuffled.resources.reverse()
        shuffled.scheduled.reverse()
        var reordered = workspace
        reordered.campaigns = Array(workspace.campaigns.reversed())
        let plan = Ledger.plan(workspace, state)
        #expect(plan == Ledger.plan(workspace, state))
        #expect(plan == Ledger.plan(workspace, shuffled))
        let other = Ledger.plan(
            Workspace(
                name: workspace.name, origin: workspace.origin, channels: workspace.channels,
                segments: workspace.segments, campaigns: reordered.campaigns), shuffled)
        #expect(plan == other)
    }

    @Test func manyCampaignsPlannedOnAllCoresGiveOnePlan() {
        let campaigns = (0..<1000).map { Sample.campaign("c\($0)", at: Sample.start + .seconds(3600 + $0)) }
        let workspace = Sample.workspace(campaigns)
        let plan = Ledger.plan(workspace)
        #expect(plan.changes.count == 1000)
        #expect(plan == Ledger.plan(workspace))
        #expect(plan.changes.map { $0.delivery?.at?.instant } == campaigns.map { $0.scheduledAt?.instant })
    }

    @Test func aSendShowsDeliveryAudiencePayloadRequestAndPreview() throws {
        let change = try #require(
            Ledger.plan(Sample.workspace([Sample.campaign("score")]), devices: 12_345).changes.first)
        #expect(change.kind == .campaign && change.action == .send && change.reason.text == "not delivered yet")
        #expect(change.file == "campaigns/score.yaml" && change.line == 1)
        #expect(change.delivery?.id == Sample.delivery("score"))
        #expect(change.delivery?.at == nil && change.delivery?.expires?.text == "after 7d")
        #expect(change.delivery?.expiresAt == Sample.start + .seconds(7 * 86_400))
        #expect(change.audience == PlannedAudience(devices: 12_345, Audience(channels: ["Giants"]).reason))
        #expect(change.request?.body["where"] == ["channels": ["$in": ["Giants"]]])
        #expect(change.request?.body["req_id"]?.string == Sample.delivery("score").text)
        #expect(change.payload?.bytes == change.request?.body.canonicalBytes.count)
        #expect(change.preview == "It's now 2-2.")
    }

    @Test func whatIsCountedIsWhatIsSentByteForByte() throws {
        let campaign = Sample.campaign("score") {
            $0.audience = Audience(
                channels: ["Giants"], segments: ["vip"], condition: ["scores": true], platforms: [.ios])
        }
        let workspace = Sample.workspace([campaign]) {
            $0.segments = [Segment(name: "vip", origin: Sample.origin("segments"), condition: ["vip": true])]
        }
        let input = Sample.input(workspace, RemoteState(now: Sample.start))
        let counted = Planner.questions(input).counts
        let request = try #require(Planner.plan(input).plan.changes.first { $0.kind == .campaign }?.request)
        let condition = try #require(request.body["where"])
        #expect(counted == [Digest(of: condition): condition])
        #expect(condition["scores"] == true && condition["vip"] == true && condition["deviceType"] == "ios")
    }

    @Test func onlyChangesThatWouldSendAreCounted() {
        let now = Sample.start
        let sent = Sample.campaign("sent") { $0.audience = Audience(channels: ["Mets"]) }
        let workspace = Sample.workspace([
            sent, Sample.campaign("held") { $0.hold = true }, Sample.campaign("old", at: now - .seconds(9000)),
        ])
        let entry = Ledger.entry(sent, .sent, now: now, age: .seconds(60))
        let questions = Planner.questions(Sample.input(workspace, RemoteState(now: now, ledger: [entry])))
        #expect(questions.counts.isEmpty && questions.lookUps.isEmpty)
    }

    @Test func tokensOfListedDevicesAreInNoPlan() throws {
        let campaign = Sample.campaign("score") {
            $0.audience = Audience(platforms: [.ios], devices: ["tokenA", "tokenB"])
        }
        let result = Planner.plan(
            Ledger.answered(Sample.input(Sample.workspace([campaign]), RemoteState(now: Sample.start))))
        let change = try #require(result.plan.changes.first)
        #expect(change.audience?.devices == 2)
        #expect(change.request?.body["device_ids"]?["count"] == 2)
        #expect(!"\(result.plan)".contains("tokenA"))
        guard case .deliver(let entry, _)? = result.steps.first?.operation else {
            Issue.record("not a delivery")
            return
        }
        #expect(entry.request?.body["device_ids"] == ["tokenA", "tokenB"])
    }

    @Test func theLastApplyIsInThePlan() {
        let last = LastApplied(commit: "abc", committedAt: nil, at: Sample.start, run: "812")
        let lock = LockRecord(holder: "", run: "", fence: 3, expiresAt: Sample.start, lastApplied: last)
        #expect(Ledger.plan(Sample.workspace(), RemoteState(now: Sample.start, lock: lock)).lastApplied == last)
    }

    @Test func aPlanIsGoodForADay() {
        #expect(Ledger.plan(Sample.workspace()).expiresAt == Sample.start + .seconds(86_400))
    }

    // MARK: Names

    @Test func aRenamedCampaignKeepsTheIDsOfItsOldestName() throws {
        let campaign = Sample.campaign("result") { $0.formerly = ["score", "goal"] }
        let change = try #require(Ledger.plan(Sample.workspace([campaign])).changes.first)
        #expect(change.delivery?.id == Sample.delivery("score"))
    }

    @Test(arguments: ["score", "goal", "result"])
    func whatWasSentUnderAnyNameIsNotSentAgain(name: String) {
        let entry = Ledger.entry(Sample.campaign(name), .sent, now: Sample.start, age: .seconds(60))
        let campaign = Sample.campaign("result") { $0.formerly = ["score", "goal"] }
        let plan = Ledger.plan(Sample.workspace([campaign]), RemoteState(now: Sample.start, ledger: [entry]))
        #expect(plan.changes.map(\.action) == (name == "result" ? [] : [.update]))
    }

    @Test func whatWasSentUnderOneNameCountsWhateverBecameOfAnother() {
        let now = Sample.start
        let entries = [
            Ledger.entry(Sample.campaign("score"), .sent, now: now, age: .seconds(9000)),
            Ledger.entry(Sample.campaign("result"), .cancelled, now: now, age: .seconds(60), generation: 1),
        ]
        let campaign = Sample.campaign("result") { $0.formerly = ["score"] }
        let plan = Ledger.plan(Sample.workspace([campaign]), RemoteState(now: now, ledger: entries))
        #expect(plan.changes.map(\.reason.text) == ["renamed from score"])
    }

    /// As where a new server has sent it, and the entry of the old one is copied afterwards.
    @Test(arguments: [DeliveryState.refused, .cancelled, .unsent])
    func whatWasSentIsNotSentAgainForALaterAttemptElsewhere(state: DeliveryState) {
        let (campaign, now) = (Sample.campaign("score"), Sample.start)
        let entries = [
            Ledger.entry(campaign, .sent, now: now, age: .seconds(600)),
            Ledger.entry(campaign, state, now: now, age: .seconds(9000), generation: 1),
        ]
        for ledger in [entries, entries.reversed()] {
            let plan = Ledger.plan(Sample.workspace([campaign]), RemoteState(now: now, ledger: ledger))
            #expect(plan.changes.isEmpty)
        }
    }

    // MARK: Segments and profiles of pending campaigns

    @Test func aChangedSegmentReschedulesWhatIsPending() {
        let campaign = Sample.campaign("score", at: Sample.start + .seconds(7200)) {
            $0.audience = Audience(segments: ["vip"])
        }
        func workspace(_ value: JSONValue) -> Workspace {
            Sample.workspace([campaign]) {
                $0.segments = [Segment(name: "vip", origin: Sample.origin("s"), condition: ["vip": value])]
            }
        }
        let plan = pendingPlan(campaign, recorded: workspace(true), desired: workspace(false))
        #expect(plan.changes.contains { $0.action == .reschedule })
        #expect(
            !pendingPlan(campaign, recorded: workspace(true), desired: workspace(true)).changes.contains {
                $0.kind == .campaign
            })
    }

    @Test(arguments: [true, false])
    func aChangedTopicOfTheProfileReschedulesWhatIsPending(isNamed: Bool) {
        let campaign = Sample.campaign("score", at: Sample.start + .seconds(7200)) {
            if isNamed { $0.audience.deviceProfile = "main" }
        }
        func workspace(_ topic: String) -> Workspace {
            Sample.workspace([campaign]) {
                $0.deviceProfiles = [
                    DeviceProfile(
                        name: "main", origin: Sample.origin("p"), environment: .production, topic: topic,
                        isDefault: true,
                        credential: .token(teamId: "TEAM", keyId: "KEY", key: .environment("KEY")))
                ]
            }
        }
        let plan = pendingPlan(campaign, recorded: workspace("com.example.a"), desired: workspace("com.example.b"))
        #expect(plan.changes.contains { $0.action == .reschedule })
    }

    @Test(arguments: [true, false])
    func anotherWordOfItsInstallationsReschedulesWhatNamesTheProfile(isNamed: Bool) {
        let campaign = Sample.campaign("score", at: Sample.start + .seconds(7200)) {
            if isNamed { $0.audience.deviceProfile = "driver" }
        }
        func workspace(_ word: String) -> Workspace {
            Sample.workspace([campaign]) {
                $0.deviceProfiles = [
                    DeviceProfile(
                        name: "driver", origin: Sample.origin("p"), environment: .production,
                        topic: "com.example.driver", installations: word,
                        credential: .certificate(source: .environment("P12"), key: nil, passphrase: nil))
                ]
            }
        }
        let plan = pendingPlan(campaign, recorded: workspace("driver"), desired: workspace("taxi"))
        // A campaign that names no profile asks for the same devices as before.
        #expect(plan.changes.contains { $0.action == .reschedule } == isNamed)
        let same = pendingPlan(campaign, recorded: workspace("taxi"), desired: workspace("taxi"))
        #expect(!same.changes.contains { $0.kind == .campaign })
    }

    private func pendingPlan(_ campaign: Campaign, recorded: Workspace, desired: Workspace) -> Plan {
        let entry = Ledger.entry(campaign, .scheduled, now: Sample.start, age: .seconds(60), workspace: recorded)
        let state = RemoteState(
            now: Sample.start, ledger: [entry],
            scheduled: [
                ScheduledPush(id: 1, notificationID: entry.notificationID.text, at: Sample.start + .seconds(7200))
            ])
        return Ledger.plan(desired, state)
    }
}
