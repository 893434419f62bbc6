internal import Diagnostics
internal import PushModel
internal import PushPlan

extension PlannedAudience {
    /// Whom a push reaches, taken apart; nil when nothing more is known than its size.
    var section: ReportDocument.Section? {
        var blocks: [ReportDocument.Block] = []
        if let last = review.lastDelivery { blocks.append(.paragraph(sentence(on: last))) }
        if let explanation = review.explanation { blocks += Self.blocks(of: explanation, review.environments) }
        if !review.overlaps.isEmpty {
            blocks.append(
                .table(
                    Self.table(
                        "Also reached in this plan by", review.overlaps.map { ($0.campaign, $0.devices) }, of: devices))
            )
        }
        guard !blocks.isEmpty else { return nil }
        return ReportDocument.Section(
            heading: "Audience", aside: devices.map { Wording.count($0, "device") }, blocks: blocks)
    }

    private func sentence(on last: AudienceReview.LastDelivery) -> String {
        var text =
            "Revision \(last.revision) went to \(Wording.count(last.devices, "device")) at \(last.at.text)"
        if let devices {
            let change = devices - last.devices
            switch change {
            case 0: text += ", as many as now"
            case 1...: text += "; that is \(Wording.number(change)) more now" + Self.share(change, of: last.devices)
            default: text += "; that is \(Wording.number(-change)) fewer now" + Self.share(-change, of: last.devices)
            }
        }
        return text + "."
    }

    private static func share(_ part: Int, of whole: Int) -> String {
        whole > 0 ? " (\(percentage(part, of: whole)))" : ""
    }

    private static func percentage(_ part: Int, of whole: Int) -> String {
        let tenths = Int((Double(part) * 1000 / Double(whole)).rounded())
        if tenths == 0, part > 0 { return "under 0.1 %" }
        return tenths % 10 == 0 || tenths >= 100
            ? "\(Wording.number((tenths + 5) / 10)) %" : "\(tenths / 10).\(tenths % 10) %"
    }

    private static func blocks(
        of explanation: AudienceExplanation, _ environments: [PushEnvironment: Int]
    ) -> [ReportDocument.Block] {
        let zones = explanation.timeZoneSample.map { "Time zone, of the newest \(Wording.number($0)) devices" }
        let unplaced = explanation.devices - environments.values.reduce(0, +)
        let tables: [(heading: String, counts: [String: Int], others: Int, whole: Int?)] = [
            (
                "Platform", named(explanation.platforms) { Platform(rawValue: $0)?.displayName ?? $0 },
                explanation.otherPlatforms, nil
            ),
            ("Environment", named(environments) { $0.rawValue }, unplaced, nil),
            (
                "deviceProfile", named(explanation.deviceProfiles) { $0.isEmpty ? "none" : $0 },
                explanation.otherDeviceProfiles, nil
            ),
            (
                zones ?? "Time zone", named(explanation.timeZones) { $0.isEmpty ? "not known" : $0 },
                explanation.otherTimeZones, explanation.timeZoneSample
            ),
        ]
        var blocks = tables.filter { !$0.counts.isEmpty }.map { part in
            let others = part.others > 0 ? [("not known, or others", part.others)] : []
            return ReportDocument.Block.table(
                table(part.heading, sorted(part.counts) + others, of: part.whole ?? explanation.devices))
        }
        let skipped = AudienceExplanation.Skip.allCases.compactMap { skip in
            explanation.skipped[skip].flatMap { $0 > 0 ? (skip.words, $0) : nil }
        }
        if !skipped.isEmpty { blocks.append(.table(table("Fits the condition and gets nothing", skipped, of: nil))) }
        return blocks
    }

    private static func named<Key>(_ counts: [Key: Int], _ name: (Key) -> String) -> [String: Int] {
        Dictionary(counts.map { (name($0.key), $0.value) }, uniquingKeysWith: +)
    }

    /// The largest first.
    private static func sorted(_ counts: [String: Int]) -> [(String, Int)] {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }

    /// Rows of a name, devices and their share of the whole; the smallest of very many are summed up.
    private static func table(_ heading: String, _ counts: [(String, Int)], of whole: Int?) -> ReportDocument.Table {
        var rows = counts
        if rows.count > mostRows {
            let rest = rows[(mostRows - 1)...]
            let sum = rest.reduce(0) { $0 + $1.1 }
            rows = rows.prefix(mostRows - 1) + [("\(Wording.number(rest.count)) others", sum)]
        }
        var columns = [
            ReportDocument.Table.Column(heading: heading, isNumeric: false), .init(heading: "Devices", isNumeric: true),
        ]
        guard let whole, whole > 0 else {
            return ReportDocument.Table(columns: columns, rows: rows.map { [$0.0, Wording.number($0.1)] })
        }
        columns.append(.init(heading: "Share", isNumeric: true))
        return ReportDocument.Table(
            columns: columns, rows: rows.map { [$0.0, Wording.number($0.1), percentage($0.1, of: whole)] })
    }

    private static let mostRows = 8
}

extension AudienceExplanation.Skip {
    /// Why, for people.
    var words: String {
        switch self {
        case .otherPlatform: "no platform that the remote reaches, or no token"
        case .invalid: "its token is dead"
        case .stale: "not seen for three months"
        case .otherProfile: "another deviceProfile or topic"
        }
    }
}
