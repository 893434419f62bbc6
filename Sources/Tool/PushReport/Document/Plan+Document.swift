internal import Phrasebook
internal import PushModel
internal import PushPlan

extension Plan {
    /// The plan as a document: head, figures, changes, diagnostics, sections if `isWhole` (text omits them), and
    /// totals.
    func document(isWhole: Bool, in language: Language) -> ReportDocument {
        var notes: [String] = []
        if let lastApplied { notes.append(language.lastApplied(lastApplied, now: createdAt)) }
        if isSimulated { notes.append(language.say(.simulated)) }
        let warned = WarnedDocuments(self)
        var items = changes.map { $0.item(isWarned: warned.contain($0), in: language) }
        if isWhole {
            for index in items.riskiestFirst.prefix(ReportDocument.Item.mostWithSections) {
                items[index].sections = changes[index].sections(in: language)
            }
        }
        var parts: [ReportDocument.Part] = [
            .title(
                ReportDocument.Title(
                    workspace: workspace, app: shownApp, remote: remote.name, aside: remote.title, notes: notes,
                    what: language.say(.planTitle))),
            .figures(figures(in: language)),
            .items(items),
            .diagnostics(diagnostics),
        ]
        if isWhole { parts += [calendar.section(in: language), certificateSection(in: language)].map { .section($0) } }
        return ReportDocument(parts: parts + [.closing(closing(in: language))])
    }

    /// The counts that are not zero, those that need a person first; and the number of deliveries to devices over all
    /// pushes.
    private func figures(in language: Language) -> [ReportDocument.Figure] {
        let summary = summary
        var figures: [ReportDocument.Figure] = []
        func add(_ label: Label, _ value: Int, _ mark: Mark?) {
            if value > 0 { figures.append(ReportDocument.Figure(label: language.say(label), value: value, mark: mark)) }
        }
        add(.blocked, summary.blocked, .blocked)
        for (action, word) in Self.words { add(word, summary[action], Mark(action)) }
        add(.deliveries, summary.devices, nil)
        return figures
    }

    private static let words: [(Action, Label)] = [
        (.none, .unknown), (.send, .toSend), (.schedule, .toSchedule), (.reschedule, .toReschedule),
        (.resume, .toResume), (.cancel, .toCancel), (.create, .toCreate), (.update, .toUpdate), (.delete, .toDelete),
        (.wait, .waiting), (.missed, .missed),
    ]

    private func closing(in language: Language) -> [String] {
        if !hasChanges, !isBlocked, !hasUnknown, !isWaiting { return [language.say(.noChanges(remote.name))] }
        let summary = summary
        func counts(_ words: [(Action, Label)]) -> [String] {
            words.map { language.say(.count(summary[$0.0], of: language.say($0.1))) }
        }
        let rare: [(Action, Label)] = [
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
