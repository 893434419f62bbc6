internal import Base

/// Decides on every delivery in the files or the ledger.
struct CampaignPlanner: Sendable {
    let input: PlanInput
    let history: CampaignHistory
    let drafting: CampaignDrafter
    let policy: PolicyRules
    let pending: [String: ScheduledPush]
    /// The recurring campaigns that were applied, by name.
    let records: [String: ResourceRecord]
    let isNewLedger: Bool
    /// The condition of the remote's fence; nil: there is none.
    let fence: JSONValue?
    /// The campaigns that look like one that is gone under a new name, with the delivery that looks so.
    let suspects: [String: LedgerEntry]

    init(_ input: PlanInput, contents: [Digest]) {
        self.input = input
        history = CampaignHistory(input.state.ledger)
        drafting = CampaignDrafter(input.desired, encoder: input.encoder, contents: contents)
        policy = PolicyRules(policy: input.desired.policy)
        pending = Dictionary(
            input.state.scheduled.compactMap { push in push.notificationID.map { ($0, push) } }
        ) { first, _ in first }
        records = Dictionary(
            input.state.resources.lazy.filter { $0.kind == .campaign }.map { ($0.name, $0) }
        ) { first, _ in first }
        isNewLedger = input.hasUnknownPast && input.workspaceDoubt == nil
        fence = input.desired.fenceCondition(of: input.remote.name)
        suspects = Self.suspects(input, history, drafting)
    }

    /// Returns the outcomes for the campaigns in the files and for deliveries that are no longer in them.
    func outcomes() -> [Outcome] {
        var outcomes = input.desired.campaigns.mapConcurrently { campaign in
            guard input.selection.selects(.campaign, campaign.name, labels: campaign.labels) else { return Outcome() }
            var outcome = isPresent(campaign) ? outcome(of: campaign) : Outcome()
            recordRename(of: campaign, in: &outcome)
            if !campaign.parts.isEmpty, outcome.hasEdit { outcome.edited = campaign }
            return outcome
        }
        .filter { !$0.isEmpty }
        var claimed: Set<String> = Set(minimumCapacity: input.desired.campaigns.count)
        for campaign in input.desired.campaigns where isPresent(campaign) {
            claimed.insert(campaign.name)
            claimed.formUnion(campaign.formerly)
        }
        let gone = history.names.filter { !claimed.contains($0) }
        for name in gone.sorted() where input.selection.selects(.campaign, name) {
            let entries = history.entries(named: name)
            outcomes.append(Outcome(steps: entries.flatMap { steps($0, goneRow($0)) }.map(doubtful)))
        }
        let recurring = Set(input.desired.campaigns.filter { isPresent($0) && $0.recurrence != nil }.flatMap(\.names))
        for (name, record) in records.sorted(by: { $0.key < $1.key })
        where !recurring.contains(name) && input.selection.selects(.campaign, name) {
            let reason = Reason(claimed.contains(name) ? .notRecurring : .notDeclared)
            outcomes.append(Outcome(steps: [doubtful(forgetting(record, reason: reason))]))
        }
        return outcomes.filter { !$0.isEmpty }
    }

    private func isPresent(_ campaign: Campaign) -> Bool { campaign.isMeant(for: input.remote.name) }

    /// Returns the outcome of one campaign, before limits.
    func outcome(of campaign: Campaign) -> Outcome {
        if campaign.recurrence != nil {
            return campaign.timetable.map { RecurringPlanner(self, campaign, $0).outcome() } ?? Outcome()
        }
        var outcome = Outcome()
        var entries = history.entries(named: campaign.name)
        for entry in entries where entry.occurrence != .once {
            outcome.steps += steps(entry, goneRow(entry, reason: Reason(.notRecurringCampaign)), of: campaign)
        }
        entries.removeAll { $0.occurrence != .once }
        // A renamed campaign can have an entry per name: one that was delivered wins.
        let current = entries.filter { $0.revision == campaign.revision }
            .max { ($0.state.strength, $0.generation) < ($1.state.strength, $1.generation) }
        var later: LedgerEntry?
        for entry in entries where entry.delivery != current?.delivery {
            let row = otherRow(entry, campaign)
            outcome.steps += steps(entry, row, of: campaign)
            // A pending push that is taken back is none that was delivered.
            if case .cancel = row, entry.state == .scheduled, isPending(entry) { continue }
            if entry.revision > campaign.revision, entry.mayHaveBeenDelivered { later = entry }
        }
        decide(on: campaign, current, later: later, to: &outcome)
        return outcome
    }

