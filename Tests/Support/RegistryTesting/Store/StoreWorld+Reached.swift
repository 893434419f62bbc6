internal import Base
internal import DeviceRegistry
internal import Push

/// The reached sets, against naive ones.
extension StoreWorld {
    /// The tokens of these whose devices a delivery was sent to, as the store tells it of each.
    private func reached(_ delivery: String, among tokens: [String]) async throws -> Set<String> {
        var reached: Set<String> = []
        for token in tokens {
            let id = try require(try await fixture.objectID(token))
            if try await store.reached(id, by: delivery) { reached.insert(token) }
        }
        return reached
    }

    private func audience(_ tokens: [String]) -> DeliveryAudience {
        DeliveryAudience(selection: .tokens(tokens), routes: [Self.route])
    }

    /// Claims batches; what becomes of each of their devices is random.
    private func send(
        _ delivery: String, _ naive: inout Naive, _ random: inout SeededGenerator, batches: Int = .max
    ) async throws {
        for _ in 0..<batches {
            guard case .batch(let batch) = try await store.claim(from: delivery, by: "run-1", under: lease) else {
                break
            }
            guard Int.random(in: 0..<8, using: &random) > 0 else {
                naive.open.append(batch)
                continue
            }
            var failures: [TargetFailure] = []
            for (index, target) in batch.targets.enumerated() {
                let endings: [TargetFailure.Ending?] = [
                    nil, nil, nil, .inDoubt, .refused, .dead(since: nil), .again(after: try await store.now()),
                ]
                let ending = endings[Int.random(in: 0..<endings.count, using: &random)]
                switch ending {
                case nil: naive.accepted.insert(target.token)
                case .inDoubt: naive.doubtful.insert(target.token)
                case .refused, .dead, .deadIfProven, .again: break
                }
                if let ending { failures.append(TargetFailure(index: index, ending: ending, reason: "reason")) }
            }
            try await settle(batch, failures)
        }
    }

    func theReachedSetIsWhatWasSent() async throws {
        var random = SeededGenerator(seed: 17)
        try await register(0..<200)
        let tokens = (0..<200).map(Self.token)
        for (round, division) in [AudienceDivision.whole, Self.stages(salt: "a"), Self.localTime].enumerated() {
            let delivery = "delivery-\(round)"
            var freeze = Self.freeze(delivery, .tokens(tokens + ["beef"]), batchSize: 7)
            freeze.division = division
            _ = try await store.freeze(freeze, under: lease)
            try expect(try await reached(delivery, among: tokens), is: [])
            var naive = Naive()
            for _ in 0..<5 {
                try await send(delivery, &naive, &random, batches: 8)
                try expect(try await reached(delivery, among: tokens), is: naive.reached.subtracting(["beef"]))
                try await openNext(delivery)
            }
            // A crash leaves open batches in doubt, which counts as sent.
            try await store.giveUp(delivery, claimedBefore: start.advanced(byDays: 9), under: lease)
            naive.doubtful.formUnion(naive.open.flatMap { $0.targets.map(\.token) })
            try expect(try await reached(delivery, among: tokens), is: naive.reached.subtracting(["beef"]))
            // A person finds that nothing was sent to those in doubt.
            try await store.reopenDoubtful(delivery, under: lease)
            naive.doubtful = []
            naive.open = []
            try expect(try await reached(delivery, among: tokens), is: naive.reached.subtracting(["beef"]))
            try await send(delivery, &naive, &random)
            _ = try await store.close(delivery, under: lease)
            try await store.giveUp(delivery, claimedBefore: start.advanced(byDays: 9), under: lease)
            naive.doubtful.formUnion(naive.open.flatMap { $0.targets.map(\.token) })
            let figures = try await figures(delivery)
            try expect([figures.accepted, figures.inDoubt], is: [naive.accepted.count, naive.doubtful.count])
            try expect(try await reached(delivery, among: tokens), is: naive.reached.subtracting(["beef"]))
            _ = try await store.renew(lease)
        }
    }

    /// Lets the next stage start, or the next wave open.
    private func openNext(_ delivery: String) async throws {
        try await fixture.advance(seconds: 60)
        let journal = try require(try await store.journal(of: delivery))
        guard let stage = journal.parts.last(where: { $0.opensAt != nil && $0.verdict == nil }), stage.number < 3 else {
            return
        }
        let verdict = StageVerdict(
            stage: stage.number, decision: .proceed, at: try await store.now(), answers: StageVerdict.Answers(),
            rule: .verbatim(""))
        if stage.figures.waiting + stage.figures.underWay == 0 {
            try await store.judge(delivery, verdict, under: lease)
        }
    }

    static func stages(salt: String) -> AudienceDivision {
        let rollout = Rollout(
            stages: ["10%", "40%", "100%"].compactMap { Share($0) }, bake: .zero, stopWhen: Rollout.Limits())
        return .stages(rollout, Buckets(salt: salt))
    }

    static var localTime: AudienceDivision {
        .localTime(LocalSchedule(at: LocalTime("2026-01-01T09:00:00") ?? LocalTime(seconds: 0), otherwise: "UTC"))
    }

