internal import PushModel

extension StatusReport {
    /// The ledger as people read it.
    var document: ReportDocument {
        let notes = lastApplied.map { [Wording.lastApplied($0, now: now)] } ?? []
        let title = ReportDocument.Title(
            workspace: workspace, remote: remote.name, aside: remote.title, notes: notes)
        guard !rows.isEmpty else {
            return ReportDocument(parts: [.title(title), .closing(["Nothing was delivered yet."])])
        }
        return ReportDocument(parts: [
            .title(title), .table(ReportDocument.Table(columns: Self.columns, rows: rows.map(\.texts))),
            .closing([closing]),
        ])
    }

    private static let columns = [
        ("CAMPAIGN", false), ("REVISION", true), ("STATE", false), ("AT", false), ("DEVICES", true),
        ("SUCCESSES", true), ("INVALID", true), ("PUSH", false), ("COMMIT", false), ("REASON", false),
    ].map { ReportDocument.Table.Column(heading: $0.0, isNumeric: $0.1) }

    private var closing: String {
        let counts = DeliveryState.allCases.compactMap { state -> String? in
            let count = rows.count { $0.state == state }
            return count == 0 ? nil : "\(Wording.number(count)) \(state.rawValue)"
        }
        let word = rows.count == 1 ? "delivery" : "deliveries"
        return "\(Wording.number(rows.count)) \(word): \(counts.joined(separator: ", "))."
    }
}

extension StatusReport.Row {
    /// The texts of the columns.
    var texts: [String?] {
        [
            campaign, String(revision), state.rawValue, at?.text, figures.map { Wording.number($0.devices) },
            figures.map { Wording.number($0.successes) }, figures.map { Wording.number($0.invalidTokens) }, objectID,
            commit.map(Wording.commit), reason,
        ]
    }
}
