/// The result of the campaign table for one delivery, before any limit is applied.
enum CampaignRow: Hashable {
    case nothing
    /// No change, but a remark.
    case remark(Remark)
    /// The push is sent now.
    case send(generation: Int, replaces: LedgerEntry?)
    case schedule(generation: Int, replaces: LedgerEntry?)
    /// The pending push is cancelled, and the next generation is delivered.
    case reschedule(LedgerEntry, toNow: Bool)
    /// The pending push is cancelled.
    case cancel(LedgerEntry, reason: Reason)
    /// The open delivery is settled; `isEdited` is true if the file has changed since it was started.
    case resume(LedgerEntry, ResumeContext.Wish, isEdited: Bool = false)
    /// The delivery is left to a later apply.
    case wait(reason: Reason)
    /// The delivery is too late.
    case missed(reason: Reason)
    /// The outcome is unknown, or it was stopped; a person must decide.
    case unknown(LedgerEntry)

    /// The remarks on deliveries that need no change.
    enum Remark: Hashable {
        case editedAfterDelivery
        case editedDuringDelivery
        case revisionLowered(delivered: Int)
        case cancelledElsewhere
        case inDoubt(devices: Int, LedgerEntry)
        /// The rest of a test has another variant than the files name now; nil: it gets none.
        case otherWinner(String?)
    }
}

/// The campaign table as a function: docs/background/campaign-table.md#rows.
struct CampaignTable {
    let campaign: Campaign
    let entry: LedgerEntry?
    /// The newest delivery of a higher revision that happened or may have happened.
    let laterEntry: LedgerEntry?
    let pending: ScheduledPush?
    /// Pushes of earlier generations that are still pending.
    let strays: [ScheduledPush]
    let canSchedule: Bool
    let now: Instant

    /// Returns the row that applies. `isChanged` returns true if the final request differs from the entry's, or the
    /// content when the encoder's version differs; `isEdited` returns true if the campaign's own document differs.
    func row(isChanged: () -> Bool, isEdited: () -> Bool) -> CampaignRow {
        if let laterEntry { return lowered(laterEntry) }
        guard let entry else { return campaign.hold ? .wait(reason: Reason(.onHold)) : fresh(replacing: nil) }
        if let stop = entry.stopped?.order {
            switch entry.state {
            case .scheduled, .cancelling: return .cancel(entry, reason: stop.reason)
            case .sending: return .resume(entry, .ended)
            case .sent, .refused, .cancelled, .unsent, .unknown, .halted, .holding: return .unknown(entry)
            }
        }
        switch entry.state {
        case .refused, .cancelled, .unsent:
            if pending != nil || !strays.isEmpty { return cancelling(entry, reason: Reason(.stillPending)) }
            if campaign.hold { return .wait(reason: Reason(.onHold)) }
            // What was said to be missed at this time is not sent a little later within its window.
            let isOver = entry.isMissedForGood && isOfSameTime(entry)
            return isOver ? .missed(reason: entry.reason ?? Reason(.windowOver)) : fresh(replacing: entry)
        case .scheduled: return scheduled(entry, isChanged, isEdited)
        case .cancelling: return cancelling(entry, reason: Reason(.cancellationInterrupted))
        case .sent:
            if entry.isInDoubt(at: now) { return .unknown(entry) }
            if let doubtful = entry.figures?.inDoubt, doubtful > 0 {
                return .remark(.inDoubt(devices: doubtful, entry))
            }
            if let figures = entry.figures, let wanted = campaign.winner, !figures.variants.isEmpty {
                let winner = figures.verdicts.first?.winner
                if winner != wanted { return .remark(.otherWinner(winner)) }
            }
            return isEdited() ? .remark(.editedAfterDelivery) : .nothing
        case .sending: return .resume(entry, campaign.hold ? .held : .delivered, isEdited: isEdited())
        case .unknown, .halted, .holding: return .unknown(entry)
        }
    }

    /// True if the file says the time of the entry, or none.
    private func isOfSameTime(_ entry: LedgerEntry) -> Bool {
        guard let at = campaign.scheduledAt?.instant else { return true }
        // An older version did not keep the time that had come: it was at most as far ahead as counts as due.
        return (entry.scheduledAt ?? entry.dueAt).map { $0 == at } ?? (at - entry.intendedAt < Self.dueSoon)
    }

    /// The row for a lowered revision; an unknown delivery has its own line already.
    private func lowered(_ later: LedgerEntry) -> CampaignRow {
        later.state == .unknown ? .nothing : .remark(.revisionLowered(delivered: later.revision))
    }

    /// The row for a delivery that has not happened.
    private func fresh(replacing entry: LedgerEntry?) -> CampaignRow {
        let generation = entry.map { $0.generation + 1 } ?? 0
        guard let at = campaign.scheduledAt else {
            if let end = campaign.expiration?.end(startingAt: now), end <= now {
                return .missed(reason: Reason(.expired, .instant(end)))
            }
            return .send(generation: generation, replaces: entry)
        }
        if let late = lateness(at.instant) { return .missed(reason: late) }
        if isDue(at.instant) { return .send(generation: generation, replaces: entry) }
        let latest = OffsetInstant(lastStart(at.instant), offset: at.offset)
        if !canSchedule || !campaign.audience.devices.isEmpty {
            return .wait(reason: Reason(.mustRun, .time(at), .time(latest)))
        }
        return .schedule(generation: generation, replaces: entry)
    }

