import Base
import RemoteTesting
import Testing

@testable import Push

/// Deliveries that come to the same devices too close to each other.
@Suite struct CollisionTests {
    private static let hour = Sample.start + .seconds(36_000)

    private static func campaign(
        _ name: String, after seconds: Int, change: (inout Campaign) -> Void = { _ in }
    ) -> Campaign {
        Sample.campaign(name, at: hour + .seconds(seconds), change: change)
    }

    @Test(arguments: [(3599, true), (3600, false), (0, true)])
    func onlyDeliveriesNearerThanTheGapCollide(_ seconds: Int, _ collide: Bool) throws {
        let plan = Ledger.plan(Sample.workspace([Self.campaign("a", after: 0), Self.campaign("b", after: seconds)]))
        #expect(plan.calendar.entries.map(\.campaign) == ["a", "b"])
        #expect(plan.calendar.minimumGap == .seconds(3600))
        guard collide else { return #expect(plan.calendar.collisions == []) }
        #expect(
            plan.calendar.collisions
                == [PlanCalendar.Collision(first: "a", second: "b", apart: .seconds(seconds), devices: 3)])
        // Both have the same audience, which was counted.
        let warning = try #require(plan.diagnostics.first { $0.code == .collision })
        #expect(warning.severity == .warning)
        #expect(warning.range?.file == "campaigns/b.yaml")
    }

    /// What went out shortly before counts; it is no part of the calendar.
    @Test(
        arguments: [
            (.sent, 1200, true), (.sent, 3599, true), (.sent, 3600, false), (.unknown, 1200, true),
            (.refused, 1200, false), (.unsent, 1200, false),
        ] as [(DeliveryState, Int, Bool)])
    func deliveriesOfTheLastHourCount(_ state: DeliveryState, _ age: Int, _ collide: Bool) throws {
        let before = Ledger.entry(Sample.campaign("before"), state, now: Sample.start, age: .seconds(age))
        let ledger = RemoteState(now: Sample.start, ledger: [before], ledgerStarted: true)
        let plan = Ledger.plan(Sample.workspace([Sample.campaign("a")]), ledger)
        #expect(plan.calendar.collisions == [])
        let remarks = plan.diagnostics.filter { $0.code == .collision }
        guard collide else { return #expect(remarks == []) }
        let remark = try #require(remarks.first)
        #expect(remark.message.text.hasPrefix("3 devices get a "))
        #expect(remark.message.text.contains("min after the delivered before"))
    }

    @Test func whatReachedNobodyIsNobodysNeighbour() {
        var before = Ledger.entry(Sample.campaign("before"), .sent, now: Sample.start, age: .seconds(60))
        before.figures = DeliveryFigures(devices: 0, successes: 0, invalidTokens: 0)
        let ledger = RemoteState(now: Sample.start, ledger: [before], ledgerStarted: true)
        #expect(
            !Ledger.plan(Sample.workspace([Sample.campaign("a")]), ledger).diagnostics.contains {
                $0.code == .collision
            })
    }

