internal import Base
internal import Push

/// What an apply does about one delivery: it sends, settles or cancels it, and records the outcome in the ledger.
struct DeliveryWork: Sendable {
    let context: ApplyContext
    let change: Change

    /// Delivers as planned; `replaces` means that the ledger has a closed entry for the delivery.
    func deliver(_ planned: LedgerEntry, replaces: Bool) async -> ChangeResult {
        let now = context.time.now
        // Earlier deliveries may have taken minutes, and the window counts from its time or else the plan.
        if let objection = context.hours(of: planned, hasWindow: true).objection(at: now) {
            return ChangeResult(change, .skipped, Reason(.beforeItsTurn, .reason(context.denial(objection).reason)))
        }
        var entry = planned
        entry.intendedAt = now
        switch await attempt(entry, replaces ? .replacing : .new) {
        case .settled(let result): return result
        case .open(let entry, let reason):
            return await settle(entry, ResumeContext(.delivered, quietHours: context.quietHours), after: reason)
        }
    }

    // MARK: Attempts

    /// The way the intent of the first request is made durable.
    enum Intent: Hashable, Sendable {
        /// The ledger has no entry for the delivery.
        case new
        /// The ledger has an entry, which is replaced.
        case replacing
        /// The ledger has an entry for exactly this request, which may have been accepted: it is made once more, and a
        /// refusal says nothing about the first one.
        case repetition
    }

    /// What the requests of an attempt came to.
    enum Ending: Sendable {
        /// The ledger has their outcome.
        case settled(ChangeResult)
        /// The outcome of the last one is unknown, for this reason.
        case open(LedgerEntry, Reason)
    }

    /// Makes the requests of a delivery, whatever made them due: durable intent, request, durable outcome, repeated
    /// while it is certain that nothing was sent.
    ///
    /// Lease, window, expiration and quiet hours are checked before every request.
    func attempt(_ planned: LedgerEntry, _ planning: Intent) async -> Ending {
        var entry = planned
        var intent = planning
        var refusal: Refused?
        guard entry.request != nil else {
            return .settled(ChangeResult(change, .failed, Reason(.requestMissing)))
        }
        while true {
            if case .denied(let denial) = await context.permission(for: entry, intent) {
                if intent == .repetition { return .open(entry, denial.reason) }
                return .settled(await denied(entry, denial, after: refusal))
            }
            if let error = await intend(&entry, intent) {
                if intent == .repetition { return .open(entry, .verbatim(error.description)) }
                return .settled(ChangeResult(change, .failed, Reason(.intentUnwritten, .text(error.description))))
            }
            switch await context.writer.send(context.sending(entry, intent, for: change)) {
            case .delivered(let figures): return .settled(await delivered(entry, figures))
            case .outsideLimits(let figures): return .settled(await blocked(entry, figures))
            case .interrupted(let reason, let until, let figures):
                return .settled(await interrupted(entry, reason, until, figures))
            case .stopped(let order, let figures):
                let reason = order.reason(of: entry)
                // What may have been accepted before is looked up all the same.
                if intent == .repetition { return .open(entry, reason) }
                if context.writer.journaling == nil {
                    return .settled(await closed(entry, .unsent(isMissed: false), .unknown, reason))
                }
                return .settled(ChangeResult(change, .unknown, reason, figures: figures))
            case .judged(let verdict, let figures): return .settled(await stopped(entry, verdict, figures))
            case .answered(let answer):
                switch answer.verdict {
                case .accepted: return .settled(await accepted(entry, objectID: answer.objectID))
                case .unknown(let why): return .open(entry, .verbatim(why))
                case .refused, .notSent:
                    if intent == .repetition { return .open(entry, .verbatim(answer.reason)) }
                    let latest = Refused(answer, number: (refusal?.number ?? 0) + 1, context.pausing)
                    if let ended = await end(entry, latest) { return .settled(ended) }
                    refusal = latest
                    intent = .replacing
                }
            }
        }
    }

    /// Records that a request is about to be made; returns the error that kept it from that.
    private func intend(_ entry: inout LedgerEntry, _ intent: Intent) async -> RemoteError? {
        // The age of an open delivery counts from the first request that may have been accepted. A repetition is recorded
        // for its fence: whoever made the first one, and wakes, can no longer write how that ended.
        if intent != .repetition { entry.attemptedAt = context.time.now }
        do throws(RemoteError) {
            switch intent {
            case .new: try await context.writer.insert(await context.stamped(entry), under: await context.keeper.lease)
            case .replacing, .repetition: try await context.update(entry)
            }
            return nil
        } catch {
            return error
        }
    }

