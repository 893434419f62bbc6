internal import Diagnostics
internal import PushModel
internal import PushPlan

extension Plan {
    /// Every DeviceProfile's certificate or key, how long it lasts, and what depends on it.
    var certificateSection: ReportDocument.Section {
        var blocks: [ReportDocument.Block] = certificates.compactMap { certificate in
            certificate.remark.map { .remark($0.severity, $0.text) }
        }
        if !certificates.isEmpty {
            let columns = [
                ("deviceProfile", false), ("Environment", false), ("Topics", false), ("Fingerprint", false),
                ("Ends", false), ("Days left", true), ("Campaigns", false),
            ].map { ReportDocument.Table.Column(heading: $0.0, isNumeric: $0.1) }
            blocks.append(.table(ReportDocument.Table(columns: columns, rows: certificates.map(\.row))))
        }
        let least = certificates.compactMap(\.daysLeft).min()
        return ReportDocument.Section(
            heading: "Certificates", aside: least.map { "\(Wording.count($0, "day")) left" }, blocks: blocks)
    }
}

extension PlannedCertificate {
    /// What a reviewer must not overlook; nil while there is time.
    fileprivate var remark: (severity: Severity, text: String)? {
        guard let daysLeft, daysLeft < 30 else { return nil }
        if daysLeft < 0 { return (.error, "the certificate of \(name) has ended") }
        return (
            daysLeft < 14 ? .warning : .note, "the certificate of \(name) ends in \(Wording.count(daysLeft, "day"))"
        )
    }

    fileprivate var row: [String?] {
        [
            name, environment.rawValue, (topics.isEmpty ? [topic] : topics).joined(separator: ", "),
            fingerprint.map { Self.short($0) } ?? keyId.map { "key \($0)" }, expiresAt?.day,
            daysLeft.map { Wording.number($0) }, campaigns.isEmpty ? nil : Self.listed(campaigns),
        ]
    }

    /// Enough of a fingerprint to compare by eye.
    private static func short(_ fingerprint: String) -> String {
        fingerprint.utf8.count > 24 ? fingerprint.prefix(16) + "…" : fingerprint
    }

    private static func listed(_ names: [String]) -> String {
        guard names.count > 6 else { return names.joined(separator: ", ") }
        return names.prefix(5).joined(separator: ", ") + " and \(Wording.number(names.count - 5)) more"
    }
}