    /// Adds what is done about one delivery of a campaign: `current` is its entry, `later` a delivery of a higher
    /// revision, and `kept` returns the row that holds in place of the table's.
    func decide(
        on campaign: Campaign, _ current: LedgerEntry?, later: LedgerEntry? = nil, to outcome: inout Outcome,
        kept: (CampaignRow) -> CampaignRow = { $0 }
    ) {
        let table = CampaignTable(
            campaign: campaign, entry: current, laterEntry: later,
            pending: pending.isEmpty ? nil : current.flatMap { pending[$0.notificationID.text] },
            strays: current.map(strays) ?? [],
            canSchedule: input.capabilities.canSchedule,
            now: input.now)
        let row = kept(
            table.row(
                isChanged: { drafting.isChanged(campaign, since: current) },
                isEdited: { drafting.isEdited(campaign, since: current) }))
        if let current { outcome.steps += withdrawal(of: current, beside: row, campaign) }
        if case .missed(let reason) = row {
            let path: [FieldPathElement] = campaign.scheduledAt == nil ? ["expiration"] : ["schedule", "at"]
            miss(campaign, reason, isNew: current == nil, at: path, in: &outcome)
        } else {
            add(row, of: campaign, to: &outcome)
        }
    }

    /// Returns the row for another revision's delivery: a pending push is cancelled, an open delivery is settled.
    private func otherRow(_ entry: LedgerEntry, _ campaign: Campaign) -> CampaignRow {
        goneRow(entry, reason: Reason(.replaced, .number(campaign.revision), .number(entry.revision)))
    }

    /// True if the remote lists the push of a delivery, or may have it all the same.
    private func isPending(_ entry: LedgerEntry) -> Bool {
        pending[entry.notificationID.text] != nil || entry.mayBePending(at: input.now)
    }

    /// Returns the row for a delivery that the files do not want (any more).
    func goneRow(_ entry: LedgerEntry, reason: Reason = Reason(.notInFiles)) -> CampaignRow {
        // A stop of what was not sent leaves nothing to find out.
        let unstopped = entry.unstopped.state
        return switch [.refused, .cancelled, .unsent].contains(unstopped) ? unstopped : entry.state {
        // What was stopped before its time did not go out at it, unless a record says so.
        case .scheduled: isPending(entry) || entry.stopped != nil ? .cancel(entry, reason: reason) : .nothing
        case .cancelling: .cancel(entry, reason: Reason(.cancellationInterrupted))
        case .sending, .halted, .holding: .resume(entry, .ended)
        case .unknown: .unknown(entry)
        case .refused, .cancelled, .unsent:
            pending[entry.notificationID.text] == nil ? .nothing : .cancel(entry, reason: Reason(.stillPending))
        case .sent: entry.isInDoubt(at: input.now) ? .unknown(entry) : .nothing
        }
    }

    // MARK: Pushes that should not be pending

    /// Returns the pending pushes of a delivery's earlier generations.
    private func strays(of entry: LedgerEntry) -> [ScheduledPush] {
        guard !pending.isEmpty, entry.generation > 0 else { return [] }
        return entry.notificationIDs()
            .compactMap { $0 == entry.notificationID ? nil : pending[$0.text] }.sorted { $0.id < $1.id }
    }

    /// Returns the steps that cancel pushes of earlier generations, unless the delivery's row does.
    private func withdrawal(of entry: LedgerEntry, beside row: CampaignRow, _ campaign: Campaign?) -> [Step] {
        var strays = strays(of: entry)
        switch row {
        case .cancel, .reschedule:
            let covered = Set(entry.notificationIDs().map(\.text))
            strays.removeAll { $0.notificationID.map(covered.contains) ?? false }
        case .nothing, .remark, .send, .schedule, .resume, .wait, .missed, .unknown: break
        }
        guard let first = strays.first else { return [] }
        var change = change(entry, campaign, .cancel, reason: Reason(.earlierStillPending))
        change.before = ["at": .string(first.at.text), "revision": .integer(Int64(entry.revision))]
        return [Step(change, .withdraw(entry, strays))]
    }

