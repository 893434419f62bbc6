internal import Base

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
        step.change.blocked.append(
            Block(.renamed, Reason(.isItNow, .text(heir), .text(step.change.name))))
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
