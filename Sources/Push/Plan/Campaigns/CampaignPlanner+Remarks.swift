internal import Base

/// The remarks of a plan on deliveries that need no change.
extension CampaignPlanner {
    /// Returns the diagnostic for a rollout that waits for a person, at the line that stopped it; none for others.
    func stopped(_ entry: LedgerEntry, _ campaign: Campaign) -> [PlanDiagnostic] {
        guard entry.state.isStopped, entry.stopped == nil else { return [] }
        return [
            PlanDiagnostic(
                .warning, .rolloutStopped,
                Reason(
                    entry.state == .halted ? .rolloutWasHalted : .rolloutIsHolding, .text(campaign.name),
                    .reason(entry.reason ?? Reason(.noReason))),
                at: campaign.origin.range(of: ["rollout"]), help: Reason(.decideRest, .text(entry.resolveCommand)))
        ]
    }

    /// Returns the diagnostic for a delivery that needs no change.
    func diagnostic(_ remark: CampaignRow.Remark, _ campaign: Campaign) -> PlanDiagnostic {
        let (name, title) = (Reason.Value.text(campaign.name), Reason.Value.text(campaign.titleOfDelivery))
        func found(
            _ severity: Severity, _ code: DiagnosticCode, _ message: Reason, at path: [FieldPathElement] = [],
            help: Reason?
        ) -> PlanDiagnostic {
            PlanDiagnostic(severity, code, message, at: campaign.origin.range(of: path), help: help)
        }
        switch remark {
        case .editedAfterDelivery:
            return found(.note, .editedAfterDelivery, Reason(.editedAfter, name), help: Reason(.raiseRevision))
        case .editedDuringDelivery:
            return found(.note, .editedAfterDelivery, Reason(.editedDuring, name), help: Reason(.raiseRevisionForAll))
        case .revisionLowered(let delivered):
            return found(
                .warning, .revisionLowered,
                Reason(.revisionIsLower, name, .number(delivered), .number(campaign.revision)), at: ["revision"],
                help: Reason(.raiseRevisionAbove, .number(delivered)))
        case .cancelledElsewhere:
            return found(
                .warning, .cancelledElsewhere, Reason(.disappeared, title),
                help: campaign.occurrence == .once ? Reason(.raiseRevisionToDeliver) : nil)
        case .otherWinner(let winner):
            let wanted = Reason.Value.text(quoted(campaign.winner ?? ""))
            return found(
                .note, .editedAfterDelivery,
                winner.map { Reason(.otherWinner, name, .text(quoted($0)), wanted) }
                    ?? Reason(.otherWinnerThanNone, name, wanted),
                at: ["winner"], help: Reason(.nameWinnerBefore))
        case .inDoubt(let devices, let entry):
            return found(
                .warning, .inDoubt, Reason(.deliveredInDoubt, title, .count(devices)),
                help: Reason(.closeOrSend, .text(entry.resolveCommand)))
        }
    }
}

// MARK: - Audiences

/// The remarks of a plan on audiences and their parts.
extension CampaignPlanner {
    /// Returns the stages of a rollout, or the variants of a test and the rest, with the numbers of devices to expect.
    func parts(of campaign: Campaign, _ audience: AudienceCount?) -> [AudienceReview.Part] {
        guard let devices = audience?.devices else { return [] }
        if let test = campaign.variantTest {
            let shares = test.arms.map { (Reason.verbatim($0.name), $0.share) } + [(Reason(.rest), test.restShare)]
            return shares.map { AudienceReview.Part(label: $0, devices: $1.of(devices)) }
        }
        guard let rollout = campaign.rollout else { return [] }
        return rollout.stages.indices.map { index in
            AudienceReview.Part(
                label: .verbatim(rollout.stages[index].text), devices: rollout.share(ofStage: index + 1).of(devices))
        }
    }

    /// The remark on parts with few devices: a stage that cannot be judged, or the difference that a test can show.
    func sizeRemark(_ campaign: Campaign, _ parts: [AudienceReview.Part]) -> PlanDiagnostic? {
        smallStage(campaign, parts) ?? power(campaign, parts)
    }

    /// Tells which difference between its variants a test can show.
    private func power(_ campaign: Campaign, _ parts: [AudienceReview.Part]) -> PlanDiagnostic? {
        let sizes = parts.dropLast().map(\.devices).sorted()
        guard campaign.variantTest != nil, sizes.count > 1 else { return nil }
        let points = (VariantTest.detectableDifference(sizes[0], sizes[1]) * 1000).rounded(.up) / 10
        return PlanDiagnostic(
            .note, .variantPower,
            Reason(.testShows, .text(campaign.name), .text("\(points)"), .count(sizes[0])),
            at: campaign.origin.range(of: ["variants"]), help: points > 10 ? Reason(.largerShares) : nil)
    }

