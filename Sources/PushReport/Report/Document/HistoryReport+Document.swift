internal import Push

extension HistoryReport {
    /// The history as a document.
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
