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
            return (row: row as StatusReport.Row?, texts: [Phrase: String]())
        }
        let table = ReportDocument.Table(Self.columns, of: lines, times, in: language)
        return ReportDocument(parts: [.title(title), .table(table), .closing(closing)])
    }

    private static let columns: [DeliveryColumn] = [
        .applied, .actor, .title, .state, .devices, .inDoubt, .commit, .run, .at, .reason,
    ]
}

/// A column of a table about deliveries.
struct DeliveryColumn: Sendable {
    let label: Phrase
    let kind: Kind
    /// The text for a delivery; nil when there is none.
    let cell: @Sendable (StatusReport.Row, LocalTimes, Language) -> String?

    enum Kind: Sendable {
        case text, number, time
    }

    private init(
        _ label: Phrase, _ kind: Kind = .text,
        cell: @escaping @Sendable (StatusReport.Row, LocalTimes, Language) -> String?
    ) {
        self.label = label
        self.kind = kind
        self.cell = cell
    }

    static let applied = Self(.appliedHead, .time) { row, times, _ in row.begunAt.map(times.cell) }
    static let actor = Self(.actorHead) { row, _, _ in row.actor }
    static let title = Self(.campaignHead) { row, _, _ in row.title }
    static let campaign = Self(.campaignHead) { row, _, _ in row.campaign }
    static let revision = Self(.revisionHead, .number) { row, _, _ in String(row.revision) }
    static let occurrence = Self(.occurrenceHead) { row, _, _ in row.occurrence?.text }
    static let state = Self(.stateHead) { row, _, language in
        guard let wait = row.wait else { return language.say(row.state.label) }
        return language.say(wait.has(Reason.Progress.stoppedAtServer) ? Phrase.haltedState : Phrase.ongoing)
    }
    static let at = Self(.atHead, .time) { row, times, _ in row.at.map(times.cell) }
    static let devices = Self(.devicesHead, .number) { row, _, language in
        row.figures.map { language.say(.reached($0.devices, simulated: $0.simulated)) }
    }
    static let successes = Self(.successesHead, .number) { row, _, _ in row.figures?.successes.grouped }
    static let received = Self(.receivedHead, .number) { row, _, language in
        row.events.map { row.share($0.received, in: language) }
    }
    static let opened = Self(.openedHead, .number) { row, _, language in
        row.events.map { row.share($0.opened, in: language) }
    }
    static let dismissed = Self(.dismissedHead, .number) { row, _, language in
        row.events.flatMap { $0.dismissed > 0 ? row.share($0.dismissed, in: language) : nil }
    }
    static let invalid = Self(.invalidHead, .number) { row, _, _ in row.figures?.invalidTokens.grouped }
    static let inDoubt = Self(.inDoubtHead, .number) { row, _, _ in Self.some(row.figures?.inDoubt) }
    static let missed = Self(.missedHead, .number) { row, _, _ in Self.some(row.figures?.missed) }
    static let tooLarge = Self(.tooLargeHead, .number) { row, _, _ in row.figures?.leftOut[.tooLarge]?.grouped }
    static let heldOut = Self(.heldOutHead, .number) { row, _, _ in row.figures?.leftOut[.heldOut]?.grouped }
    static let capped = Self(.cappedHead, .number) { row, _, _ in row.figures?.leftOut[.capped]?.grouped }
    static let push = Self(.pushHead) { row, _, _ in row.objectID }
    static let commit = Self(.commitHead) { row, _, _ in row.commit?.shortCommit }
    static let run = Self(.runHead) { row, _, _ in row.run }
    static let reason = Self(.reasonHead) { row, _, language in
        (row.wait ?? row.part?.reason ?? row.reason).map(language.say)
    }

    /// A number that is shown unless it is zero.
    private static func some(_ count: Int?) -> String? { count.flatMap { $0 > 0 ? $0.grouped : nil } }
}

extension ReportDocument.Table {
    /// A table of deliveries; a line without a row has texts of its own, by the labels of their columns.
    init(
        _ columns: [DeliveryColumn], of lines: [(row: StatusReport.Row?, texts: [Phrase: String])],
        _ times: LocalTimes, in language: Language
    ) {
        self.init(
            columns: columns.map { column in
                Column(
                    heading: column.kind == .time ? times.heading(column.label) : language.say(column.label),
                    isNumeric: column.kind == .number)
            },
            rows: lines.map { line in
                columns.map { column in
                    line.row.map { column.cell($0, times, language) } ?? line.texts[column.label]
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