    func reachedInstallationsAreCountedByDelivery() async throws {
        var random = SeededGenerator(seed: 18)
        try await register(0..<150)
        let tokens = (0..<150).map(Self.token)
        var naive: [String: Int] = [:]
        let deliveries = ["one", "two", "three", "four"]
        for delivery in deliveries {
            let some = tokens.filter { _ in Int.random(in: 0..<3, using: &random) > 0 }
            var sent = Naive()
            _ = try await store.freeze(Self.freeze(delivery, .tokens(some), batchSize: 9), under: lease)
            try await send(delivery, &sent, &random)
            for token in sent.reached where delivery != "four" { naive[token, default: 0] += 1 }
            if delivery == "two" { _ = try await store.close(delivery, under: lease) }
        }
        // A device is the same one under another token; one that came later was reached by nothing.
        try await register(150..<160)
        let asked = (0..<160).map(Self.token) + ["beef"]
        let now = try await store.now()
        let counts = try await store.reach(
            of: ["one", "two", "three", "never"], since: nil, in: audience(asked), at: now)
        var expected: [Int: Int] = [:]
        for token in asked { expected[naive[token] ?? 0, default: 0] += 1 }
        try expect(counts, is: expected)
        let everybody = DeliveryAudience(selection: .condition([:]), routes: [Self.route])
        let all = try await store.reach(of: ["one", "two", "three"], since: nil, in: everybody, at: now)
        try expect(all.values.reduce(0, +), is: try await store.count(everybody, at: now).devices)
        let later = now.advanced(bySeconds: 1)
        try expect(try await store.reach(of: ["one"], since: later, in: audience(asked), at: now), is: [0: asked.count])
    }

    func closingKeepsTheReachedSet() async throws {
        try await fixture.register(
            (0..<60).map {
                [
                    "deviceType": "ios", "installationId": .string("i\($0)"), "deviceToken": .string(Self.token($0)),
                ]
            }, at: start)
        let tokens = (0..<60).map(Self.token)
        _ = try await store.freeze(Self.freeze(Self.delivery, .tokens(Array(tokens.prefix(40)))), under: lease)
        let first = try await claim()
        try await settle(first, [TargetFailure(index: 3, ending: .inDoubt, reason: "lost")])
        let under = try await claim()
        let third = try await claim()
        try await settle(third)
        let id = try require(try await fixture.objectID(first.targets[0].token))
        _ = try await store.close(Self.delivery, under: lease)
        // What was under way ends as it ends, and closing again merges that, too.
        try await settle(under)
        let sent = Set((first.targets + under.targets + third.targets).map(\.token))
        try expect(try await reached(Self.delivery, among: tokens), is: sent)
        for _ in 0..<2 {
            _ = try await store.close(Self.delivery, under: lease)
            try expect(try await reached(Self.delivery, among: tokens), is: sent)
        }
        // The one in doubt received nothing, and has a new token by now.
        try await store.reopenDoubtful(Self.delivery, under: lease)
        let doubtful = first.targets[3].token
        try expect(try await reached(Self.delivery, among: tokens), is: sent.subtracting([doubtful]))
        let last = try await claim()
        try expect(last.targets.map(\.token).contains(doubtful))
        let number = try require(tokens.firstIndex(of: doubtful))
        try await fixture.register(
            [
                [
                    "deviceType": "ios", "installationId": .string("i\(number)"),
                    "deviceToken": .string(Self.token(1000)),
                ]
            ], at: start)
        try await settle(last)
        _ = try await store.close(Self.delivery, under: lease)
        try expect(try await reached(Self.delivery, among: [Self.token(1000)]), is: [Self.token(1000)])
        try expect(try await store.reached(id, by: Self.delivery))
        try expect(try await store.reached(id, by: "another"), is: false)
        try expect(try await store.reached("nobody", by: Self.delivery), is: false)
    }

    func whatWasReachedLongAgoIsForgotten() async throws {
        try await register(0..<30)
        let tokens = (0..<30).map(Self.token)
        _ = try await store.freeze(Self.freeze("old"), under: lease)
        _ = try await sendAll("old")
        _ = try await store.close("old", under: lease)
        try await fixture.advance(seconds: 60)
        _ = try await store.freeze(Self.freeze("new"), under: lease)
        _ = try await sendAll("new")
        let between = try await store.now()
        try await store.forgetReached(before: between, of: "another", under: nil)
        try expect(try await reached("old", among: tokens).count, is: 30)
        try await store.forgetReached(before: between, of: Self.workspace, under: lease)
        try expect(try await reached("old", among: tokens), is: [])
        try expect(try await reached("new", among: tokens).count, is: 30)
        let lost = Lease(workspace: Self.workspace, run: "run-1", fence: lease.fence + 1, expiresAt: lease.expiresAt)
        try await refused(.lockLost) {
            try await store.forgetReached(before: between.advanced(byDays: 1), of: Self.workspace, under: lost)
        }
        try expect(try await reached("new", among: tokens).count, is: 30)
        // Its figures stay.
        try expect(try await figures("old").accepted, is: 30)
    }
}

/// The tokens that a delivery was sent to.
private struct Naive {
    var accepted: Set<String> = []
    var doubtful: Set<String> = []
    /// Batches whose sender was killed.
    var open: [JournalBatch] = []

    var reached: Set<String> { accepted.union(doubtful) }
}
