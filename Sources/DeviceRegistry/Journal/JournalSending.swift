package import Push

extension Journal {
    // MARK: Freezing

    /// Freezes the audience of a delivery, or continues an interrupted attempt; a frozen audience does not change.
    ///
    /// There is one row per distinct token and topic, in batches of one topic each, written in steps that each take
    /// less than a second.
    ///
    /// - Returns: the figures; not frozen when the audience has a size that is not ``DeliveryFreeze/allowed``. Nothing is
    ///   left of such an attempt, so that a later one is made from the devices of its time.
    package func freeze(_ freeze: DeliveryFreeze, under lease: Lease?) async throws(RegistryError) -> JournalFigures {
        guard (1...1000).contains(freeze.batchSize), !freeze.audience.routes.isEmpty,
            ["production", "development"].contains(freeze.environment)
        else {
            throw RegistryError(
                internal: "a delivery has batches of 1 to 1,000 devices, a route, and an environment of Apple's")
        }
        if lease == nil { try database.own() }
        if let refused = try await database.freeze(freeze, under: lease, at: clock) {
            return JournalFigures(targets: refused.devices, leftOut: refused.leftOut, isFrozen: false)
        }
        return try await figures(of: freeze.delivery)
    }

    private func figures(of delivery: String) async throws(RegistryError) -> JournalFigures {
        guard let figures = try await journal(of: delivery) else { throw .notFound }
        return figures
    }

    // MARK: Claiming

    /// Claims a batch, a fresh one or else devices that are due for a retry: the intent is durable when this returns.
    ///
    /// Several senders get different batches. If the delivery raises badges, the registry's badges are raised in the
    /// same transaction, once per delivery. The run `claimant`, which sends the batch, need not hold the lock. Devices of
    /// profiles in `besides` are left as they are, as if there were none.
    package func claim(
        from delivery: String, by claimant: String, besides profiles: Set<String> = [], under lease: Lease?
    ) async throws(RegistryError) -> JournalClaim {
        try await write(under: lease) { db in
            let journal = try db.frozen(delivery, under: lease)
            guard journal.closedAt == nil else { return .finished }
            if let order = try db.stop(of: delivery, in: journal.workspace) { return .stopped(order) }
            let claim = BatchClaim(claimant: claimant, fence: lease?.fence ?? 0, at: db.now)
            let besides = profiles.sorted()
            let parts = try db.parts(of: journal)
            // Parts open in the order of their numbers.
            let lastOpen = parts.last { $0.opensAt.map { $0 <= claim.at } ?? false }?.number ?? 0
            let verdict = try parts.first { $0.number == lastOpen }?.judgement
            // A person decides about the rest of a halted stage; devices in doubt that were reopened since go on.
            if let verdict, !verdict.opensNext, journal.reopenedAt.map({ $0 < verdict.at }) ?? true {
                guard let oldest = try db.oldestOpen(of: journal, besides: claimant) else { return .finished }
                return .othersAtWork(since: oldest)
            }
            if let batch = try db.claimFresh(of: journal, upTo: lastOpen, besides: besides, for: claim)
                ?? db.claimDue(of: journal, besides: besides, for: claim)
            {
                let winner = try parts.first { $0.number == batch.part - 1 }?.judgement?.winner
                return .batch(
                    batch.batch(
                        of: journal, opensAt: parts.first { $0.number == batch.part }?.opensAt, winner: winner))
            }
            let opening = parts.first { $0.number > lastOpen && $0.closedAt == nil && $0.devices > 0 }?.opensAt
            let rest = try db.rest(of: journal, upTo: lastOpen, besides: besides, claimant: claimant)
            // Another sender's transaction may hold the last fresh batch, and may still be rolled back.
            let others = rest.oldestOpen ?? (rest.hasFresh ? claim.at : nil)
            if let next = [rest.nextDue, opening].compactMap(\.self).min() {
                return .waitUntil(next, othersSince: others)
            }
            guard let others else { return .finished }
            return .othersAtWork(since: others)
        }
    }

    // MARK: Outcomes of batches

    /// Records the outcome of a batch, including Apple's responses about its tokens; false when the batch was given up
    /// meanwhile.
    ///
    /// - Throws: ``RegistryError/setBack`` when the database does not know of the claim.
    package func settle(
        _ batch: JournalBatch, _ failures: [TargetFailure], under lease: Lease?
    ) async throws(RegistryError) -> Bool {
        try await write(under: lease) { db in
            let journal = try db.frozen(batch.delivery, under: lease)
            let known = try db.batch(batch.number, of: journal)
            guard let known, known.claim?.claimant == batch.claimant else { throw RegistryError.setBack }
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
            let missed = try db.record(failures, of: known, in: journal)
            try db.prove(known.targets, except: failed, in: journal.environment)
            let reached = (0..<known.targets.count).filter { !failed.contains($0) }
            try db.reach(reached, of: known, in: journal, isDoubtful: false)
            let doubtful = failures.filter { $0.ending == .inDoubt }.map(\.index)
            try db.reach(doubtful, of: known, in: journal, isDoubtful: true)
            let accepted = known.targets.count - failed.count
            let isTried = accepted > 0 || failures.contains(where: \.ending.isOutcome)
            try db.end(known, as: .settled, at: isTried ? db.now : nil, accepted: accepted, missed: missed)
            return true
        }
    }

