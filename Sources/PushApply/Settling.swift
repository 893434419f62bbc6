internal import PushModel
internal import PushPlan
internal import PushRemote

/// Finds out what became of a request whose answer nobody has, and ends it as the evidence allows.
struct Settling: Sendable {
    let context: ApplyContext
    let change: Change

    /// Settles a delivery that stands in `sending`.
    ///
    /// - Parameter reason: why its outcome is open.
    func settle(_ open: LedgerEntry, _ resume: ResumeContext, after reason: String) async -> ChangeResult {
        let delivering = Delivering(context: context, change: change)
        var entry = open
        var hasRepeated = false
        while true {
            guard await context.keeper.hasTime(for: .zero) else {
                return ChangeResult(change, .unknown, "the lock was lost while its outcome was open (\(reason))")
            }
            let evidence = await context.gatherer.evidence(for: entry.notificationID)
            if case .failed(let why) = evidence, context.writer.journaling != nil {
                // It is there, and only cannot be read now: nothing of it is unknown to the next apply.
                return ChangeResult(change, .failed, "its journal cannot be read (\(why)); the next apply goes on")
            }
            let now = context.time.now
            switch Resumption.decide(entry, evidence: evidence, context: resume, now: now) {
            case .adopt(let record): return await adopt(record, entry)
            case .repeatRequest(let notBefore):
                let wait = hasRepeated ? Self.interval : notBefore - now
                guard await context.pause(wait, "\(change.name): \(reason)") else { return stillOpen(reason) }
                if hasRepeated { continue }
                hasRepeated = true
                if let result = await repeatRequest(entry) { return result }
            case .lookAgain(let until):
                guard await context.pause(min(Self.interval, until - now), "\(change.name): looking for its record")
                else { return stillOpen(reason) }
            case .send:
                // A new request is a new intent: until its record can be there, it counts as young again.
                entry.attemptedAt = now
                hasRepeated = true
                if let result = await sendAnew(entry) { return result }
            case .missed(let why):
                return await delivering.closed(entry, .unsent, .done, "not sent: \(why)", isMissed: true)
            case .leaveUnsent:
                return await delivering.closed(entry, .unsent, .done, "not sent, and not wanted any more")
            case .unknown(let why): return await delivering.closed(entry, .unknown, .unknown, why)
            case .goOn: return await goOn(entry)
            case .conclude(let why, _): return await conclude(entry, why)
            case .startOver:
                return await delivering.closed(
                    entry, .unsent, .failed, "nothing of it was sent; the next apply may send it")
            case .hold(let why): return ChangeResult(change, .skipped, why)
            }
        }
    }

    /// How long to wait between two looks.
    private static let interval = Duration.seconds(3)

    private func adopt(_ record: PushRecord, _ entry: LedgerEntry) async -> ChangeResult {
        let delivering = Delivering(context: context, change: change)
        if let failure = record.failure { return await delivering.closed(entry, .refused, .refused, failure) }
        var entry = entry
        if !record.isScheduled { entry.scheduledAt = nil }
        return await delivering.accepted(
            entry, objectID: record.objectID, figures: record.isDone ? record.figures : nil)
    }

    /// Repeats the stored request once; nil when the answer decides nothing, so that it is looked up.
    private func repeatRequest(_ entry: LedgerEntry) async -> ChangeResult? {
        guard entry.request != nil, await context.mayStart() else { return nil }
        // Confirming the lock may have taken long, and a repeat is one push for five minutes only.
        guard context.time.now - entry.attemptedAt < Resumption.repeatable else { return nil }
        switch await context.writer.send(context.sending(entry, for: change)) {
        case .accepted(let objectID):
            return await Delivering(context: context, change: change).accepted(entry, objectID: objectID)
        case .delivered(let figures):
            return await Delivering(context: context, change: change).delivered(entry, figures)
        case .refused, .deferred, .unknown, .unauthorized, .interrupted: return nil
        }
    }

    /// Sends the stored request after the remote was found not to have it.
    private func sendAnew(_ entry: LedgerEntry) async -> ChangeResult? {
        let delivering = Delivering(context: context, change: change)
        guard entry.request != nil, await context.mayStart() else {
            return delivering.lockLost("it was not sent again")
        }
        do throws(RemoteError) {
            try await context.update(entry)
        } catch {
            return ChangeResult(change, .failed, "not sent, the ledger could not be written: \(error.description)")
        }
        switch await context.writer.send(context.sending(entry, for: change)) {
        case .accepted(let objectID): return await delivering.accepted(entry, objectID: objectID)
        case .delivered(let figures): return await delivering.delivered(entry, figures)
        case .refused(let reason): return await delivering.closed(entry, .refused, .refused, reason)
        case .unauthorized(let reason):
            return await delivering.closed(entry, .refused, .failed, reason, cause: .credentials)
        case .deferred(let reason, _, _): return await delivering.closed(entry, .unsent, .failed, reason)
        case .unknown, .interrupted: return nil
        }
    }

    /// Sends to the devices that the journal says are left; the entry says first who does it.
    private func goOn(_ open: LedgerEntry) async -> ChangeResult {
        guard await context.mayStart() else {
            return Delivering(context: context, change: change).lockLost("nothing more was sent")
        }
        do throws(RemoteError) {
            try await context.update(open)
        } catch {
            return ChangeResult(
                change, .failed, "nothing more was sent, the ledger could not be written: \(error.description)")
        }
        return await Delivering(context: context, change: change).send(open)
    }

    private func conclude(_ entry: LedgerEntry, _ why: String) async -> ChangeResult {
        guard let journaling = context.writer.journaling else {
            return ChangeResult(change, .failed, "the remote keeps no journal")
        }
        do throws(RemoteError) {
            let figures = try await journaling.conclude(entry, under: await context.keeper.lease)
            return await Delivering(context: context, change: change).delivered(entry, figures, remark: why)
        } catch {
            return ChangeResult(change, .failed, "\(error.description); the next apply goes on")
        }
    }

    private func stillOpen(_ reason: String) -> ChangeResult {
        ChangeResult(change, .unknown, "stopped before its outcome was known (\(reason)); the next apply settles it")
    }
}
