internal import PushModel
internal import PushPlan
internal import PushRemote

/// Sends one delivery: durable intent, one request, durable outcome.
struct Delivering: Sendable {
    let context: ApplyContext
    let change: Change

    /// Delivers what was planned; `replaces` says that the ledger has a closed entry of the delivery.
    func deliver(_ planned: LedgerEntry, replaces: Bool) async -> ChangeResult {
        guard await context.mayStart() else { return lockLost("nothing was sent") }
        var entry = await context.stamped(planned)
        let now = context.time.now
        if let why = reasonNotToStart(planned, now: now) { return ChangeResult(change, .skipped, why) }
        entry.intendedAt = now
        entry.attemptedAt = now
        do throws(RemoteError) {
            if replaces {
                try await context.update(entry)
            } else {
                try await context.writer.insert(entry, under: await context.keeper.lease)
            }
        } catch {
            return ChangeResult(
                change, .failed, "nothing was sent, the ledger could not be written: \(error.description)")
        }
        return await send(entry)
    }

    /// What came between the plan and this delivery's turn: earlier ones may have taken minutes.
    private func reasonNotToStart(_ planned: LedgerEntry, now: Instant) -> String? {
        let latest = (planned.scheduledAt ?? planned.intendedAt) + planned.window
        if now > latest { return "its window ended at \(latest.text), before its turn came" }
        guard planned.scheduledAt == nil, context.quietHours?.contain(now) == true else { return nil }
        return "quiet hours began before its turn came"
    }

    /// Makes the request of an entry whose intent is recorded.
    func send(_ intended: LedgerEntry) async -> ChangeResult {
        var entry = intended
        guard entry.request != nil else {
            return ChangeResult(change, .failed, "the ledger does not hold the request")
        }
        var tries = 0
        while true {
            guard await context.mayStart() else { return lockLost("nothing was sent") }
            switch await context.writer.send(context.sending(entry, for: change)) {
            case .accepted(let objectID): return await accepted(entry, objectID: objectID)
            case .delivered(let figures): return await delivered(entry, figures)
            case .interrupted(let reason):
                await context.keeper.confirm()
                return ChangeResult(change, .failed, "\(reason); the next apply goes on where it stands")
            case .refused(let reason): return await closed(entry, .refused, .refused, reason)
            case .unauthorized(let reason):
                return await closed(entry, .refused, .failed, reason, cause: .credentials)
            case .unknown(let reason):
                return await Settling(context: context, change: change)
                    .settle(entry, ResumeContext(isWanted: true, quietHours: context.quietHours), after: reason)
            case .deferred(let reason, let after, let isRateLimit):
                tries += 1
                let wait = after ?? Self.backoff(tries)
                guard tries <= context.options.retries, isInTime(entry, after: wait),
                    await context.pause(wait, "\(change.name): \(reason)")
                else {
                    return await closed(
                        entry, .unsent, .failed, "nothing was sent: \(reason)", cause: isRateLimit ? .rateLimit : nil)
                }
                // The age of an open delivery counts from the request that may have been taken.
                entry.attemptedAt = context.time.now
                do throws(RemoteError) {
                    try await context.update(entry)
                } catch {
                    return ChangeResult(
                        change, .failed, "nothing was sent, the ledger could not be written: \(error.description)")
                }
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
        _ entry: LedgerEntry, _ state: DeliveryState, _ ending: ChangeOutcome, _ reason: String,
        isMissed: Bool = false, cause: ChangeResult.Cause? = nil
    ) async -> ChangeResult {
        if state == .refused || state == .unsent, let journaling = context.writer.journaling {
            // Before the ledger says so: whoever helps goes on until the journal is closed, and another try has a journal
            // of its own.
            do throws(RemoteError) {
                let figures = try await journaling.conclude(entry, under: await context.keeper.lease)
                if figures.successes + figures.inDoubt > 0 {
                    // Whoever helps took devices up in the last moment: another try would send to them again.
                    var result = await delivered(entry, figures, remark: reason)
                    if result.outcome == .done { (result.outcome, result.cause) = (ending, cause) }
                    return result
                }
            } catch {
                await context.keeper.confirm()
                return ChangeResult(
                    change, .failed,
                    "\(reason); its journal could not be closed (\(error.description)), the next apply goes on",
                    cause: cause)
            }
        }
        var closed = entry
        closed.state = state
        closed.reason = reason
        closed.isMissed = isMissed
        let remark = await context.record(closed)
        return ChangeResult(change, ending, reason + remark, objectID: entry.objectID, cause: cause)
    }

    /// The lock no longer certainly holds: whoever holds it next settles what is open.
    func lockLost(_ what: String) -> ChangeResult {
        ChangeResult(change, .skipped, "the lock was lost; \(what)")
    }

    private func isInTime(_ entry: LedgerEntry, after wait: Duration) -> Bool {
        context.time.now + wait <= (entry.scheduledAt ?? entry.intendedAt) + entry.window
    }

    /// 1 s, doubled each time up to 30 s, half of it by chance.
    static func backoff(_ attempt: Int) -> Duration {
        let whole = min(30_000, 500 << min(attempt, 8))
        return .milliseconds(whole / 2 + Int.random(in: 0...whole / 2))
    }
}
