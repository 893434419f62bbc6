internal import Base
internal import DeviceRegistry
internal import Push

extension StoreWorld {
    func aClaimLeavesProfilesAside() async throws {
        try await register(0..<20)
        try await register(20..<40, ["deviceProfile": "driver"])
        let routes = [Self.route, DeliveryRoute(profile: "driver", topic: "com.example.driver", isDefault: false)]
        _ = try await store.freeze(Self.freeze(routes: routes), under: lease)
        func claim(besides profiles: Set<String>) async throws -> JournalClaim {
            try await store.claim(from: Self.delivery, by: "run-1", besides: profiles, under: lease)
        }
        // One of its devices is due again.
        guard case .batch(let first) = try await claim(besides: ["driver"]) else {
            throw StoreMismatch(description: "no batch")
        }
        try expect(first.profile, is: "shop")
        try await settle(first, [TargetFailure(index: 0, ending: .again(after: start), reason: "later")])
        try expect(try await claim(besides: ["shop", "driver"]), is: .finished)
        while case .batch(let batch) = try await claim(besides: ["shop"]) {
            try expect(batch.profile, is: "driver")
            try await settle(batch)
        }
        try expect(try await claim(besides: ["shop"]), is: .finished)
        _ = try await sendAll()
        try expect(try await figures().accepted, is: 40)
        try expect(try await store.accepted(of: Self.delivery), is: ["shop": 20, "driver": 20])
        try expect(try await store.accepted(of: "never"), is: [:])
    }

