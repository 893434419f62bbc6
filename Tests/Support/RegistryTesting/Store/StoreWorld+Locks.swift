internal import Base
internal import DeviceRegistry
internal import Push

extension StoreWorld {
    func aLockIsTakenOnce() async throws {
        let other = try await fixture.connect()
        let attempt = try await other.acquireLock(of: Self.workspace, holder: "other", run: "run-2")
        guard case .held(let lock, _) = attempt else { throw StoreMismatch(description: "taken twice") }
        try expect(lock.run, is: "run-1")
        try expect(lock.holder, is: "holder of run-1")
        try expect(lock.fence, is: lease.fence)
        try expect(lock.expiresAt > start)
        try expect(lock.acquiredAt, is: start)
        // Another workspace's is another lock.
        guard case .acquired = try await other.acquireLock(of: "other", holder: "other", run: "run-2") else {
            throw StoreMismatch(description: "workspaces share a lock")
        }
        try expect(try await store.lock(of: "none") == nil)
        // Nobody could tell who had it.
        try await refused { _ = try await store.acquireLock(of: "third", holder: "other", run: "") }
        try expect(try await store.lock(of: "third") == nil)
        await other.close()
    }

    func aLockIsRenewedAndFreed() async throws {
        // A run that takes what it has is not another one.
        try expect(try await Self.take(store, "run-1").fence, is: lease.fence)
        try await fixture.advance(seconds: 60)
        let until = try require(try await store.renew(lease)).expiresAt
        try expect(until > start.advanced(bySeconds: 150))
        try expect(try await store.lock(of: Self.workspace)?.expiresAt, is: until)
        try await store.release(lease, lastApplied: ["commit": "abc"])
        let lock = try require(try await store.lock(of: Self.workspace))
        try expect(lock.run, is: "")
        try expect(lock.lastApplied, is: ["commit": "abc"])
        try expect(try await store.renew(lease) == nil)
        let next = try await Self.take(store, "run-2")
        try expect(next.fence > lease.fence)
        try expect(try await store.lock(of: Self.workspace)?.lastApplied, is: ["commit": "abc"])
        // What was lost is not freed, and what was remembered stays.
        try await store.release(lease, lastApplied: ["commit": "old"])
        try expect(try await store.lock(of: Self.workspace)?.run, is: "run-2")
        try await store.release(next, lastApplied: nil)
        try expect(try await store.lock(of: Self.workspace)?.lastApplied, is: ["commit": "abc"])
    }

    func anExpiredLockIsTakenOver() async throws {
        try await fixture.advance(seconds: 119)
        guard case .held = try await store.acquireLock(of: Self.workspace, holder: "other", run: "run-2") else {
            throw StoreMismatch(description: "taken before it expired")
        }
        // It lasts two minutes, and not a moment longer.
        try await fixture.advance(seconds: 1)
        let next = try await Self.take(store, "run-2")
        try expect(next.fence > lease.fence)
        try expect(try await store.renew(lease) == nil)
    }

    func aLockIsFreedByItsFence() async throws {
        try expect(try await !store.unlock(Self.workspace, fence: lease.fence + 1))
        try expect(try await !store.unlock("none", fence: lease.fence))
        try expect(try await store.renew(lease) != nil)
        try expect(try await store.unlock(Self.workspace, fence: lease.fence))
        try expect(try await !store.unlock(Self.workspace, fence: lease.fence))
        try expect(try await store.renew(lease) == nil)
    }

    func recordsAreKept() async throws {
        for (key, number) in [("b", 1), ("a", 2), ("b", 3)] as [(String, Int64)] {
            try await store.put(
                DeployRecord(
                    workspace: Self.workspace, kind: .ledger, key: key,
                    document: ["n": .integer(number), "t": "é\u{0}"]),
                under: lease)
        }
        try await store.put(
            DeployRecord(workspace: Self.workspace, kind: .mark, key: "a", document: [:]), under: lease)
        try await store.put(DeployRecord(workspace: "other", kind: .ledger, key: "c", document: [:]), under: nil)
        let records = try await store.records(.ledger, of: Self.workspace)
        try expect(records.map(\.key), is: ["a", "b"])
        try expect(records.map { $0.document["n"] }, is: [2, 3])
        try expect(records.allSatisfy { $0.fence == lease.fence && $0.document["t"] == "é\u{0}" })
        try expect(try await store.records(.ledger, of: "other").map(\.fence), is: [0])
        try expect(try await store.tally(.ledger), is: [Self.workspace: 2, "other": 1])
        for _ in 0..<2 { try await store.remove(records[0], under: lease) }
        try expect(try await store.records(.ledger, of: Self.workspace).map(\.key), is: ["b"])
        try expect(try await store.records(.mark, of: Self.workspace).map(\.key), is: ["a"])
    }

    func aLostLockWritesNothing() async throws {
        try await register(0..<15)
        _ = try await store.freeze(Self.freeze(), under: lease)
        let batch = try await claim()
        let record = DeployRecord(workspace: Self.workspace, kind: .ledger, key: "a", document: ["n": 1])
        try await store.put(record, under: lease)
        let figures = try await figures()
        let verdict = StageVerdict(
            stage: 1, decision: .go, at: start, answers: StageVerdict.Answers(), rule: .verbatim(""))
        _ = try await store.unlock(Self.workspace, fence: lease.fence)
        _ = try await Self.take(store, "run-2")
        // Whoever has another workspace's lock does not have this one's.
        guard case .acquired(let other) = try await store.acquireLock(of: "other", holder: "other", run: "run-1")
        else { throw StoreMismatch(description: "workspaces share a lock") }
        let strangers = [
            lease, other, Lease(workspace: "none", run: "run-1", fence: lease.fence, expiresAt: start),
            Lease(workspace: Self.workspace, run: "run-1", fence: lease.fence + 1, expiresAt: start),
            Lease(workspace: Self.workspace, run: "run-2", fence: lease.fence, expiresAt: start),
        ]
        for lost in strangers {
            try await refused(.lockLost) {
                try await store.put(
                    DeployRecord(workspace: Self.workspace, kind: .ledger, key: "a", document: ["n": 2]), under: lost)
            }
            try await refused(.lockLost) { try await store.remove(record, under: lost) }
            try await refused(.lockLost) { _ = try await store.freeze(Self.freeze("ponmlkjihgfedcba"), under: lost) }
            try await refused(.lockLost) { _ = try await store.claim(from: Self.delivery, by: "x", under: lost) }
            try await refused(.lockLost) { _ = try await store.settle(batch, [], under: lost) }
            try await refused(.lockLost) {
                try await store.giveUp(Self.delivery, claimedBefore: start.advanced(byDays: 1), under: lost)
            }
            try await refused(.lockLost) { try await store.reopenDoubtful(Self.delivery, under: lost) }
            try await refused(.lockLost) { try await store.resendDoubtful(Self.delivery, under: lost) }
            try await refused(.lockLost) { _ = try await store.close(Self.delivery, under: lost) }
            try await refused(.lockLost) { try await store.close(part: 1, of: Self.delivery, under: lost) }
            try await refused(.lockLost) {
                try await store.miss(part: 0, of: Self.delivery, notDueSince: start.advanced(byDays: 1), under: lost)
            }
            try await refused(.lockLost) { try await store.judge(Self.delivery, verdict, under: lost) }
        }
        try expect(try await self.figures(), is: figures)
        try expect(try await store.records(.ledger, of: Self.workspace).map(\.document), is: [["n": 1]])
        try expect(try await store.journal(of: "ponmlkjihgfedcba") == nil)
    }
}
