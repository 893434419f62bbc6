internal import PushModel
internal import PushPlan

extension Plan {
    /// The plan as people read it: head, changes, diagnostics, and the numbers.
    var document: ReportDocument {
        var notes: [String] = []
        if let lastApplied { notes.append(Wording.lastApplied(lastApplied, now: createdAt)) }
        if isSimulated { notes.append("made with --now or --against: it cannot be applied") }
        return ReportDocument(parts: [
            .title(
                ReportDocument.Title(
                    workspace: workspace, remote: remote.name, aside: remote.title, notes: notes)),
            .items(changes.map(\.item)), .diagnostics(diagnostics), .closing(closing),
        ])
    }

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
