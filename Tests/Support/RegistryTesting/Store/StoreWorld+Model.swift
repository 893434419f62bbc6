internal import Base
internal import DeviceRegistry
internal import Push

extension StoreWorld {
    /// Random operations of two senders, and a model of what they must come to.
    func figuresAddUp() async throws {
        var random = Steps(state: 20_261_121)
        for round in 0..<4 {
            let delivery = "delivery-\(round)"
            let numbers = (round * 100)..<(round * 100 + 40 + random.next(20))
            try await register(numbers)
            let tokens = numbers.map(Self.token)
            _ = try await store.freeze(Self.freeze(delivery, .tokens(tokens), batchSize: 7), under: lease)
            try await run(delivery, tokens, &random)
        }
    }

    private func run(_ delivery: String, _ tokens: [String], _ random: inout Steps) async throws {
        var model = Model(waiting: Set(tokens))
        for _ in 0..<60 {
            switch random.next(10) {
            case 0...3: try await take(delivery, &model, random.next(2))
            case 4...7: try await end(delivery, &model, &random)
            case 8:
                try await fixture.advance(seconds: 20)
                if random.next(4) == 0 {
                    try await store.giveUp(
                        delivery, claimedBefore: try await store.now().advanced(bySeconds: 1), under: lease)
                    for batch in model.open { model.doubtful.formUnion(batch.targets.map(\.token)) }
                    model.lost += model.open
                    model.open = []
                }
            default:
                if random.next(3) == 0 {
                    try await store.reopenDoubtful(delivery, under: lease)
                    model.waiting.formUnion(model.doubtful)
                    model.doubtful = []
                }
            }
            try await compare(delivery, model, tokens.count)
        }
        _ = try await store.close(delivery, under: lease)
        model.missed = model.waiting.count
        model.waiting = []
        try await compare(delivery, model, tokens.count)
        _ = try await store.renew(lease)
    }

    private func take(_ delivery: String, _ model: inout Model, _ sender: Int) async throws {
        if sender == 0, model.open.count.isMultiple(of: 3) { try await refuseWhileStopped(delivery) }
        switch try await store.claim(from: delivery, by: "sender-\(sender)", under: lease) {
        case .batch(let batch):
            let claimed = Set(batch.targets.map(\.token))
            try expect(claimed.count, is: batch.targets.count)
            try expect(claimed.isSubset(of: model.waiting), "a token that does not wait was claimed")
            model.waiting.subtract(claimed)
            model.open.append(batch)
        case .waitUntil: try expect(!model.waiting.isEmpty)
        case .othersAtWork: try expect(model.open.contains { $0.claimant != "sender-\(sender)" })
        case .finished: try expect(model.waiting.isEmpty)
        case .stopped: try expect(false, "nobody stopped it")
        }
    }

    /// While a person's order stands nothing is claimed, and nothing is changed by that.
    private func refuseWhileStopped(_ delivery: String) async throws {
        let workspace = lease.workspace
        let orders = ["0000000000000000", StopOrder.all, delivery].map {
            StopOrder(key: $0, by: "mina", at: Instant(seconds: 1_795_176_000), why: "wrong link")
        }
        for order in orders { try await store.stop(order, in: workspace) }
        for order in [orders[2], orders[1]] {
            let claim = try await store.claim(from: delivery, by: "stopped", under: lease)
            try expect(claim, is: .stopped(order))
            try expect(try await store.stop(of: delivery, in: workspace), is: order)
            try await store.lift(order, in: workspace)
        }
        try expect(try await store.stop(of: delivery, in: workspace), is: nil)
        try expect(try await store.stops(of: workspace), is: [orders[0]])
    }

    private func end(_ delivery: String, _ model: inout Model, _ random: inout Steps) async throws {
        if let lost = model.lost.first {
            model.lost.removeFirst()
            try expect(try await store.settle(lost, [], under: lease), is: false)
        }
        guard !model.open.isEmpty else { return }
        let batch = model.open.remove(at: random.next(model.open.count))
        var failures: [TargetFailure] = []
        let soon = try await store.now().advanced(bySeconds: Double(random.next(30)))
        for (index, target) in batch.targets.enumerated() {
            var ending: TargetFailure.Ending?
            switch random.next(8) {
            case 0:
                ending = .again(after: soon)
                model.waiting.insert(target.token)
            case 1:
                ending = .inDoubt
                model.doubtful.insert(target.token)
            case 2:
                ending = random.next(2) == 0 ? .refused : .dead(since: nil)
                model.refused["reason", default: 0] += 1
            default: model.accepted += 1
            }
            if let ending { failures.append(TargetFailure(index: index, ending: ending, reason: "reason")) }
        }
        try await settle(batch, failures)
    }

    private func compare(_ delivery: String, _ model: Model, _ targets: Int) async throws {
        let figures = try await figures(delivery)
        try expect(
            [figures.targets, figures.waiting, figures.underWay, figures.accepted, figures.inDoubt, figures.missed],
            is: [
                targets, model.waiting.count, model.open.reduce(0) { $0 + $1.targets.count }, model.accepted,
                model.doubtful.count, model.missed,
            ])
        try expect(figures.refused, is: model.refused)
    }
}

/// The required figures of a delivery.
private struct Model {
    var waiting: Set<String>
    var open: [JournalBatch] = []
    /// Batches that were given up while their senders went on.
    var lost: [JournalBatch] = []
    var doubtful: Set<String> = []
    var accepted = 0
    var missed = 0
    var refused: [String: Int] = [:]
}

/// Numbers that are the same every time.
private struct Steps {
    var state: UInt64

    /// A number from 0 to below `bound`.
    mutating func next(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }
}
