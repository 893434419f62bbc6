internal import Base
internal import Push

/// Determines the outcome of a request whose answer is unknown, and ends the delivery accordingly.
extension DeliveryWork {
    /// Settles a delivery in state `sending`, whose outcome is open for the given reason.
    func settle(_ open: LedgerEntry, _ resume: ResumeContext, after reason: Reason) async -> ChangeResult {
        var entry = open
        var hasRepeated = false
        var absences = 0
        var found: Evidence?
        while true {
            guard await context.keeper.hasTime(for: .zero) else {
                return ChangeResult(change, .unknown, Reason(.lockLostOpen, .reason(reason)), cause: .unsettled)
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
                // All devices of a frozen audience are missed no more quietly than those of one wave.
                var ending = ChangeOutcome.done
                if case .journal(let state) = evidence, state.waiting > 0 || state.isClosedUnsent { ending = .partly }
                return await closed(entry, .unsent(isMissed: true), ending, Reason(.notSent, .reason(why)))
            case .leaveUnsent:
                return await closed(entry, .unsent(isMissed: false), .done, Reason(.notSentUnwanted))
            case .unknown(let why): return await closed(entry, .unknown, .unknown, why)
            case .conclude(let why, _): return await conclude(entry, why, resume.wish)
            case .startOver:
                return await closed(entry, .unsent(isMissed: false), .failed, Reason(.noneSent))
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

    private func adopt(_ record: PushRecord, _ entry: LedgerEntry, _ wish: ResumeContext.Wish) async -> ChangeResult {
        let result = await adopted(entry, record)
        guard record.standing == .scheduled, wish != .delivered else { return result }
        // The next apply may come after the push's time.
        var pending = entry
        pending.objectID = record.objectID
        pending.state = .scheduled
        return await cancel(pending, then: nil)
    }

    /// Makes the stored request; nil when its outcome must be looked up.
    private func request(_ entry: inout LedgerEntry, _ intent: Intent) async -> ChangeResult? {
        switch await attempt(entry, intent) {
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
            return await delivered(entry, figures, remark: why, isWanted: wish == .delivered)
        } catch {
            return ChangeResult(change, .failed, .verbatim(error.description).also(Reason(.continues)))
        }
    }

    private func stillOpen(_ reason: Reason) -> ChangeResult {
        ChangeResult(change, .unknown, Reason(.stoppedOpen, .reason(reason)), cause: .unsettled)
    }
}

// MARK: - Watches

extension ApplyContext {
    /// Waits for the records of sent pushes: the service reports some refusals, and all figures, only there.
    ///
    /// A record that does not come in time changes nothing, unless it says what the service waits for, or that a person
    /// stopped the push there and must decide.
    func watchRecords(of results: [ChangeResult], _ entries: [DeliveryID: LedgerEntry]) async -> [ChangeResult] {
        var results = results
        var open = results.indices.filter { index in
            let result = results[index]
            guard result.outcome == .done, let entry = entry(of: result, entries) else { return false }
            return entry.state == .sent && entry.figures == nil
        }
        let end = time.now + options.recordTimeout
        var latest: [Int: PushRecord] = [:]
        var isStopped = stop.isRaised
        while !open.isEmpty {
            for index in open {
                guard let entry = entry(of: results[index], entries), let object = entry.objectID,
                    let record = try? await reader.record(objectID: object)
                else { continue }
                latest[index] = record
                switch record.standing {
                case .queued, .scheduled, .unknown: continue
                case .done, .refused: break
                }
                results[index] = await conclude(results[index], entry, record)
                open.removeAll { $0 == index }
            }
            guard !open.isEmpty, !isStopped, time.now < end else { break }
            // Whoever stops it gets what is known by then: one more look.
            isStopped = await !pause(.milliseconds(500), "waiting for records")
        }
        for index in open {
            guard let record = latest[index], let wait = record.wait else { continue }
            results[index].outcome = record.stop == nil ? .ongoing : .unknown
            results[index].cause = record.stop == nil ? .notHandedOn : nil
            results[index].detail = wait
        }
        // A record with an undocumented status may still have been in progress; now it counts as it is.
        for index in open {
            guard let entry = entry(of: results[index], entries), let record = latest[index],
                case .unknown = record.standing
            else { continue }
            results[index] = await conclude(results[index], entry, record)
        }
        return results
    }

    private func entry(of result: ChangeResult, _ entries: [DeliveryID: LedgerEntry]) -> LedgerEntry? {
        result.change.delivery.flatMap { entries[$0.id] }
    }

    private func conclude(_ result: ChangeResult, _ entry: LedgerEntry, _ record: PushRecord) async -> ChangeResult {
        let work = DeliveryWork(context: self, change: result.change)
        if let doubt = record.doubt { return await work.closed(entry, .unknown, .unknown, doubt) }
        return await work.adopted(entry, record, isFinal: true)
    }

    /// The number of times that the list is requested: it can lag behind.
    private static let looks = 5

    /// Records the ids under which the service lists the pushes that these results scheduled, so that they can be
    /// cancelled whatever later lists say; one that is not listed in time gets no id.
    func watchSchedule(of results: [ChangeResult], _ entries: [DeliveryID: LedgerEntry]) async {
        var open = results.filter { $0.outcome == .done }.compactMap { $0.change.delivery.flatMap { entries[$0.id] } }
            .filter { $0.state == .scheduled && $0.scheduledID == nil }
        for look in 0..<Self.looks where !open.isEmpty {
            if look > 0, !(await pause(.seconds(1), "waiting for the list of scheduled pushes")) { return }
            guard let listed = try? await reader.scheduledPushes() else { continue }
            for var entry in open {
                guard let push = listed.first(where: { $0.notification == entry.notificationID }) else { continue }
                entry.scheduledID = push.id
                _ = await record(entry)
                open.removeAll { $0.delivery == entry.delivery }
            }
        }
    }
}
