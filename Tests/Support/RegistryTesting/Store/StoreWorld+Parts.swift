internal import Base
internal import DeviceRegistry
internal import Push

/// Parts of deliveries, and deliveries beside each other.
extension StoreWorld {
    /// Registers fifteen devices whose clocks are ahead, and five others.
    private func registerInTwoZones() async throws {
        try await register(0..<15, ["timeZone": "Asia/Tokyo"])
        try await register(15..<20)
    }

    /// Freezes a delivery to them in batches of five devices and in two parts, both of which are open.
    private func freezeInParts(_ delivery: String) async throws {
        var freeze = Self.freeze(delivery, batchSize: 5)
        freeze.division = Self.localTime
        let figures = try await store.freeze(freeze, under: lease)
        try expect(figures.parts.map(\.figures.targets), is: [15, 5])
    }

    /// The figures of a delivery's parts, each of which must add up.
    private func parts(_ delivery: String, line: Int = #line) async throws -> [JournalPart] {
        let parts = try await figures(delivery, line: line).parts
        for part in parts {
            let own = part.figures
            let refused = own.refused.values.reduce(0, +)
            let sum = own.waiting + own.underWay + own.accepted + refused + own.inDoubt + own.missed
            try expect(own.targets, is: sum, line: line)
        }
        return parts
    }

    private func again(_ index: Int, after time: Instant) -> TargetFailure {
        TargetFailure(index: index, ending: .again(after: time), reason: "Shutdown")
    }

    private func inDoubt(_ index: Int) -> TargetFailure {
        TargetFailure(index: index, ending: .inDoubt, reason: "lost")
    }

    func aPartIsClosedAlone() async throws {
        try await registerInTwoZones()
        try await freezeInParts(Self.delivery)
        let (first, second) = (try await claim(), try await claim())
        try expect(first.part, is: second.part)
        let later = try await store.now().advanced(bySeconds: 600)
        try await settle(first, [inDoubt(0), again(1, after: later)])
        for _ in 0..<2 { try await store.close(part: first.part, of: Self.delivery, under: lease) }
        var parts = try await parts(Self.delivery)
        try expect(parts.map(\.figures.isClosed), is: [true, false])
        try expect(parts.map(\.figures.missed), is: [6, 0])
        try expect(parts.map(\.figures.waiting), is: [0, 5])
        for figures in [parts[0].forms[0], parts[0].profiles["shop"]] {
            let own = try require(figures)
            try expect([own.accepted, own.inDoubt, own.underWay], is: [3, 1, 5])
        }
        // What was under way ends as it ends; nothing is tried again.
        try await settle(second, [again(0, after: later)])
        parts = try await self.parts(Self.delivery)
        try expect(parts.map(\.figures.missed), is: [7, 0])
        try expect(parts.map(\.figures.accepted), is: [7, 0])
        try await refused { try await store.close(part: 7, of: Self.delivery, under: lease) }
    }

    func aPersonsAnswerOpensWhatWasClosed() async throws {
        try await registerInTwoZones()
        try await freezeInParts(Self.delivery)
        let first = try await claim()
        try await settle(first, [inDoubt(0), inDoubt(1)])
        try await store.close(part: first.part, of: Self.delivery, under: lease)
        try await fixture.advance(seconds: 60)
        let now = try await store.now()
        try await store.reopenDoubtful(Self.delivery, under: lease)
        var parts = try await parts(Self.delivery)
        try expect(parts.map(\.figures.isClosed), is: [false, false])
        try expect(parts.map(\.figures.lastOutcomeAt), is: [now, now])
        try expect(parts.map(\.figures.waiting), is: [2, 5])
        // The other part's devices were not sent to yet.
        let other = try await claim()
        try await settle(other)
        let reopened = try await claim()
        try expect(Set(reopened.targets.map(\.token)), is: Set(first.targets.prefix(2).map(\.token)))
        try expect([reopened.part, reopened.targets.count], is: [first.part, 2])
        // As their part is open they may be tried again.
        try await settle(reopened, [again(0, after: now)])
        parts = try await self.parts(Self.delivery)
        try expect(parts.map(\.figures.waiting), is: [1, 0])
        _ = try await store.close(Self.delivery, under: lease)
        parts = try await self.parts(Self.delivery)
        try expect(parts.map(\.figures.isClosed), is: [true, true])
        try expect(parts.map(\.figures.accepted), is: [4, 5])
        try expect(parts.map(\.figures.missed), is: [11, 0])
    }

