internal import PushModel
internal import PushPlan
internal import PushRemote

/// Cancels a scheduled push: `cancelling` first, `cancelled` once it is certainly gone.
struct DeliveryCanceller: Sendable {
    let context: ApplyContext
    let change: Change

    /// Cancels, and delivers the next generation if there is one and the old push is certainly gone.
    func cancel(_ entry: LedgerEntry, then next: LedgerEntry?) async -> ChangeResult {
        guard await context.mayStart() else { return recording.lockLost("nothing was cancelled") }
        if entry.state == .scheduled, let at = entry.scheduledAt, at - context.time.now < .seconds(300) {
            return ChangeResult(change, .skipped, "it is due at \(at.text), in less than 5 minutes")
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
        guard await context.mayStart() else { return recording.lockLost("nothing was cancelled") }
        do throws(RemoteError) {
            switch try await PushWithdrawal(context: context, change: change)
                .withdraw(Set(pushes.compactMap(\.notification)))
            {
            case .gone, .neverListed: return ChangeResult(change, .done, "cancelled")
            case .due(let id):
                return ChangeResult(
                    change, .unknown, "the time of its push \(id.text) passed while it was being cancelled")
            case .listed: return stillListed
            }
        } catch {
            return incomplete(error)
        }
    }

    private var recording: LedgerRecorder { LedgerRecorder(context: context, change: change) }

    private func conclude(_ entry: LedgerEntry, _ withdrawal: PushWithdrawal.Outcome) async -> ChangeResult {
        switch withdrawal {
        case .gone: return await recording.closed(entry, .cancelled, .done, "cancelled")
        case .due(let id): return await late(entry, id)
        case .listed: return stillListed
        case .neverListed:
            let at = entry.scheduledAt.map { " at \($0.text)" } ?? ""
            return ChangeResult(
                change, .unknown,
                "its push is in no list, so it could not be cancelled: if the remote has it, it is "
                    + "sent\(at); check the service's console, the next apply looks again")
        }
    }

    /// Concludes a push whose time passed before it was certainly gone: only a record can tell its outcome.
    private func late(_ entry: LedgerEntry, _ id: DeliveryID) async -> ChangeResult {
        switch await context.gatherer.evidence(for: id) {
        case .found(let record) where record.standing == .scheduled || record.doubt != nil:
            let says = record.doubt ?? "its record says that it is still scheduled"
            return await recording.closed(
                entry, .unknown, .unknown, "its time passed while it was being cancelled, and \(says)")
        case .found(let record):
            let result = await recording.adopted(entry, record)
            if result.outcome == .done {
                context.report(.warning("\(change.name): its push fired before its cancel [fired-before-cancel]"))
            }
            return result
        case .journal: return ChangeResult(change, .failed, "the remote keeps a journal but no pushes to cancel")
        case .failed(let reason):
            let why = "its time passed while it was being cancelled, and its record cannot be looked up"
            return ChangeResult(change, .unknown, "\(why) (\(reason)); the next apply continues")
        case .none:
            return await recording.closed(
                entry, .unknown, .unknown,
                "its time passed while it was being cancelled, and no record shows what happened")
        }
    }

    private var stillListed: ChangeResult {
        ChangeResult(change, .failed, "its push may still be there; the next apply continues")
    }

    private func incomplete(_ error: RemoteError) -> ChangeResult {
        ChangeResult(
            change, .failed, "the cancellation is not complete (\(error.description)); the next apply continues")
    }
}
