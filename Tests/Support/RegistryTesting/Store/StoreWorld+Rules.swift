internal import Base
internal import DeviceRegistry
internal import Push

/// Devices that the rules of a policy leave out.
extension StoreWorld {
    private func isHeldOut(_ number: Int, _ holdout: Holdout) async throws -> Bool {
        let key = try require(try await fixture.objectID(Self.token(number)))
        return Buckets(salt: holdout.salt).bucket(of: Array(key.utf8)) < holdout.share.parts
    }

    func aHoldoutGetsNothing() async throws {
        try await register(0..<100, ["timeZone": "Asia/Tokyo", "deviceProfile": "shop"])
        let holdout = Holdout(share: Share(parts: 3000), salt: "2027-q1")
        var held: Set<String> = []
        for number in 0..<100 where try await isHeldOut(number, holdout) { held.insert(Self.token(number)) }
        let reached = 100 - held.count
        var freeze = Self.freeze()
        freeze.audience.holdout = holdout
        let now = try await store.now()
        let expected = AudienceCount(devices: reached, leftOut: [.heldOut: held.count])
        try expect(held.count > 10 && held.count < 60)
        try expect(try await store.count(freeze.audience, at: now), is: expected)
        let breakdown = try await store.explain(freeze.audience, at: now)
        try expect(breakdown.withoutBreakdown, is: expected)
        try expect(breakdown.timeZones, is: ["Asia/Tokyo": reached])
        try expect(breakdown.deviceProfiles, is: ["shop": reached])
        try expect(breakdown.platforms, is: ["ios": reached])
        let figures = try await store.freeze(freeze, under: lease)
        try expect([figures.targets, figures.leftOut[.heldOut] ?? 0], is: [reached, held.count])
        let sent = Set(try await sendAll())
        try expect(sent.count, is: reached)
        try expect(sent.isDisjoint(with: held))
    }

    private func rule(_ most: Int, _ seconds: Int = 3600) -> FrequencyRule {
        FrequencyRule(most: most, per: .seconds(seconds))
    }

    /// Freezes a delivery to everybody under rules, and returns its targets and those who are capped.
    private func freeze(_ delivery: String, _ rules: FrequencyRule...) async throws -> [Int] {
        var freeze = Self.freeze(delivery)
        freeze.audience.frequency = rules
        let counted = try await store.count(freeze.audience, at: try await store.now())
        let figures = try await store.freeze(freeze, under: lease)
        try expect(counted, is: AudienceCount(devices: figures.targets, leftOut: figures.leftOut))
        return [figures.targets, figures.leftOut[.capped] ?? 0]
    }

    func whoWasReachedIsCapped() async throws {
        try await register(0..<60)
        // Three outcomes: reached, in doubt, refused.
        _ = try await store.freeze(Self.freeze("one", batchSize: 20), under: lease)
        for ending in [nil, TargetFailure.Ending.inDoubt, .refused] {
            let batch = try await claim("one")
            try await settle(
                batch,
                ending.map { ending in
                    batch.targets.indices.map { TargetFailure(index: $0, ending: ending, reason: "reason") }
                } ?? [])
        }
        // Whom it reached, or may have reached, is capped; a rule that looks back less far lets them through.
        try await fixture.advance(seconds: 600)
        for (seconds, capped) in [(600, 40), (599, 0)] {
            var audience = Self.freeze().audience
            audience.frequency = [rule(1, seconds)]
            let counted = try await store.count(audience, at: try await store.now())
            try expect([counted.devices, counted.leftOut[.capped] ?? 0], is: [60 - capped, capped])
        }
        try expect(try await freeze("two", rule(1), rule(1, 60)), is: [20, 40])
        try expect(try await freeze("three", rule(1, 60)), is: [40, 20])
        // A delivery does not count for itself.
        var again = Self.freeze("three")
        again.audience.frequency = [rule(1)]
        try expect(try await store.freeze(again, under: lease).targets, is: 40)
        _ = try await store.close("one", under: lease)
        try expect(try await freeze("four", rule(3)), is: [60, 0])
    }

    func whatMayStillBeSentCounts() async throws {
        try await register(0..<30)
        try expect(try await freeze("one", rule(1)), is: [30, 0])
        try expect(try await freeze("two", rule(1)), is: [0, 30])
        // Refused, waiting for another attempt, under way, and not yet claimed.
        let refused = try await claim("one")
        try await settle(
            refused, refused.targets.indices.map { TargetFailure(index: $0, ending: .refused, reason: "reason") })
        try expect(try await freeze("three", rule(1)), is: [10, 20])
        let waiting = try await claim("one")
        let later = try await store.now().advanced(bySeconds: 900)
        try await settle(
            waiting,
            waiting.targets.indices.map { TargetFailure(index: $0, ending: .again(after: later), reason: "reason") })
        _ = try await claim("one")
        try expect(try await freeze("four", rule(1)), is: [0, 30])
        // What was not sent to before the end will not be.
        _ = try await store.close("three", under: lease)
        _ = try await store.close("one", under: lease)
        try expect(try await freeze("five", rule(1)), is: [20, 10])
    }

    func whoIsNotRegisteredIsCapped() async throws {
        try await register(0..<3)
        var freeze = Self.freeze("one", .tokens((0..<5).map(Self.token)))
        freeze.audience.frequency = [rule(9)]
        let figures = try await store.freeze(freeze, under: lease)
        try expect([figures.targets, figures.leftOut[.capped] ?? 0], is: [3, 2])
    }

    func whoMayHaveBeenReachedLongAgoIsNotReached() async throws {
        try await register(0..<20)
        _ = try await store.freeze(Self.freeze("old"), under: lease)
        _ = try await sendAll("old")
        try await fixture.advance(seconds: 60)
        let before = try await store.now()
        try await store.forgetReached(before: before, of: Self.workspace, under: lease)
        var freeze = Self.freeze("new")
        freeze.audience.frequency = [rule(1)]
        let counted = try await store.count(freeze.audience, at: before)
        try expect([counted.devices, counted.leftOut[.capped] ?? 0], is: [0, 20])
        try expect(counted.doubts.contains { if case .forgotten = $0 { true } else { false } })
        try await refused { _ = try await store.freeze(freeze, under: lease) }
        // A rule that does not look back so far is not concerned, and in an hour nor is this one.
        try expect(try await self.freeze("other", rule(1, 30)), is: [20, 0])
        _ = try await store.close("other", under: lease)
        try await fixture.advance(seconds: 3540)
        let fresh = try await Self.take(store, "run-1")
        try await refused { _ = try await store.freeze(freeze, under: fresh) }
        try await fixture.advance(seconds: 1)
        try expect(try await store.freeze(freeze, under: fresh).targets, is: 20)
    }

    func ofTwoFreezesUnderARuleOneSeesTheOther() async throws {
        try await register(0..<40)
        var first = Self.freeze("one")
        first.audience.frequency = [rule(1)]
        var second = first
        second.delivery = "two"
        let (left, right) = (first, second)
        async let one = store.freeze(left, under: lease)
        async let two = store.freeze(right, under: lease)
        let targets = try await [one.targets, two.targets]
        try expect(targets.sorted(), is: [0, 40])
    }
}