    /// Warns of a stage that cannot have enough answers for a verdict; the last one needs none.
    private func smallStage(_ campaign: Campaign, _ parts: [AudienceReview.Part]) -> PlanDiagnostic? {
        guard let rollout = campaign.rollout,
            let index = parts.dropLast().firstIndex(where: { $0.devices < rollout.fewestAnswers })
        else { return nil }
        return PlanDiagnostic(
            .warning, .smallStage,
            Reason(.stageTooSmall, .number(index + 1), .text(campaign.name), .count(parts[index].devices)),
            at: campaign.origin.range(of: ["rollout", "stages"]),
            help: rollout.fewestAnswers > rollout.minimum
                ? Reason(.enlargeForOpened, .count(rollout.fewestAnswers))
                : Reason(.enlargeStage, .count(rollout.minimum)))
    }

    func remarks(_ campaign: Campaign, _ audience: AudienceCount?, isCountable: Bool) -> [PlanDiagnostic] {
        let (name, place) = (Reason.Value.text(campaign.name), campaign.origin.range(of: ["audience"]))
        guard let audience else {
            if isCountable, !input.isSimulated || !campaign.audience.devices.isEmpty && campaign.fence == nil {
                return []
            }
            let note = Reason(isCountable ? .audienceUnrecorded : .subscribersUnknown, name)
            return [PlanDiagnostic(.note, .notCounted, note, at: place)]
        }
        let doubts = audience.doubts.map { remark($0, on: campaign) }
        if audience.devices == 0 { return doubts + [empty(campaign, audience)] }
        let quota = input.desired.policy.dailyQuota
        guard audience.devices > quota else { return doubts }
        let note = Reason(.overDailyQuota, name, .count(audience.devices), .count(quota))
        return doubts + [PlanDiagnostic(.warning, .quota, note, at: place)]
    }

    /// The warning of an audience without devices: why those that match get nothing, or else that none does.
    private func empty(_ campaign: Campaign, _ audience: AudienceCount) -> PlanDiagnostic {
        let (name, place) = (Reason.Value.text(campaign.name), campaign.origin.range(of: ["audience"]))
        let reasons = audience.leftOut.byNumber
        let words = reasons.map { $0.reason.reason($0.devices, staleAfter: audience.staleAfter) }
        guard let most = reasons.first?.reason, let why = Reason.joined(words, by: .both) else {
            return PlanDiagnostic(
                .warning, .emptyAudience,
                campaign.fence.map { Reason(.nobodyWithin, name, .reason($0.reason)) } ?? Reason(.nobodyIn, name),
                at: place, help: campaign.minAudience > 0 ? Reason(.checkTyping) : nil)
        }
        return PlanDiagnostic(
            .warning, .emptyAudience, Reason(.allLeftOut, name, .reason(why)), at: place,
            help: most.help(at: input.remote.type))
    }

    private func remark(_ doubt: AudienceDoubt, on campaign: Campaign) -> PlanDiagnostic {
        let (campaign, place) = (Reason.Value.text(campaign.name), campaign.origin.range(of: ["audience"]))
        switch doubt {
        case .absentClass(let name):
            return PlanDiagnostic(.warning, .absentClass, Reason(.noClass, campaign, .text(quoted(name))), at: place)
        case .forgotten(let time):
            return PlanDiagnostic(
                .warning, .reachedForgotten, Reason(.reachedUnknown, .instant(time), campaign), at: place,
                help: Reason(.waitForReached))
        case .absentField(let name, let nearest):
            let field = Reason.Value.text(quoted(name))
            return PlanDiagnostic(
                .warning, .absentField,
                nearest.map { Reason(.noFieldButNear, field, campaign, .text(quoted($0))) }
                    ?? Reason(.noField, field, campaign),
                at: place)
        }
    }
}

extension LeftOut {
    /// What can be done about devices that are left out for this reason.
    fileprivate func help(at remote: RemoteType) -> Reason {
        switch self {
        case .android, .otherPlatform: Reason(.reachOthers)
        case .invalid: Reason(.deadTokensReturn)
        case .stale:
            switch remote {
            case .apns: Reason(.staleByRegistry)
            case .leancloud: Reason(.staleByService)
            }
        case .otherProfile, .otherTopic: Reason(.declareProfile)
        case .tooLarge: Reason(.shortenMessage)
        case .heldOut, .capped: Reason(.policyDecides)
        }
    }
}

// MARK: - Renames

