internal import Base
internal import Push

/// Carries out the steps of a plan in order, and returns each one's result.
struct StepRunner: Sendable {
    let context: ApplyContext

    /// Every step's result, in the order of the plan; waits and missed deliveries have none.
    func run(_ steps: [Step]) async -> [ChangeResult] {
        var results: [ChangeResult] = []
        var hold: Reason?
        // Deliveries that may have another live push: none may be sent for them.
        var unsettled: Set<DeliveryID> = []
        // Campaigns of which something that was to be cancelled may still be sent: nothing new of them is.
        var uncancelled: Set<String> = []
        let work = steps.filter { !$0.change.isBlocked && $0.operation != .nothing }
        var index = 0
        for step in steps {
            if let idle = await idleResult(step) {
                if isCancel(step) { uncancelled.insert(step.change.name) }
                if let delivery = step.withdraws { unsettled.insert(delivery) }
                results.append(idle)
                continue
            }
            guard step.operation != .nothing, !step.change.isBlocked else { continue }
            index += 1
            let result: ChangeResult
            let skip = await reasonToSkip(step, hold: hold, unsettled, uncancelled)
            if let skip {
                result = ChangeResult(step.change, .skipped, skip)
            } else {
                context.report(.began(step.change, index: index, count: work.count))
                result = await carryOut(step)
            }
            context.report(.ended(result))
            results.append(result)
            if isCancel(step), result.outcome != .done { uncancelled.insert(step.change.name) }
            if let delivery = step.withdraws, result.outcome != .done { unsettled.insert(delivery) }
            // What was not tried for a reason of its own holds nothing else back.
            if step.makesPush, skip == nil, !result.isDelivered, !result.change.isBlocked, !context.options.keepGoing,
                hold == nil
            {
                hold = Reason(.goesFirst, .text(step.change.name))
            }
        }
        return results
    }

    /// True when a step only cancels what may be sent otherwise.
    private func isCancel(_ step: Step) -> Bool {
        guard case .cancel(_, nil) = step.operation else { return false }
        return !step.isOfStopped(at: context.time.now, listed: context.listed)
    }

    private func idleResult(_ step: Step) async -> ChangeResult? {
        if step.change.isBlocked {
            let rules = Reason.joined(step.change.blocked.map(\.reason)) ?? .verbatim("")
            return ChangeResult(step.change, .skipped, Reason(.blocked, .reason(rules)).also(await remark(step)))
        }
        guard step.change.action == .none, step.operation == .nothing else { return nil }
        return ChangeResult(step.change, .unknown, step.change.reason)
    }

    /// Records a missed campaign, and returns what is said of that.
    private func remark(_ step: Step) async -> Reason? {
        guard case .miss(let entry) = step.operation, !context.stop.isRaised, await !context.keeper.isLost else {
            return nil
        }
        do throws(RemoteError) {
            try await context.writer.insert(await context.stamped(entry), under: await context.keeper.lease)
            return Reason(.recordedAsMissed)
        } catch {
            return Reason(.notRecordable, .text(error.description))
        }
    }

    private func reasonToSkip(
        _ step: Step, hold: Reason?, _ unsettled: Set<DeliveryID>, _ uncancelled: Set<String>
    ) async -> Reason? {
        if context.stop.isRaised { return Reason(.stoppedBefore) }
        if await context.keeper.isLost { return Reason(.lockLostBefore) }
        guard step.makesPush else { return nil }
        if uncancelled.contains(step.change.name) { return Reason(.otherNotCancelled) }
        if let id = step.change.delivery?.id, unsettled.contains(id) { return Reason(.earlierMayBePending) }
        return hold
    }

    private func carryOut(_ step: Step) async -> ChangeResult {
        let change = step.change
        let work = DeliveryWork(context: context, change: change)
        switch step.operation {
        case .nothing, .miss: return ChangeResult(change, .skipped)
        case .save(let record):
            return await write(change) { writer, lease throws(RemoteError) in
                try await writer.save(record, under: lease)
            }
        case .forget(let record):
            return await write(change) { writer, lease throws(RemoteError) in
                try await writer.delete(record, under: lease)
            }
        case .rename(let entries, let record): return await rename(entries, saving: record, change)
        case .deliver(let entry, let replaces): return await work.deliver(entry, replaces: replaces)
        case .cancel(let entry, let next): return await work.cancel(entry, then: next)
        case .withdraw(_, let pushes): return await work.withdraw(pushes)
        case .resume(let entry, let resume):
            return await work.settle(entry, resume, after: Reason(.earlierInterrupted))
        }
    }

    /// Records deliveries under their campaign's new name, one by one: what is left is found by the next apply.
    private func rename(
        _ entries: [LedgerEntry], saving record: ResourceRecord?, _ change: Change
    ) async -> ChangeResult {
        for (number, entry) in entries.enumerated() {
            let isLost = await context.keeper.isLost
            if context.stop.isRaised || isLost {
                return ChangeResult(
                    change, .skipped,
                    Reason(.renamedSome, .count(number), .count(entries.count)).also(Reason(.continues)))
            }
            let result = await write(change) { writer, lease throws(RemoteError) in
                try await writer.update(entry.unstopped, under: lease)
            }
            guard result.outcome == .done else { return result }
        }
        guard let record else { return ChangeResult(change, .done) }
        return await write(change) { writer, lease throws(RemoteError) in try await writer.save(record, under: lease) }
    }

