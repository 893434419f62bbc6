internal import PushModel
internal import PushPlan

extension ApplyReport {
    /// The results as people read them.
    var document: ReportDocument {
        let title = ReportDocument.Title(
            workspace: workspace, remote: remote.name, aside: remote.title, notes: [], what: "What an apply did")
        guard !results.isEmpty else {
            return ReportDocument(parts: [
                .title(title), .closing(["Nothing to apply: \(remote.name) matches the workspace."]),
            ])
        }
        return ReportDocument(parts: [.title(title), .items(results.map(\.item)), .closing(closing)])
    }

    private var closing: [String] {
        let counts = ChangeOutcome.allCases.map { "\(Wording.number(count($0))) \($0.rawValue)" }
        var lines = ["Applied: \(counts.joined(separator: ", "))."]
        if count(.unknown) > 0 {
            lines.append("Find out what happened, then: bugle resolve CAMPAIGN --as sent|unsent --reason TEXT")
        }
        return lines
    }
}

extension ApplyReport.Row {
    /// The result as people read it.
    var item: ReportDocument.Item {
        ReportDocument.Item(mark: mark, kind: kind.word, name: name, outcome: outcome, details: [])
    }

    private var mark: Mark {
        switch result {
        case .done: .done
        case .refused, .failed: .failed
        case .unknown: .unknown
        case .skipped: .skipped
        }
    }

    private var outcome: String {
        var text = result == .done ? word : result.rawValue
        if let figures {
            let (devices, simulated) = (figures.devices, figures.simulated)
            if devices > 0 || simulated == 0 { text += ", \(Wording.count(devices, "device"))" }
            if simulated > 0 { text += ", \(Wording.count(simulated, "simulated device"))" }
        }
        if let detail, !detail.isEmpty { text += ": " + detail }
        return text
    }

    /// The word for an action that was carried out.
    private var word: String {
        switch action {
        case .create: "created"
        case .update: "updated"
        case .delete: "deleted"
        case .send: "sent"
        case .schedule: "scheduled"
        case .reschedule: "rescheduled"
        case .cancel: "cancelled"
        case .resume: "settled"
        case .wait, .missed, .none: "done"
        }
    }
}