    // MARK: Rows without a campaign

    /// Returns the steps for a row; `campaign` is the one whose other revision it is, nil when the files have none.
    func steps(_ entry: LedgerEntry, _ row: CampaignRow, of campaign: Campaign? = nil) -> [Step] {
        let step: Step? =
            switch row {
            case .cancel(let entry, let reason): cancellation(of: entry, campaign: nil, reason: reason)
            case .resume(let entry, let wish, _): resumption(of: entry, campaign: nil, wish).step
            case .unknown(let entry): unknown(entry, campaign: nil)
            case .nothing, .remark, .send, .schedule, .reschedule, .wait, .missed: nil
            }
        return withdrawal(of: entry, beside: row, campaign) + [step].compactMap { $0 }
    }

    // MARK: Rows of a campaign

    private func add(_ row: CampaignRow, of campaign: Campaign, to outcome: inout Outcome) {
        switch row {
        case .nothing: break
        case .remark(let remark): outcome.diagnostics.append(diagnostic(remark, campaign))
        case .send(let generation, let replaced):
            // A timer sends campaigns whose time has come, not those merged a moment ago.
            if input.selection.onlyDue, campaign.scheduledAt == nil { break }
            deliver(campaign, .send, generation: generation, replaced: replaced, to: &outcome)
        case .schedule(let generation, let replaced):
            deliver(campaign, .schedule, generation: generation, replaced: replaced, to: &outcome)
        case .reschedule(let entry, let toNow):
            deliver(
                campaign, .reschedule, generation: entry.generation + 1, replaced: entry, isNow: toNow, to: &outcome)
        case .cancel(let entry, let reason):
            outcome.steps.append(cancellation(of: entry, campaign: campaign, reason: reason))
        case .resume(let entry, let wish, let isEdited):
            let resumed = resumption(of: entry, campaign: campaign, wish)
            outcome.steps.append(resumed.step)
            if resumed.isSending { outcome.sendingResumes.insert(entry.delivery) }
            if isEdited, resumed.isSending || resumed.step.change.action == .wait {
                outcome.diagnostics.append(diagnostic(.editedDuringDelivery, campaign))
            }
            if case .journal(let state)? = input.state.evidence[entry.notificationID], let winner = state.winner,
                let wanted = campaign.winner, winner != wanted
            {
                outcome.diagnostics.append(diagnostic(.otherWinner(winner), campaign))
            }
        case .wait(let reason): wait(campaign, reason, &outcome)
        case .unknown(let entry):
            outcome.steps.append(unknown(entry, campaign: campaign))
            outcome.diagnostics += stopped(entry, campaign)
        case .missed: break
        }
    }

    /// Reports a missed campaign: with a note, or with an error when it should have been delivered and is not in the
    /// ledger at all; that is then recorded.
    ///
    /// A campaign that ended before the ledger's first delivery belongs to the history of another remote.
    func miss(
        _ campaign: Campaign, _ reason: Reason, isNew: Bool, at path: [FieldPathElement], in outcome: inout Outcome
    ) {
        var change = change(campaign, .missed, reason: reason)
        let end = campaign.scheduledAt?.instant ?? campaign.expiration?.end(startingAt: input.now)
        if isNew, let block = renaming(campaign) ?? taken(missed(campaign, reason)) {
            change.blocked = [block]
            outcome.steps.append(Step(change, .nothing))
            return
        }
        let isError = isNew && end.map { end in history.began.map { $0 < end } ?? false } ?? false
        var operation = Operation.nothing
        if isError {
            change.blocked = [Block(.missed, Reason(.neverSent, .reason(reason)))]
            operation = .miss(missed(campaign, reason))
        }
        outcome.steps.append(Step(change, operation))
        outcome.diagnostics.append(
            isError
                ? PlanDiagnostic(
                    .error, .missed, Reason(.missedForGood, .text(campaign.name), .reason(reason)),
                    at: campaign.origin.range(of: path), help: Reason(.giveAnotherTime))
                : PlanDiagnostic(
                    .note, .missed, Reason(.notSentBecause, .text(campaign.name), .reason(reason)),
                    at: campaign.origin.range(of: []), help: Reason(.raiseRevisionAnew)))
    }

