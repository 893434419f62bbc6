internal import Base
internal import Push

extension Plan {
    /// Each DeviceProfile's certificate or key, its remaining lifetime, and the campaigns that depend on it.
    func certificateSection(in language: Language) -> ReportDocument.Section {
        var blocks: [ReportDocument.Block] = certificates.compactMap { certificate in
            certificate.remark(in: language).map { .remark($0.severity, $0.text) }
        }
        if !certificates.isEmpty {
            let headings: [Phrase] = [
                .deviceProfile, .environment, .topicsColumn, .fingerprintColumn, .endsColumn, .daysLeftColumn,
                .campaignsColumn,
            ]
            let columns = headings.map {
                ReportDocument.Table.Column(heading: language.say($0), isNumeric: $0 == .daysLeftColumn)
            }
            let rows = certificates.map { $0.row(in: language) }
            blocks.append(.table(ReportDocument.Table(columns: columns, rows: rows)))
        }
        let least = certificates.compactMap(\.daysLeft).min()
        return ReportDocument.Section(
            heading: language.say(.certificates), aside: least.map { language.say(.daysLeft($0)) }, blocks: blocks)
    }
}

extension PlannedCertificate {
    /// A remark on a certificate that ends soon; nil while there is enough time.
    fileprivate func remark(in language: Language) -> (severity: Severity, text: String)? {
        guard let daysLeft, daysLeft < 30 else { return nil }
        if daysLeft < 0 { return (.error, language.say(.certificateEnded(name))) }
        return (daysLeft < 14 ? .warning : .note, language.say(.certificateEnds(name, days: daysLeft)))
    }

    fileprivate func row(in language: Language) -> [String?] {
        [
            name, environment.rawValue, language.list(topics.isEmpty ? [topic] : topics),
            fingerprint.map { Self.short($0) } ?? keyId.map { language.say(.key($0)) },
            expiresAt.map(language.day),
            daysLeft.map { $0.grouped }, campaigns.isEmpty ? nil : Self.listed(campaigns, in: language),
        ]
    }

    /// A prefix of a fingerprint, long enough to compare by eye.
    private static func short(_ fingerprint: String) -> String {
        fingerprint.utf8.count > 24 ? fingerprint.prefix(16) + "…" : fingerprint
    }

    private static func listed(_ names: [String], in language: Language) -> String {
        guard names.count > 6 else { return language.list(names) }
        return language.say(.namesAndMore(Array(names.prefix(5)), names.count - 5))
    }
}
