internal import Base
internal import DeviceRegistry
internal import Push

/// The events that devices report.
extension StoreWorld {
    private static let kept = Duration.seconds(7 * 86_400)

    /// Begins a delivery that counts events, to devices of these numbers.
    private func begin(
        _ delivery: String, _ numbers: some Sequence<Int>, batchSize: Int = 10, division: AudienceDivision = .whole,
        expiresAt: Instant? = nil
    ) async throws {
        var freeze = Self.freeze(delivery, .tokens(numbers.map(Self.token)), batchSize: batchSize)
        freeze.events = EventRetention(keep: Self.kept, expiresAt: expiresAt)
        freeze.division = division
        _ = try await store.freeze(freeze, under: lease)
    }

    private func event(
        _ delivery: String, _ number: Int, _ kind: DeviceEvent.Kind = .received, at: Instant? = nil
    ) async throws -> DeviceEvent {
        DeviceEvent(
            delivery: delivery, installation: try require(try await fixture.objectID(Self.token(number))), kind: kind,
            at: at)
    }

    private func record(
        _ events: [DeviceEvent], _ index: ReachedIndex = ReachedIndex(pause: .zero)
    ) async throws -> [DeviceEvent.Fate] {
        try await store.record(events, knowing: index)
    }

    private func counts(_ delivery: String) async throws -> [Int]? {
        try await store.events(of: delivery).map { [$0.received, $0.opened, $0.dismissed] }
    }

    func onlyReachedDevicesAreHeard() async throws {
        try await register(0..<30)
        try await begin("one", 0..<20)
        _ = try await store.freeze(Self.freeze("mute", .tokens([Self.token(0)])), under: lease)
        _ = try await sendAll("mute")
        let index = ReachedIndex(pause: .zero)
        let first = try await claim("one")
        // The device may be faster than the answer of Apple.
        let early = try await event("one", 0)
        try expect(try await record([early], index), is: [.later])
        try await settle(first)
        _ = try await sendAll("one")
        _ = try await store.close("one", under: lease)
        let told = [
            early, try await event("one", 19, .opened), try await event("one", 19, .opened),
            try await event("one", 25), try await event("never", 0), try await event("mute", 0),
            DeviceEvent(delivery: "one", installation: "nobody", kind: .received),
            try await event("one", 19, .dismissed),
        ]
        let fates: [DeviceEvent.Fate] = [
            .accepted, .accepted, .accepted, .refused, .refused, .refused, .refused, .accepted,
        ]
        for _ in 0..<3 {
            try expect(try await record(told, index), is: fates)
            try expect(try await counts("one"), is: [1, 1, 1])
        }
        // Another server knows the same, and who comes after does not double anything.
        try expect(try await record(told.reversed()), is: fates.reversed())
        try expect(try await counts("one"), is: [1, 1, 1])
        try expect(try await counts("mute"), is: nil)
        try expect(try await counts("never"), is: nil)
    }

    func eventsAreCountedByPartAndFolded() async throws {
        try await register(0..<200)
        let rollout = Rollout(
            stages: ["50%", "100%"].compactMap { Share($0) }, bake: .zero, stopWhen: Rollout.Limits())
        try await begin("one", 0..<200, division: .stages(rollout, Buckets(salt: "one")))
        let index = ReachedIndex(pause: .zero)
        var canary: Set<String> = []
        while case .batch(let batch) = try await store.claim(from: "one", by: "run-1", under: lease) {
            canary.formUnion(batch.targets.map(\.token))
            try await settle(batch)
        }
        let verdict = StageVerdict(
            stage: 1, decision: .proceed, at: try await store.now(), answers: StageVerdict.Answers(),
            rule: .verbatim(""))
        try await store.judge("one", verdict, under: lease)
        var told: [DeviceEvent] = []
        for number in 0..<200 { told.append(try await event("one", number)) }
        let early = try await record(told, index)
        try expect(early.count { $0 == .accepted }, is: canary.count)
        try expect(early.allSatisfy { $0 != .refused })
        _ = try await sendAll("one")
        _ = try await store.close("one", under: lease)
        try expect(Set(try await record(told, index)), is: [.accepted])
        // Clocks may differ a little; what is older than the delivery, or in the future, did not happen.
        let now = try await store.now()
        let wrong = [
            try await event("one", 1, .opened, at: now.advanced(bySeconds: -299)),
            try await event("one", 2, .opened, at: now.advanced(bySeconds: 299)),
            try await event("one", 6, .opened, at: now.advanced(bySeconds: -400)),
            try await event("one", 7, .opened, at: now.advanced(bySeconds: 400)),
            try await event("one", 8, .opened, at: Instant(milliseconds: 0)),
        ]
        try expect(try await record(wrong, index), is: [.accepted, .accepted, .refused, .refused, .refused])
        let before = try require(try await store.events(of: "one"))
        try expect(before.parts.map(\.received), is: [canary.count, 200 - canary.count])
        try expect(before.opened, is: 2)
        // Folding before its time changes nothing, and afterwards not the sums.
        try await store.foldEvents()
        try expect(try await record([try await event("one", 3, .opened)], index), is: [.accepted])
        try await fixture.advance(seconds: 7 * 86_400 - 10)
        try await store.foldEvents()
        try expect(try await record([try await event("one", 4, .opened)], index), is: [.accepted])
        try await fixture.advance(seconds: 11)
        try expect(try await record([try await event("one", 5, .opened)], index), is: [.refused])
        for _ in 0..<2 {
            try await store.foldEvents()
            let after = try require(try await store.events(of: "one"))
            try expect(after.parts.map(\.received), is: before.parts.map(\.received))
            try expect(after.opened, is: 4)
            try expect(try await record(told, index).allSatisfy { $0 == .refused })
        }
    }

    /// A rollout that waits for a person goes on when they decide, however long after it was to expire.
    func whatIsOpenIsHeardAfterItsExpiration() async throws {
        try await register(0..<10)
        try await begin("one", 0..<10, expiresAt: try await store.now() + .seconds(3600))
        _ = try await sendAll("one")
        try await fixture.advance(seconds: 8 * 86_400)
        try await store.foldEvents()
        try expect(try await record([try await event("one", 1, .opened)]), is: [.accepted])
        _ = try await store.close("one", under: lease)
        try await fixture.advance(seconds: 7 * 86_400 - 10)
        try expect(try await record([try await event("one", 2, .opened)]), is: [.accepted])
        try await fixture.advance(seconds: 11)
        try expect(try await record([try await event("one", 3, .opened)]), is: [.refused])
        try expect(try await counts("one"), is: [0, 2, 0])
    }

    func aDeviceInDoubtIsHeard() async throws {
        try await register(0..<10)
        try await begin("one", 0..<10)
        let batch = try await claim("one")
        try await settle(batch, [TargetFailure(index: 4, ending: .inDoubt, reason: "lost")])
        _ = try await store.close("one", under: lease)
        let tokens = (0..<10).map(Self.token)
        let number = try require(tokens.firstIndex(of: batch.targets[4].token))
        try expect(try await record([try await event("one", number, .opened)]), is: [.accepted])
        try expect(try await counts("one"), is: [0, 1, 0])
    }
}