    struct Outcome: Sendable {
        var steps: [Step] = []
        var diagnostics: [PlanDiagnostic] = []
        var sendingResumes: Set<DeliveryID> = []
        /// The campaign, if its files say something else than the remote has or has delivered.
        var edited: Campaign?
        /// Audiences to count for reviewers, by their hash.
        var counts: [Digest: JSONValue] = [:]

        var isEmpty: Bool { steps.isEmpty && diagnostics.isEmpty }

        /// True if a push that waits is to be changed, or a delivered campaign was edited.
        var hasEdit: Bool {
            steps.contains { [.reschedule, .update].contains($0.change.action) }
                || diagnostics.contains { $0.code == .editedAfterDelivery }
        }
    }
}

extension LedgerEntry {
    /// True if a push of the delivery exists, may exist, or will exist.
    package var mayHaveBeenDelivered: Bool {
        switch state {
        case .sent, .sending, .scheduled, .cancelling, .unknown, .halted, .holding: true
        case .refused, .cancelled, .unsent: false
        }
    }
}

// MARK: - Deliveries

/// Deliveries that a plan begins, waits for or cancels.
extension CampaignPlanner {
    /// Adds a send, schedule or reschedule with its request, audience and rules.
    func deliver(
        _ campaign: Campaign, _ action: Action, generation: Int, replaced: LedgerEntry?, isNow: Bool? = nil,
        to outcome: inout Outcome
    ) {
        let startsNow = isNow ?? (action == .send)
        let at = startsNow ? nil : campaign.scheduledAt
        let start = at?.instant ?? input.now
        let drafted = drafting.draft(
            campaign, scheduledAt: at?.instant, generation: generation, replaced: replaced, now: input.now)
        let audience = audience(of: campaign, request: drafted.encoded.request)
        let isCountable = input.encoder.audience(of: drafted.encoded.request) != nil
        var change = change(campaign, action, reason: reason(action, replaced: replaced))
        change.delivery?.id = drafted.entry.delivery
        change.delivery?.generation = generation
        change.delivery?.at = at
        change.delivery?.expiresAt = campaign.end(startingAt: start)
        change.audience = PlannedAudience(audience, of: campaign)
        change.audience?.review.parts = parts(of: campaign, audience)
        change.payload = PlannedPayload(bytes: drafted.encoded.bytes, limit: drafted.encoded.limit)
        change.request = drafted.entry.request?.withoutDevices
        if action == .reschedule, let replaced { change.before = Self.pendingFields(replaced) }
        change.after = after(campaign)
        change.looks = looks(of: campaign)
        change.blocked = policy.online(
            campaign, start: start, audience: audience, profiles: drafting.pushingProfiles(campaign),
            capabilities: input.capabilities, mustBeCounted: isCountable && !input.isSimulated)
        if campaign.winner != nil, !campaign.variants.isEmpty {
            change.blocked.append(VariantChoice.isTooEarly)
        }
        if let block = renaming(campaign) ?? taken(drafted.entry) { change.blocked.append(block) }
        if let block = outsideFence(drafted.entry, Reason(.notNarrowable)) { change.blocked.append(block) }
        if isNewLedger {
            change.blocked.append(Block(.newLedger, Reason(.newLedger)))
        }
        let operation: Operation
        if action == .reschedule, let replaced {
            change.blocked += tooLate(replaced)
            operation = .cancel(replaced, then: drafted.entry)
        } else {
            operation = .deliver(drafted.entry, replaces: replaced != nil)
        }
        outcome.steps.append(Step(change, operation))
        outcome.diagnostics += drafted.encoded.findings.map(\.planned)
        if action != .send, at != nil {
            outcome.diagnostics.append(
                PlanDiagnostic(
                    .note, .audienceAtFiring, Reason(.selectedWhenFiring, .text(campaign.name)),
                    at: campaign.origin.range(of: ["schedule", "at"])))
        }
        outcome.diagnostics += remarks(campaign, audience, isCountable: isCountable)
        if let remark = sizeRemark(campaign, change.audience?.review.parts ?? []) { outcome.diagnostics.append(remark) }
    }

