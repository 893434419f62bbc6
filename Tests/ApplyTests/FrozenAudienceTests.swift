import Apply
import BaseTesting
import Push
import RemoteTesting
import Testing

/// Audiences that are another size when they are frozen than when they were counted.
@Suite struct FrozenAudienceTests {
    private let service = FakeService()
    private let two = Sample.workspace([Sample.campaign("a"), Sample.campaign("b")])

    /// An apply before whose first audience is frozen the devices become others; they come back before the second one.
    private func applier(_ change: @escaping @Sendable ([String: [String]]) -> [String: [String]]) -> Applier {
        let (service, freezes) = (service, Counter())
        let devices = service.with { $0.inboxes }
        var applier = Applier(canSchedule: false, keepsJournal: true)
        applier.hook = { point, _ in
            guard point.name == "insert sending", point.phase == .after else { return .live }
            let isFirst = freezes.next() == 1
            service.with { world in
                if isFirst {
                    world.inboxes = change(world.inboxes)
                } else {
                    for device in world.inboxes.keys where devices[device] == nil { world.inboxes[device] = nil }
                    for device in devices.keys { world.inboxes[device, default: []] += [] }
                }
            }
            return .live
        }
        return applier
    }

    private let calm = Applier(canSchedule: false, keepsJournal: true)

    @Test func anAudienceThatIsEmptyWhenItIsFrozenIsBlockedSpendsNothingAndHoldsNothingBack() async throws {
        let applied = await applier { _ in [:] }.apply(two, to: service)
        let result = try #require(applied.result("a"))
        #expect(result.outcome == .skipped)
        #expect(result.change.blocked == [Block(.minAudience, Reason(.belowMinimum, .count(0), .count(1)))])
        #expect(result.detail?.text == "blocked: minAudience: 0 devices are fewer than minAudience 1")
        #expect(applied.result("b")?.outcome == .done)
        let entry = try #require(service.entry("a"))
        #expect(entry.state == .unsent && !entry.isMissed && entry.figures == nil)
        #expect(entry.reason?.text == "0 devices are fewer than minAudience 1")
        #expect(service.with { $0.journals[Sample.delivery("a")] } == nil)
        // A later apply delivers it.
        #expect(await calm.apply(two, to: service).result("a")?.outcome == .done)
        #expect(service.received == ["a@1": 1, "b@1": 1])
    }

    @Test(arguments: [
        (nil, Block(.maxAudienceGrowth, Reason(.aboveGrowth, .count(203), .count(103)))),
        (50, Block(.maxAudience, Reason(.aboveMaximum, .count(203), .count(50)))),
    ])
    func anAudienceThatGrewTooMuchIsBlockedByTheRuleThatItBreaks(most: Int?, block: Block) async throws {
        @Sendable func grown(_ devices: [String: [String]]) -> [String: [String]] {
            devices.merging((0..<200).map { ("new\($0)", []) }) { known, _ in known }
        }
        let workspace = Sample.workspace([Sample.campaign("a") { $0.maxAudience = most }, Sample.campaign("b")])
        let applied = await applier(grown).apply(workspace, to: service)
        #expect(applied.result("a")?.change.blocked == [block])
        #expect(service.state("a") == .unsent)
        #expect(applied.result("b")?.outcome == .done)
    }

    @Test func anEmptyAudienceThatTheFilesAllowIsNotSent() async throws {
        let workspace = Sample.workspace([Sample.campaign("a") { $0.minAudience = 0 }])
        let applied = await applier { _ in [:] }.apply(workspace, to: service)
        #expect(applied.result("a")?.outcome == .done)
        #expect(applied.result("a")?.detail?.text == "not sent: nobody was in its audience")
        #expect(service.state("a") == .unsent && service.entry("a")?.isMissed == true)
        #expect(try await service.plan(workspace, keepsJournal: true).changes.map(\.action) == [.missed])
    }

    @Test func aKillAtAnyWriteOfABlockedDeliveryLeavesItToALaterApply() async throws {
        let workspace = Sample.workspace([Sample.campaign("a")])
        let points = await applier { _ in [:] }.apply(workspace, to: service).remote.points
        #expect(points.contains { $0.name == "update unsent" })
        for number in points.indices {
            let test = FrozenAudienceTests()
            let devices = test.service.with { $0.inboxes }
            var killed = test.applier { _ in [:] }
            let hook = killed.hook
            killed.hook = { point, index in
                let fate = await hook(point, index)
                return index == number ? .die : fate
            }
            await killed.apply(workspace, to: test.service)
            test.service.with { $0.inboxes = devices }
            test.service.advance(.seconds(130))
            for _ in 0..<3 { await test.calm.apply(workspace, to: test.service) }
            #expect(test.service.received == ["a@1": 1], "killed at \(points[number])")
            #expect(test.service.state("a") == .sent, "killed at \(points[number])")
        }
    }

    @Test func whatAPersonHasReviewedBoundsTheGrowthUntilItIsFrozen() async throws {
        var reviewed = try await service.plan(two, keepsJournal: true)
        let counted = try #require(reviewed.changes.first { $0.name == "a" })
        reviewed.changes = reviewed.changes.map { change in
            var change = change
            change.audience?.devices = 1000
            return change
        }
        var grown = counted
        grown.audience?.devices = 1200
        let limits = AudienceLimits(two, reviewed: reviewed)
        #expect(limits.allowed(grown) == 1..<1201)
        #expect(limits.block(grown, devices: 1201)?.rule == .maxAudienceGrowth)
        #expect(limits.block(grown, devices: 1200) == nil)
        #expect(AudienceLimits(two).allowed(grown) == 1..<1441)
    }

    @Test func ofAnAudienceThatNobodyCountsTheLargestNumberIsALimitToo() async throws {
        var change = try #require(try await service.plan(two, keepsJournal: true).changes.first)
        change.audience = nil
        let files = Sample.workspace(two.campaigns) { $0.policy.maxAudience = .max }
        #expect(AudienceLimits(files).allowed(change) == 1..<Int.max)
    }
}
