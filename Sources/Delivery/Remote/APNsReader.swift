package import Base
package import DeviceRegistry
package import Push

/// Reads an `apns` remote through a read-only connection to the registry, without asking Apple.
package struct APNsReader: RemoteReading {
    package let description: RemoteDescription
    private let workspace: String
    private let store: JournalReader
    private let staleAfter: Duration?

    /// Reads through a connection, which its creator closes; with `staleAfter` a device that was not seen for so long
    /// gets nothing.
    package init(
        _ store: JournalReader, description: RemoteDescription, workspace: String,
        staleAfter: Duration? = AudienceCount.threeMonths
    ) {
        self.store = store
        self.staleAfter = staleAfter
        self.description = description
        self.workspace = workspace
    }

    package var capabilities: Capabilities { APNsRemote.capabilities }

    package var encoder: any RequestEncoding { APNsEncoder() }

    package func now() async throws(RemoteError) -> Instant {
        try await RemoteError.asking(try await store.now())
    }

    package func ledger() async throws(RemoteError) -> [LedgerEntry] {
        try await records(.ledger).map { record throws(RemoteError) in try LedgerFields.entry(record.fields) }
    }

    package func stops() async throws(RemoteError) -> [StopOrder] {
        try await RemoteError.asking(try await store.stops(of: workspace))
    }

    package func isLedgerStarted() async throws(RemoteError) -> Bool {
        try await records(.mark).contains { $0.key == RecordKeys.ledgerMark }
    }

    package func neighbours() async throws(RemoteError) -> [String: Int] {
        let tally = try await RemoteError.asking(try await store.tally(.ledger))
        return tally.filter { $0.key != workspace }
    }

    package func resources() async throws(RemoteError) -> [ResourceRecord] {
        try await records(.resource).map { record throws(RemoteError) in
            guard let resource = try ResourceFields.record(record.fields) else { throw record.fields.fault("kind") }
            return resource
        }
    }

    package func lock() async throws(RemoteError) -> LockRecord? {
        guard let lock = try await RemoteError.asking(try await store.lock(of: workspace)) else { return nil }
        return try LockRecord(lock)
    }

    /// Always empty: this remote schedules no pushes.
    package func scheduledPushes() async throws(RemoteError) -> [Push.ScheduledPush] { [] }

    /// Always nil: the journal tells the outcome of a push.
    package func record(notification: DeliveryID) async throws(RemoteError) -> PushRecord? { nil }

    /// Always nil: Apple keeps no record of a push.
    package func record(objectID: String) async throws(RemoteError) -> PushRecord? { nil }

    package func journal(of entry: LedgerEntry) async throws(RemoteError) -> JournalState {
        guard let request = entry.request else {
            throw RemoteError(.unexpectedAnswer, "the ledger does not hold the request of \(entry.delivery.text)")
        }
        var state = JournalState(
            try await store.journal(of: entry), try? DeliveryOrder(request.body),
            window: entry.window)
        // A count that cannot be had must not prevent a choice.
        if let variants = state.standing?.variants, let events = try? await events(of: entry) {
            state.standing?.variants = request.counting(events, in: variants)
        }
        return state
    }

    package func events(of entry: LedgerEntry) async throws(RemoteError) -> EventFigures? {
        try await RemoteError.asking(try await store.events(of: entry.notificationID.text))
    }

    package func count(_ condition: JSONValue) async throws(RemoteError) -> AudienceCount {
        let audience = try audience(condition)
        var count = try await count(audience, explained: audience.words != nil)
        // A warning that cannot be determined must not prevent the plan.
        count.doubts.insert(contentsOf: (try? await doubts(audience, reaching: count.devices)) ?? [], at: 0)
        count.staleAfter = staleAfter ?? count.staleAfter
        return count
    }

    package func explain(_ condition: JSONValue, deviceProfiles: [String]) async throws(RemoteError) -> AudienceCount {
        try await count(try audience(condition), explained: true)
    }

    /// Counts an audience by the reasons of plans, and the names that may be shown.
    private func count(_ audience: DeliveryAudience, explained: Bool) async throws(RemoteError) -> AudienceCount {
        let now = try await now()
        var count = try await RemoteError.asking(
            try await explained ? store.explain(audience, at: now) : store.count(audience, at: now))
        count.leftOut = count.leftOut.planned
        count.platforms = AudienceCount.largest(count.platforms)
        count.deviceProfiles = AudienceCount.largest(count.deviceProfiles)
        count.timeZones = AudienceCount.zones(count.timeZones)
        return count
    }

    private func audience(_ condition: JSONValue) throws(RemoteError) -> DeliveryAudience {
        var audience = try DeliveryAudience(counted: condition)
        audience.staleAfter = staleAfter
        return audience
    }

    /// Names in a condition that the registry does not have: classes of inner queries, and fields that may decide the
    /// result.
    private func doubts(
        _ audience: DeliveryAudience, reaching devices: Int
    ) async throws(RemoteError) -> [AudienceDoubt] {
        guard case .condition(let condition) = audience.selection else { return [] }
        let asked = ConditionNames(condition)
        let fields = asked.fields.filter { devices == 0 || asked.permissive.contains($0) }
        guard !asked.classes.isEmpty || !fields.isEmpty else { return [] }
        let names = try await RemoteError.asking(try await store.names())
        var doubts = asked.classes.filter { !names.classes.contains($0) }.map { AudienceDoubt.absentClass($0) }
        // If nobody is registered, every field is absent.
        for field in fields where !names.fields.isEmpty && !names.fields.contains(field) {
            // The newest installations lack it, but an older one may have it.
            let bearers = DeliveryAudience(selection: .condition([field: ["$exists": true]]), routes: audience.routes)
            let figures = try await RemoteError.asking(try await store.count(bearers, at: try await store.now()))
            guard figures.devices == 0, figures.leftOut.values.allSatisfy({ $0 == 0 }) else { continue }
            doubts.append(
                .absentField(
                    field, nearest: Suggestion.nearest(to: field, among: names.fields.union(ConditionNames.common))))
        }
        return doubts
    }

    package func sampleInstallations(
        channels: [String], deviceProfiles: [String]
    ) async throws(RemoteError) -> InstallationSample {
        try await RemoteError.asking(try await store.survey(channels: channels, profiles: deviceProfiles))
    }

    private func records(_ kind: DeployRecord.Kind) async throws(RemoteError) -> [DeployRecord] {
        try await RemoteError.asking(try await store.records(kind, of: workspace))
    }
}

