package import Push

/// What was applied to a remote, the newest first.
package struct HistoryReport: Hashable, Sendable {
    package var workspace: String
    package var remote: RemoteDescription
    /// The time from which deliveries are listed.
    package var since: Instant
    /// The number of deliveries before it.
    package var earlier: Int
    /// The clock of the times that people read; nil: UTC.
    package var zone: ZoneClock?
    /// The deliveries.
    package var rows: [StatusReport.Row]

    /// Creates the history; the newest delivery comes first.
    package init(
        workspace: String, remote: RemoteDescription, since: Instant, earlier: Int = 0, zone: ZoneClock? = nil,
        rows: [StatusReport.Row]
    ) {
        self.workspace = workspace
        self.remote = remote
        self.since = since
        self.earlier = earlier
        self.zone = zone
        self.rows = rows.sorted { lhs, rhs in
            let (left, right) = (lhs.begunAt ?? since, rhs.begunAt ?? since)
            return left == right ? lhs.title < rhs.title : left > right
        }
    }
}

// MARK: - Document

extension HistoryReport {
    func document(in language: Language) -> ReportDocument {
        let begun = rows.compactMap(\.begunAt)
        let times = LocalTimes(begun + rows.compactMap(\.at), by: zone, in: language)
        let title = ReportDocument.Title(
            workspace: workspace, remote: remote.name, aside: remote.title,
            notes: [language.say(.appliedSince(times.text(since)))], what: language.say(.historyTitle))
        var closing = [rows.isEmpty ? language.say(.nothingApplied) : rows.counted(in: language)]
        if earlier > 0 { closing.append(language.say(.appliedBefore(earlier))) }
        let lines = rows.map { row in
            var row = row
            // The time of sending is only told where it is another than that of the apply.
            if row.at == row.begunAt { row.at = nil }
            return (row: row as StatusReport.Row?, texts: [DeliveryColumn: String]())
        }
        let table = ReportDocument.Table(Self.columns, of: lines, times, in: language)
        return ReportDocument(parts: [.title(title), .table(table), .closing(closing)])
    }

    private static let columns: [DeliveryColumn] = [
        .applied, .actor, .title, .state, .devices, .inDoubt, .commit, .run, .at, .reason,
    ]
}

/// A column of a table about deliveries.
enum DeliveryColumn {
    case applied, actor, title, campaign, revision, occurrence, state, at, devices, successes, received, opened
    case dismissed, invalid, inDoubt, missed, tooLarge, heldOut, capped, push, commit, run, reason

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

/// The times of a report by one clock, to the minute. An offset that they share stands in the heading.
struct LocalTimes {
    private let language: Language
    private let zone: ZoneClock?
    private let shared: String?

    /// The times by a zone's clock; nil: in UTC.
    init(_ instants: [Instant], by zone: ZoneClock?, in language: Language) {
        self.language = language
        self.zone = zone
        let offsets = Set(instants.map { zone?.offset(at: $0) ?? 0 })
        shared =
            offsets.count > 1
            ? nil
            : offsets.first.map { $0 == 0 ? " UTC" : String(Self.text(Instant(seconds: 0), $0, language).suffix(7)) }
    }

    func heading(_ label: Phrase) -> String { language.say(label) + (shared ?? "") }

    /// A time below its heading.
    func cell(_ instant: Instant) -> String {
        shared == nil ? text(instant) : String(text(instant).dropLast(7))
    }

    /// A time with its offset.
    func text(_ instant: Instant) -> String { Self.text(instant, zone?.offset(at: instant) ?? 0, language) }

    private static func text(_ instant: Instant, _ offset: Int, _ language: Language) -> String {
        let seconds = instant.seconds
        return language.time(OffsetInstant(Instant(seconds: seconds - (seconds % 60 + 60) % 60), offset: offset))
    }
}