    func claimsAreDisjoint() async throws {
        try await register(0..<200)
        _ = try await store.freeze(Self.freeze(), under: lease)
        let (lease, fixture) = (lease, fixture)
        let sent = try await withThrowingTaskGroup(of: [String].self) { group in
            for sender in 0..<2 {
                group.addTask {
                    let store = try await fixture.connect()
                    var tokens: [String] = []
                    while case .batch(let batch) = try await store.claim(
                        from: Self.delivery, by: "sender-\(sender)", under: lease)
                    {
                        try expect(batch.claimant, is: "sender-\(sender)")
                        tokens += batch.targets.map(\.token)
                        guard try await store.settle(batch, [], under: lease) else {
                            throw StoreMismatch(description: "an own batch is not open")
                        }
                    }
                    await store.close()
                    return tokens
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        try expect(sent.sorted(), is: (0..<200).map(Self.token).sorted())
        try expect(try await figures().accepted, is: 200)
        try expect(try await store.claim(from: Self.delivery, by: "x", under: lease), is: .finished)
    }

    func aCrashLeavesItsBatchInDoubt() async throws {
        try await register(0..<25)
        _ = try await store.freeze(Self.freeze(), under: lease)
        let lost = try await claim()
        try expect(try await figures().underWay, is: 10)
        let other = try await claim(by: "run-2")
        try await settle(other)
        // The next run takes the lock over.
        _ = try await store.unlock(Self.workspace, fence: lease.fence)
        let next = try await Self.take(store, "run-3")
        try await store.giveUp(Self.delivery, claimedBefore: nil, under: next)
        var figures = try await figures()
        try expect([figures.inDoubt, figures.underWay, figures.waiting], is: [10, 0, 5])
        try await store.giveUp(Self.delivery, claimedBefore: nil, under: next)
        var tokens: [String] = []
        while case .batch(let batch) = try await store.claim(from: Self.delivery, by: "run-3", under: next) {
            tokens += batch.targets.map(\.token)
            try expect(try await store.settle(batch, [], under: next))
        }
        try expect(Set(tokens).isDisjoint(with: lost.targets.map(\.token)))
        try expect(tokens.count, is: 5)
        try expect(try await store.settle(lost, [], under: next), is: false)
        figures = try await self.figures()
        try expect([figures.inDoubt, figures.accepted], is: [10, 15])
        try expect(figures.lastOutcomeAt != nil)
        try expect(try await store.claim(from: Self.delivery, by: "run-3", under: next), is: .finished)
    }

    func whatWasGivenUpIsNotSettled() async throws {
        try await register(0..<10)
        _ = try await store.freeze(Self.freeze(), under: lease)
        let batch = try await claim()
        try await store.giveUp(Self.delivery, claimedBefore: start.advanced(bySeconds: 3600), under: lease)
        let before = try await figures()
        let failure = TargetFailure(index: 0, ending: .dead(since: nil), reason: "Unregistered")
        try expect(try await store.settle(batch, [failure], under: lease), is: false)
        try expect(try await figures(), is: before)
        try expect(try await fixture.device(batch.targets[0].token)?["valid"], is: true)
        var stranger = batch
        stranger.claimant = "somebody"
        try await refused(.setBack) { _ = try await store.settle(stranger, [], under: lease) }
    }

    func onlyEarlierClaimsAreGivenUp() async throws {
        try await register(0..<30)
        _ = try await store.freeze(Self.freeze(), under: lease)
        _ = try await claim()
        try await fixture.advance(seconds: 30)
        // What is claimed at a moment was not claimed before it.
        let between = try await store.now()
        let late = try await claim(by: "run-2")
        try await store.giveUp(Self.delivery, claimedBefore: nil, under: lease)
        try expect(try await figures().inDoubt, is: 0)
        let last = try await claim(by: "run-3")
        let claim = try await store.claim(from: Self.delivery, by: "run-3", under: lease)
        guard case .othersAtWork(let since) = claim, since < between else {
            throw StoreMismatch(description: "others are at work, not \(claim)")
        }
        try await store.giveUp(Self.delivery, claimedBefore: between, under: lease)
        try expect(try await figures().inDoubt, is: 10)
        try await settle(late)
        try expect(try await store.claim(from: Self.delivery, by: "run-3", under: lease), is: .finished)
        try await settle(last)
        try expect(try await figures().accepted, is: 20)
    }

    func doubtfulTokensAreReopened() async throws {
        try await register(0..<20)
        _ = try await store.freeze(Self.freeze(), under: lease)
        let first = try await claim()
        try await settle(first, [TargetFailure(index: 4, ending: .inDoubt, reason: "lost")])
        let second = try await claim()
        try await store.giveUp(Self.delivery, claimedBefore: start.advanced(byDays: 1), under: lease)
        var figures = try await store.close(Self.delivery, under: lease)
        try expect([figures.inDoubt, figures.accepted], is: [11, 9])
        try expect(figures.isClosed)
        try expect(try await store.claim(from: Self.delivery, by: "run-1", under: lease), is: .finished)
        try await store.reopenDoubtful(Self.delivery, under: lease)
        figures = try await self.figures()
        try expect([figures.inDoubt, figures.waiting, figures.missed], is: [0, 11, 0])
        try expect(!figures.isClosed)
        let doubtful = Set([first.targets[4].token] + second.targets.map(\.token))
        var attempts: Set<Int> = []
        var tokens: Set<String> = []
        while case .batch(let batch) = try await store.claim(from: Self.delivery, by: "run-1", under: lease) {
            for target in batch.targets {
                try expect(tokens.insert(target.token).inserted)
                attempts.insert(target.attempts)
            }
            try await settle(batch)
        }
        try expect(tokens, is: doubtful)
        // A lost answer says nothing of the device.
        try expect(attempts, is: [0])
        try expect(try await self.figures().accepted, is: 20)
    }

    func retriesWaitForTheirTime() async throws {
        try await register(0..<20)
        _ = try await store.freeze(Self.freeze(), under: lease)
        let first = try await claim()
        let soon = try await store.now().advanced(bySeconds: 60)
        let later = soon.advanced(bySeconds: 600)
        try await settle(
            first,
            [
                TargetFailure(index: 2, ending: .again(after: later), reason: "InternalServerError"),
                TargetFailure(index: 7, ending: .again(after: soon), reason: "TooManyRequests"),
            ])
        try expect(try await figures().waiting, is: 12)
        let second = try await claim()
        try expect(Set(second.targets.map(\.token)).isDisjoint(with: first.targets.map(\.token)))
        try await settle(second)
        let idle = try await store.claim(from: Self.delivery, by: "run-1", under: lease)
        guard case .waitUntil(let due, nil) = idle else {
            throw StoreMismatch(description: "nothing to wait for")
        }
        try expect(due, is: soon)
        try await fixture.advance(seconds: 90)
        let third = try await claim()
        try expect(third.targets, is: [JournalTarget(token: first.targets[7].token, attempts: 1)])
        try expect(third.number > second.number)
        try expect(third.profile, is: first.profile)
        try await settle(third, [TargetFailure(index: 0, ending: .again(after: soon), reason: "TooManyRequests")])
        let fourth = try await claim()
        try expect(fourth.targets.map(\.attempts), is: [2])
        // A crash leaves a retry in doubt, too.
        try await store.giveUp(Self.delivery, claimedBefore: later, under: lease)
        try expect(try await figures().inDoubt, is: 1)
        let figures = try await store.close(Self.delivery, under: lease)
        try expect([figures.missed, figures.waiting, figures.inDoubt], is: [1, 0, 1])
    }

    func closingCountsWhatWasMissed() async throws {
        try await register(0..<35)
        _ = try await store.freeze(Self.freeze(), under: lease)
        let first = try await claim()
        let open = try await claim()
        try await settle(first, [TargetFailure(index: 0, ending: .refused, reason: "PayloadTooLarge")])
        for _ in 0..<2 {
            let figures = try await store.close(Self.delivery, under: lease)
            try expect([figures.missed, figures.underWay, figures.accepted], is: [15, 10, 9])
            try expect(figures.refused, is: ["PayloadTooLarge": 1])
            try expect(figures.isClosed)
        }
        try expect(try await store.claim(from: Self.delivery, by: "run-1", under: lease), is: .finished)
        // What was under way ends as it ends; nothing is tried again.
        try await settle(open, [TargetFailure(index: 1, ending: .again(after: start), reason: "Shutdown")])
        let figures = try await figures()
        try expect([figures.missed, figures.underWay, figures.accepted, figures.waiting], is: [16, 0, 18, 0])
        try await store.reopenDoubtful(Self.delivery, under: lease)
        try expect(try await self.figures().isClosed)
        try expect(try await store.freeze(Self.freeze(), under: lease), is: figures)
    }
}