    private func scheduled(_ entry: LedgerEntry, _ isChanged: () -> Bool, _ isEdited: () -> Bool) -> CampaignRow {
        guard pending != nil else {
            if campaign.hold, entry.mayBePending(at: now) { return .cancel(entry, reason: Reason(.onHold)) }
            guard let at = entry.scheduledAt, at > now else {
                return isEdited() ? .remark(.editedAfterDelivery) : .nothing
            }
            return now - entry.attemptedAt > LedgerEntry.listDelay ? .remark(.cancelledElsewhere) : .nothing
        }
        if campaign.hold { return .cancel(entry, reason: Reason(.onHold)) }
        if campaign.scheduledAt?.instant == entry.scheduledAt, !isChanged() { return .nothing }
        return replacement(of: entry) { row in
            switch row {
            case .missed(let reason): Reason(.newTimePassed, .reason(reason))
            case .wait(let reason): Reason(.changedWhilePendingAnd, .reason(reason))
            case .nothing, .remark, .send, .schedule, .reschedule, .cancel, .resume, .unknown:
                Reason(.changedWhilePending)
            }
        }
    }

    private func cancelling(_ entry: LedgerEntry, reason: Reason) -> CampaignRow {
        if campaign.hold { return .cancel(entry, reason: reason) }
        return replacement(of: entry) { _ in reason }
    }

    /// Replaces a pending push with the next generation if the campaign is due or can be scheduled; otherwise only
    /// cancels it.
    private func replacement(of entry: LedgerEntry, reason: (CampaignRow) -> Reason) -> CampaignRow {
        let row = fresh(replacing: entry)
        switch row {
        case .send: return .reschedule(entry, toNow: true)
        case .schedule: return .reschedule(entry, toNow: false)
        case .nothing, .remark, .reschedule, .cancel, .resume, .wait, .missed, .unknown:
            return .cancel(entry, reason: reason(row))
        }
    }

    /// True if it is time to send; LeanCloud sends a push that is less than a minute ahead at once.
    private func isDue(_ at: Instant) -> Bool { at - now < Self.dueSoon }

    /// How far ahead a time counts as due now.
    static let dueSoon = Duration.seconds(60)

    /// The latest time at which it may start.
    private func lastStart(_ at: Instant) -> Instant {
        guard case .at(let end) = campaign.expiration else { return at + campaign.startWindow }
        return min(at + campaign.startWindow, end.instant)
    }

    private func lateness(_ at: Instant) -> Reason? {
        if now > at + campaign.startWindow { return Reason(.windowEnded, .instant(at + campaign.startWindow)) }
        if case .at(let end) = campaign.expiration, end.instant <= max(now, at) {
            return Reason(.expired, .instant(end.instant))
        }
        return nil
    }
}

extension LedgerEntry {
    /// The time for which a wanted push may be missing from the list of pending pushes before that is reported.
    static let listDelay = Duration.seconds(600)

    /// True while a person can decide about devices in doubt; once the push has expired, nothing is left to decide.
    package func isInDoubt(at now: Instant) -> Bool {
        state == .sent && figures?.inDoubt ?? 0 > 0 && expiresAt.map { $0 > now } ?? true
    }

    /// True if the remote may still have the push although no list shows it: one list without it proves nothing,
    /// however long ago it was scheduled.
    func mayBePending(at now: Instant) -> Bool { state == .scheduled && scheduledAt.map { $0 > now } ?? false }
}

/// The ledger by campaign; of several entries of one delivery it keeps the one that counts.
struct CampaignHistory {
    private let ledger: [LedgerEntry]
    /// The start of the earliest delivery; nil when there is none.
    let began: Instant?
    /// The index of each delivery's entry in the ledger.
    private let places: [DeliveryID: Int]
    /// Indices into the ledger, sorted by campaign, revision and delivery.
    private let order: [Int]
    /// The range of each campaign in the order.
    private let parts: [String: Range<Int>]

    init(_ ledger: [LedgerEntry]) {
        self.ledger = ledger
        began = ledger.lazy.map(\.intendedAt).min()
        var strongest: [DeliveryID: Int] = Dictionary(minimumCapacity: ledger.count)
        for place in ledger.indices {
            let delivery = ledger[place].delivery
            if let other = strongest[delivery], !ledger[place].outranks(ledger[other]) { continue }
            strongest[delivery] = place
        }
        places = strongest
        // Entries are large, so only the compared fields are read.
        let order = strongest.values.sorted { one, other in
            if ledger[one].campaign != ledger[other].campaign { return ledger[one].campaign < ledger[other].campaign }
            return (ledger[one].revision, ledger[one].delivery) < (ledger[other].revision, ledger[other].delivery)
        }
        var parts: [String: Range<Int>] = Dictionary(minimumCapacity: order.count)
        var start = 0
        for end in order.indices.map({ $0 + 1 }) {
            let campaign = ledger[order[start]].campaign
            if end < order.count, ledger[order[end]].campaign == campaign { continue }
            parts[campaign] = start..<end
            start = end
        }
        self.order = order
        self.parts = parts
    }

    var names: some Collection<String> { parts.keys }

    /// The entry of a delivery; nil when there is none.
    func entry(of delivery: DeliveryID) -> LedgerEntry? { places[delivery].map { ledger[$0] } }

    /// The deliveries of the campaign with this name, by revision.
    func entries(named name: String) -> [LedgerEntry] { parts[name].map { order[$0].map { ledger[$0] } } ?? [] }
}
