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
        var parts: [ReportDocument.Part] = [.title(title), .table(table(in: language))]
        if let verdicts = verdicts(in: language) {
            let heading = language.say(.verdicts)
            parts.append(
                .section(
                    ReportDocument.Section(heading: heading, aside: nil, blocks: [.table(verdicts)], isFolded: false)))
        }
        if let variants = variants(in: language) {
            let heading = language.say(.variantAnswers)
            parts.append(
                .section(
                    ReportDocument.Section(heading: heading, aside: nil, blocks: [.table(variants)], isFolded: false)))
        }
        return ReportDocument(parts: parts + [.closing([closing(in: language)])])
    }

    /// The most days of a recurring campaign that are shown, unless something is open about more of them.
    private static let mostDays = 5

    private func day(of row: Int) -> CivilDate { rows[row].occurrence ?? CivilDate(daysSince1970: 0) }

    /// The cells of the rows; the earlier days of a recurring campaign are counted in one.
    private func texts(in language: Language) -> [[String?]] {
        let days = Dictionary(
            grouping: rows.indices.filter { rows[$0].occurrence != nil && rows[$0].isOver }, by: { rows[$0].campaign })
        var hidden: Set<Int> = []
        var earlier: [Int: Int] = [:]
        for indices in days.values where indices.count > Self.mostDays {
            let oldest = indices.sorted { day(of: $0) < day(of: $1) }
                .dropLast(Self.mostDays)
            hidden.formUnion(oldest)
            if let first = oldest.min() { earlier[first] = oldest.count }
        }
        return rows.indices.compactMap { index in
            if let count = earlier[index] {
                return [rows[index].campaign, nil, language.say(.more(count))]
                    + Array(repeating: nil, count: Self.columns.count - 3)
            }
            return hidden.contains(index) ? nil : rows[index].texts(in: language)
        }
    }

    /// The verdicts on the stages of rollouts, with the numbers that they rest on; nil when there are none.
    private func verdicts(in language: Language) -> ReportDocument.Table? {
        let judged = rows.flatMap { row in (row.figures?.verdicts ?? []).map { (row, $0) } }
        guard !judged.isEmpty else { return nil }
        let columns: [(label: Label, isNumeric: Bool)] = [
            (.campaignHead, false), (.stageHead, true), (.verdictHead, false), (.atHead, false), (.successesHead, true),
            (.refusedHead, true), (.invalidHead, true), (.inDoubtHead, true), (.openedHead, true), (.reasonHead, false),
        ]
        let hidden = judged.contains { $0.1.answers.opened != nil } ? [] : [columns.count - 2]
        return ReportDocument.Table(
            columns: columns.indices.filter { !hidden.contains($0) }.map {
                .init(heading: language.say(columns[$0].label), isNumeric: columns[$0].isNumeric)
            },
            rows: judged.map { row, verdict in
                let answers = verdict.answers
                let cells = [
                    row.campaign, String(verdict.stage), language.say(verdict.decision.label),
                    language.instant(verdict.at), answers.accepted.grouped, answers.refused.grouped,
                    answers.deadTokens.grouped, answers.inDoubt.grouped, answers.opened?.grouped,
                    language.planned(verdict.rule),
                ]
                return cells.indices.filter { !hidden.contains($0) }.map { cells[$0] }
            })
    }

    /// The answers of those who tested variants; nil when there are none.
    private func variants(in language: Language) -> ReportDocument.Table? {
        let tested = rows.flatMap { row in (row.figures?.variants ?? []).map { (row, $0) } }
        guard !tested.isEmpty else { return nil }
        let columns: [(label: Label, isNumeric: Bool)] = [
            (.campaignHead, false), (.variantHead, false), (.successesHead, true), (.refusedHead, true),
            (.invalidHead, true), (.inDoubtHead, true), (.reasonHead, false),
        ]
        return ReportDocument.Table(
            columns: columns.map { .init(heading: language.say($0.label), isNumeric: $0.isNumeric) },
            rows: tested.map { row, variant in
                let answers = variant.answers
                return [
                    row.campaign, variant.name, answers.accepted.grouped, answers.refused.grouped,
                    answers.deadTokens.grouped, answers.inDoubt.grouped, language.planned(variant.text),
                ]
            })
    }

    /// The table; columns that are empty on most remotes are left out when they are.
    private func table(in language: Language) -> ReportDocument.Table {
        let texts = texts(in: language)
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
        .occurrenceHead, .receivedHead, .openedHead, .dismissedHead, .inDoubtHead, .missedHead, .tooLargeHead,
        .heldOutHead, .cappedHead, .simulatedHead,
    ]
    private static let numericColumns: Set<Label> = [
        .revisionHead, .devicesHead, .successesHead, .receivedHead, .openedHead, .dismissedHead, .invalidHead,
        .inDoubtHead, .missedHead, .tooLargeHead, .heldOutHead, .cappedHead, .simulatedHead,
    ]
    private static let columns: [Label] = [
        .campaignHead, .revisionHead, .occurrenceHead, .stateHead, .atHead, .devicesHead, .successesHead,
        .receivedHead, .openedHead, .dismissedHead, .invalidHead, .inDoubtHead, .missedHead, .tooLargeHead,
        .heldOutHead, .cappedHead, .simulatedHead, .pushHead, .commitHead, .reasonHead,
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
    /// True when nothing is open about the delivery.
    fileprivate var isOver: Bool {
        switch state {
        case .sent: (figures?.inDoubt ?? 0) == 0
        case .refused, .cancelled, .unsent: true
        case .sending, .scheduled, .cancelling, .unknown, .halted, .holding: false
        }
    }

    /// A number of devices that reported something, and its share of those for which the push was accepted.
    private func share(_ devices: Int, in language: Language) -> String {
        guard let accepted = figures?.successes, accepted > 0 else { return devices.grouped }
        return "\(devices.grouped) (\(language.share(devices, of: accepted)))"
    }

    /// The cells of the row.
    func texts(in language: Language) -> [String?] {
        [
            campaign, String(revision), occurrence?.text, language.say(wait == nil ? state.label : .ongoing),
            at.map(language.instant),
            figures.map { $0.devices.grouped },
            figures.map { $0.successes.grouped }, events.map { share($0.received, in: language) },
            events.map { share($0.opened, in: language) },
            events.flatMap { $0.dismissed > 0 ? share($0.dismissed, in: language) : nil },
            figures.map { $0.invalidTokens.grouped },
            figures.flatMap { $0.inDoubt > 0 ? $0.inDoubt.grouped : nil },
            figures.flatMap { $0.missed > 0 ? $0.missed.grouped : nil },
            figures?.leftOut[.tooLarge]?.grouped, figures?.leftOut[.heldOut]?.grouped,
            figures?.leftOut[.capped]?.grouped,
            figures.flatMap { $0.simulated > 0 ? $0.simulated.grouped : nil }, objectID,
            commit.map(Wording.commit), (wait ?? part?.text ?? reason).map(language.planned),
        ]
    }
}

extension StageVerdict.Decision {
    /// The word for the decision.
    fileprivate var label: Label {
        switch self {
        case .go: .goVerdict
        case .halt: .haltVerdict
        case .hold: .holdVerdict
        case .proceed: .proceedVerdict
        }
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
