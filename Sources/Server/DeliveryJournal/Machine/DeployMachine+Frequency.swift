internal import JSONValue
package import PushModel
internal import RegistryModel

/// How often devices were reached, and by whom it was counted.
extension DeployMachine {
    /// Returns what leaves out devices of an audience; `delivery`, if it has begun, does not count for itself.
    ///
    /// What other deliveries have frozen and may still send counts as sent: whichever goes on first, no device gets more
    /// than a rule allows.
    package func sieve(
        of audience: DeliveryAudience, besides delivery: String?, at now: Instant
    ) throws -> AudienceSieve {
        guard let longest = audience.frequency.map(\.per).max() else { return AudienceSieve(holdout: audience.holdout) }
        let turn = try transaction.frequencyTurn()
        if let forgotten = try transaction.lastForgotten(), forgotten >= now - longest {
            return AudienceSieve(holdout: audience.holdout, caps: [], turn: turn, forgotten: forgotten)
        }
        let pending = try pending(besides: delivery)
        let reached = try transaction.deliveries(reachingSince: now - longest)
        let others = reached.union(pending.keys).subtracting([delivery].compactMap(\.self))
        let caps = try audience.frequency.map { rule in
            AudienceSieve.Cap(
                most: rule.most, counts: try reachCounts(of: others, since: now - rule.per, beside: pending))
        }
        return AudienceSieve(
            holdout: audience.holdout, caps: caps, former: try transaction.formerNumbers(), turn: turn, forgotten: nil)
    }

    /// Returns the installations that deliveries have frozen and not sent to yet.
    private func pending(besides delivery: String?) throws -> [String: ReachedSet] {
        var pending: [String: ReachedSet] = [:]
        try transaction.eachUnsentBatch(besides: delivery) { other, targets in
            pending[other, default: ReachedSet()].insert(targets.rows.filter { $0 > 0 })
        }
        try transaction.eachWaiting(besides: delivery) { other, number in
            if number > 0 { pending[other, default: ReachedSet()].insert([number]) }
        }
        return pending
    }

    /// Lets only one audience under frequency rules be completed at a time, where others freeze in the same
    /// transaction.
    func awaitTurn(_ freeze: DeliveryFreeze) throws {
        if !freeze.audience.frequency.isEmpty { try transaction.holdFrequencyTurn() }
    }

    /// Ends a turn.
    ///
    /// - Throws: ``FreezeOvertaken`` when another audience was frozen under frequency rules after the sieve was made.
    func endTurn(_ sieve: AudienceSieve) throws {
        guard let turn = sieve.turn else { return }
        guard try transaction.endFrequencyTurn(turn) else { throw FreezeOvertaken() }
    }
}

/// An audience was frozen meanwhile that counts for the rules of this one: it is frozen anew.
package struct FreezeOvertaken: Error {}
