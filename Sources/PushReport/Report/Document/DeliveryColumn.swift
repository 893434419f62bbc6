internal import Push

/// A column of a table about deliveries.
enum DeliveryColumn {
    case applied, actor, title, campaign, revision, occurrence, state, at, devices, successes, received, opened
    case dismissed, invalid, inDoubt, missed, tooLarge, heldOut, capped, push, commit, run, reason

    /// The heading.
    var label: Phrase {
        switch self {
        case .applied: .appliedHead
        case .actor: .actorHead
        case .title, .campaign: .campaignHead
        case .revision: .revisionHead
        case .occurrence: .occurrenceHead
        case .state: .stateHead
        case .at: .atHead
        case .devices: .devicesHead
        case .successes: .successesHead
        case .received: .receivedHead
        case .opened: .openedHead
        case .dismissed: .dismissedHead
        case .invalid: .invalidHead
        case .inDoubt: .inDoubtHead
        case .missed: .missedHead
        case .tooLarge: .tooLargeHead
        case .heldOut: .heldOutHead
        case .capped: .cappedHead
        case .push: .pushHead
        case .commit: .commitHead
        case .run: .runHead
        case .reason: .reasonHead
        }
    }

    /// True for numbers.
    var isNumeric: Bool {
        switch self {
        case .revision, .devices, .successes, .received, .opened, .dismissed, .invalid, .inDoubt, .missed, .tooLarge,
            .heldOut, .capped:
            true
        case .applied, .actor, .title, .campaign, .occurrence, .state, .at, .push, .commit, .run, .reason: false
        }
    }

    /// The text for a delivery; nil when there is none.
    func cell(_ row: StatusReport.Row, _ times: LocalTimes, in language: Language) -> String? {
        let figures = row.figures
        return switch self {
        case .applied: row.begunAt.map(times.cell)
        case .actor: row.actor
        case .title: row.title
        case .campaign: row.campaign
        case .revision: String(row.revision)
        case .occurrence: row.occurrence?.text
        case .state: language.say(row.wait == nil ? row.state.label : .ongoing)
        case .at: row.at.map(times.cell)
        case .devices: figures.map { language.say(.reached($0.devices, simulated: $0.simulated)) }
        case .successes: figures?.successes.grouped
        case .received: row.events.map { row.share($0.received, in: language) }
        case .opened: row.events.map { row.share($0.opened, in: language) }
        case .dismissed: row.events.flatMap { $0.dismissed > 0 ? row.share($0.dismissed, in: language) : nil }
        case .invalid: figures?.invalidTokens.grouped
        case .inDoubt: Self.some(figures?.inDoubt)
        case .missed: Self.some(figures?.missed)
        case .tooLarge: figures?.leftOut[.tooLarge]?.grouped
        case .heldOut: figures?.leftOut[.heldOut]?.grouped
        case .capped: figures?.leftOut[.capped]?.grouped
        case .push: row.objectID
        case .commit: row.commit.map(Wording.commit)
        case .run: row.run
        case .reason: (row.wait ?? row.part?.reason ?? row.reason).map(language.say)
        }
    }

    /// A number that is shown unless it is zero.
    private static func some(_ count: Int?) -> String? { count.flatMap { $0 > 0 ? $0.grouped : nil } }
}

extension ReportDocument.Table {
    /// A table of deliveries; a line without a row has texts of its own.
    init(
        _ columns: [DeliveryColumn], of lines: [(row: StatusReport.Row?, texts: [DeliveryColumn: String])],
        _ times: LocalTimes, in language: Language
    ) {
        self.init(
            columns: columns.map { column in
                switch column {
                case .applied, .at: .init(heading: times.heading(column.label), isNumeric: false)
                default: .init(heading: language.say(column.label), isNumeric: column.isNumeric)
                }
            },
            rows: lines.map { line in
                columns.map { column in
                    line.row.map { column.cell($0, times, in: language) } ?? line.texts[column]
                }
            })
        self = withoutEmptyColumns
    }

    /// The table without the columns in which no row has a text.
    var withoutEmptyColumns: Self {
        var table = self
        let kept = columns.indices.filter { index in rows.contains { $0[index] != nil } }
        table.columns = kept.map { columns[$0] }
        table.rows = rows.map { row in kept.map { row[$0] } }
        return table
    }
}
