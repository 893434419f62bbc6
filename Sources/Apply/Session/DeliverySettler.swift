internal import Push

/// Determines the outcome of a request whose answer is unknown, and ends the delivery accordingly.
struct DeliverySettler: Sendable {
    let context: ApplyContext
    let change: Change

    /// Settles a delivery in state `sending`, whose outcome is open for the given reason.
    func settle(_ open: LedgerEntry, _ resume: ResumeContext, after reason: Reason) async -> ChangeResult {
        var entry = open
        var hasRepeated = false
        var absences = 0
        var found: Evidence?
        while true {
            guard await context.keeper.hasTime(for: .zero) else {
                return ChangeResult(
                    change, .unknown, Reason(.lockLostOpen, .reason(reason)), cause: .unsettled)
            }
            var evidence = await context.gatherer.evidence(for: entry.notificationID)
            // A record found once exists, whatever a later look-up says.
            if case .found = evidence { found = evidence } else { evidence = found ?? evidence }
            if case .failed(let why) = evidence, context.writer.journaling != nil {
                // The journal exists and just cannot be read now: the next apply will know.
                return ChangeResult(change, .failed, Reason(.journalUnreadable, .reason(why)))
            }
            let now = context.time.now
            let mayBeLate = evidence == .none && absences < Self.absences
            switch Resumption.decide(entry, evidence: evidence, context: resume, now: now) {
            case .adopt(let record): return await adopt(record, entry, resume.wish)
            case .repeatRequest(let notBefore):
                let wait = hasRepeated ? Self.interval : notBefore - now
                guard await context.pause(wait, "\(change.name): \(reason.text)") else { return stillOpen(reason) }
                if hasRepeated { continue }
                hasRepeated = true
                if let result = await request(&entry, .repetition) { return result }
            case .lookAgain(let until):
                guard await context.pause(min(Self.interval, until - now), "\(change.name): looking for its record")
                else { return stillOpen(reason) }
            case .send where mayBeLate, .missed where mayBeLate, .leaveUnsent where mayBeLate:
                absences += 1
                guard await context.pause(.seconds(1), "\(change.name): looking for it again") else {
                    return stillOpen(reason)
                }
            case .send:
                // Until its record can exist, the delivery counts as young again.
                hasRepeated = true
                absences = 0
                if let result = await request(&entry, .replacing) { return result }
            case .goOn:
                return await request(&entry, .replacing)
                    ?? ChangeResult(change, .failed, Reason(.outcomeOpen).also(Reason(.continues)))
            case .missed(let why):
                return await recording.closed(entry, .unsent(isMissed: true), .done, Reason(.notSent, .reason(why)))
            case .leaveUnsent:
                return await recording.closed(entry, .unsent(isMissed: false), .done, Reason(.notSentUnwanted))
            case .unknown(let why): return await recording.closed(entry, .unknown, .unknown, why)
            case .conclude(let why, _): return await conclude(entry, why, resume.wish)
            case .startOver:
                return await recording.closed(entry, .unsent(isMissed: false), .failed, Reason(.noneSent))
            case .hold(let why):
                var state: JournalState?
                if case .journal(let known) = evidence { state = known }
                return ChangeResult(change, goesOn: why, state, at: now)
            }
        }
    }

    /// The wait between two look-ups.
    private static let interval = Duration.seconds(3)
    /// The number of absences before a push counts as not sent: lists and records can lag some answers behind.
    private static let absences = 4

    private var recording: LedgerRecorder { LedgerRecorder(context: context, change: change) }

    private func adopt(
        _ record: PushRecord, _ entry: LedgerEntry, _ wish: ResumeContext.Wish
    ) async -> ChangeResult {
        let result = await recording.adopted(entry, record)
        guard record.standing == .scheduled, wish != .delivered else { return result }
        // The next apply may come after the push's time.
        var pending = entry
        pending.objectID = record.objectID
        pending.state = .scheduled
        return await DeliveryCanceller(context: context, change: change).cancel(pending, then: nil)
    }

    /// Makes the stored request; nil when its outcome must be looked up.
    private func request(_ entry: inout LedgerEntry, _ intent: Attempt.Intent) async -> ChangeResult? {
        switch await Attempt(context: context, change: change).make(entry, intent) {
        case .settled(let result): return result
        case .open(let requested, _):
            entry = requested
            return nil
        }
    }

    private func conclude(_ entry: LedgerEntry, _ why: Reason, _ wish: ResumeContext.Wish) async -> ChangeResult {
        guard let journaling = context.writer.journaling else {
            return ChangeResult(change, .failed, Reason(.noJournal))
        }
        do throws(RemoteError) {
            let figures = try await journaling.conclude(entry, under: await context.keeper.lease)
            return await recording.delivered(entry, figures, remark: why, isWanted: wish == .delivered)
        } catch {
            return ChangeResult(change, .failed, .verbatim(error.description).also(Reason(.continues)))
        }
    }

    private func stillOpen(_ reason: Reason) -> ChangeResult {
        ChangeResult(change, .unknown, Reason(.stoppedOpen, .reason(reason)), cause: .unsettled)
    }
}
