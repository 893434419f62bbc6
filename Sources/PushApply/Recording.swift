internal import PushModel
internal import PushPlan

/// Writes into the ledger what became of a delivery.
struct Recording: Sendable {
    let context: ApplyContext
    let change: Change

    /// How a delivery ends that was not made; only a proof says that it was refused.
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

    /// Records that the service took it.
    func accepted(_ entry: LedgerEntry, objectID: String?, figures: DeliveryFigures? = nil) async -> ChangeResult {
        var entry = entry
        entry.state = entry.scheduledAt == nil ? .sent : .scheduled
        entry.objectID = objectID
        entry.figures = figures
        entry.reason = nil
        let remark = await context.record(entry)
        return ChangeResult(
            change, .done, remark.isEmpty ? "" : entry.state.rawValue + remark, objectID: objectID, figures: figures)
    }

    /// Records what the service's own record of the push tells.
    ///
    /// - Parameter isFinal: whether its figures count although the service does not say that it is done.
    func adopted(_ entry: LedgerEntry, _ record: PushRecord, isFinal: Bool = false) async -> ChangeResult {
        if case .refused(let refusal) = record.standing {
            return await closed(entry, .refused(.record(refusal)), .refused, refusal.rawValue)
        }
        var entry = entry
        if record.standing != .scheduled { entry.scheduledAt = nil }
        return await accepted(
            entry, objectID: record.objectID ?? entry.objectID,
            figures: record.isDone || isFinal ? record.figures : nil)
    }

    /// Records a delivery that ended device by device.
    ///
    /// - Parameter remark: what else there is to say.
    func delivered(_ entry: LedgerEntry, _ figures: DeliveryFigures, remark: String = "") async -> ChangeResult {
        var result = await accepted(entry, objectID: nil, figures: figures)
        var parts = [remark]
        if figures.missed > 0 { parts.append("\(grouped(figures.missed)) devices were not sent to in time") }
        if figures.inDoubt > 0 {
            result.outcome = .unknown
            parts.append(
                "the answers of \(grouped(figures.inDoubt)) devices were lost; '\(entry.resolveCommand)' closes it or sends to those"
            )
        }
        result.detail = (parts + [result.detail]).filter { !$0.isEmpty }.joined(separator: "; ")
        return result
    }

    /// Records how it ended otherwise.
    func closed(
        _ entry: LedgerEntry, _ closing: Closing, _ ending: ChangeOutcome, _ reason: String,
        cause: ChangeResult.Cause? = nil
    ) async -> ChangeResult {
        if let result = await closeJournal(of: entry, closing, ending, reason, cause) { return result }
        var closed = entry
        closed.state = closing.state
        closed.reason = reason
        closed.isMissed = closing == .unsent(isMissed: true)
        let remark = await context.record(closed)
        return ChangeResult(change, ending, reason + remark, objectID: entry.objectID, cause: cause)
    }

    /// Before the ledger says that nothing was sent: whoever helps goes on until the journal is closed, and another try
    /// has a journal of its own. A result when something was sent after all.
    private func closeJournal(
        of entry: LedgerEntry, _ closing: Closing, _ ending: ChangeOutcome, _ reason: String,
        _ cause: ChangeResult.Cause?
    ) async -> ChangeResult? {
        switch closing {
        case .cancelled, .unknown: return nil
        case .refused, .unsent: break
        }
        guard let journaling = context.writer.journaling else { return nil }
        do throws(RemoteError) {
            // What others took up meanwhile the next apply goes on with.
            if closing == .unsent(isMissed: false), try await context.reader.journal(of: entry).hasSent {
                return ChangeResult(
                    change, .failed, "\(reason); the next apply goes on where it stands", cause: cause)
            }
            let figures = try await journaling.conclude(entry, under: await context.keeper.lease)
            guard figures.successes + figures.inDoubt > 0 else { return nil }
            // Whoever helps took devices up in the last moment: another try would send to them again.
            var result = await delivered(entry, figures, remark: reason)
            if result.outcome == .done { (result.outcome, result.cause) = (ending, cause) }
            return result
        } catch {
            await context.keeper.confirm()
            return ChangeResult(
                change, .failed,
                "\(reason); its journal could not be closed (\(error.description)), the next apply goes on",
                cause: cause)
        }
    }

    /// The lock no longer certainly holds: whoever holds it next settles what is open.
    func lockLost(_ what: String) -> ChangeResult {
        ChangeResult(change, .skipped, "the lock was lost; \(what)")
    }
}
