internal import Base
package import Push

extension RegistryTransaction {
    /// Begins to write an audience; false when it is complete already.
    ///
    /// Nothing is sent before the audience is complete, so an interrupted attempt is started over: the audience is one
    /// snapshot. Once a later `attempt` has taken over, steps of an earlier one write nothing.
    package func beginFreezing(_ freeze: DeliveryFreeze, _ attempt: String, under lease: Lease?) throws -> Bool {
        try check(lease, of: freeze.workspace, .free)
        if try journal(of: freeze.delivery, .free).map({ $0.freezing != nil }) ?? true {
            try awaitTurn(freeze)
        }
        let fresh = JournalRow(
            delivery: freeze.delivery, workspace: freeze.workspace, environment: freeze.environment,
            batchSize: freeze.batchSize, raisesBadges: freeze.raisesBadges, freezing: attempt)
        if try add(fresh) { return true }
        var known = try begun(freeze.delivery, .changing)
        guard known.workspace == freeze.workspace else {
            throw RegistryError(.valueTaken, "The delivery '\(freeze.delivery)' is another workspace's.")
        }
        guard known.freezing != nil else {
            try check(lease, of: freeze.workspace)
            return false
        }
        (known.environment, known.batchSize) = (freeze.environment, freeze.batchSize)
        (known.raisesBadges, known.freezing) = (freeze.raisesBadges, attempt)
        try write(known)
        return true
    }

    /// Removes part of an earlier attempt's batches; false when none were left.
    package func clearFreezing(_ freeze: DeliveryFreeze, _ attempt: String, under lease: Lease?) throws -> Bool {
        try removeBatches(of: try ours(freeze, attempt, lease, .free))
    }

    /// Writes batches.
    package func add(
        _ batches: [BatchRow], _ freeze: DeliveryFreeze, _ attempt: String, under lease: Lease?
    ) throws {
        _ = try ours(freeze, attempt, lease, .free)
        try add(batches)
    }

    /// Removes part of an audience whose size is not allowed; false when nothing is left of it.
    package func abandonFreezing(_ freeze: DeliveryFreeze, _ attempt: String, under lease: Lease?) throws -> Bool {
        let journal = try ours(freeze, attempt, lease, .free)
        if try removeBatches(of: journal) { return true }
        try remove(journal)
        return false
    }

    /// Marks the audience as complete.
    ///
    /// - Throws: ``FreezeOvertaken`` when it has to be frozen anew.
    package func finishFreezing(
        _ packer: AudiencePacker, _ freeze: DeliveryFreeze, _ attempt: String, under lease: Lease?
    ) throws {
        var journal = try ours(freeze, attempt, lease, .shared)
        try endTurn(packer.sieve)
        let audience = packer.figures
        (journal.freezing, journal.targets) = (nil, audience.devices)
        let leftOut = JSONObject(audience.leftOut.lazy.map { ($0.key.rawValue, JSONValue.integer(Int64($0.value))) })
        journal.leftOut = JSONValue.object(leftOut).canonicalText
        try removeParts(of: journal)
        try add(packer.finder.parts.sorted { $0.number < $1.number }, to: journal)
        try write(journal)
        if let events = freeze.events { try addEventWindow(of: journal, events) }
    }

    private func ours(
        _ freeze: DeliveryFreeze, _ attempt: String, _ lease: Lease?, _ hold: RowHold
    ) throws -> JournalRow {
        try check(lease, of: freeze.workspace, hold)
        guard let journal = try journal(of: freeze.delivery, .changing), journal.freezing == attempt else {
            throw RegistryError(
                .noEffect, "Another sender freezes the audience of the delivery '\(freeze.delivery)'.")
        }
        return journal
    }
}

extension JournalRow {
    /// The number of devices left out, by reason.
    func leftOutByReason() throws -> [AudienceFigures.LeftOut: Int] {
        (try JSONValue(stored: leftOut).object ?? [:]).reduce(into: [:]) { counts, entry in
            guard let reason = AudienceFigures.LeftOut(rawValue: entry.key) else { return }
            counts[reason] = entry.value.integer.map { Int($0) }
        }
    }
}
