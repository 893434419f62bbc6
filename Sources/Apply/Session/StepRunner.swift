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
                if step.cancels { uncancelled.insert(step.change.name) }
                if let delivery = step.withdraws { unsettled.insert(delivery) }
                results.append(idle)
                continue
            }
            guard step.operation != .nothing, !step.change.isBlocked else { continue }
            index += 1
            let result: ChangeResult
            if let reason = await reasonToSkip(step, hold: hold, unsettled, uncancelled) {
                result = ChangeResult(step.change, .skipped, reason)
            } else {
                context.report(.began(step.change, index: index, count: work.count))
                result = await carryOut(step)
            }
            context.report(.ended(result))
            results.append(result)
            if step.cancels, result.outcome != .done { uncancelled.insert(step.change.name) }
            if let delivery = step.withdraws, result.outcome != .done { unsettled.insert(delivery) }
            if step.makesPush, !result.isDelivered, !result.change.isBlocked, !context.options.keepGoing, hold == nil {
                hold = Reason(.goesFirst, .text(step.change.name))
            }
        }
        return results
    }

    private func idleResult(_ step: Step) async -> ChangeResult? {
        if step.change.isBlocked {
            let rules = Reason.joined(step.change.blocked.map(\.reason)) ?? .verbatim("")
            return ChangeResult(
                step.change, .skipped, Reason(.blocked, .reason(rules)).also(await remark(step)))
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
        case .deliver(let entry, let replaces):
            return await DeliverySender(context: context, change: change).deliver(entry, replaces: replaces)
        case .cancel(let entry, let next):
            return await DeliveryCanceller(context: context, change: change).cancel(entry, then: next)
        case .withdraw(_, let pushes): return await DeliveryCanceller(context: context, change: change).withdraw(pushes)
        case .resume(let entry, let resume):
            return await DeliverySettler(context: context, change: change)
                .settle(entry, resume, after: Reason(.earlierInterrupted))
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
                try await writer.update(entry, under: lease)
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
    /// True when the step may send a push.
    fileprivate var makesPush: Bool {
        switch operation {
        case .deliver, .resume, .cancel(_, .some): true
        case .nothing, .save, .forget, .rename, .miss, .cancel(_, nil), .withdraw: false
        }
    }

    /// True when it only cancels.
    fileprivate var cancels: Bool { if case .cancel(_, nil) = operation { true } else { false } }

    /// The delivery whose stray pushes it cancels.
    fileprivate var withdraws: DeliveryID? {
        if case .withdraw(let entry, _) = operation { entry.delivery } else { nil }
    }
}
