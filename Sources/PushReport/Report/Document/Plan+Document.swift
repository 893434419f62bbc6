internal import Base
internal import Push

extension Plan {
    /// The plan as a document: head, verdict, changes, diagnostics, sections if `isWhole` (text omits them), and
    /// totals.
    func document(isWhole: Bool, in language: Language) -> ReportDocument {
        var notes: [String] = []
        if let lastApplied { notes.append(language.lastApplied(lastApplied, now: createdAt)) }
        if isSimulated { notes.append(language.say(.simulated)) }
        let warned = WarnedDocuments(self)
        let close = calendar.close
        var items = changes.map { change in
            change.item(
                isWarned: warned.contain(change), collisions: change.kind == .campaign ? close[change.name] ?? 0 : 0,
                in: language)
        }
        if isWhole {
            for index in items.riskiestFirst.prefix(ReportDocument.Item.mostWithSections) {
                items[index].sections = changes[index].sections(in: language)
            }
        }
        let verdict = PlanVerdict(of: self)
        var parts: [ReportDocument.Part] = [
            .title(
                ReportDocument.Title(
                    workspace: workspace, app: shownApp, remote: remote.name, aside: remote.title, notes: notes,
                    what: language.say(.planTitle))),
            .verdict(
                ReportDocument.Verdict(
                    tone: verdict.tone, text: verdict.sentence(remote: remote.name, in: language))),
            .items(items),
            .diagnostics(
                (isWhole ? diagnostics.filter { !$0.isPairOfCalendar } : diagnostics).map { $0.map(language.say) }),
        ]
        if isWhole {
            parts += [
                calendar.section(now: createdAt, in: language), certificateSection(in: language),
                calendar.collisionSection(in: language),
            ].map { .section($0) }
        }
        return ReportDocument(parts: parts + (verdict.code == .noChanges ? [] : [.closing(closing(in: language))]))
    }

    private func closing(in language: Language) -> [String] {
        let summary = summary
        func counts(_ words: [(Action, Phrase)]) -> [String] {
            words.map { language.say(.count(summary[$0.0], of: language.say($0.1))) }
        }
        let rare: [(Action, Phrase)] = [
            (.reschedule, .toReschedule), (.resume, .toResume), (.wait, .waiting), (.missed, .missed),
            (.none, .unknown),
        ]
        let deliveries =
            counts([(.send, .toSend), (.schedule, .toSchedule), (.cancel, .toCancel)])
            + counts(rare.filter { summary[$0.0] > 0 })
            + [language.say(.count(summary.blocked, of: language.say(.blocked)))]
        let resources = counts([(.create, .toCreate), (.update, .toUpdate), (.delete, .toDelete)])
        var lines = [language.say(.sums(resources: resources, deliveries: deliveries))]
        if summary[.send] + summary[.schedule] + summary[.reschedule] + summary[.resume] > 0 {
            lines.append(language.say(.cannotBeTakenBack))
        }
        return lines
    }
}
