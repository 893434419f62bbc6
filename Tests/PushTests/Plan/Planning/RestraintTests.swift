import Base
import Push
import RemoteTesting
import Testing

/// Rules that leave out single devices, in plans.
@Suite struct RestraintTests {
    private static let holdout = Holdout(share: Share(parts: 500), salt: "2027-q1")

    private static func campaign(_ name: String = "score", _ holdout: Holdout? = holdout) -> Campaign {
        Sample.campaign(name) { $0.holdout = holdout }
    }

    private static func plan(
        _ campaigns: [Campaign], _ policy: Holdout? = holdout, ledger: [LedgerEntry] = [],
        count: AudienceCount = AudienceCount(devices: 100, leftOut: [.heldOut: 5, .capped: 7])
    ) -> Plan {
        var input = Sample.input(
            Sample.workspace(campaigns) { $0.policy.holdout = policy },
            RemoteState(
                now: Sample.start, ledger: ledger, ledgerStarted: true, installations: InstallationSample(size: 0)),
            canSchedule: false, keepsJournal: true)
        for digest in Planner.questions(input).counts.keys { input.state.audiences[digest] = count }
        return Planner.plan(input).plan
    }

    @Test func whoIsLeftOutIsCountedBesideTheAudience() throws {
        let audience = try #require(Self.plan([Self.campaign()]).changes.first?.audience)
        #expect(audience.devices == 100 && audience.leftOut == [.heldOut: 5, .capped: 7])
        let plan = Self.plan([Self.campaign()])
        #expect(try Plan.read(saved: plan.savedBytes()) == plan)
    }

    @Test func anAudienceOfWhichEverybodyIsLeftOutIsNoTypingError() throws {
        let plan = Self.plan([Self.campaign()], count: AudienceCount(devices: 0, leftOut: [.heldOut: 5, .capped: 7]))
        let remark = try #require(plan.diagnostics.first { $0.code == .emptyAudience })
        #expect(remark.message.text == "every device in the audience of score is left out: 7 capped, 5 held out")
        #expect(plan.changes.first?.blocked.map(\.rule) == [.minAudience])
    }

    @Test func anAudienceThatIsLeftOutSaysWhyInsteadOfATypingError() throws {
        var count = AudienceCount(devices: 0, leftOut: [.stale: 20_000, .android: 2_670, .invalid: 34])
        let remark = try #require(
            Self.plan([Self.campaign()], count: count).diagnostics.first { $0.code == .emptyAudience })
        #expect(
            remark.message.text == "every device in the audience of score is left out: 20,000 not seen for 90 days, "
                + "2,670 Android: no way to them here, 34 dead tokens")
        #expect(remark.help?.text.contains("typing error") == false)
        count.staleAfter = .seconds(180 * 86_400)
        let plan = Self.plan([Self.campaign()], count: count)
        #expect(plan.diagnostics.contains { $0.message.text.contains("20,000 not seen for 180 days") })
        #expect(try Plan.read(saved: plan.savedBytes()) == plan)
        let typo = Self.plan([Self.campaign()], count: AudienceCount(devices: 0))
        #expect(typo.diagnostics.contains { $0.help?.text.contains("typing error") == true })
    }

    @Test func whatWasForgottenIsTold() throws {
        let count = AudienceCount(devices: 0, doubts: [.forgotten(Sample.start)], leftOut: [.capped: 12])
        let remark = try #require(
            Self.plan([Self.campaign()], count: count).diagnostics.first { $0.code == .reachedForgotten })
        #expect(remark.message.text.hasPrefix("which devices were reached up to 2026-11-20T12:00:00Z is forgotten"))
    }

    private static func entry(_ holdout: Holdout?, days: Int, _ name: String = "before") -> LedgerEntry {
        var entry = Ledger.entry(
            campaign(name, holdout), .sent, now: Sample.start, age: .seconds(days * 86_400))
        entry.holdout = holdout
        return entry
    }

    @Test func theLedgerKeepsShareAndWord() throws {
        let entry = Ledger.entry(Self.campaign(), .sent, now: Sample.start, age: .zero)
        #expect(entry.holdout == Self.holdout)
        let members = JSONObject(LedgerFields.members(of: entry, fence: 1).compactMapValues { $0 })
        #expect(members["holdout"] == ["share": "5%", "salt": "2027-q1"])
        let back = try LedgerFields.entry(StoredFields(members, at: "the entry"))
        #expect(back.holdout == Self.holdout)
    }

    @Test(arguments: [
        (Holdout(share: Share(parts: 500), salt: "2027-q2"), "those devices get pushes again, and others get none"),
        (Holdout(share: Share(parts: 900), salt: "2027-q1"), "more or fewer devices are held out from now on"),
        (nil, "those devices get pushes again"),
    ])
    func anotherHoldoutIsWarnedOf(_ policy: Holdout?, _ effect: String) throws {
        let ledger = [Self.entry(Self.holdout, days: 1), Self.entry(policy, days: 3, "long-before")]
        let plan = Self.plan([Self.campaign("score", policy)], policy, ledger: ledger)
        let remark = try #require(plan.diagnostics.first { $0.code == .holdoutChanged })
        #expect(remark.severity == .warning)
        #expect(
            remark.message.text
                == "policy.holdout is \(policy?.reason.text ?? "gone"), and before@1 held out 5% by 2027-q1: \(effect)")
        let same = Self.plan([Self.campaign()], ledger: [Self.entry(nil, days: 0, "exempt"), ledger[0]])
        #expect(!same.diagnostics.contains { $0.code == .holdoutChanged })
    }

    @Test func anotherRuleMakesASavedPlanStale() {
        let before = Self.plan([Self.campaign()])
        let after = Self.plan([Self.campaign()], Holdout(share: Share(parts: 500), salt: "2027-q2"))
        #expect(
            PlanDifference.between(reviewed: before, now: after, growth: 0.2, isTrusted: true).contains(
                "the workspace's files differ from those that the plan was made from"))
    }

    /// Finds the same in the policy for every campaign.
    private struct FindingEncoder: RequestEncoding {
        let version = 1

        func encode(_ draft: PushDraft) -> EncodedPush {
            let place = draft.workspaceOrigin?.range(of: ["policy", "holdout"])
            return EncodedPush(
                request: PushRequest(endpoint: .push, body: [:]), bytes: 0, limit: 1,
                findings: [Diagnostic(.error, .notSupported, "no", at: place)])
        }
    }

    @Test func whatThePolicyRulesOutIsSaidOnce() {
        let workspace = Sample.workspace([Self.campaign("a"), Self.campaign("b")])
        let findings = Checker.findings(workspace, remote: "production", encoder: FindingEncoder())
        #expect(findings.map { $0.range?.file } == ["bugle.yaml"])
    }
}
