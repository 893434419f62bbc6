internal import PushModel

extension StatusReport {
    /// The ledger as people read it.
    var document: ReportDocument {
        let notes = lastApplied.map { [Wording.lastApplied($0, now: now)] } ?? []
        let title = ReportDocument.Title(
            workspace: workspace, remote: remote.name, aside: remote.title, notes: notes, what: "Deliveries")
        guard !rows.isEmpty else {
            return ReportDocument(parts: [.title(title), .closing(["Nothing was delivered yet."])])
        }
        return ReportDocument(parts: [
            .title(title), .table(table),
            .closing([closing]),
        ])
    }

    /// The columns that no row fills on most remotes are left out there.
    private var table: ReportDocument.Table {
        let texts = rows.map(\.texts)
        let kept = Self.columns.indices.filter { index in
            !Self.rareColumns.contains(Self.columns[index].heading) || texts.contains { $0[index] != nil }
        }
        return ReportDocument.Table(
            columns: kept.map { Self.columns[$0] }, rows: texts.map { row in kept.map { row[$0] } })
    }

    private static let rareColumns: Set = ["IN DOUBT", "MISSED", "SIMULATED"]

    private static let columns = [
        ("CAMPAIGN", false), ("REVISION", true), ("STATE", false), ("AT", false), ("DEVICES", true),
        ("SUCCESSES", true), ("INVALID", true), ("IN DOUBT", true), ("MISSED", true), ("SIMULATED", true),
        ("PUSH", false), ("COMMIT", false), ("REASON", false),
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
            figures.map { Wording.number($0.successes) }, figures.map { Wording.number($0.invalidTokens) },
            figures.flatMap { $0.inDoubt > 0 ? Wording.number($0.inDoubt) : nil },
            figures.flatMap { $0.missed > 0 ? Wording.number($0.missed) : nil },
            figures.flatMap { $0.simulated > 0 ? Wording.number($0.simulated) : nil }, objectID,
            commit.map(Wording.commit), reason,
        ]
    }
}
