package import Push

/// The ledger of a workspace, with the remote's figures.
package struct StatusReport: Hashable, Sendable {
    package var workspace: String
    package var remote: RemoteDescription
    /// The last apply, if known.
    package var lastApplied: LastApplied?
    /// The server's clock, for ages.
    package var now: Instant
    /// The clock of the times that people read; nil: UTC.
    package var zone: ZoneClock?
    /// The deliveries in display order.
    package var rows: [Row]
    /// The orders by which people stopped deliveries, the oldest first.
    package var stops: [StopOrder]

    /// One delivery.
    package struct Row: Hashable, Sendable {
        /// The campaign's name in the ledger.
        package var campaign: String
        package var revision: Int
        /// The day of a recurring campaign's occurrence.
        package var occurrence: CivilDate?
        package var state: DeliveryState
        /// The past or future time of sending.
        package var at: Instant?
        /// The service's figures.
        package var figures: DeliveryFigures?
        /// The part that was sent last, while only time goes on; nil: it is in no parts, or over.
        package var part: PartStanding?
        /// The share of devices that was held out, with its word: `5% by 2027-q1`.
        package var holdout: String?
        /// The devices that reported events; nil when none are counted.
        package var events: EventFigures?
        /// The service's id of the push.
        package var objectID: String?
        /// The commit that was applied.
        package var commit: String?
        /// The reason for the state.
        package var reason: Reason?
        /// The reason that the service has not handed the push on yet; nil when there is none.
        package var wait: Reason?
        /// The delivery's id; nil outside a ledger.
        package var delivery: DeliveryID?
        /// The time at which an apply began it.
        package var begunAt: Instant?
        /// The person or job that applied it.
        package var actor: String?
        /// The run that applied it.
        package var run: String?

        /// The campaign with the revision or the day, as the ledger calls it: `score@2`.
        package var title: String { "\(campaign)@\(occurrence?.text ?? String(revision))" }
    }

    package init(
        workspace: String, remote: RemoteDescription, lastApplied: LastApplied? = nil, now: Instant,
        zone: ZoneClock? = nil, rows: [Row], stops: [StopOrder] = []
    ) {
        self.stops = stops
        self.zone = zone
        self.workspace = workspace
        self.remote = remote
        self.lastApplied = lastApplied
        self.now = now
        self.rows = rows
    }
}

extension StatusReport.Row {
    /// Creates the row of a ledger entry, with the remote's current figures if they were requested.
    package init(of entry: LedgerEntry, figures: DeliveryFigures? = nil) {
        self.init(
            campaign: entry.campaign, revision: entry.revision, occurrence: entry.occurrence.date,
            state: entry.state,
            at: entry.scheduledAt ?? entry.intendedAt, figures: figures ?? entry.figures,
            objectID: entry.objectID, commit: entry.provenance.commit,
            reason: entry.stopped?.order.reason ?? entry.reason)
        holdout = entry.holdout?.reason.text
        (delivery, begunAt) = (entry.delivery, entry.intendedAt)
        (actor, run) = (entry.provenance.actor, entry.provenance.run)
    }
}

// MARK: - Document

extension StatusReport {
    func document(in language: Language) -> ReportDocument {
        let notes =
            stops.map { language.say($0.headline) } + (lastApplied.map { [language.lastApplied($0, now: now)] } ?? [])
        let title = ReportDocument.Title(
            workspace: workspace, remote: remote.name, aside: remote.title, notes: notes,
            what: language.say(.statusTitle))
        guard !rows.isEmpty else {
            return ReportDocument(parts: [.title(title), .closing([language.say(.nothingDelivered)])])
        }
        let judged = rows.flatMap { row in (row.figures?.verdicts ?? []).map { (row, $0) } }
        let tested = rows.flatMap { row in (row.figures?.variants ?? []).map { (row, $0) } }
        let times = LocalTimes(rows.compactMap(\.at) + judged.map(\.1.at), by: zone, in: language)
        let tables: [(Phrase, ReportDocument.Table)] = [
            (.verdicts, verdicts(judged, times, in: language)), (.variantAnswers, variants(tested, in: language)),
        ]
        return ReportDocument(
            parts: [.title(title), .table(.init(Self.columns, of: lines(in: language), times, in: language))]
                + tables.filter { !$0.1.rows.isEmpty }.map { label, table in
                    .section(.init(heading: language.say(label), blocks: [.table(table)], isFolded: false))
                } + [.closing([rows.counted(in: language)])])
    }

