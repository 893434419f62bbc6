internal import PushModel
internal import PushPlan
internal import PushRemote

/// Cancels a push that the remote keeps for later: `cancelling` first, `cancelled` once it is gone.
struct Cancelling: Sendable {
    let context: ApplyContext
    let change: Change

    /// Cancels, and delivers the next generation when there is one and the old push is certainly gone.
    func cancel(_ entry: LedgerEntry, then next: LedgerEntry?) async -> ChangeResult {
        guard await context.mayStart() else {
            return Delivering(context: context, change: change).lockLost("nothing was cancelled")
        }
        if entry.state == .scheduled, let at = entry.scheduledAt, at - context.time.now < .seconds(300) {
            return ChangeResult(change, .skipped, "it is due at \(at.text), in less than 5 minutes")
        }
        do throws(RemoteError) {
            var entry = entry
            entry.state = .cancelling
            try await context.update(entry)
            let result = try await withdraw(entry)
            guard result.outcome == .done, let next, result.isCancelled else { return result.result }
            return await Delivering(context: context, change: change).deliver(next, replaces: true)
        } catch {
            return ChangeResult(
                change, .failed, "the cancellation is not complete (\(error.description)); the next apply goes on")
        }
    }

    /// What became of the push that was to be withdrawn.
    private struct Withdrawal {
        let result: ChangeResult
        let isCancelled: Bool
        var outcome: ChangeOutcome { result.outcome }
    }

    private func withdraw(_ entry: LedgerEntry) async throws(RemoteError) -> Withdrawal {
        for attempt in 0..<10 {
            let listed = try await context.reader.scheduledPushes()
                .first { $0.notificationID == entry.notificationID.text }
            guard let listed else { return await gone(entry) }
            // Asking once more does no harm: a push that is gone cannot be cancelled twice.
            if attempt % 3 == 0 { try await context.writer.cancel(listed) }
            if attempt > 0, await !context.pause(.seconds(1), "\(change.name): waiting until its push is gone") {
                break
            }
        }
        return Withdrawal(
            result: ChangeResult(change, .failed, "the remote still lists the push; the next apply goes on"),
            isCancelled: false)
    }

    /// The push is not listed: before its time it was cancelled, after it only a record can tell.
    private func gone(_ entry: LedgerEntry) async -> Withdrawal {
        let delivering = Delivering(context: context, change: change)
        // The server's clock is known to the second only.
        if let at = entry.scheduledAt, at > context.time.now + .seconds(5) {
            let result = await delivering.closed(entry, .cancelled, .done, "cancelled")
            return Withdrawal(result: result, isCancelled: true)
        }
        switch await context.gatherer.evidence(for: entry.notificationID) {
        case .found(let record):
            context.report(.warning("\(change.name): its push fired before its cancel [fired-before-cancel]"))
            var sent = entry
            sent.scheduledAt = nil
            let result = await delivering.accepted(sent, objectID: record.objectID, figures: record.figures)
            return Withdrawal(result: result, isCancelled: false)
        case .journal:
            return Withdrawal(
                result: ChangeResult(change, .failed, "the remote keeps a journal and lists no pushes to cancel"),
                isCancelled: false)
        case .failed(let reason):
            let why = "its time passed while it was being cancelled, and its record cannot be looked up"
            return Withdrawal(
                result: ChangeResult(change, .unknown, "\(why) (\(reason)); the next apply goes on"),
                isCancelled: false)
        case .none:
            let result = await delivering.closed(
                entry, .unknown, .unknown, "its time passed while it was being cancelled, and no record tells")
            return Withdrawal(result: result, isCancelled: false)
        }
    }
}
