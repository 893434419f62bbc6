import Base
import RemoteTesting
import Testing

@testable import Push

@Suite struct PlanDifferenceTests {
    private static let workspace = Sample.workspace([Sample.campaign("score")])

    private static func plan(devices: Int = 1000) -> Plan { Ledger.plan(workspace, devices: devices) }

    @Test func anAudienceThatIsEmptyByNowIsADifference() {
        #expect(
            PlanDifference.between(reviewed: Self.plan(), now: Self.plan(devices: 0), growth: 0.2, isTrusted: true)
                == ["campaign score: minAudience blocks it now"])
    }

    /// A change of a plan, and what is said of it.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var change: @Sendable (inout Plan) -> Void
        var difference: String?
    }

    static let rows: [Row] = [
        Row(testDescription: "the same plan", change: { _ in }),
        Row(
            testDescription: "when and where things were said",
            change: { plan in
                plan.createdAt = plan.createdAt + .seconds(60)
                plan.expiresAt = plan.expiresAt + .seconds(60)
                plan.lastApplied = LastApplied(commit: "a", committedAt: nil, at: plan.createdAt, run: nil)
                plan.changes[0].file = "elsewhere.yaml"
                plan.changes[0].line = 99
                plan.changes[0].reason = .verbatim("another")
                plan.changes[0].delivery?.expiresAt = plan.createdAt
            }),
        Row(
            testDescription: "another workspace", change: { $0.workspace = "mets" },
            difference: "the plan is for workspace giants, not mets"),
        Row(
            testDescription: "another remote's address", change: { $0.remote.fingerprint = Digest(of: "other") },
            difference: "the plan is for another remote (production, LeanCloud · push.example.com)"),
        Row(
            testDescription: "other files", change: { $0.desired = Digest(of: "other") },
            difference: "the workspace's files differ from those that the plan was made from"),
        Row(
            testDescription: "a change that is gone", change: { $0.changes = [] },
            difference: "campaign score: send is no longer planned"),
        Row(
            testDescription: "a change that is new",
            change: { plan in
                var change = plan.changes[0]
                change.name = "another"
                plan.changes.append(change)
            }, difference: "campaign another: send is new"),
        Row(
            testDescription: "another action", change: { $0.changes[0].action = .missed },
            difference: "campaign score: send became missed"),
        Row(
            testDescription: "another generation", change: { $0.changes[0].delivery?.generation = 1 },
            difference: "campaign score: it is another delivery"),
        Row(
            testDescription: "another time", change: { $0.changes[0].delivery?.at = OffsetInstant(Sample.start) },
            difference: "campaign score: its time changed"),
        Row(
            testDescription: "another request", change: { $0.changes[0].request?.body["data"] = ["alert": "x"] },
            difference: "campaign score: its request changed"),
        Row(
            testDescription: "other fields", change: { $0.changes[0].after = ["at": "never"] },
            difference: "campaign score: its fields changed"),
        Row(
            testDescription: "a rule that blocks it now",
            change: { $0.changes[0].blocked = [Block(.maxAudience, .verbatim("too many"))] },
            difference: "campaign score: maxAudience blocks it now"),
        Row(testDescription: "an audience 20 % larger", change: { $0.changes[0].audience?.devices = 1200 }),
        Row(
            testDescription: "an audience more than 20 % larger", change: { $0.changes[0].audience?.devices = 1201 },
            difference: "campaign score: its audience grew from 1,000 to 1,201 devices"),
        Row(testDescription: "a smaller audience", change: { $0.changes[0].audience?.devices = 1 }),
        Row(
            testDescription: "a day and a second",
            change: { $0.createdAt = $0.createdAt + .seconds(86_401) },
            difference: "the plan expired at 2026-11-21T12:00:00Z"),
        Row(
            testDescription: "a plan of tomorrow", change: { $0.createdAt = $0.createdAt + .seconds(-301) },
            difference: "the plan says that it was made at 2026-11-20T12:00:00Z, which is in the future"),
    ]

    @Test(arguments: rows)
    func aDifference(row: Row) {
        let reviewed = Self.plan()
        var now = reviewed
        row.change(&now)
        #expect(
            PlanDifference.between(reviewed: reviewed, now: now, growth: 0.2, isTrusted: false)
                == [row.difference].compactMap { $0 })
    }

    @Test func ofTwoLinesAboutADeliveryEachIsComparedWithItsOwn() {
        let one = Self.plan()
        var cancel = one.changes[0]
        cancel.action = .cancel
        var two = one
        two.changes.insert(cancel, at: 0)
        var cancelled = one
        cancelled.changes = [cancel]
        func differences(_ reviewed: Plan, _ now: Plan) -> [String] {
            PlanDifference.between(reviewed: reviewed, now: now, growth: 0.2, isTrusted: true)
        }
        #expect(differences(two, two) == [])
        #expect(differences(cancelled, two) == ["campaign score: send is new"])
    }

    @Test func aRuleThatNoLongerBlocksIsADifference() {
        var reviewed = Self.plan()
        reviewed.changes[0].blocked = [Block(.quietHours, .verbatim("now"))]
        #expect(
            PlanDifference.between(reviewed: reviewed, now: Self.plan(), growth: 0.2, isTrusted: false)
                == ["campaign score: quietHours no longer blocks it"])
    }

    @Test(arguments: [(10, 110, false), (10, 111, true), (1, 101, false), (1, 102, true)])
    func aSmallAudienceMayGrowByAHundred(before: Int, after: Int, isStale: Bool) {
        let differences = PlanDifference.between(
            reviewed: Self.plan(devices: before), now: Self.plan(devices: after), growth: 0.2, isTrusted: false)
        #expect(differences.isEmpty == !isStale)
    }

    @Test func aPlanHoldsForADayWhateverItSays() {
        var reviewed = Self.plan()
        reviewed.expiresAt = reviewed.createdAt + .seconds(86_400 * 3650)
        var now = Self.plan()
        now.createdAt = reviewed.createdAt + .seconds(86_401)
        #expect(
            PlanDifference.between(reviewed: reviewed, now: now, growth: 0.2, isTrusted: true)
                == ["the plan expired at \((reviewed.createdAt + .seconds(86_400)).text)"])
    }

    /// What a plan claims, how many there are, what the last delivery reached, and what is said of it.
    @Test(
        arguments: [
            (1_000_000_000, 5000, nil, "the plan counts 1,000,000,000 devices, there are 5,000"),
            (
                1_000_000_000, 5000, 3000,
                "the plan counts 1,000,000,000 devices, there are 5,000, and its last delivery reached 3,000"
            ),
            (1_000_000_000, 5000, 5000, nil), (11_000, 5000, nil, nil), (1000, 1, nil, nil), (nil, 5000, nil, nil),
            (nil, 5000, 4900, nil),
            (
                nil, 5000, 3000,
                "the plan does not count its devices, there are 5,000, and its last delivery reached 3,000"
            ),
        ] as [(Int?, Int, Int?, String?)])
    func anImplausibleCountHidesNoGrowth(claim: Int?, devices: Int, last: Int?, difference: String?) {
        var reviewed = Self.plan()
        reviewed.changes[0].audience?.devices = claim
        var now = Self.plan(devices: devices)
        now.changes[0].audience?.review.lastDelivery = last.map {
            AudienceReview.LastDelivery(revision: 1, at: now.createdAt, devices: $0)
        }
        #expect(
            PlanDifference.between(reviewed: reviewed, now: now, growth: 0.2, isTrusted: false)
                == [difference].compactMap { $0.map { "campaign score: \($0)" } })
        #expect(PlanDifference.between(reviewed: reviewed, now: now, growth: 0.2, isTrusted: true).isEmpty)
    }
}