    func whoeverIsSentToAgainIsInDoubtUntilItIsAnswered() async throws {
        try await registerInTwoZones()
        try await freezeInParts(Self.delivery)
        let early = try await claim()
        try await settle(early, [inDoubt(0), inDoubt(1)])
        for _ in 0..<2 { try await settle(try await claim()) }
        let late = try await claim()
        try await settle(late, [inDoubt(2), inDoubt(3)])
        try await store.close(part: early.part, of: Self.delivery, under: lease)
        let before = try await self.figures()
        try await store.resendDoubtful(Self.delivery, under: lease)
        // Those of an open part only, and no window begins anew.
        var figures = try await self.figures()
        try expect([figures.waiting, figures.resent, figures.inDoubt], is: [2, 2, 2])
        try expect(figures.lastOutcomeAt, is: before.lastOutcomeAt)
        try expect(figures.waitsUntil == nil)
        try expect(figures.parts.map(\.figures.isClosed), is: [true, false])
        let second = try await claim()
        try expect(Set(second.targets.map(\.token)), is: Set(late.targets[2...3].map(\.token)))
        let now = try await store.now()
        try await settle(second, [again(0, after: now.advanced(bySeconds: 600)), again(1, after: now)])
        figures = try await self.figures()
        try expect([figures.waiting, figures.resent, figures.inDoubt], is: [2, 2, 2])
        let third = try await claim()
        try expect(third.targets.map(\.token), is: [second.targets[1].token])
        // At the end one of them waits and one is under way: both are in doubt as before.
        _ = try await store.close(Self.delivery, under: lease)
        try await settle(third, [again(0, after: now)])
        figures = try await self.figures()
        try expect([figures.accepted, figures.inDoubt, figures.missed, figures.resent], is: [16, 4, 0, 0])
        for target in early.targets + late.targets {
            let id = try require(try await fixture.objectID(target.token))
            try expect(try await store.reached(id, by: Self.delivery))
        }
    }

    func pastItsWindowOnlyWhoeverWasAskedToWaitIsLeft() async throws {
        try await registerInTwoZones()
        let since = try await store.now().advanced(bySeconds: 600)
        let dues = [-1.0, 0, 1].map { since.advanced(bySeconds: $0) }
        for (delivery, division) in [("whole", AudienceDivision.whole), ("parted", Self.localTime)] {
            var freeze = Self.freeze(delivery, batchSize: 5)
            freeze.division = division
            _ = try await store.freeze(freeze, under: lease)
            let batch = try await claim(delivery)
            try await settle(batch, dues.indices.map { again($0, after: dues[$0]) })
            for _ in 0..<2 {
                try await store.miss(part: batch.part, of: delivery, notDueSince: since, under: lease)
            }
            let figures = try await figures(delivery)
            try expect(figures.waitsUntil, is: dues[2])
            // Of an open part nobody else is missed.
            let others = division == .whole ? 0 : 5
            try expect([figures.waiting, figures.missed, figures.accepted], is: [2 + others, 16 - others, 2])
            let expected = division == .whole ? [] : [11, 0]
            try expect(try await parts(delivery).map(\.figures.missed), is: expected)
        }
    }

    /// Records a verdict, and returns which stages are open.
    private func judge(_ stage: Int, _ decision: StageVerdict.Decision, _ why: String) async throws -> [Bool] {
        let verdict = StageVerdict(
            stage: stage, decision: decision, at: try await store.now(), answers: StageVerdict.Answers(),
            rule: .verbatim(why))
        try await store.judge(Self.delivery, verdict, under: lease)
        return try await figures().parts.map { $0.opensAt != nil }
    }

    func aStageOpensOnceNothingIsLeftOfTheOneBefore() async throws {
        var freeze = Self.freeze(Self.delivery, .tokens((0..<200).map(Self.token)), batchSize: 100)
        freeze.division = Self.stages(salt: "a")
        _ = try await store.freeze(freeze, under: lease)
        let first = try await claim()
        try expect(first.part, is: 1)
        try expect(try await store.claim(from: Self.delivery, by: "run-1", under: lease), is: .finished)
        // Not while it is under way, nor while one of its devices waits.
        try expect(try await judge(1, .go, "early"), is: [true, false, false])
        try await settle(first, [again(0, after: try await store.now())])
        try expect(try await judge(1, .proceed, "early"), is: [true, false, false])
        let retried = try await claim()
        try expect([retried.part, retried.targets.count], is: [1, 1])
        try await settle(retried)
        // Nor by a verdict that does not let it.
        for decision in [StageVerdict.Decision.halt, .hold] {
            try expect(try await judge(1, decision, "no"), is: [true, false, false])
        }
        try expect(try await judge(1, .go, "first"), is: [true, true, false])
        let second = try await claim()
        try expect(second.part, is: 2)
        // The verdict that opened the next stage stands.
        try expect(try await judge(1, .halt, "second"), is: [true, true, false])
        try expect(try await figures().parts[0].verdict?.rule.text, is: "first")
        try await settle(second)
        _ = try await sendAll()
        try expect(try await judge(2, .proceed, "first"), is: [true, true, true])
        _ = try await sendAll()
        try expect(try await judge(3, .go, "first"), is: [true, true, true])
        try expect(try await store.close(Self.delivery, under: lease).accepted, is: 200)
        // Nor is a delivery judged that has ended.
        _ = try await judge(3, .halt, "late")
        try expect(try await figures().parts.map { $0.verdict?.decision }, is: [.go, .proceed, .go])
        try await refused { _ = try await judge(4, .go, "none") }
    }

