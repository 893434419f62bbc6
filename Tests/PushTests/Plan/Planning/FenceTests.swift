import Base
import RemoteTesting
import Testing

@testable import Push

/// The fence of a remote, and its own policy, in plans.
@Suite struct FenceTests {
    private static let testers = Audience(segments: ["testers"])

    /// A workspace whose remote has a fence.
    private static func workspace(
        _ fence: Audience? = testers, _ campaign: Campaign = Sample.campaign("score"), policy: RemotePolicy? = nil
    ) -> Workspace {
        let origin = Origin(file: "bugle.yaml", line: 1)
        return Sample.workspace([campaign]) { workspace in
            workspace.segments = [
                Segment(name: "testers", origin: origin, condition: ["tester": true]),
                Segment(name: "staff", origin: origin, condition: ["staff": true]),
            ]
            workspace.remotes = [
                "production": RemoteDeclaration(
                    name: "production", origin: origin, service: .apns(.init(registry: .sqlite("a"))), fence: fence,
                    policy: policy)
            ]
        }
    }

    private static func change(_ workspace: Workspace, devices: Int = 3) throws -> Change {
        try #require(Ledger.plan(workspace, devices: devices).ofCampaigns.first)
    }

    // MARK: Narrowing

    @Test func eachAudienceIsItsOwnAndTheFence() throws {
        let change = try Self.change(Self.workspace())
        #expect(change.request?.body["where"] == ["channels": ["$in": ["Giants"]], "tester": true])
        #expect(change.audience?.description.text == "channel Giants, fenced to segment testers")
        #expect(change.audience?.fence?.text == "segment testers")
        #expect(change.after?["audience"] == "channel Giants, fenced to segment testers")
        #expect(!change.isBlocked)
    }

    @Test func aReviewerSeesWhomTheFenceKeepsOut() throws {
        let workspace = Self.workspace().bound(to: "production")
        var input = Sample.input(workspace, RemoteState(now: Sample.start, ledgerStarted: true))
        input.explainsAudiences = true
        let own: JSONValue = ["channels": ["$in": ["Giants"]]]
        #expect(Array(Planner.questions(input).comparisons.values) == [own])
        input = Ledger.answered(input, devices: 12)
        func unfenced() throws -> Int? {
            try #require(Planner.plan(input).plan.ofCampaigns.first).audience?.review.unfenced
        }
        #expect(try unfenced() == nil)
        input.state.audiences[Digest(of: own)] = AudienceCount(devices: 12_345)
        #expect(try unfenced() == 12_345)
        #expect(Planner.questions(input).comparisons.isEmpty)
    }

    @Test func aConditionOnTheSameFieldCannotLiftTheFence() throws {
        let campaign = Sample.campaign("score") { $0.audience = Audience(condition: ["tester": false]) }
        let change = try Self.change(Self.workspace(Self.testers, campaign))
        #expect(change.request?.body["where"] == ["$and": [["tester": false], ["tester": true]]])
    }

    @Test func everyoneIsEveryoneWithin() throws {
        let campaign = Sample.campaign("score") { $0.audience = Audience(everyone: true) }
        var workspace = Self.workspace(Self.testers, campaign)
        workspace.policy.allowEveryone = true
        let change = try Self.change(workspace)
        #expect(change.request?.body["where"] == ["tester": true])
        #expect(change.audience?.isEveryone == false && !change.isBlocked)
    }