extension JournalState {
    /// Converts the registry's journal; nil: the delivery was never begun.
    ///
    /// `window` is the delivery's, within which it may begin.
    init(_ figures: JournalFigures?, _ order: DeliveryOrder?, window: Duration) {
        let timing = order?.timing ?? .together
        // A partially stored audience is started anew.
        guard let figures, figures.isFrozen || figures.isClosed else {
            self = .unbegun
            return
        }
        // A journal closed before any of its devices was stored must not continue either.
        let targets = figures.isClosed ? max(figures.targets, 1) : figures.targets
        let refused = figures.refused.values.reduce(0, +)
        // Batches left open by a killed run may have reached Apple.
        self.init(
            targets: targets, answered: figures.accepted + refused,
            inDoubt: figures.unanswered, waiting: figures.waiting,
            lastOutcomeAt: figures.lastOutcomeAt, refused: refused,
            windowFrom: figures.windowFrom(timing).map { $0 + ((timing.window ?? window) - window) },
            opensAt: figures.opensAt(timing), stage: figures.nextStage(timing))
        underWay = figures.underWay
        part = figures.standing(timing)
        guard let order, let test = order.test else { return }
        winner = figures.parts.first?.verdict?.winner
        guard let decideBy = figures.decideBy(test), let answers = figures.answers(to: order) else { return }
        standing = VariantStanding(variants: answers, decideBy: decideBy)
    }
}

