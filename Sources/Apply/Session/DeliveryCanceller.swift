internal import Push

/// Cancels a scheduled push: `cancelling` first, `cancelled` once it is certainly gone.
struct DeliveryCanceller: Sendable {
    let context: ApplyContext
    let change: Change

    /// Cancels, and delivers the next generation if there is one and the old push is certainly gone.
    func cancel(_ entry: LedgerEntry, then next: LedgerEntry?) async -> ChangeResult {
        guard await context.mayStart() else { return recording.lockLost(Reason(.nothingWasCancelled)) }
        if entry.state == .scheduled, let at = entry.scheduledAt, at - context.time.now < .seconds(300) {
            return ChangeResult(change, .skipped, Reason(.tooLateToChange, .instant(at)))
        }
        // Only a pending push has a time at which it may have been sent.
        let isPending = entry.state == .scheduled || entry.state == .cancelling
        let times = entry.scheduledAt.flatMap { isPending ? [entry.notificationID: $0] : nil } ?? [:]
        do throws(RemoteError) {
            var entry = entry
            entry.state = .cancelling
            try await context.update(entry)
            let withdrawal = try await PushWithdrawal(context: context, change: change)
                .withdraw(entry.notificationIDs(), known: entry.scheduledID, times: times)
            let result = await conclude(entry, withdrawal)
            guard case .gone = withdrawal, result.outcome == .done, let next else { return result }
            return await DeliverySender(context: context, change: change).deliver(next, replaces: true)
        } catch {
            return incomplete(error)
        }
    }

    /// Cancels pushes of a delivery that should not be pending.
    func withdraw(_ pushes: [ScheduledPush]) async -> ChangeResult {
        guard await context.mayStart() else { return recording.lockLost(Reason(.nothingWasCancelled)) }
        do throws(RemoteError) {
            switch try await PushWithdrawal(context: context, change: change)
                .withdraw(Set(pushes.compactMap(\.notification)))
            {
            case .gone, .neverListed: return ChangeResult(change, .done, Reason(.wasCancelled))
            case .due(let id):
                return ChangeResult(change, .unknown, Reason(.pushTimePassed, .text(id.text)))
            case .listed: return stillListed
            }
        } catch {
            return incomplete(error)
        }
    }

    private var recording: LedgerRecorder { LedgerRecorder(context: context, change: change) }

    private func conclude(_ entry: LedgerEntry, _ withdrawal: PushWithdrawal.Outcome) async -> ChangeResult {
        switch withdrawal {
        case .gone: return await recording.closed(entry, .cancelled, .done, Reason(.wasCancelled))
        case .due(let id): return await late(entry, id)
        case .listed: return stillListed
        case .neverListed:
            return ChangeResult(
                change, .unknown, entry.scheduledAt.map { Reason(.inNoListAt, .instant($0)) } ?? Reason(.inNoList))
        }
    }

    /// Concludes a push whose time passed before it was certainly gone: only a record can tell its outcome.
    private func late(_ entry: LedgerEntry, _ id: DeliveryID) async -> ChangeResult {
        switch await context.gatherer.evidence(for: id) {
        case .found(let record) where record.standing == .scheduled || record.doubt != nil:
            let says = record.doubt ?? Reason(.stillScheduled)
            return await recording.closed(entry, .unknown, .unknown, Reason(.timePassed, .reason(says)))
        case .found(let record):
            let result = await recording.adopted(entry, record)
            if result.outcome == .done {
                context.report(.warning("\(change.name): its push fired before its cancel [fired-before-cancel]"))
            }
            return result
        case .journal: return ChangeResult(change, .failed, Reason(.onlyJournal))
        case .failed(let reason):
            let why = Reason(.timePassed, .reason(Reason(.recordUnreadable, .reason(reason))))
            return ChangeResult(change, .unknown, why.also(Reason(.continues)))
        case .none:
            return await recording.closed(
                entry, .unknown, .unknown, Reason(.timePassed, .reason(Reason(.noRecord))))
        }
    }

    private var stillListed: ChangeResult {
        ChangeResult(change, .failed, Reason(.mayBeThere).also(Reason(.continues)))
    }

    private func incomplete(_ error: RemoteError) -> ChangeResult {
        ChangeResult(
            change, .failed, Reason(.cancellationOpen, .text(error.description)).also(Reason(.continues)))
    }
}
