internal import PushModel
internal import PushPlan
internal import PushRemote

/// What carrying out a plan works with, once the lock is held.
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
    let report: @Sendable (ApplyEvent) -> Void

    /// The entry as this run writes it.
    func stamped(_ entry: LedgerEntry) async -> LedgerEntry {
        var entry = entry
        entry.fence = await keeper.lease.fence
        entry.provenance = options.provenance
        return entry
    }

    /// Writes an entry over the delivery's former ones.
    func update(_ entry: LedgerEntry) async throws(RemoteError) {
        try await writer.update(await stamped(entry), under: await keeper.lease)
    }

    /// Writes what became of a delivery; a failure is said, and the next apply looks the delivery up.
    func record(_ entry: LedgerEntry) async -> String {
        do throws(RemoteError) {
            try await update(entry)
            return ""
        } catch {
            return "; the ledger could not be written (\(error.description)), the next apply looks it up"
        }
    }

    /// Waits; false when the apply shall end.
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

    /// A delivery for the remote, with what it asks while it goes on.
    func sending(_ entry: LedgerEntry, for change: Change) -> Sending {
        Sending(
            entry: entry, mostDevices: limits.mostDevices(of: change), lease: { [keeper] in await keeper.lease },
            mayStart: { [keeper, options] in await keeper.hasTime(for: options.requestTimeout) },
            isStopped: { [stop] in stop.isRaised },
            progress: { [report] progress in report(.progress(change, progress)) })
    }

    /// Whether a request may start under the lock.
    func mayStart() async -> Bool { await keeper.hasTime(for: options.requestTimeout) }
}
