internal import Push

/// Sends one planned delivery.
struct DeliverySender: Sendable {
    let context: ApplyContext
    let change: Change

    /// Delivers as planned; `replaces` means that the ledger has a closed entry for the delivery.
    func deliver(_ planned: LedgerEntry, replaces: Bool) async -> ChangeResult {
        let now = context.time.now
        // Earlier deliveries may have taken minutes, and the window counts from the plan.
        if let objection = context.hours(of: planned, hasWindow: true).objection(at: now) {
            return ChangeResult(change, .skipped, Reason(.beforeItsTurn, .reason(context.denial(objection).reason)))
        }
        var entry = planned
        entry.intendedAt = now
        switch await Attempt(context: context, change: change).make(entry, replaces ? .replacing : .new) {
        case .settled(let result): return result
        case .open(let entry, let reason):
            return await DeliverySettler(context: context, change: change)
                .settle(entry, ResumeContext(.delivered, quietHours: context.quietHours), after: reason)
        }
    }
}