    @Test(arguments: [(nil, .note), (0, nil), (7, .warning)] as [(Int?, Severity?)])
    func whatTheRemoteCountedForBothDecides(_ devices: Int?, _ severity: Severity?) throws {
        let campaigns = ["a", "b"].map { name in
            Self.campaign(name, after: 0) { $0.audience = Audience(channels: [name]) }
        }
        var input = Ledger.answered(
            Sample.input(Sample.workspace(campaigns), RemoteState(now: Sample.start, ledgerStarted: true)))
        let conditions = try campaigns.map { try #require($0.audience.joinedCondition(segments: [:])) }
            .sorted { Digest(of: $0) < Digest(of: $1) }
        let shared = try #require(input.encoder.sharedAudience(conditions[0], conditions[1]))
        input.state.audiences[Digest(of: shared)] = devices.map { AudienceCount(devices: $0) }
        let plan = Planner.plan(input).plan
        #expect(plan.calendar.collisions.map(\.devices) == (severity == nil ? [] : [devices]))
        #expect(plan.diagnostics.filter { $0.code == .collision }.map(\.severity) == [severity].compactMap { $0 })
    }

    @Test func theGapIsThePolicysAndZeroSwitchesItOff() {
        let campaigns = [Self.campaign("a", after: 0), Self.campaign("b", after: 7000)]
        let wide = Ledger.plan(Sample.workspace(campaigns) { $0.policy.minimumGap = .seconds(7200) })
        #expect(wide.calendar.collisions.count == 1)
        let near = [Self.campaign("a", after: 0), Self.campaign("b", after: 0)]
        let off = Ledger.plan(Sample.workspace(near) { $0.policy.minimumGap = .zero })
        #expect(off.calendar.collisions == [] && !off.diagnostics.contains { $0.code == .collision })
    }

    /// Two audiences, and whether a device can be in both.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var first: Audience
        var second: Audience
        var collides: Bool
        var devices: Int?
    }

    static let rows: [Row] = [
        Row(
            testDescription: "different platforms", first: Audience(channels: ["a"], platforms: [.ios]),
            second: Audience(channels: ["a"], platforms: [.android]), collides: false),
        Row(
            testDescription: "one platform and both", first: Audience(channels: ["a"], platforms: [.ios]),
            second: Audience(channels: ["a"], platforms: [.ios, .android]), collides: true),
        Row(
            testDescription: "a platform in a condition", first: Audience(condition: ["deviceType": "ios"]),
            second: Audience(channels: ["a"], platforms: [.android]), collides: false),
        Row(
            testDescription: "platforms in a condition's list",
            first: Audience(condition: ["deviceType": ["$in": ["ios"]]]),
            second: Audience(channels: ["a"], platforms: [.android]), collides: false),
        Row(
            testDescription: "different profiles", first: Audience(channels: ["a"], deviceProfile: "driver"),
            second: Audience(channels: ["a"], deviceProfile: "passenger"), collides: false),
        Row(
            testDescription: "different profiles in conditions",
            first: Audience(condition: ["deviceProfile": "driver"]),
            second: Audience(segments: ["passengers"]), collides: false),
        Row(
            testDescription: "a profile and any", first: Audience(channels: ["a"], deviceProfile: "driver"),
            second: Audience(channels: ["b"]), collides: true),
        Row(
            testDescription: "different channels", first: Audience(channels: ["a"]), second: Audience(channels: ["b"]),
            collides: true),
        Row(
            testDescription: "a negated profile", first: Audience(condition: ["deviceProfile": ["$ne": "driver"]]),
            second: Audience(channels: ["a"], deviceProfile: "driver"), collides: true),
        Row(
            testDescription: "lists without a device in common",
            first: Audience(platforms: [.ios], devices: ["a", "b"]),
            second: Audience(platforms: [.ios], devices: ["c"]), collides: false),
        Row(
            testDescription: "lists with devices in common",
            first: Audience(platforms: [.ios], devices: ["a", "b", "c"]),
            second: Audience(platforms: [.ios], devices: ["C", "b", "d"]), collides: true, devices: 2),
        Row(
            testDescription: "a list and a channel", first: Audience(platforms: [.ios], devices: ["a"]),
            second: Audience(channels: ["a"]), collides: true),
        Row(
            testDescription: "a list and a channel of another platform",
            first: Audience(platforms: [.ios], devices: ["a"]),
            second: Audience(channels: ["a"], platforms: [.android]), collides: false),
    ]