    /// Adds the line of a campaign whose time has not come; for reviewers with the parts of a divided one.
    func wait(_ campaign: Campaign, _ reason: Reason, _ outcome: inout Outcome) {
        var step = Step(change(campaign, .wait, reason: reason), .nothing)
        if input.explainsAudiences, campaign.isDivided, !campaign.hold {
            let drafted = drafting.draft(
                campaign, scheduledAt: campaign.scheduledAt?.instant, generation: 0, replaced: nil, now: input.now)
            let request = drafted.encoded.request
            let audience = audience(of: campaign, request: request)
            step.change.audience = PlannedAudience(audience, of: campaign)
            let parts = parts(of: campaign, audience)
            step.change.audience?.review.parts = parts
            step.reviewed = request
            if let counted = CountedAudience(of: request, input.encoder) {
                outcome.counts[counted.digest] = counted.condition
            }
            if let remark = sizeRemark(campaign, parts) { outcome.diagnostics.append(remark) }
        }
        outcome.steps.append(step)
    }

    /// Returns the number of devices that a delivery would reach; nil when unknown.
    func audience(of campaign: Campaign, request: PushRequest) -> AudienceCount? {
        guard campaign.audience.devices.isEmpty || campaign.fence != nil else {
            return AudienceCount(devices: campaign.audience.distinctDevices)
        }
        return input.encoder.audience(of: request).flatMap { input.state.audiences[Digest(of: $0)] }
    }

    /// Returns the block of a request that would reach devices outside the remote's fence, for the reason given; nil when
    /// its own condition keeps all devices inside.
    func outsideFence(_ entry: LedgerEntry, _ why: Reason) -> Block? {
        guard let fence, !(entry.request?.isWithin(fence) ?? false) else { return nil }
        return Block(.fence, why)
    }

    /// Returns the looks of a campaign on the platforms that both it and the remote reach.
    func looks(of campaign: Campaign) -> [NotificationLook] {
        let looks = campaign.looks(
            on: input.remote.type, by: input.encoder, segments: drafting.segments,
            profiles: input.desired.deviceProfiles)
        return input.desired.strings.map { catalog in looks.map { $0.filled(from: catalog) } } ?? looks
    }

    private func reason(_ action: Action, replaced: LedgerEntry?) -> Reason {
        switch (action, replaced?.state) {
        case (.reschedule, .cancelling): Reason(.cancellationInterrupted)
        case (.reschedule, .scheduled): Reason(.changedWhilePending)
        case (.reschedule, _): Reason(.stillPending)
        case (_, .refused): Reason(.refusedBefore, .reason(replaced?.reason ?? Reason(.noReason)))
        case (_, .cancelled): Reason(.cancelledBefore)
        case (_, .unsent): Reason(.unsentBefore)
        case (_, _): Reason(.notDelivered)
        }
    }

    /// Returns a cancellation, or the rest of an interrupted one.
    func cancellation(of entry: LedgerEntry, campaign: Campaign?, reason: Reason) -> Step {
        var change = change(entry, campaign, .cancel, reason: reason)
        change.before = Self.pendingFields(entry)
        change.blocked = tooLate(entry)
        return Step(change, .cancel(entry, then: nil))
    }

    /// Blocks a change of a pending push that is due within five minutes, unless a person stopped it.
    private func tooLate(_ entry: LedgerEntry) -> [Block] {
        // The list of pending pushes may not show it yet.
        let unlisted = entry.mayBePending(at: input.now) ? entry.scheduledAt : nil
        guard entry.state == .scheduled, entry.stopped == nil,
            let at = pending[entry.notificationID.text]?.at ?? unlisted, at - input.now < .seconds(300)
        else { return [] }
        return [Block(.tooLateToChange, Reason(.tooLateToChange, .instant(at)))]
    }
}

// MARK: - Changes

extension CampaignPlanner {
    /// Returns the plan's line for a declared campaign.
    func change(_ campaign: Campaign, _ action: Action, reason: Reason) -> Change {
        var change = Change(
            kind: .campaign, name: campaign.name, action: action, reason: reason, file: campaign.origin.file,
            line: campaign.origin.line,
            delivery: PlannedDelivery(
                id: delivery(of: campaign), generation: 0, revision: campaign.revision,
                occurrence: campaign.occurrence, at: campaign.scheduledAt,
                expiresAt: nil, expires: campaign.expiration?.reason),
            preview: campaign.message.previewText)
        if action.isSending { change.delivery?.divisions = campaign.divisions }
        return change
    }