    func aHaltHoldsBackTheRestOfItsStage() async throws {
        // 23 of them are in the first stage.
        var freeze = Self.freeze(Self.delivery, .tokens((0..<200).map(Self.token)), batchSize: 5)
        freeze.division = Self.stages(salt: "a")
        _ = try await store.freeze(freeze, under: lease)
        func claims(by claimant: String) async throws -> JournalClaim {
            try await store.claim(from: Self.delivery, by: claimant, under: lease)
        }
        let (first, second) = (try await claim(), try await claim(by: "run-2"))
        try await settle(first, [again(0, after: try await store.now()), inDoubt(1)])
        for decision in [StageVerdict.Decision.halt, .hold] {
            _ = try await judge(1, decision, "no")
            guard case .othersAtWork = try await claims(by: "run-1") else {
                throw StoreMismatch(description: "run-1 does not wait for run-2")
            }
            try expect(try await claims(by: "run-2"), is: .finished)
        }
        try await settle(second)
        // Once a person lets it go on, the rest is sent before the next stage opens.
        try expect(try await judge(1, .proceed, "yes"), is: [true, false, false])
        try expect(try await sendAll().count, is: 14)
        // Devices in doubt that were found unsent after a halt are sent to, and nobody else.
        _ = try await judge(1, .halt, "no")
        _ = try await store.close(Self.delivery, under: lease)
        try await store.reopenDoubtful(Self.delivery, under: lease)
        try expect(try await sendAll(), is: [first.targets[1].token])
    }

    func whatIsDoneToADeliveryLeavesTheOthersAlone() async throws {
        try await registerInTwoZones()
        let later = try await store.now().advanced(bySeconds: 600)
        // Both have devices in each state: refused, in doubt, waiting, under way, accepted and not yet claimed.
        for (delivery, due) in [("other", later.advanced(bySeconds: -300)), ("own", later)] {
            try await freezeInParts(delivery)
            let (first, _) = (try await claim(delivery), try await claim(delivery))
            let refused = TargetFailure(index: 2, ending: .refused, reason: "BadTopic")
            try await settle(first, [inDoubt(0), again(1, after: due), refused])
        }
        let before = try await figures("other")
        try expect(
            [before.waiting, before.underWay, before.accepted, before.inDoubt, before.refused["BadTopic"] ?? 0],
            is: [11, 5, 2, 1, 1])
        try expect(try await parts("other").map(\.figures.targets), is: [15, 5])
        func claims(by claimant: String) async throws -> JournalClaim {
            try await store.claim(from: "own", by: claimant, under: lease)
        }
        // What is claimed is its own, and so is what there is to wait for.
        for _ in 0..<2 { try await settle(try await claim("own")) }
        try expect(try await claims(by: "run-1"), is: .waitUntil(later))
        try expect(try await figures("other"), is: before)
        try await fixture.advance(seconds: 700)
        let retried = try await claim("own")
        try expect(retried.targets.count, is: 1)
        try await settle(retried, [again(0, after: later.advanced(byDays: 1))])
        try expect(try await figures("own").lastOutcomeAt, is: try await store.now())
        try expect(try await figures("other"), is: before)
        try await store.giveUp("own", claimedBefore: start.advanced(byDays: 1), under: lease)
        try expect(try await figures("own").inDoubt, is: 6)
        try expect(try await figures("other"), is: before)
        try await store.reopenDoubtful("own", under: lease)
        try expect(try await figures("own").waiting, is: 7)
        try expect(try await figures("other"), is: before)
        let reopened = try await claim("own")
        try await settle(reopened)
        try expect(try await figures("other"), is: before)
        for part in before.parts.map(\.number) {
            try await store.miss(part: part, of: "own", notDueSince: start.advanced(byDays: 9), under: lease)
            try await store.close(part: part, of: "own", under: lease)
            try expect(try await figures("other"), is: before)
        }
        // An audience that is not allowed leaves nothing, of itself only.
        var freeze = Self.freeze("third")
        freeze.allowed = 0..<1
        try expect(try await store.freeze(freeze, under: lease).isFrozen, is: false)
        // Nor does it end later because another goes on.
        try expect(try await claims(by: "run-2"), is: .finished)
        let closed = try await store.close("own", under: lease)
        try expect([closed.accepted, closed.missed, closed.refused["BadTopic"] ?? 0], is: [17, 2, 1])
        try expect(try await figures("other"), is: before)
        // It goes on where it was.
        _ = try await sendAll("other")
        let after = try await figures("other")
        try expect([after.accepted, after.underWay, after.inDoubt], is: [13, 5, 1])
    }
}