    @Test(arguments: rows)
    func audiencesThatShareNoDeviceDoNotCollide(row: Row) {
        let workspace = Sample.workspace([
            Sample.campaign("a") { $0.audience = row.first }, Sample.campaign("b") { $0.audience = row.second },
        ]) {
            $0.segments = [
                Segment(
                    name: "passengers", origin: Sample.origin("s"), description: nil,
                    condition: ["$and": [["deviceProfile": "passenger"], ["age": 3]]])
            ]
        }
        let plan = Ledger.plan(workspace)
        #expect(plan.calendar.collisions.count == (row.collides ? 1 : 0))
        #expect(plan.calendar.collisions.first?.devices == row.devices)
        let severities = plan.diagnostics.filter { $0.code == .collision }.map(\.severity)
        #expect(severities == (row.collides ? [row.devices == nil ? .note : .warning] : []))
    }

    @Test func whatWasCountedDecides() {
        func delivery(_ name: String, _ overlaps: [(String, Int)]) -> CollisionFinder.Delivery {
            CollisionFinder.Delivery(
                at: Sample.start, name: name, id: Sample.delivery(name), shape: .unknown,
                overlaps: overlaps.map { AudienceReview.Overlap(campaign: $0.0, devices: $0.1) })
        }
        let finder = CollisionFinder(gap: .seconds(1))
        for (first, second) in [([("b", 7)], []), ([], [("a", 7)]), ([("b", 7)], [("a", 7)])] {
            let found = finder.pairs(among: [delivery("a", first), delivery("b", second)])
            #expect(found.pairs.map(\.devices) == [7] && found.others == 0)
        }
        let none = finder.pairs(among: [delivery("a", [("b", 0)]), delivery("b", [])])
        #expect(none.pairs.isEmpty && none.others == 0)
        let mixed = finder.pairs(among: [delivery("a", []), delivery("b", []), delivery("c", [("b", 2), ("a", 9)])])
        #expect(mixed.pairs.map(\.devices) == [9, 2, nil] && mixed.others == 0)
    }

    @Test func aWarningSaysHowManyDevicesAndHowClose() throws {
        let campaigns = ["a", "b"].map { name in
            Self.campaign(name, after: name == "a" ? 0 : 1200) {
                $0.audience = Audience(platforms: [.ios], devices: ["x", "y"])
                $0.hold = false
            }
        }
        let plan = Ledger.plan(Sample.workspace(campaigns))
        // Lists wait for an apply at their time.
        #expect(plan.calendar.entries.map(\.action) == [.wait, .wait])
        let warning = try #require(plan.diagnostics.first { $0.code == .collision })
        #expect(warning.severity == .warning)
        #expect(warning.message.text == "2 devices get b 20 min after a; minimumGap is 1h")
    }

    @Test func whatIsHeldCollidesWithNothing() {
        let plan = Ledger.plan(
            Sample.workspace([Self.campaign("a", after: 0) { $0.hold = true }, Self.campaign("b", after: 0)]))
        #expect(plan.calendar.entries.map(\.action) == [.wait, .schedule])
        #expect(plan.calendar.collisions == [])
    }

