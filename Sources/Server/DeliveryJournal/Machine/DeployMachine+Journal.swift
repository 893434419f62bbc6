internal import PushModel
internal import RegistryModel

extension DeployMachine {
    /// Returns the journal of a delivery that must have been started.
    func begun(_ delivery: String, _ hold: RowHold) throws -> JournalRow {
        guard let journal = try transaction.journal(of: delivery, hold) else {
            throw RegistryError(.notFound, "The delivery '\(delivery)' was not begun.")
        }
        return journal
    }

    /// Returns the journal of a delivery whose audience is complete, under a valid lease.
    func frozen(_ delivery: String, _ hold: RowHold = .shared, under lease: Lease?) throws -> JournalRow {
        let journal = try begun(delivery, hold)
        guard journal.freezing == nil else {
            throw RegistryError(.noEffect, "The audience of the delivery '\(delivery)' is not frozen yet.")
        }
        try check(lease, of: journal.workspace)
        return journal
    }

    /// Returns the journal of a delivery, complete or not: a crash before completion leaves nothing in doubt. Nil when
    /// it was not started.
    private func known(_ delivery: String, _ hold: RowHold, under lease: Lease?) throws -> JournalRow? {
        guard let journal = try transaction.journal(of: delivery, hold) else { return nil }
        try check(lease, of: journal.workspace)
        return journal
    }

    /// Returns the progress of a delivery; nil when it was never started.
    package func figures(of delivery: String) throws -> JournalFigures? {
        guard let journal = try transaction.journal(of: delivery, .free) else { return nil }
        return try figures(of: journal)
    }

    func figures(of journal: JournalRow) throws -> JournalFigures {
        var figures = JournalFigures(
            targets: journal.targets, missed: journal.missed, leftOut: try journal.leftOutByReason(),
            isFrozen: journal.freezing == nil, isClosed: journal.closedAt != nil, lastOutcomeAt: journal.reopenedAt)
        let (parts, batches) = (try transaction.parts(of: journal), try transaction.batchSums(of: journal))
        let targets = try transaction.targetSums(of: journal)
        figures.add(batches, targets)
        figures.parts = try self.figures(of: parts, batches, targets, reopenedAt: journal.reopenedAt)
        figures.missed += parts.reduce(0) { $0 + $1.missed }
        return figures
    }

    // MARK: Claiming

    /// Claims a fresh batch, or else devices that are due for a retry.
    func claim(from delivery: String, by claimant: String, under lease: Lease?) throws -> JournalClaim {
        let journal = try frozen(delivery, under: lease)
        guard journal.closedAt == nil else { return .finished }
        let claim = BatchClaim(claimant: claimant, fence: lease?.fence ?? 0, at: transaction.now)
        let parts = try transaction.parts(of: journal)
        // Parts open in the order of their numbers.
        let lastOpen = parts.last { $0.opensAt.map { $0 <= claim.at } ?? false }?.number ?? 0
        if let batch = try takeFresh(of: journal, upTo: lastOpen, for: claim) ?? takeDue(of: journal, for: claim) {
            let winner = try parts.first { $0.number == batch.part - 1 }?.verdict.map(Self.verdict)?.winner
            return .batch(
                batch.batch(
                    of: journal, opensAt: parts.first { $0.number == batch.part }?.opensAt, winner: winner))
        }
        let opening = parts.first { $0.number > lastOpen && $0.closedAt == nil && $0.devices > 0 }?.opensAt
        if let next = [try transaction.nextDue(of: journal), opening].compactMap(\.self).min() {
            return .waitUntil(next)
        }
        if let oldest = try transaction.oldestOpen(of: journal, besides: claimant) {
            return .othersAtWork(since: oldest)
        }
        // Another sender's transaction may hold the last fresh batch, and may still be rolled back.
        return try transaction.hasFresh(journal, upTo: lastOpen) ? .othersAtWork(since: claim.at) : .finished
    }

    private func takeFresh(of journal: JournalRow, upTo part: Int, for claim: BatchClaim) throws -> BatchRow? {
        guard var batch = try transaction.takeFresh(of: journal, upTo: part, for: claim) else { return nil }
        guard journal.raisesBadges else { return batch }
        for badge in try transaction.raiseBadges(of: batch.targets) { batch.tries.append(badge: badge, attempts: 0) }
        try transaction.writeTries(of: batch)
        return batch
    }

    private func takeDue(of journal: JournalRow, for claim: BatchClaim) throws -> BatchRow? {
        let due = try transaction.takeDue(of: journal)
        guard let first = due.first else { return nil }
        var (targets, tries, texts) = (TargetPack(reserving: due.count), TargetTries(), [[String]]())
        for target in due {
            targets.append(token: Array(target.token.utf8), row: target.row)
            if !target.texts.isEmpty { texts.append(target.texts) }
            tries.append(badge: target.badge, attempts: target.attempts)
        }
        let batch = BatchRow(
            delivery: journal.delivery, number: try transaction.lastNumber(in: journal) + 1, part: first.part,
            form: first.form, profile: first.profile, state: .open, claim: claim, targets: targets, tries: tries,
            texts: texts)
        try transaction.add([batch])
        return batch
    }

    // MARK: Outcomes of batches