extension JournalFigures {
    /// The time from which the window of what waits counts; nil: that of the last outcome.
    fileprivate func windowFrom(_ timing: DeliveryOrder.Timing) -> Instant? {
        if case .variants(let test) = timing, let end = decideBy(test) { return end }
        return ([lastOutcomeAt, waitsUntil] + parts.filter { $0.figures.waiting > 0 }.map(\.opensAt))
            .compactMap(\.self).max()
    }

    /// The stage that waits or is being sent to, or else the one that a verdict of go opens; nil without stages.
    fileprivate func nextStage(_ timing: DeliveryOrder.Timing) -> Int? {
        guard case .stages(let rollout) = timing, let stage = current else { return nil }
        return min(stage.number + (stage.figures.waiting == 0 ? 1 : 0), rollout.stages.count)
    }

    /// The time by which a winner may be named; nil when the test is not over, or the rest has its variant.
    fileprivate func decideBy(_ test: VariantTest) -> Instant? {
        guard !isClosed, let part = current, part.number == VariantTest.test, part.verdict == nil,
            part.figures.waiting + part.figures.underWay == 0, waiting > 0
        else { return nil }
        return part.answeredAt.map { $0 + test.decideBy }
    }

    /// The answers of those who tested an order's variants; nil when it has none.
    func answers(to order: DeliveryOrder) -> [VariantAnswers]? {
        guard let test = order.test, let part = parts.first else { return nil }
        let languages = order.languages.payloads.count + 1
        return test.arms.indices.map { arm in
            var figures = JournalFigures(targets: 0)
            for (form, sums) in part.forms
            where MessageForm(number: form, languages: languages, variants: test.arms.count).variant == arm {
                figures.accepted += sums.accepted
                figures.inDoubt += sums.inDoubt + sums.underWay
                figures.refused.merge(sums.refused, uniquingKeysWith: +)
            }
            return VariantAnswers(name: test.arms[arm].name, answers: StageVerdict.Answers(figures))
        }
    }

    /// The part that was sent last, when only time does the next thing.
    fileprivate func standing(_ timing: DeliveryOrder.Timing) -> PartStanding? {
        guard !isClosed, let next = opensAt(timing) else { return nil }
        let (kind, sent, count): (PartStanding.Kind, JournalPart?, Int)
        switch timing {
        case .together: return nil
        case .variants: (kind, sent, count) = (.test, parts.first, 1)
        case .localTime:
            let waiting = parts.first { $0.figures.waiting > 0 && !$0.figures.isClosed }
            let last = parts.last { part in waiting.map { part.number < $0.number } ?? false }
            (kind, sent, count) = (.wave, last, parts.count)
        case .stages(let rollout):
            guard let stage = current, stage.number < rollout.stages.count, stage.verdict == nil else { return nil }
            (kind, sent, count) = (.stage, stage, rollout.stages.count)
        }
        guard let sent, sent.figures.waiting + sent.figures.underWay == 0 else { return nil }
        let answers = StageVerdict.Answers(sent.figures)
        return PartStanding(
            kind: kind, number: 1 + (parts.firstIndex { $0.number == sent.number } ?? 0), of: count,
            accepted: answers.accepted,
            refused: answers.refused + answers.deadTokens, inDoubt: answers.inDoubt, next: next)
    }

    /// The time before which no waiting part may be sent to; nil: now.
    fileprivate func opensAt(_ timing: DeliveryOrder.Timing) -> Instant? {
        switch timing {
        case .together: return nil
        case .variants(let test): return decideBy(test)
        case .localTime:
            return parts.filter { $0.figures.waiting > 0 && !$0.figures.isClosed }.compactMap(\.opensAt).min()
        case .stages(let rollout):
            guard let stage = current, stage.figures.waiting == 0, stage.verdict.map(\.opensNext) ?? true else {
                return nil
            }
            return stage.answeredAt.map { $0 + rollout.bake }
        }
    }
}