    /// A request that certainly had no effect.
    private struct Refused {
        let answer: SendAnswer
        /// The number of the request within the attempt, from 1.
        let number: Int
        /// The wait before the next request; nil: another one would end no better.
        let wait: Duration?
        let cause: ChangeResult.Cause?
        /// The service's words.
        var reason: Reason { .verbatim(answer.reason) }

        init(_ answer: SendAnswer, number: Int, _ pausing: any Pausing) {
            self.answer = answer
            self.number = number
            switch answer.remedy {
            case .none: (wait, cause) = (nil, nil)
            case .credentials: (wait, cause) = (nil, .credentials)
            case .again(let delay): (wait, cause) = (delay ?? pausing.backoff(number), nil)
            case .slowDown(let delay): (wait, cause) = (delay, .rateLimit)
            }
        }
    }

    /// Waits for the next request; returns a result when there is none.
    private func end(_ entry: LedgerEntry, _ refused: Refused) async -> ChangeResult? {
        let reason = refused.reason
        guard let wait = refused.wait else {
            guard case .refused(let proof) = refused.answer.verdict else {
                return await unsent(entry, refused, reason)
            }
            return await closed(
                entry, .refused(proof), refused.cause == nil ? .refused : .failed, reason, cause: refused.cause)
        }
        guard refused.number <= context.options.retries else { return await unsent(entry, refused, reason) }
        if let objection = context.hours(of: entry).objection(at: context.time.now + wait) {
            return await unsent(entry, refused, reason.also(beforeRetry(context.denial(objection))))
        }
        return await context.pause(wait, "\(change.name): \(reason.text)") ? nil : await unsent(entry, refused, reason)
    }

    private func unsent(_ entry: LedgerEntry, _ refused: Refused, _ why: Reason) async -> ChangeResult {
        await closed(
            entry, .unsent(isMissed: false), .failed, Reason(.nothingSentBecause, .reason(why)), cause: refused.cause)
    }

    private func beforeRetry(_ denial: Denial) -> Reason { Reason(.beforeRetry, .reason(denial.reason)) }

    /// Ends an attempt that may not make a request now: its own intent is taken back, and an earlier entry stays.
    private func denied(_ entry: LedgerEntry, _ denial: Denial, after refused: Refused?) async -> ChangeResult {
        guard denial != .lockLost else { return lockLost(Reason(.nothingWasSent)) }
        guard let refused else {
            return ChangeResult(change, .skipped, Reason(.beforeItsTurn, .reason(denial.reason)))
        }
        return await unsent(entry, refused, refused.reason.also(beforeRetry(denial)))
    }

    /// The result of a delivery that a later apply continues.
    private func interrupted(
        _ entry: LedgerEntry, _ reason: String, _ until: Instant?, _ figures: DeliveryFigures?
    ) async -> ChangeResult {
        await context.keeper.confirm()
        if let loss = await context.keeper.loss { return ChangeResult(change, .unknown, .verbatim(loss.description)) }
        let reason = Reason.verbatim(reason)
        guard let until else { return ChangeResult(change, .failed, reason.also(Reason(.continuesThere))) }
        let state = try? await context.reader.journal(of: entry)
        let (now, why) = (context.time.now, Reason(.postponed, .reason(reason), .instant(until)))
        var result = ChangeResult(change, goesOn: why, state, at: now, leftOut: figures?.leftOut ?? [:])
        let isByDesign = (state?.part).map { $0.next > now } ?? false
        if !isByDesign {
            if case .quietHours? = context.hours(of: entry).objection(at: until - .milliseconds(1)) {
                let why = Reason(.postponed, .reason(Reason(.awaitsQuietEnd)), .instant(until))
                result = ChangeResult(change, goesOn: why, state, at: now, leftOut: figures?.leftOut ?? [:])
            } else {
                result.outcome = .partly
                result.detail = reason.also(Reason(.mustRunAt, .instant(until)))
            }
        }
        if let figures, figures.lost(since: entry) > 0 {
            // Said once: the ledger remembers how many were.
            var told = entry
            told.figures = figures
            let remark = await context.record(told)
            result.detail = result.detail?.also(remark) ?? remark
            (result.outcome, result.figures) = (.partly, figures)
        }
        return result
    }
}