    /// Settles a batch; false when it was given up.
    func settle(_ batch: JournalBatch, _ failures: [TargetFailure], under lease: Lease?) throws -> Bool {
        let journal = try frozen(batch.delivery, under: lease)
        let known = try transaction.batch(batch.number, of: journal)
        guard let known, known.claim?.claimant == batch.claimant else { return false }
        switch known.state {
        case .open: break
        // The response to an earlier call was lost.
        case .settled: return true
        case .fresh, .givenUp, .missed: return false
        }
        let failed = Set(failures.map(\.index))
        guard failed.count == failures.count, failed.allSatisfy((0..<known.targets.count).contains) else {
            throw RegistryError(internal: "a batch's failures do not fit its devices")
        }
        let missed = try record(failures, of: known, in: journal)
        try transaction.prove(known.targets, except: failed, in: journal.environment)
        try reach(
            (0..<known.targets.count).lazy.filter { !failed.contains($0) }, of: known, in: journal, isDoubtful: false)
        let doubtful = failures.lazy.filter { $0.ending == .inDoubt }.map(\.index)
        try reach(doubtful, of: known, in: journal, isDoubtful: true)
        let accepted = known.targets.count - failed.count
        try transaction.end(
            known,
            as: BatchEnding(state: .settled, settledAt: transaction.now, accepted: accepted, missed: missed))
        return true
    }

    /// Writes the devices that were not accepted; returns the number of missed ones, if the delivery or its part was
    /// closed meanwhile.
    private func record(_ failures: [TargetFailure], of batch: BatchRow, in journal: JournalRow) throws -> Int {
        var (rows, missed): ([TargetRow], Int) = ([], 0)
        let isOver = try journal.closedAt != nil || transaction.isClosed(part: batch.part, of: journal)
        var (dead, suspects): ([(target: TargetRow, since: Instant?)], [TargetRow]) = ([], [])
        for failure in failures {
            var row = batch.row(failure.index, .refused)
            row.reason = failure.reason
            switch failure.ending {
            case .refused: break
            case .dead(let since): dead.append((row, since))
            case .deadIfProven: suspects.append(row)
            case .again where isOver:
                missed += 1
                continue
            case .again(let after): (row.state, row.dueAt) = (.waits, after)
            case .inDoubt: row.state = .inDoubt
            }
            rows.append(row)
        }
        if !suspects.isEmpty {
            dead += try transaction.proven(among: suspects, in: journal.environment).map { ($0, nil) }
        }
        if !dead.isEmpty { try transaction.markDead(dead) }
        if !rows.isEmpty { try transaction.add(rows, to: journal) }
        return missed
    }

    /// Gives up the open batches of earlier fences, and those claimed before `before`.
    func giveUp(_ delivery: String, claimedBefore before: Instant?, under lease: Lease?) throws {
        guard let journal = try known(delivery, .shared, under: lease) else { return }
        for batch in try transaction.open(of: journal, before: lease?.fence, or: before) {
            try transaction.add((0..<batch.targets.count).map { batch.row($0, .inDoubt) }, to: journal)
            try reach(0..<batch.targets.count, of: batch, in: journal, isDoubtful: true)
            try transaction.end(batch, as: BatchEnding(state: .givenUp))
        }
    }

    /// Schedules the devices in doubt for a retry, which reopens a closed delivery.
    func reopenDoubtful(_ delivery: String, under lease: Lease?) throws {
        guard var journal = try known(delivery, .changing, under: lease),
            try transaction.reopenDoubtful(of: journal) > 0
        else { return }
        (journal.closedAt, journal.reopenedAt) = (nil, transaction.now)
        try transaction.reopenParts(of: journal)
        try transaction.removeDoubtfulReached(of: journal)
        try transaction.write(journal)
    }

    // MARK: Closing

    /// Ends a delivery: waiting devices count as missed, and so do those of an audience that is not complete.
    func close(_ delivery: String, under lease: Lease?) throws {
        guard var journal = try known(delivery, .changing, under: lease), journal.closedAt == nil else { return }
        if journal.freezing != nil { journal.targets = try figures(of: journal).waiting }
        if journal.freezing == nil {
            for part in try transaction.parts(of: journal) { try close(part, of: journal) }
        }
        try transaction.missFresh(of: journal, part: nil)
        journal.missed += try transaction.removeWaiting(of: journal, part: nil)
        (journal.freezing, journal.closedAt) = (nil, transaction.now)
        try transaction.write(journal)
    }

    /// Removes part of the devices that a closed delivery never sent to; false when none were left.
    func clearMissed(_ delivery: String, under lease: Lease?) throws -> Bool {
        guard let journal = try known(delivery, .free, under: lease) else { return false }
        return try transaction.clearMissed(of: journal)
    }
}

extension BatchRow {
    /// The batch for its sender.
    fileprivate func batch(of journal: JournalRow, opensAt: Instant?, winner: String?) -> JournalBatch {
        JournalBatch(
            delivery: journal.delivery, number: number, claimant: claim?.claimant ?? "", profile: profile,
            part: part, form: form, opensAt: opensAt, winner: winner,
            targets: (0..<targets.count).map { index in
                let tried = tries[index]
                return JournalTarget(
                    token: targets.token(index), badge: journal.raisesBadges ? tried.badge : nil,
                    attempts: tried.attempts, texts: texts.isEmpty ? [] : texts[index])
            })
    }

    /// The row of a device after another attempt that was not accepted.
    fileprivate func row(_ index: Int, _ state: TargetState) -> TargetRow {
        let tried = tries[index]
        return TargetRow(
            token: targets.token(index), row: targets.rows[index], part: part, form: form,
            texts: texts.isEmpty ? [] : texts[index], profile: profile, badge: tried.badge,
            attempts: tried.attempts + 1, state: state)
    }
}
