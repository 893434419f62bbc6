internal import Push

/// Records the outcome of a delivery in the ledger.
extension DeliveryWork {
    /// The ways to close a delivery that was not sent; a refusal requires a proof.
    enum Closing: Hashable, Sendable {
        case refused(Proof)
        case unsent(isMissed: Bool)
        case cancelled
        case unknown

        fileprivate var state: DeliveryState {
            switch self {
            case .refused: .refused
            case .unsent: .unsent
            case .cancelled: .cancelled
            case .unknown: .unknown
            }
        }
    }

    func accepted(_ entry: LedgerEntry, objectID: String?, figures: DeliveryFigures? = nil) async -> ChangeResult {
        var entry = entry
        entry.state = entry.scheduledAt == nil ? .sent : .scheduled
        entry.objectID = objectID
        entry.figures = figures
        entry.reason = nil
        let remark = await context.record(entry)
        return ChangeResult(
            change, .done,
            remark.map { Reason(entry.state == .sent ? .wasSent : .wasScheduled).also($0) }, objectID: objectID,
            figures: figures)
    }

    /// Records the outcome told by the service's own record of the push; with `isFinal`, its figures are used even if
    /// the service does not report it as done.
    func adopted(_ entry: LedgerEntry, _ record: PushRecord, isFinal: Bool = false) async -> ChangeResult {
        if case .refused(let refusal) = record.standing {
            return await closed(entry, .refused(.record(refusal)), .refused, .verbatim(refusal.rawValue))
        }
        var entry = entry
        if record.standing != .scheduled { entry.scheduledAt = nil }
        return await accepted(
            entry, objectID: record.objectID ?? entry.objectID,
            figures: record.isDone || isFinal ? record.figures : nil)
    }

    /// Records a delivery that ended device by device, with an additional remark; `isWanted` is false for one that the
    /// files do not want any more, so that nobody misses its rest.
    func delivered(
        _ entry: LedgerEntry, _ figures: DeliveryFigures, remark: Reason? = nil, isWanted: Bool = true
    ) async -> ChangeResult {
        let isPartial = isWanted && figures.lost(since: entry) > 0
        guard !figures.isUntried else {
            let why = Reason(figures.audience > 0 ? .allTimesOver : .nobodyWasIn)
            var result = await closed(
                entry, .unsent(isMissed: true), isPartial ? .partly : .done,
                Reason(.notSent, .reason(remark.map { Reason(.says, .reason($0), .reason(why)) } ?? why)))
            if result.figures == nil { result.figures = figures }
            return result
        }
        var result = await accepted(entry, objectID: nil, figures: figures)
        if isPartial { result.outcome = .partly }
        var parts = [remark]
        if figures.inDoubt > 0 {
            result.outcome = .unknown
            parts.append(Reason(.answersLostResolve, .count(figures.inDoubt), .text(entry.resolveCommand)))
        }
        result.detail = .joined((parts + [result.detail]).compactMap(\.self))
        return result
    }

    /// Records that a rollout waits for a person's decision about its rest.
    func stopped(_ entry: LedgerEntry, _ verdict: StageVerdict, _ figures: DeliveryFigures) async -> ChangeResult {
        var entry = entry
        entry.state = verdict.decision == .halt ? .halted : .holding
        entry.figures = figures
        let stage = Reason(.stage, .number(verdict.stage), .reason(verdict.rule))
        entry.reason = stage
        let remark = await context.record(entry)
        let ending = Reason(
            entry.state == .halted ? .haltedAfter : .holdsAfter, .reason(stage), .text(entry.resolveCommand))
        return ChangeResult(change, .unknown, ending.also(remark), figures: figures)
    }

    /// Records that the audience broke a rule when it was to be frozen: nothing was sent, and a later apply may try again.
    func blocked(_ entry: LedgerEntry, _ figures: DeliveryFigures) async -> ChangeResult {
        let block =
            context.limits.block(change, devices: figures.devices, approved: entry.mostDevices)
            ?? Block(.maxAudience, Reason(.notAllowedCount, .count(figures.devices)))
        var result = await closed(entry, .unsent(isMissed: false), .skipped, block.message)
        guard result.outcome == .skipped else { return result }
        result.change.blocked.append(block)
        let said = Reason(.says, .text(block.rule.rawValue), .reason(result.detail ?? block.message))
        (result.detail, result.figures) = (Reason(.blocked, .reason(said)), figures)
        return result
    }

    /// Records another ending.
    func closed(
        _ entry: LedgerEntry, _ closing: Closing, _ ending: ChangeOutcome, _ reason: Reason,
        cause: ChangeResult.Cause? = nil
    ) async -> ChangeResult {
        if let result = await closeJournal(of: entry, closing, ending, reason, cause) { return result }
        var closed = entry
        closed.state = closing.state
        closed.reason = reason
        closed.isMissed = closing == .unsent(isMissed: true)
        let remark = await context.record(closed)
        return ChangeResult(change, ending, reason.also(remark), objectID: entry.objectID, cause: cause)
    }

    /// Closes the journal before the ledger says that nothing was sent: helpers continue until it is closed, and
    /// another attempt has a journal of its own. Returns a result when something was sent after all.
    private func closeJournal(
        of entry: LedgerEntry, _ closing: Closing, _ ending: ChangeOutcome, _ reason: Reason,
        _ cause: ChangeResult.Cause?
    ) async -> ChangeResult? {
        switch closing {
        case .cancelled, .unknown: return nil
        case .refused, .unsent: break
        }
        guard let journaling = context.writer.journaling else { return nil }
        do throws(RemoteError) {
            // The next apply continues what helpers have started meanwhile.
            if closing == .unsent(isMissed: false), try await context.reader.journal(of: entry).hasSent {
                return ChangeResult(change, .failed, reason.also(Reason(.continuesThere)), cause: cause)
            }
            let figures = try await journaling.conclude(entry, under: await context.keeper.lease)
            guard figures.successes + figures.inDoubt > 0 else { return nil }
            // Helpers started some devices at the last moment: another attempt would send to them again.
            var result = await delivered(entry, figures, remark: reason)
            if result.outcome != .unknown { (result.outcome, result.cause) = (ending, cause) }
            return result
        } catch {
            await context.keeper.confirm()
            return ChangeResult(
                change, .failed,
                reason.also(Reason(.journalNotClosed, .text(error.description))),
                cause: cause)
        }
    }

    /// The result when the lock may not hold any more: its next holder settles what is open.
    func lockLost(_ what: Reason) -> ChangeResult {
        ChangeResult(change, .skipped, Reason(.lockLost).also(what))
    }
}

extension DeliveryFigures {
    /// The devices whose time was over, besides those that an earlier apply told of; 0 when the files gave up the rest.
    func lost(since entry: LedgerEntry) -> Int {
        verdicts.contains { $0.decision == .halt } ? 0 : missed - (entry.figures?.missed ?? 0)
    }
}
