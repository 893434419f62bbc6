internal import Base
internal import Push

extension HistoryReport {
    /// The JSON record of the history.
    static let record = Record<HistoryReport>(
        written: [
            Field(group: ReportHead.record, { _ in ReportHead() }),
            ReportHead.workspace { $0.workspace }, ReportHead.remote { $0.remote.name },
            Field("since", .time, "The time from which deliveries are listed.", { $0.since }),
            Field("earlier", .integer(), "The number of deliveries before it.", { $0.earlier }),
            Field(
                "applied", .list(of: .record(row, definedAs: "applied")), "What was applied, the newest first.",
                { $0.rows }),
        ])

    /// The record of a delivery with who applied it.
    static let row = Record<StatusReport.Row>(
        written: [
            Field("appliedAt", orNull: .time, "The time at which an apply began it.", { $0.begunAt }),
            Field("actor", orNull: .text, "The person or job that applied it.", { $0.actor }),
            Field("run", orNull: .text, "The run that applied it.", { $0.run }),
            Field("delivery", orNull: .delivery, "The delivery.", { $0.delivery }),
            Field(group: StatusReport.Row.record, { $0 }),
        ])

    /// The columns of the table for spreadsheets: the members of a delivery that are texts or numbers.
    static let csvColumns = [
        "appliedAt", "actor", "campaign", "revision", "occurrence", "state", "at", "devices", "successes",
        "invalidTokens", "inDoubt", "missed", "tooLarge", "heldOut", "capped", "simulated", "commit", "run", "delivery",
        "objectId", "reason",
    ]

    /// The table for spreadsheets.
    var csv: String {
        var file = CSVFile(Self.csvColumns)
        for row in rows {
            let members = Self.row.json(of: row).unordered
            file.add(
                Self.csvColumns.map { name in
                    switch members[name] {
                    case .string(let text)?: escaped(text)
                    case .integer(let number)?: String(number)
                    case .bool, .number, .array, .object, .null, nil: ""
                    }
                })
        }
        return file.text
    }
}