    /// Returns the plan's line for a delivery in the ledger.
    func change(_ entry: LedgerEntry, _ campaign: Campaign?, _ action: Action, reason: Reason) -> Change {
        Change(
            kind: .campaign, name: campaign?.name ?? entry.campaign, action: action, reason: reason,
            file: campaign?.origin.file, line: campaign?.origin.line,
            delivery: PlannedDelivery(
                id: entry.delivery, generation: entry.generation, revision: entry.revision,
                occurrence: entry.occurrence, at: entry.scheduledAt.map { OffsetInstant($0) },
                expiresAt: entry.expiresAt, expires: nil))
    }

    /// Returns the id of a campaign's delivery at its own revision.
    func delivery(of campaign: Campaign) -> DeliveryID {
        DeliveryID(
            workspace: input.desired.identityName, campaign: campaign.identityName, revision: campaign.revision,
            occurrence: campaign.occurrence)
    }

    /// Returns the removal of a recurring campaign's record.
    func forgetting(_ record: ResourceRecord, reason: Reason) -> Step {
        Step(
            Change(kind: .campaign, name: record.name, action: .delete, reason: reason, before: record.fields),
            .forget(record))
    }

    /// Returns the fields that are recorded of a recurring campaign: its rule, what decides about its deliveries, and
    /// the hash of what is delivered.
    func recurringFields(_ campaign: Campaign) -> JSONValue {
        var fields = after(campaign)
        guard let rule = campaign.recurrence else { return fields }
        fields["every"] = .string(rule.every.rawValue)
        if !rule.on.isEmpty { fields["on"] = .array(rule.on.map { .string($0.text) }) }
        fields["at"] = .string(QuietHours.timeOfDay(rule.minute))
        fields["timeZone"] = .string(rule.timeZone)
        if let from = rule.from { fields["from"] = .string(from.text) }
        if let until = rule.until { fields["until"] = .string(until.text) }
        if let count = rule.count { fields["count"] = .integer(Int64(count)) }
        if !rule.except.isEmpty { fields["except"] = .array(rule.except.sorted().map { .string($0.text) }) }
        if campaign.hold { fields["hold"] = true }
        fields["content"] = .string(drafting.content(of: campaign).description)
        return fields
    }

    /// Returns the fields that a plan shows for a campaign to be delivered.
    func after(_ campaign: Campaign) -> JSONValue {
        var fields: JSONObject = [
            "revision": .integer(Int64(campaign.revision)), "environment": .string(campaign.environment.rawValue),
            "audience": .string(campaign.audienceReason.text), "window": .string(campaign.window.configurationText),
        ]
        if let at = campaign.scheduledAt { fields["at"] = .string(at.text) }
        for (division, reason) in campaign.divisions { fields[division.rawValue] = .string(reason.text) }
        if !campaign.frequency.isEmpty {
            fields["frequency"] = .string(campaign.frequency.map(\.text).joined(separator: ", "))
        }
        if let expiration = campaign.expiration { fields["expiration"] = .string(expiration.reason.text) }
        return .object(fields)
    }

    /// Returns the fields that a plan shows for a pending push.
    static func pendingFields(_ entry: LedgerEntry) -> JSONValue {
        var fields: JSONObject = ["revision": .integer(Int64(entry.revision))]
        if let at = entry.scheduledAt { fields["at"] = .string(at.text) }
        return .object(fields)
    }
}

extension Campaign {
    fileprivate var divisions: [PlannedDelivery.Division: Reason] {
        [
            .localTime: localSchedule?.reason, .rollout: rollout?.reason, .variants: variantTest?.reason,
            .holdout: holdout?.reason,
        ].compactMapValues(\.self)
    }
}

extension Message {
    /// The text for previews: the body, or else the title; nil when nothing is shown.
    package var previewText: String? {
        let content = common
        return (content.body ?? content.title ?? ios?.body ?? android?.body)?.shownText
    }
}

extension PushRequest {
    /// The request with device tokens replaced by their number and hash.
    package var withoutDevices: PushRequest {
        guard endpoint == .devices, let devices = body["device_ids"] else { return self }
        var shown = self
        shown.body["device_ids"] = [
            "count": .integer(Int64(devices.array?.count ?? 0)), "sha256": .string(Digest(of: devices).hexadecimal),
        ]
        return shown
    }
}
