internal import Base
internal import Push

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
        var entry = entry
        entry.fence = await keeper.lease.fence
        entry.provenance = options.provenance
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
    func sending(_ entry: LedgerEntry, _ intent: Attempt.Intent, for change: Change) -> OutgoingDelivery {
        OutgoingDelivery(
            entry: entry, allowed: limits.allowed(change), lease: { [keeper] in await keeper.lease },
            permission: { await permission(for: entry, intent) }, isStopped: { [stop] in stop.isRaised },
            progress: { [report] progress in report(.progress(change, progress)) })
    }

    /// True when a write that no device sees may start under the lock.
    func mayStart() async -> Bool { await keeper.hasTime(for: options.requestTimeout) }

    /// Tells whether a request of a delivery may be written, and until when: the earliest end of the lock, the window,
    /// the expiration, the hours that are not quiet, and the minutes in which a repetition is not a second push.
    func permission(for entry: LedgerEntry, _ intent: Attempt.Intent) async -> Permission {
        guard let leeway = await keeper.leeway(for: options.requestTimeout) else { return .denied(.lockLost) }
        // The actual time may be up to this late: some services tell their time in whole seconds.
        let now = time.now + .seconds(1)
        let hours = hours(of: entry)
        if let objection = hours.objection(at: time.now) ?? hours.objection(at: now) {
            return .denied(denial(objection))
        }
        let end = hours.end(from: now, within: leeway)
        guard intent == .repetition else { return .granted(for: end - now) }
        let last = entry.attemptedAt + Resumption.repeatable
        return last > now ? .granted(for: min(end, last) - now) : .denied(.over(Reason(.tooLateToRepeat)))
    }

    /// The time in which a delivery's requests may be made. With `hasWindow`, the default without a journal, its window
    /// counts from its intent; a journal has a window of its own, from its last outcome.
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
