internal import Push

/// Cancels a scheduled push: `cancelling` first, `cancelled` once it is certainly gone.
extension DeliveryWork {
    /// Cancels, and delivers the next generation if there is one and the old push is certainly gone.
    func cancel(_ entry: LedgerEntry, then next: LedgerEntry?) async -> ChangeResult {
        guard await context.mayStart() else { return lockLost(Reason(.nothingWasCancelled)) }
        // What a person stopped is gone already, or a record tells what became of it.
        if entry.state == .scheduled, entry.stopped == nil, let at = entry.scheduledAt,
            at - context.time.now < .seconds(300)
        {
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
            return await deliver(next, replaces: true)
        } catch {
            return incomplete(error)
        }
    }

    /// Cancels pushes of a delivery that should not be pending.
    func withdraw(_ pushes: [ScheduledPush]) async -> ChangeResult {
        guard await context.mayStart() else { return lockLost(Reason(.nothingWasCancelled)) }
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

    private func conclude(_ entry: LedgerEntry, _ withdrawal: PushWithdrawal.Outcome) async -> ChangeResult {
        switch withdrawal {
        case .gone: return await closed(entry, .cancelled, .done, Reason(.wasCancelled))
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
            return await closed(entry, .unknown, .unknown, Reason(.timePassed, .reason(says)))
        case .found(let record):
            let result = await adopted(entry, record)
            if result.outcome == .done {
                context.report(.warning("\(change.name): its push fired before its cancel [fired-before-cancel]"))
            }
            return result
        case .journal: return ChangeResult(change, .failed, Reason(.onlyJournal))
        case .failed(let reason):
            let why = Reason(.timePassed, .reason(Reason(.recordUnreadable, .reason(reason))))
            return ChangeResult(change, .unknown, why.also(Reason(.continues)))
        case .none:
            return await closed(entry, .unknown, .unknown, Reason(.timePassed, .reason(Reason(.noRecord))))
        }
    }

    private var stillListed: ChangeResult {
        ChangeResult(change, .failed, Reason(.mayBeThere).also(Reason(.continues)))
    }

    private func incomplete(_ error: RemoteError) -> ChangeResult {
        ChangeResult(change, .failed, Reason(.cancellationOpen, .text(error.description)).also(Reason(.continues)))
    }
}

/// Makes the remote drop scheduled pushes, and checks until they are certainly gone: lists can lag behind.
struct PushWithdrawal: Sendable {
    let context: ApplyContext
    let change: Change

    enum Outcome: Hashable, Sendable {
        /// The remote was asked to drop them, and then several lists in a row were without them before their time.
        case gone
        /// This push may have been sent: its time passed before it was gone.
        case due(DeliveryID)
        /// The remote lists one, or did so until a moment ago.
        case listed
        /// No list has ever shown one: they may exist all the same.
        case neverListed
    }

    /// The consecutive absences after which a push that was listed before counts as gone.
    private static let absences = 2
    /// The consecutive absences after which a push that was never listed is given up.
    private static let patience = 5

    /// Drops every push with one of the ids.
    ///
    /// - Parameters:
    ///   - ids: the ids in the requests of the pushes.
    ///   - known: the id under which an earlier list had one: it is dropped whatever the lists say now, as are those
    ///     from the plan's list.
    ///   - times: the times at which they may be sent, as far as the ledger knows.
    /// - Returns: the outcome for all of them; ``Outcome/listed`` also when the apply was stopped before they were
    ///   gone.
    /// - Throws: `RemoteError` when the scheduled pushes cannot be listed or one cannot be cancelled.
    func withdraw(
        _ ids: Set<DeliveryID>, known: Int64? = nil, times: [DeliveryID: Instant] = [:]
    ) async throws(RemoteError) -> Outcome {
        var times = times
        let planned = context.listed.pushes(of: ids)
        for push in planned { push.notification.map { times[$0] = push.at } }
        var listed = try await context.reader.scheduledPushes()
        var handles = listed.handles(of: ids, known: planned.map(\.id) + [known].compactMap(\.self))
        try await drop(handles)
        var absences = 0
        for look in 0..<15 {
            for push in listed.pushes(of: ids) { push.notification.map { times[$0] = push.at } }
            if look > 0, !(await context.pause(.seconds(1), "\(change.name): waiting until its push is gone")) { break }
            listed = try await context.reader.scheduledPushes()
            let alive = listed.handles(of: ids)
            absences = alive.isEmpty ? absences + 1 : 0
            if absences == (handles.isEmpty ? Self.patience : Self.absences) {
                return outcome(times, wasNamed: !handles.isEmpty)
            }
            // Asking again does no harm: a push that is gone cannot be cancelled twice.
            try await drop(look % 3 == 2 ? alive : alive.subtracting(handles))
            handles.formUnion(alive)
        }
        return .listed
    }

    private func drop(_ handles: Set<Int64>) async throws(RemoteError) {
        for handle in handles.sorted() { try await context.writer.cancel(handle) }
    }

    private func outcome(_ times: [DeliveryID: Instant], wasNamed: Bool) -> Outcome {
        // The server's clock is known only to the second.
        let now = context.time.now + .seconds(5)
        if let due = times.filter({ $0.value <= now }).keys.min() { return .due(due) }
        return wasNamed ? .gone : .neverListed
    }
}