    private static let columns: [DeliveryColumn] = [
        .campaign, .revision, .occurrence, .state, .at, .devices, .successes, .received, .opened, .dismissed, .invalid,
        .inDoubt, .missed, .tooLarge, .heldOut, .capped, .push, .commit, .reason,
    ]

    /// The most days of a recurring campaign that are shown, unless something is open about more of them.
    private static let mostDays = 5

    private func day(of row: Int) -> CivilDate { rows[row].occurrence ?? CivilDate(daysSince1970: 0) }

    /// The rows; the earlier days of a recurring campaign are counted in one.
    private func lines(in language: Language) -> [(row: StatusReport.Row?, texts: [Phrase: String])] {
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
                return (nil, [.campaignHead: rows[index].campaign, .occurrenceHead: language.say(.more(count))])
            }
            return hidden.contains(index) ? nil : (rows[index], [:])
        }
    }

    /// The verdicts on the stages of rollouts, with the numbers that they rest on.
    private func verdicts(
        _ judged: [(Row, StageVerdict)], _ times: LocalTimes, in language: Language
    ) -> ReportDocument.Table {
        var columns = language.columns(
            [
                .campaignHead, .stageHead, .verdictHead, .atHead, .successesHead, .refusedHead, .invalidHead,
                .inDoubtHead, .openedHead, .reasonHead,
            ], numeric: [.stageHead, .successesHead, .refusedHead, .invalidHead, .inDoubtHead, .openedHead])
        columns[3].heading = times.heading(.atHead)
        return ReportDocument.Table(
            columns: columns,
            rows: judged.map { row, verdict in
                let answers = verdict.answers
                return [
                    row.campaign, String(verdict.stage), language.say(verdict.decision.label),
                    times.cell(verdict.at), answers.accepted.grouped, answers.refused.grouped,
                    answers.deadTokens.grouped, answers.inDoubt.grouped, answers.opened?.grouped,
                    language.say(verdict.rule),
                ]
            }
        ).withoutEmptyColumns
    }

    /// The answers of those who tested variants.
    private func variants(_ tested: [(Row, VariantAnswers)], in language: Language) -> ReportDocument.Table {
        let columns = language.columns(
            [
                .campaignHead, .variantHead, .successesHead, .refusedHead, .invalidHead, .inDoubtHead, .reasonHead,
            ], numeric: [.successesHead, .refusedHead, .invalidHead, .inDoubtHead])
        return ReportDocument.Table(
            columns: columns,
            rows: tested.map { row, variant in
                let answers = variant.answers
                return [
                    row.campaign, variant.name, answers.accepted.grouped, answers.refused.grouped,
                    answers.deadTokens.grouped, answers.inDoubt.grouped, language.say(variant.reason),
                ]
            })
    }
}

extension [StatusReport.Row] {
    /// The number of deliveries by their states, as a sentence.
    func counted(in language: Language) -> String {
        let labels = DeliveryState.allCases.map(\.label) + [Phrase.ongoing]
        let counts = labels.compactMap { label -> String? in
            let count = count { $0.label == label }
            return count == 0 ? nil : language.say(.count(count, of: language.say(label)))
        }
        return language.say(.deliveries(count, counts))
    }
}

extension StatusReport.Row {
    /// The state, as people read it: a push that the service has not handed on yet goes on, unless it was stopped there.
    var label: Phrase {
        guard let wait else { return state.label }
        return wait.has(Reason.Progress.stoppedAtServer) ? .haltedState : .ongoing
    }

    /// True when nothing is open about the delivery.
    fileprivate var isOver: Bool {
        switch state {
        case .sent: (figures?.inDoubt ?? 0) == 0
        case .refused, .cancelled, .unsent: true
        case .sending, .scheduled, .cancelling, .unknown, .halted, .holding: false
        }
    }

    /// A number of devices that reported something, and its share of those for which the push was accepted.
    func share(_ devices: Int, in language: Language) -> String {
        guard let accepted = figures?.successes, accepted > 0 else { return devices.grouped }
        return "\(devices.grouped) (\(language.share(devices, of: accepted)))"
    }
}

extension StageVerdict.Decision {
    fileprivate var label: Phrase {
        switch self {
        case .go: .goVerdict
        case .halt: .haltVerdict
        case .hold: .holdVerdict
        case .proceed: .proceedVerdict
        }
    }
}

extension DeliveryState {
    var label: Phrase {
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
