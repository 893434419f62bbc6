internal import PushModel
internal import PushPlan

extension Plan {
    /// The plan as people read it: head, numbers, changes, diagnostics, what else a reviewer asks, and the sums.
    ///
    /// - Parameter isWhole: whether the sections are wanted too, which text leaves out.
    func document(isWhole: Bool) -> ReportDocument {
        var notes: [String] = []
        if let lastApplied { notes.append(Wording.lastApplied(lastApplied, now: createdAt)) }
        if isSimulated { notes.append("made with --now or --against: it cannot be applied") }
        let warned = WarnedDocuments(self)
        var items = changes.map { $0.item(isWarned: warned.contain($0)) }
        if isWhole {
            for index in items.riskiestFirst.prefix(ReportDocument.Item.mostWithSections) {
                items[index].sections = changes[index].sections
            }
        }
        var parts: [ReportDocument.Part] = [
            .title(
                ReportDocument.Title(
                    workspace: workspace, remote: remote.name, aside: remote.title, notes: notes)),
            .figures(figures),
            .items(items),
            .diagnostics(diagnostics),
        ]
        if isWhole { parts += [calendar.section, certificateSection].map { .section($0) } }
        return ReportDocument(parts: parts + [.closing(closing)])
    }

    /// The counts that are not zero, what needs a person first; and the devices of all pushes, each as often as it gets one.
    private var figures: [ReportDocument.Figure] {
        let summary = summary
        var figures: [ReportDocument.Figure] = []
        func add(_ label: String, _ value: Int, _ mark: Mark?) {
            if value > 0 { figures.append(ReportDocument.Figure(label: label, value: value, mark: mark)) }
        }
        add("blocked", summary.blocked, .blocked)
        for (action, word) in Self.words { add(word, summary[action], Mark(action)) }
        add("deliveries to devices", summary.devices, nil)
        return figures
    }

    private static let words: [(Action, String)] = [
        (.none, "unknown"), (.send, "to send"), (.schedule, "to schedule"), (.reschedule, "to reschedule"),
        (.resume, "to resume"), (.cancel, "to cancel"), (.create, "to create"), (.update, "to update"),
        (.delete, "to delete"), (.wait, "waiting"), (.missed, "missed"),
    ]

    private var closing: [String] {
        if !hasChanges, !isBlocked, !hasUnknown { return ["No changes: \(remote.name) matches the workspace."] }
        let summary = summary
        var deliveries = [Action.send, .schedule, .cancel].map { "\(Wording.number(summary[$0])) to \($0.rawValue)" }
        for (action, words) in [
            (Action.reschedule, "to reschedule"), (.resume, "to resume"), (.wait, "waiting"), (.missed, "missed"),
            (.none, "unknown"),
        ] where summary[action] > 0 {
            deliveries.append("\(Wording.number(summary[action])) \(words)")
        }
        deliveries.append("\(Wording.number(summary.blocked)) blocked")
        let resources = [Action.create, .update, .delete].map { "\(Wording.number(summary[$0])) to \($0.rawValue)" }
        var lines = [
            "Plan: \(resources.joined(separator: ", ")). Deliveries: \(deliveries.joined(separator: ", "))."
        ]
        if summary[.send] + summary[.schedule] + summary[.reschedule] + summary[.resume] > 0 {
            lines.append("A push cannot be taken back.")
        }
        return lines
    }
}