    /// Marks the batches that an earlier fence, or another sender before `before`, left open as in doubt.
    ///
    /// With nil for `before`, batches claimed under this fence stay open.
    package func giveUp(
        _ delivery: String, claimedBefore before: Instant?, under lease: Lease?
    ) async throws(RegistryError) {
        try await write(under: lease) { db in
            guard let journal = try db.known(delivery, .shared, under: lease) else { return }
            try db.giveUpOpen(of: journal, before: lease?.fence, or: before)
        }
    }

    /// Schedules the tokens in doubt to be sent again, which a person found to have received nothing; this reopens a closed
    /// delivery.
    package func reopenDoubtful(_ delivery: String, under lease: Lease?) async throws(RegistryError) {
        try await write(under: lease) { db in
            guard var journal = try db.known(delivery, .changing, under: lease) else { return }
            // A batch that was open when the delivery was closed is in doubt as well: its fence is an earlier one.
            try db.giveUpOpen(of: journal, before: lease?.fence, or: nil)
            guard try db.reopenDoubtful(of: journal) > 0 else { return }
            (journal.closedAt, journal.reopenedAt) = (nil, db.now)
            // A person has found that some devices of closed parts received nothing.
            try db.execute("UPDATE journalPart SET closedAt = NULL WHERE delivery = ?", [delivery])
            try db.execute("DELETE FROM reached WHERE delivery = ? AND doubtful = 1", [delivery])
            try db.write(journal)
        }
    }

    /// Schedules the devices in doubt to be sent again whose part is not closed, although they may have received it: they
    /// count as reached, their time stays as it is, and those that are not answered until then are in doubt again.
    package func resendDoubtful(_ delivery: String, under lease: Lease?) async throws(RegistryError) {
        try await write(under: lease) { db in
            guard let journal = try db.known(delivery, .changing, under: lease), journal.closedAt == nil else { return }
            try db.resendDoubtful(of: journal)
        }
    }

    // MARK: Closing

    /// Gives what waits of a delivery its window from now: a person had stopped it, and lets it go on.
    ///
    /// What a verdict has stopped as well waits for a decision about that.
    package func renewWindow(of delivery: String, under lease: Lease?) async throws(RegistryError) {
        try await write(under: lease) { db in
            guard var journal = try db.known(delivery, .changing, under: lease), journal.closedAt == nil,
                try db.parts(of: journal).allSatisfy({ try $0.judgement?.opensNext ?? true })
            else { return }
            journal.reopenedAt = db.now
            try db.write(journal)
        }
    }

    /// Ends a delivery: unsent devices count as missed, also those of an audience that is not complete, and the rows of
    /// accepted tokens are removed.
    package func close(_ delivery: String, under lease: Lease?) async throws(RegistryError) -> JournalFigures {
        try await write(under: lease) { db in
            guard var journal = try db.known(delivery, .changing, under: lease), journal.closedAt == nil else { return }
            if journal.freezing != nil { journal.targets = try db.figures(of: journal).waiting }
            if journal.freezing == nil {
                for part in try db.parts(of: journal) { try db.close(part, of: journal) }
            }
            try db.missFresh(of: journal, part: nil)
            journal.missed += try db.removeWaiting(of: journal)
            (journal.freezing, journal.closedAt) = (nil, db.now)
            try db.write(journal)
        }
        // In steps that each take little time.
        var last = 0
        while let next = try await write({ [last] db in
            try db.known(delivery, .free, under: lease).flatMap { try db.clearMissed(of: $0, after: last) }
        }) {
            last = next
        }
        try await write { db in try db.packReached(delivery, under: lease) }
        return try await figures(of: delivery)
    }

    /// Forgets which installations the workspace's deliveries reached before a time.
    package func forgetReached(before: Instant, of workspace: String, under lease: Lease?) async throws(RegistryError) {
        try await write(under: lease) { db in try db.forgetReached(before: before, of: workspace, under: lease) }
    }
}

extension RegistryTransaction {
    /// Marks the devices of open batches of an earlier fence, or claimed before an instant, as in doubt.
    fileprivate func giveUpOpen(of journal: JournalRow, before fence: Int?, or instant: Instant?) throws {
        for batch in try open(of: journal, before: fence, or: instant) {
            try add((0..<batch.targets.count).map { batch.row($0, .inDoubt) }, to: journal)
            try reach(Array(0..<batch.targets.count), of: batch, in: journal, isDoubtful: true)
            try end(batch, as: .givenUp)
        }
    }