/// Campaigns that were renamed, and those that look as if they were.
extension CampaignPlanner {
    /// Adds that the ledger learns a campaign's name, to the campaign's own line if it has one.
    func recordRename(of campaign: Campaign, in outcome: inout Outcome) {
        guard !input.renamed.isEmpty else { return }
        let entries = history.entries(named: campaign.name).filter { input.renamed.contains($0.delivery) }
        guard !entries.isEmpty else { return }
        let former = Set(entries.compactMap(\.formerly.last)).sorted().joined(separator: " and ")
        let reason = Reason(.renamedFrom, .text(former))
        func named(_ name: String, _ fields: JSONValue?) -> JSONValue {
            var fields = fields?.object ?? [:]
            fields["name"] = .string(name)
            return .object(fields)
        }
        let line = outcome.steps.firstIndex { $0.change.name == campaign.name && $0.change.delivery == nil }
        guard let line else {
            let change = Change(
                kind: .campaign, name: campaign.name, action: .update, reason: reason, file: campaign.origin.file,
                line: campaign.origin.line, before: named(former, nil), after: named(campaign.name, nil))
            return outcome.steps.insert(Step(change, .rename(entries, saving: nil)), at: 0)
        }
        var step = outcome.steps[line]
        step.change.reason = reason
        if step.change.action == .wait { step.change.action = .update }
        step.change.before = named(former, step.change.before)
        step.change.after = named(campaign.name, step.change.after)
        var record: ResourceRecord?
        if case .save(let saved) = step.operation { record = saved }
        step.operation = .rename(entries, saving: record)
        outcome.steps[line] = step
    }

    /// Returns the campaigns of which nothing was delivered that have the content of a delivery whose campaign is in no
    /// file any more, and no higher revision: a renamed one would be delivered to everybody again.
    static func suspects(
        _ input: PlanInput, _ history: CampaignHistory, _ drafting: CampaignDrafter
    ) -> [String: LedgerEntry] {
        let declared = Set(input.desired.campaigns.lazy.map(\.name))
        var once: [Digest: LedgerEntry] = [:]
        var recurring: [(day: CivilDate, entry: LedgerEntry)] = []
        for name in history.names where !declared.contains(name) {
            let entries = history.entries(named: name).filter(\.mayHaveBeenDelivered)
            for entry in entries where entry.occurrence == .once {
                guard let known = once[entry.content] else {
                    once[entry.content] = entry
                    continue
                }
                if (known.revision, entry.campaign) < (entry.revision, known.campaign) { once[entry.content] = entry }
            }
            let days = entries.compactMap { entry in entry.occurrence.date.map { (day: $0, entry: entry) } }
            if let last = days.max(by: { $0.day < $1.day }) { recurring.append(last) }
        }
        guard !once.isEmpty || !recurring.isEmpty else { return [:] }
        recurring.sort { $0.entry.campaign < $1.entry.campaign }
        var suspects: [String: LedgerEntry] = [:]
        for campaign in input.desired.campaigns
        where !history.entries(named: campaign.name).contains(where: \.mayHaveBeenDelivered) {
            let former =
                if let timetable = campaign.timetable {
                    recurring.first { day, entry in
                        timetable.occurs(on: day)
                            && entry.content == drafting.content(of: campaign.occurrence(timetable.entry(on: day)))
                    }?.entry
                } else {
                    once[drafting.content(of: campaign)]
                }
            if let former, campaign.revision <= former.revision { suspects[campaign.name] = former }
        }
        return suspects
    }

    /// The block of a campaign that looks renamed.
    func renaming(_ campaign: Campaign) -> Block? {
        suspects[campaign.name].map { former in
            Block(
                .renamed,
                Reason(
                    .isRenamed, .text(former.campaign), .text(former.campaign), .number(former.revision + 1)))
        }
    }

    /// The block of a delivery whose id is that of another campaign's, which had the name before.
    func taken(_ entry: LedgerEntry) -> Block? {
        guard let other = history.entry(of: entry.delivery), other.campaign != entry.campaign else { return nil }
        return Block(.renamed, Reason(.hadTheName, .text(other.campaign), .text(entry.campaign)))
    }

    /// The step for a delivery that is gone from the files, blocked while a new campaign looks like it.
    func doubtful(_ step: Step) -> Step {
        guard step.change.action.isChange,
            let heir = suspects.filter({ $0.value.campaign == step.change.name }).keys.min()
        else { return step }
        var step = step
        step.change.blocked.append(Block(.renamed, Reason(.isItNow, .text(heir), .text(step.change.name))))
        return step
    }

    /// The entry of a campaign whose time passed before anything of it was sent.
    func missed(_ campaign: Campaign, _ reason: Reason) -> LedgerEntry {
        var entry = drafting.draft(
            campaign, scheduledAt: campaign.scheduledAt?.instant, generation: 0, replaced: nil, now: input.now
        ).entry
        (entry.state, entry.reason, entry.isMissed) = (.unsent, reason, true)
        return entry
    }
}
