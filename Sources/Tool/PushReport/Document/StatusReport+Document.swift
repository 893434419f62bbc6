internal import Phrasebook
internal import PushModel

extension StatusReport {
    /// The ledger as a document.
    func document(in language: Language) -> ReportDocument {
        let notes = lastApplied.map { [language.lastApplied($0, now: now)] } ?? []
        let title = ReportDocument.Title(
            workspace: workspace, remote: remote.name, aside: remote.title, notes: notes,
            what: language.say(.statusTitle))
        guard !rows.isEmpty else {
            return ReportDocument(parts: [.title(title), .closing([language.say(.nothingDelivered)])])
        }
        return ReportDocument(parts: [
            .title(title), .table(table(in: language)), .closing([closing(in: language)]),
        ])
    }

    /// The table; columns that are empty on most remotes are left out when they are.
    private func table(in language: Language) -> ReportDocument.Table {
        let texts = rows.map { $0.texts(in: language) }
        let kept = Self.columns.indices.filter { index in
            !Self.rareColumns.contains(Self.columns[index]) || texts.contains { $0[index] != nil }
        }
        return ReportDocument.Table(
            columns: kept.map { index in
                let label = Self.columns[index]
                return .init(heading: language.say(label), isNumeric: Self.numericColumns.contains(label))
            }, rows: texts.map { row in kept.map { row[$0] } })
    }

    private static let rareColumns: Set<Label> = [
        .occurrenceHead, .inDoubtHead, .missedHead, .tooLargeHead, .simulatedHead,
    ]
    private static let numericColumns: Set<Label> = [
        .revisionHead, .devicesHead, .successesHead, .invalidHead, .inDoubtHead, .missedHead, .tooLargeHead,
        .simulatedHead,
    ]
    private static let columns: [Label] = [
        .campaignHead, .revisionHead, .occurrenceHead, .stateHead, .atHead, .devicesHead, .successesHead, .invalidHead,
        .inDoubtHead, .missedHead, .tooLargeHead, .simulatedHead, .pushHead, .commitHead, .reasonHead,
    ]

    private func closing(in language: Language) -> String {
        let counts = DeliveryState.allCases.compactMap { state -> String? in
            let count = rows.count { $0.state == state }
            return count == 0 ? nil : language.say(.count(count, of: language.say(state.label)))
        }
        return language.say(.deliveries(rows.count, counts))
    }
}

extension StatusReport.Row {
    /// The cells of the row.
    func texts(in language: Language) -> [String?] {
        [
            campaign, String(revision), occurrence?.text, language.say(state.label), at.map(language.instant),
            figures.map { $0.devices.grouped },
            figures.map { $0.successes.grouped }, figures.map { $0.invalidTokens.grouped },
            figures.flatMap { $0.inDoubt > 0 ? $0.inDoubt.grouped : nil },
            figures.flatMap { $0.missed > 0 ? $0.missed.grouped : nil },
            figures.flatMap { $0.tooLarge > 0 ? $0.tooLarge.grouped : nil },
            figures.flatMap { $0.simulated > 0 ? $0.simulated.grouped : nil }, objectID,
            commit.map(Wording.commit), reason.map(language.planned),
        ]
    }
}

extension DeliveryState {
    /// The word for the state.
    fileprivate var label: Label {
        switch self {
        case .sending: .sendingState
        case .scheduled: .scheduledState
        case .sent: .sentState
        case .refused: .refusedState
        case .cancelling: .cancellingState
        case .cancelled: .cancelledState
        case .unsent: .unsentState
        case .unknown: .unknownState
        case .halted: .haltedState
        case .holding: .holdingState
        }
    }
}
