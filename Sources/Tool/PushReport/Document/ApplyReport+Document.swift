internal import Phrasebook
internal import PushModel
internal import PushPlan

extension ApplyReport {
    /// The results as a document.
    func document(in language: Language) -> ReportDocument {
        let title = ReportDocument.Title(
            workspace: workspace, remote: remote.name, aside: remote.title, notes: [], what: language.say(.applyTitle))
        guard !results.isEmpty else {
            return ReportDocument(parts: [
                .title(title), .closing([language.say(.nothingToApply(remote.name, waiting: waiting))]),
            ])
        }
        return ReportDocument(parts: [
            .title(title), .items(results.map { $0.item(in: language) }), .closing(closing(in: language)),
        ])
    }

    private func closing(in language: Language) -> [String] {
        let counts = ChangeOutcome.allCases.filter { !$0.isRare || count($0) > 0 }
            .map { language.say(.count(count($0), of: language.say($0.label))) }
        var lines = [language.say(.applied(counts))]
        if count(.unknown) > 0 {
            lines.append(language.say(.findOut))
        }
        return lines
    }
}

extension ApplyReport.Row {
    /// The result as an item.
    func item(in language: Language) -> ReportDocument.Item {
        ReportDocument.Item(mark: mark, kind: kind, name: name, outcome: outcome(in: language), details: [])
    }

    private var mark: Mark {
        switch result {
        case .done: .done
        case .ongoing: .ongoing
        case .partly: .partly
        case .refused, .failed: .failed
        case .unknown: .unknown
        case .skipped: .skipped
        }
    }

    private func outcome(in language: Language) -> String {
        let detail = detail.flatMap { $0.isEmpty ? nil : $0 }
        if result == .ongoing, let detail {
            let text = language.planned(detail)
            return occurrence.map { language.say(.remarked(text, language.planned($0.text))) } ?? text
        }
        let word = language.say(result == .done ? word : result.label)
        let text = occurrence.map { language.say(.remarked(word, language.planned($0.text))) } ?? word
        return language.say(
            .outcome(
                text, devices: figures?.devices, simulated: figures?.simulated ?? 0,
                lost: figures.map { language.lost($0.leftOut, missed: $0.missed) } ?? [], detail: detail))
    }

    /// The word for a completed action.
    private var word: Label {
        switch action {
        case .create: .wasCreated
        case .update: .wasUpdated
        case .delete: .wasDeleted
        case .send: .wasSent
        case .schedule: .wasScheduled
        case .reschedule: .wasRescheduled
        case .cancel: .wasCancelled
        case .resume: .wasSettled
        case .wait, .missed, .none: .done
        }
    }
}

extension ChangeOutcome {
    /// True when its count is left out where it is zero: only deliveries in parts end so.
    fileprivate var isRare: Bool { self == .ongoing || self == .partly }

    /// The label of its count.
    fileprivate var label: Label {
        switch self {
        case .done: .done
        case .ongoing: .ongoing
        case .partly: .partly
        case .refused: .refused
        case .failed: .failed
        case .unknown: .unknown
        case .skipped: .skipped
        }
    }
}