    /// Returns the journal of a delivery that must have been started.
    func begun(_ delivery: String, _ hold: RowHold) throws -> JournalRow {
        guard let journal = try journal(of: delivery, hold) else {
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
    fileprivate func known(_ delivery: String, _ hold: RowHold, under lease: Lease?) throws -> JournalRow? {
        guard let journal = try journal(of: delivery, hold) else { return nil }
        try check(lease, of: journal.workspace)
        return journal
    }

    /// Returns the progress of a delivery; nil when it was never started.
    package func figures(of delivery: String) throws -> JournalFigures? {
        guard let journal = try journal(of: delivery, .free) else { return nil }
        return try figures(of: journal)
    }

    /// The number of devices that a delivery's services accepted, by profile.
    func accepted(of delivery: String) throws -> [String: Int] {
        try counts("SELECT profile, SUM(accepted) FROM journalBatch WHERE delivery = ? GROUP BY profile", [delivery])
    }

    func figures(of journal: JournalRow) throws -> JournalFigures {
        var figures = JournalFigures(
            targets: journal.targets, missed: journal.missed, leftOut: try journal.leftOutByReason(),
            isFrozen: journal.freezing == nil, isClosed: journal.closedAt != nil, lastOutcomeAt: journal.reopenedAt)
        let (parts, batches) = (try parts(of: journal), try batchSums(of: journal))
        let targets = try targetSums(of: journal)
        figures.add(batches, targets)
        figures.parts = try self.figures(of: parts, batches, targets, reopenedAt: journal.reopenedAt)
        figures.lastOutcomeAt = ([figures.lastOutcomeAt] + figures.parts.map(\.figures.lastOutcomeAt))
            .compactMap(\.self).max()
        figures.missed += parts.reduce(0) { $0 + $1.missed }
        return figures
    }

    fileprivate func claimFresh(
        of journal: JournalRow, upTo part: Int, besides profiles: [String], for claim: BatchClaim
    ) throws -> BatchRow? {
        guard var batch = try takeFresh(of: journal, upTo: part, besides: profiles, for: claim) else { return nil }
        guard journal.raisesBadges else { return batch }
        for badge in try raiseBadges(of: batch.targets) { batch.tries.append(badge: badge, attempts: 0) }
        try execute(
            "UPDATE journalBatch SET tries = ? WHERE delivery = ? AND number = ?",
            [SQLValue.bytes(batch.tries.bytes), batch.delivery, batch.number])
        return batch
    }

    fileprivate func claimDue(
        of journal: JournalRow, besides profiles: [String], for claim: BatchClaim
    ) throws -> BatchRow? {
        let due = try takeDue(of: journal, besides: profiles)
        guard let first = due.first else { return nil }
        var (targets, tries, texts) = (TargetPack(reserving: due.count), TargetTries(), [[String]]())
        for target in due {
            targets.append(token: Array(target.token.utf8), row: target.row)
            if !target.texts.isEmpty { texts.append(target.texts) }
            tries.append(
                badge: target.badge, attempts: target.attempts, isResent: target.reason == TargetRow.resend,
                dueAt: target.dueAt ?? TargetRow.atOnce)
        }
        // When two take the next number they conflict, and one retries.
        let last = try number("SELECT MAX(number) FROM journalBatch WHERE delivery = ?", [journal.delivery])
        let batch = BatchRow(
            delivery: journal.delivery, number: last + 1, part: first.part, form: first.form, profile: first.profile,
            state: .open, claim: claim, targets: targets, tries: tries, texts: texts)
        try add([batch])
        return batch
    }

    /// Writes the devices that were not accepted; returns the number of missed ones, if the delivery or its part was
    /// closed meanwhile.
    fileprivate func record(_ failures: [TargetFailure], of batch: BatchRow, in journal: JournalRow) throws -> Int {
        var (rows, missed): ([TargetRow], Int) = ([], 0)
        let isOver = try journal.closedAt != nil || isClosed(part: batch.part, of: journal)
        var (dead, suspects): ([(target: TargetRow, since: Instant?)], [TargetRow]) = ([], [])
        for failure in failures {
            var row = batch.row(failure.index, .refused)
            row.reason = failure.reason
            switch failure.ending {
            case .refused: break
            case .dead(let since): dead.append((row, since))
            case .deadIfProven: suspects.append(row)
            case .again where isOver && batch.tries[failure.index].isResent: row.state = .inDoubt
            case .again where isOver:
                missed += 1
                continue
            case .again(let after, let counting):
                let tried = batch.tries[failure.index]
                // Who is tried in vain is due as before: their window does not begin anew.
                (row.state, row.dueAt, row.attempts) = (.waits, after ?? tried.dueAt, row.attempts + counting)
                if tried.isResent { row.reason = TargetRow.resend }
            case .inDoubt: row.state = .inDoubt
            }
            rows.append(row)
        }
        if !suspects.isEmpty {
            dead += try proven(among: suspects, in: journal.environment).map { ($0, nil) }
        }
        if !dead.isEmpty { try markDead(dead) }
        if !rows.isEmpty { try add(rows, to: journal) }
        return missed
    }
}

extension BatchRow {
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
            attempts: tried.attempts, state: state)
    }
}

extension TargetFailure.Ending {
    /// False when nothing came of the attempt: as after a connection that could not be made.
    fileprivate var isOutcome: Bool { if case .again(nil, _) = self { false } else { true } }
}