    @Test func oneThatComesNearSeveralIsSpokenOfOnce() throws {
        let campaigns = (0..<6).map { Self.campaign("c\($0)", after: $0 * 60) }
        let told = Ledger.plan(Sample.workspace(campaigns)).diagnostics.filter { $0.code == .collision }
        #expect(told.count == 5 && told.allSatisfy { $0.severity == .warning })
        let last = try #require(told.first { $0.message.text.contains("get c5 ") })
        #expect(
            last.message.text
                == "devices get c5 60 s after c4 (3), 2 min after c3 (3), 3 min after c2 (3) and 2 more; minimumGap is 1h"
        )
    }

    @Test func twentyAreToldAndTheRestIsCounted() {
        let campaigns = (0..<30).map { Self.campaign("c\($0)", after: $0) }
        let plan = Ledger.plan(Sample.workspace(campaigns) { $0.policy.maxSendsPerApply = 100 })
        let told = plan.diagnostics.filter { $0.code == .collision }
        // A hundred pairs are listed, which are those of the first fourteen that come after another.
        #expect(told.count == 15)
        #expect(told.last?.message.text == "335 more pairs of deliveries may reach the same devices within 1h")
        #expect(plan.calendar.collisions.count == 100 && plan.calendar.otherCollisions == 335)
    }

    // MARK: The sweep

    /// All pairs, one by one.
    private static func naive(_ deliveries: [CollisionFinder.Delivery], gap: Duration) -> (counted: Int, possible: Int)
    {
        var (counted, possible) = (0, 0)
        var profiles: [String: Int] = [:]
        for (place, second) in deliveries.enumerated() {
            for first in deliveries[..<place] where second.at - first.at < gap && first.id != second.id {
                let overlaps = [(first, second), (second, first)].flatMap { one, other in
                    one.overlaps.filter { $0.campaign == other.name }.map(\.devices)
                }
                if !first.shape.devices.isEmpty, !second.shape.devices.isEmpty {
                    let shared = first.shape.devices.intersection(second.shape.devices).count
                    counted += max(shared, overlaps.max() ?? 0) > 0 ? 1 : 0
                } else if let devices = overlaps.max() {
                    counted += devices > 0 ? 1 : 0
                } else if !(first.isPending && second.isPending) {
                    let kinds = (
                        AudienceKind(first.shape, profiles: &profiles), AudienceKind(second.shape, profiles: &profiles)
                    )
                    possible += kinds.0.mayMeet(kinds.1) ? 1 : 0
                }
            }
        }
        return (counted, possible)
    }

    @Test(arguments: 0..<60)
    func theSweepFindsWhatComparingAllPairsFinds(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let deliveries = (0..<Int.random(in: 2...60, using: &random)).map { number in
            let isList = Int.random(in: 0..<4, using: &random) == 0
            let isPending = !isList && Int.random(in: 0..<3, using: &random) == 0
            let platforms: [Set<Platform>] = [[.ios], [.android], [.ios, .android], []]
            let devices = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                "d\(Int.random(in: 0..<8, using: &random))"
            }
            return CollisionFinder.Delivery(
                at: Sample.start + .seconds(Int.random(in: 0..<200, using: &random)), name: "c\(number)",
                id: Sample.delivery("c\(number)"), isPending: isPending,
                shape: AudienceShape(
                    platforms: platforms.randomElement(using: &random)!,
                    deviceProfile: [nil, "p", "q"].randomElement(using: &random)!, devices: isList ? Set(devices) : []),
                overlaps: isPending
                    ? []
                    : (0..<Int.random(in: 0..<3, using: &random)).map { _ in
                        AudienceReview.Overlap(
                            campaign: "c\(Int.random(in: 0..<60, using: &random))",
                            devices: Int.random(in: 0..<3, using: &random))
                    }.filter { $0.campaign != "c\(number)" })
        }
        .sorted { $0.at < $1.at }
        let gap = Duration.seconds(Int.random(in: 1..<150, using: &random))
        let found = CollisionFinder(gap: gap).pairs(among: deliveries)
        let expected = Self.naive(deliveries, gap: gap)
        #expect(found.pairs.count + found.others == expected.counted + expected.possible)
        #expect(found.pairs.count { $0.devices != nil } == min(100, expected.counted))
    }

    @Test func tenThousandSendsAtOneInstantAreCountedWithoutLookingAtEveryPair() {
        let deliveries = (0..<10_000).map { number in
            CollisionFinder.Delivery(
                at: Sample.start, name: "c\(number)", id: Sample.delivery("c\(number)"),
                shape: AudienceShape(
                    platforms: number.isMultiple(of: 2) ? [.ios] : [.android], deviceProfile: nil, devices: []))
        }
        let found = CollisionFinder(gap: .seconds(1)).pairs(among: deliveries)
        #expect(found.pairs.count + found.others == 2 * (5000 * 4999 / 2))
    }
}
