internal import PushModel

/// What the campaign table says of one delivery, before any limit is looked at.
enum CampaignRow: Hashable {
    /// Nothing to do and nothing to say.
    case nothing
    /// Nothing to do, but this to say.
    case remark(Remark)
    /// Deliver now.
    case send(generation: Int, replaces: LedgerEntry?)
    /// Hand over to the remote's clock.
    case schedule(generation: Int, replaces: LedgerEntry?)
    /// Cancel, and deliver the next generation.
    case reschedule(LedgerEntry, toNow: Bool)
    /// Cancel.
    case cancel(LedgerEntry, reason: String)
    /// Settle what is open; whether the file says something else by now than what is being sent.
    case resume(LedgerEntry, ResumeContext.Wish, isEdited: Bool = false)
    /// A later apply.
    case wait(reason: String)
    /// Too late.
    case missed(reason: String)
    /// A person must look.
    case unknown(LedgerEntry)

    /// What there is to say of a delivery that needs nothing.
    enum Remark: Hashable {
        case editedAfterDelivery
        case editedDuringDelivery
        case revisionLowered(delivered: Int)
        case cancelledElsewhere
        case inDoubt(devices: Int, LedgerEntry)
    }
}

/// The campaign table as a function: <doc:CampaignTable#Rows>.
struct CampaignTable {
    let campaign: Campaign
    let entry: LedgerEntry?
    /// The newest delivery of a higher revision that happened or may have, when there is one.
    let laterEntry: LedgerEntry?
    let pending: ScheduledPush?
    /// Pushes of earlier generations that are still pending.
    let strays: [ScheduledPush]
    let canSchedule: Bool
    let now: Instant

    /// The row that applies.
    ///
    /// - Parameters:
    ///   - isChanged: whether the final request, or the content where the encoder's version differs, is another one than
    ///     the entry's.
    ///   - isEdited: whether the campaign's own document is.
    func row(isChanged: () -> Bool, isEdited: () -> Bool) -> CampaignRow {
        if let laterEntry { return lowered(laterEntry) }
        guard let entry else { return campaign.hold ? .wait(reason: "on hold") : fresh(replacing: nil) }
        switch entry.state {
        case .refused, .cancelled, .unsent:
            if pending != nil || !strays.isEmpty { return cancelling(entry, reason: "its push is still pending") }
            if campaign.hold { return .wait(reason: "on hold") }
            let isOver = entry.state == .unsent && entry.isMissed && campaign.scheduledAt == nil
            return isOver ? .missed(reason: entry.reason ?? "its window ended") : fresh(replacing: entry)
        case .scheduled: return scheduled(entry, isChanged, isEdited)
        case .cancelling: return cancelling(entry, reason: "its cancellation was interrupted")
        case .sent:
            if let doubtful = entry.figures?.inDoubt, doubtful > 0 {
                return .remark(.inDoubt(devices: doubtful, entry))
            }
            return isEdited() ? .remark(.editedAfterDelivery) : .nothing
        case .sending: return .resume(entry, campaign.hold ? .held : .delivered, isEdited: isEdited())
        case .unknown: return .unknown(entry)
        }
    }

    /// An unknown delivery has its own line already.
    private func lowered(_ later: LedgerEntry) -> CampaignRow {
        later.state == .unknown ? .nothing : .remark(.revisionLowered(delivered: later.revision))
    }

    /// The rows for a delivery that has not happened.
    private func fresh(replacing entry: LedgerEntry?) -> CampaignRow {
        let generation = entry.map { $0.generation + 1 } ?? 0
        guard let at = campaign.scheduledAt else {
            if let end = campaign.expiration?.end(startingAt: now), end <= now {
                return .missed(reason: "it expired at \(end.text)")
            }
            return .send(generation: generation, replaces: entry)
        }
        if let late = lateness(at.instant) { return .missed(reason: late) }
        if isDue(at.instant) { return .send(generation: generation, replaces: entry) }
        let latest = OffsetInstant(at.instant + campaign.window, offset: at.offset)
        if !canSchedule || !campaign.audience.devices.isEmpty {
            return .wait(reason: "an apply must run between \(at.displayText) and \(latest.displayText)")
        }
        return .schedule(generation: generation, replaces: entry)
    }

    private func scheduled(
        _ entry: LedgerEntry, _ isChanged: () -> Bool, _ isEdited: () -> Bool
    ) -> CampaignRow {
        guard pending != nil else {
            if campaign.hold, entry.mayBePending(at: now) { return .cancel(entry, reason: "on hold") }
            guard let at = entry.scheduledAt, at > now else {
                return isEdited() ? .remark(.editedAfterDelivery) : .nothing
            }
            return now - entry.attemptedAt > LedgerEntry.listDelay ? .remark(.cancelledElsewhere) : .nothing
        }
        if campaign.hold { return .cancel(entry, reason: "on hold") }
        if campaign.scheduledAt?.instant == entry.scheduledAt, !isChanged() { return .nothing }
        return replacement(of: entry) { row in
            switch row {
            case .missed(let reason): "its new time has passed: \(reason)"
            case .wait(let reason): "changed while pending: \(reason)"
            case .nothing, .remark, .send, .schedule, .reschedule, .cancel, .resume, .unknown: "changed while pending"
            }
        }
    }

    private func cancelling(_ entry: LedgerEntry, reason: String) -> CampaignRow {
        if campaign.hold { return .cancel(entry, reason: reason) }
        return replacement(of: entry) { _ in reason }
    }

    /// The next generation where the campaign is delivered now or by the remote's clock; else only a cancellation.
    private func replacement(of entry: LedgerEntry, reason: (CampaignRow) -> String) -> CampaignRow {
        let row = fresh(replacing: entry)
        switch row {
        case .send: return .reschedule(entry, toNow: true)
        case .schedule: return .reschedule(entry, toNow: false)
        case .nothing, .remark, .reschedule, .cancel, .resume, .wait, .missed, .unknown:
            return .cancel(entry, reason: reason(row))
        }
    }

    /// LeanCloud sends at once what is less than a minute ahead.
    private func isDue(_ at: Instant) -> Bool { at - now < .seconds(60) }

    private func lateness(_ at: Instant) -> String? {
        if now > at + campaign.window { return "its window ended at \((at + campaign.window).text)" }
        if case .at(let end) = campaign.expiration, end.instant <= max(now, at) {
            return "it expired at \(end.instant.text)"
        }
        return nil
    }
}

extension LedgerEntry {
    /// How long a list of pending pushes may lack one that is wanted before that is said.
    static let listDelay = Duration.seconds(600)

    /// Whether the remote may keep its push, although no list shows it: one list that lacks it proves nothing, however
    /// long ago it was scheduled.
    func mayBePending(at now: Instant) -> Bool { state == .scheduled && scheduledAt.map { $0 > now } ?? false }
}