    @Test func listedDevicesBecomeACondition() throws {
        let campaign = Sample.campaign("score") { $0.audience = Audience(platforms: [.ios], devices: ["AB", "cd"]) }
        let change = try Self.change(Self.workspace(Self.testers, campaign), devices: 1)
        #expect(
            change.request?.body["where"] == [
                "deviceType": "ios", "deviceToken": ["$in": ["AB", "ab", "cd"]], "tester": true,
            ])
        #expect(change.request?.body["device_ids"] == nil && change.audience?.devices == 1)
    }

    @Test func theFenceMayListDevices() throws {
        let fence = Audience(platforms: [.android], devices: ["one"])
        let change = try Self.change(Self.workspace(fence))
        #expect(
            change.request?.body["where"] == [
                "channels": ["$in": ["Giants"]], "deviceType": "android", "installationId": ["$in": ["one"]],
            ])
    }

    @Test func anAudienceThatTheFenceEmptiesSaysSo() throws {
        let plan = Ledger.plan(Self.workspace(), devices: 0)
        #expect(
            plan.ofCampaigns.first?.blocked.map(\.reason.text) == [
                "minAudience: none of its devices is within the remote's audience, segment testers"
            ])
        #expect(
            plan.diagnostics.map(\.message.text) == [
                "no device is in the audience of score within that of the remote, segment testers"
            ])
        #expect(plan.diagnostics.map(\.code) == [.emptyAudience])
    }

    @Test func everyoneAsAFenceIsNone() throws {
        let fenced = Self.workspace(Audience(everyone: true)).bound(to: "production")
        #expect(fenced.campaigns[0].fence == nil)
        #expect(try Self.change(Self.workspace(Audience(everyone: true))).audience?.fence == nil)
    }

    @Test func anotherRemoteHasNoFence() {
        let bound = Self.workspace().bound(to: "staging")
        #expect(bound.campaigns[0].fence == nil && bound.campaigns[0].audienceReason.text == "channel Giants")
    }

    @Test func bindingOnceMoreChangesNothing() {
        let once = Self.workspace(policy: RemotePolicy(limits: Policy(), own: ["maxAudience"])).bound(to: "production")
        #expect(once.bound(to: "production").desiredDigest == once.desiredDigest)
    }

    @Test func theFenceIsInTheJSONOfAPlan() {
        let audience = Ledger.plan(Self.workspace()).json["changes"]?.array?.last?["audience"]
        #expect(audience?["fence"] == "segment testers" && audience?["fenceCode"] == "segment")
    }

    // MARK: What is under way

    private static func entry(_ fence: Audience?, _ state: DeliveryState, at: Instant? = nil) -> LedgerEntry {
        let campaign = Sample.campaign("score", at: at)
        return Ledger.entry(
            campaign, state, now: Sample.start, age: .seconds(30), workspace: workspace(fence, campaign))
    }

    /// How a delivery that began within one fence goes on within another.
    struct Course: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let then: Audience?
        let now: Audience?
        let goesOn: Bool
    }

    static let courses: [Course] = [
        Course(testDescription: "the same", then: testers, now: testers, goesOn: true),
        Course(testDescription: "put up in the middle", then: nil, now: testers, goesOn: false),
        Course(testDescription: "taken away", then: testers, now: nil, goesOn: true),
        Course(
            testDescription: "narrowed", then: testers, now: Audience(segments: ["testers", "staff"]), goesOn: false),
        Course(
            testDescription: "widened", then: Audience(segments: ["testers", "staff"]), now: testers, goesOn: true),
        Course(testDescription: "another", then: testers, now: Audience(segments: ["staff"]), goesOn: false),
        Course(
            testDescription: "said otherwise", then: testers, now: Audience(condition: ["tester": true]), goesOn: true),
    ]

    private static func state(_ entry: LedgerEntry, _ evidence: Evidence) -> RemoteState {
        var state = RemoteState(now: Sample.start, ledger: [entry], ledgerStarted: true)
        state.evidence[entry.notificationID] = evidence
        return state
    }

    private static let journals: [Evidence] = [
        .none, .failed(Reason(.notLookedUp)),
        .journal(
            JournalState(targets: 10, answered: 4, inDoubt: 0, waiting: 6, lastOutcomeAt: nil, windowFrom: Sample.start)
        ),
    ]

    @Test(arguments: courses, journals.indices.map(\.self))
    func whatBeganOutsideNeverSendsTheRest(course: Course, evidence: Int) throws {
        let entry = Self.entry(course.then, .sending)
        let input = Ledger.answered(
            Sample.input(Self.workspace(course.now), Self.state(entry, Self.journals[evidence]), keepsJournal: true))
        let step = try #require(Planner.plan(input).steps.first { $0.change.kind == .campaign })
        guard case .resume(_, let context) = step.operation else {
            Issue.record("\(step.operation)")
            return
        }
        #expect(step.change.blocked.map(\.rule) == (course.goesOn ? [] : [.fence]))
        // Even where the block is for nothing, nobody who settles it may send.
        #expect((context.wish == .delivered) == course.goesOn)
    }

    @Test func whatTheServiceHasSentIsAdoptedWhateverTheFence() throws {
        let entry = Self.entry(nil, .sending)
        let record = PushRecord(
            objectID: "a", .done, figures: DeliveryFigures(devices: 3, successes: 3, invalidTokens: 0))
        let input = Ledger.answered(Sample.input(Self.workspace(), Self.state(entry, .found(record))))
        let change = try #require(Planner.plan(input).plan.ofCampaigns.first)
        #expect(change.action == .resume && !change.isBlocked)
    }

    @Test func aDeliveryThatIsNoLongerWantedEndsWhateverTheFence() throws {
        let entry = Self.entry(nil, .sending)
        var campaign = Sample.campaign("score", revision: 2)
        campaign.hold = true
        let input = Ledger.answered(
            Sample.input(
                Self.workspace(Self.testers, campaign), Self.state(entry, Self.journals[2]), keepsJournal: true))
        let changes = Planner.plan(input).plan.changes.filter { $0.action == .resume }
        #expect(changes.count == 1 && changes.allSatisfy { !$0.isBlocked })
    }

    @Test func aPendingPushIsRescheduledWithinTheFence() throws {
        let at = Sample.start + .seconds(7200)
        let entry = Self.entry(nil, .scheduled, at: at)
        var state = RemoteState(now: Sample.start, ledger: [entry], ledgerStarted: true)
        state.scheduled = [ScheduledPush(id: 1, notificationID: entry.notificationID.text, at: at)]
        let workspace = Self.workspace(Self.testers, Sample.campaign("score", at: at))
        let change = try #require(Ledger.plan(workspace, state).ofCampaigns.first)
        #expect(change.action == .reschedule && change.request?.body["where"]?["tester"] == true)
        #expect(Ledger.plan(Self.workspace(nil, Sample.campaign("score", at: at)), state).ofCampaigns.isEmpty)
    }

    @Test func whatWasSentIsNotEditedByAFence() {
        let entry = Self.entry(nil, .sent)
        let state = RemoteState(now: Sample.start, ledger: [entry], ledgerStarted: true)
        let plan = Ledger.plan(Self.workspace(), state)
        #expect(plan.ofCampaigns.isEmpty && plan.diagnostics.isEmpty)
    }

    @Test func aRequestIsWithinAFenceByItsOwnWordsOnly() {
        func isWithin(_ condition: JSONValue?, _ fence: JSONValue) -> Bool {
            var body: JSONValue = [:]
            body["where"] = condition
            return PushRequest(endpoint: .push, body: body).isWithin(fence)
        }
        #expect(isWithin(["a": 1, "b": 2], ["a": 1]))
        #expect(isWithin(["$and": [["b": 2], ["$and": [["a": 1], ["c": 3]]]]], ["a": 1, "c": 3]))
        #expect(isWithin(["a": 1], ["$and": [["a": 1], ["a": 1]]]))
        #expect(!isWithin(["a": 1], ["$and": [["a": 1], ["a": 2]]]))
        #expect(!isWithin(["$or": [["a": 1], ["b": 2]]], ["a": 1]))
        #expect(!isWithin(["a": ["$in": [1, 2]]], ["a": 1]))
        #expect(!isWithin(nil, ["a": 1]) && isWithin(nil, [:]))
    }

    // MARK: Policy

    private static func own(_ field: String, _ change: (inout Policy) -> Void) -> RemotePolicy {
        var limits = Policy()
        change(&limits)
        return RemotePolicy(limits: limits, own: [field])
    }

    @Test func aRulesBlockNamesTheRemoteItIsOf() throws {
        let own = Self.own("maxAudience") { $0.maxAudience = 2 }
        let change = try Self.change(Self.workspace(nil, policy: own))
        #expect(
            change.blocked.map(\.reason.text) == [
                "maxAudience: 3 devices exceed maxAudience 2 (policy of remote production)"
            ])
    }

    @Test func aRuleOfTheWorkspaceOrTheCampaignIsNotTheRemotes() throws {
        var workspace = Self.workspace(nil, policy: RemotePolicy(limits: Policy(), own: ["quietHours"]))
        workspace.remotes["production"]?.policy?.limits.maxAudience = 2
        #expect(try Self.change(workspace).blocked.map(\.message.text) == ["3 devices exceed maxAudience 2"])
        let campaign = Sample.campaign("score") { $0.maxAudience = 1 }
        let own = Self.own("maxAudience") { $0.maxAudience = 2 }
        #expect(
            try Self.change(Self.workspace(nil, campaign, policy: own)).blocked.map(\.message.text) == [
                "3 devices exceed maxAudience 1"
            ])
    }

    @Test func theRemotesPolicyReachesEachCampaign() {
        let own = Self.own("holdout") { $0.holdout = nil }
        var campaign = Sample.campaign("score")
        campaign.languageField = "language"
        let bound = Self.workspace(nil, campaign, policy: own).bound(to: "production")
        #expect(bound.campaigns[0].languageField == nil)
        #expect(Self.workspace(nil, campaign).bound(to: "production").campaigns[0].languageField == "language")
    }

    @Test func validateJudgesACampaignByThePolicyOfItsRemotes() {
        let campaign = Sample.campaign("score") { $0.expiration = nil }
        let own = Self.own("requireExpiration") { $0.requireExpiration = false }
        #expect(Checker.policyFindings(Self.workspace(nil, campaign, policy: own)).isEmpty)
        #expect(Checker.policyFindings(Self.workspace(nil, campaign)).map(\.code) == [.policyRequireExpiration])
    }
}

extension Plan {
    /// What it does about campaigns.
    fileprivate var ofCampaigns: [Change] { changes.filter { $0.kind == .campaign } }
}