    private func write(
        _ change: Change, _ body: (any RemoteWriting, Lease) async throws(RemoteError) -> Void
    ) async -> ChangeResult {
        do throws(RemoteError) {
            try await body(context.writer, await context.keeper.lease)
            return ChangeResult(change, .done)
        } catch {
            return ChangeResult(change, .failed, .verbatim(error.description))
        }
    }
}

extension Step {
    /// The delivery whose stray pushes it cancels.
    fileprivate var withdraws: DeliveryID? {
        if case .withdraw(let entry, _) = operation { entry.delivery } else { nil }
    }
}

/// The dependencies for carrying out a plan, once the lock is held.
struct ApplyContext: Sendable {
    let reader: any RemoteReading
    let writer: any RemoteWriting
    let keeper: LeaseKeeper
    let gatherer: EvidenceGatherer
    let pausing: any Pausing
    let stop: StopSignal
    let options: ApplyOptions
    let time: ServerTime
    let quietHours: QuietHours?
    let limits: AudienceLimits
    /// The scheduled pushes that the remote listed when the plan was made.
    let listed: [ScheduledPush]
    let report: @Sendable (ApplyEvent) -> Void

    /// The entry with this run's fence and provenance.
    func stamped(_ entry: LedgerEntry) async -> LedgerEntry {
        var entry = entry.unstopped
        entry.fence = await keeper.lease.fence
        entry.provenance = options.provenance
        if options.notifies { entry.told = entry.told ?? [] }
        return entry
    }

    /// Replaces the delivery's former entries.
    func update(_ entry: LedgerEntry) async throws(RemoteError) {
        try await writer.update(await stamped(entry), under: await keeper.lease)
    }

    /// Records the outcome of a delivery; on failure, returns a remark, and the next apply looks the delivery up.
    func record(_ entry: LedgerEntry) async -> Reason? {
        do throws(RemoteError) {
            try await update(entry)
            return nil
        } catch {
            return Reason(.ledgerUnwritten, .text(error.description))
        }
    }

    /// Waits; false when the apply must end.
    func pause(_ duration: Duration, _ why: String) async -> Bool {
        guard duration > .zero else { return !stop.isRaised }
        report(.waiting(why, duration))
        do throws(CancellationError) {
            try await pausing.pause(for: duration)
            return !stop.isRaised
        } catch {
            return false
        }
    }

    /// A delivery for the remote, with the callbacks it uses while sending.
    func sending(_ entry: LedgerEntry, _ intent: DeliveryWork.Intent, for change: Change) -> OutgoingDelivery {
        OutgoingDelivery(
            entry: entry, allowed: limits.allowed(change, approved: entry.mostDevices),
            lease: { [keeper] in await keeper.lease },
            permission: { await permission(for: entry, intent, isRecorded: true) },
            isStopped: { [stop] in stop.isRaised },
            progress: { [report] progress in report(.progress(change, progress)) })
    }

    /// True when a write that no device sees may start under the lock.
    func mayStart() async -> Bool { await keeper.hasTime(for: options.requestTimeout) }

    /// Tells whether a request of a delivery may be written, and until when: the earliest end of the lock, the window,
    /// the expiration, the hours that are not quiet, and the minutes in which a repetition is not a second push. Where
    /// only a record tells what became of a request, one whose intent `isRecorded` must follow it at once.
    func permission(
        for entry: LedgerEntry, _ intent: DeliveryWork.Intent, isRecorded: Bool = false
    ) async -> Permission {
        guard let leeway = await keeper.leeway(for: options.requestTimeout) else { return .denied(.lockLost) }
        // The actual time may be up to this late: some services tell their time in whole seconds.
        let now = time.now + .seconds(1)
        let hours = hours(of: entry)
        if let objection = hours.objection(at: time.now) ?? hours.objection(at: now) {
            return .denied(denial(objection))
        }
        let end = hours.end(from: now, within: leeway)
        var (last, late) = (Instant?.none, Reason.Planned.tooLateToRepeat)
        if intent == .repetition {
            last = entry.attemptedAt + Resumption.repeatable
        } else if isRecorded, writer.journaling == nil {
            (last, late) = (entry.attemptedAt + Resumption.prompt, .intentTooOld)
        }
        guard let last else { return .granted(for: end - now) }
        return last > now ? .granted(for: min(end, last) - now) : .denied(.over(Reason(late)))
    }

    /// The time in which a delivery's requests may be made. With `hasWindow`, the default without a journal, its window
    /// counts from its time or else its intent; a journal has a window of its own, from its last outcome.
    func hours(of entry: LedgerEntry, hasWindow: Bool? = nil) -> DeliveryTime {
        let hasWindow = hasWindow ?? (writer.journaling == nil)
        return DeliveryTime(entry, windowFrom: hasWindow ? entry.windowStart : nil, quietHours: quietHours)
    }

    func denial(_ objection: DeliveryTime.Objection) -> Denial {
        switch objection {
        case .over(let why): .over(why)
        case .quietHours: .quietHours(until: quietHours?.end(after: time.now))
        }
    }
}
