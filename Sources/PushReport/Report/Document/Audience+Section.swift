internal import Base
internal import Push

extension PlannedAudience {
    /// The breakdown of a push's audience; nil when only its size is known.
    func section(in language: Language) -> ReportDocument.Section? {
        var blocks: [ReportDocument.Block] = []
        if let last = review.lastDelivery { blocks.append(.paragraph(sentence(on: last, in: language))) }
        if let explanation = review.explanation {
            blocks += Self.blocks(of: explanation, review.environments, in: language)
        }
        if !review.parts.isEmpty { blocks.append(.table(parts(in: language))) }
        if !review.overlaps.isEmpty {
            let campaigns = review.overlaps.map { ($0.campaign, $0.devices) }
            blocks.append(.table(Self.table(.alsoReachedBy, campaigns, of: devices, in: language)))
        }
        guard !blocks.isEmpty else { return nil }
        return ReportDocument.Section(
            heading: language.say(.audience), aside: devices == nil ? nil : size(in: language), blocks: blocks)
    }

    /// The number of devices, and of those that it would have without the remote's fence.
    func size(in language: Language) -> String {
        guard let devices else { return language.say(.notCounted) }
        return language.say(review.unfenced.map { .devices(devices, of: $0) } ?? .devices(devices))
    }

    /// The devices by service: `3,012 Apple · 2,100 FCM`; nil where there is Apple's only, or they are not known.
    func ways(in language: Language) -> String? {
        guard let ways = review.explanation?.ways, !ways.isEmpty else { return nil }
        let parts = PushVendor.allCases.compactMap { vendor in ways[vendor.rawValue].map { (vendor, $0) } }
        return parts.sorted { $0.1 > $1.1 }.map { "\($1.grouped) \(language.say($0.phrase))" }.joined(separator: " · ")
    }

    /// Those that match and get nothing: `20,000 not seen for 90 days · 34 dead tokens`; nil when there are none.
    func leftOut(in language: Language) -> String? {
        let reasons = leftOut.byNumber.map { reason, devices in
            let said = language.say(reason.reason(devices, staleAfter: staleAfter))
            guard reason == .android, let noWay = review.explanation?.noWay, !noWay.isEmpty else { return said }
            let vendors = noWay.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { name, devices in
                language.say(PushVendor(rawValue: name).map { .noProfileOf($0, devices) } ?? .noVendor(devices))
            }
            return said + language.say(.colon) + language.list(vendors)
        }
        return reasons.isEmpty ? nil : reasons.joined(separator: " · ")
    }

    /// The waves of a delivery in a line, those after the first few together: `UTC+09:00 1,200 · 30 others 81`; nil
    /// when it has none.
    func waves(in language: Language) -> String? {
        guard review.parts.contains(where: { $0.opensAt != nil }) else { return nil }
        return Self.cut(review.parts.map { ($0.label.text, $0.devices) }, to: Self.mostRows, in: language)
            .map { "\($0.0) \($0.1.grouped)" }.joined(separator: " · ")
    }

    /// All parts of a divided delivery, with the times of waves.
    private func parts(in language: Language) -> ReportDocument.Table {
        let isTimed = review.parts.contains { $0.opensAt != nil }
        var table = Self.table(
            .part, review.parts.map { (language.say($0.label), $0.devices) }, of: devices, most: .max, in: language)
        guard isTimed else { return table }
        table.columns.insert(.init(heading: language.say(.sentAtColumn), isNumeric: false), at: 1)
        for (index, part) in review.parts.enumerated() {
            table.rows[index].insert(part.opensAt.map(language.time), at: 1)
        }
        return table
    }

    private func sentence(on last: AudienceReview.LastDelivery, in language: Language) -> String {
        let change = devices.map { $0 - last.devices }
        let share = change.flatMap { change in
            last.devices > 0 ? language.share(abs(change), of: last.devices) : nil
        }
        return language.say(
            .lastDelivery(revision: last.revision, devices: last.devices, at: last.at, change: change, share: share))
    }

    private static func blocks(
        of explanation: AudienceCount, _ environments: [PushEnvironment: Int], in language: Language
    ) -> [ReportDocument.Block] {
        let zones: Phrase = explanation.timeZoneSample.map { .zonesOfNewest($0) } ?? .timeZone
        let unplaced = explanation.devices - environments.values.reduce(0, +)
        let tables: [(heading: Phrase, counts: [String: Int], others: Int, whole: Int?)] = [
            (
                .platform, named(explanation.platforms) { Platform(rawValue: $0)?.displayName ?? $0 },
                explanation.otherPlatforms, nil
            ),
            (
                .way, named(explanation.ways) { language.say(PushVendor(rawValue: $0)?.phrase ?? Phrase($0, $0)) }, 0,
                nil
            ),
            (.environment, named(environments) { $0.rawValue }, unplaced, nil),
            (
                .deviceProfile, named(explanation.deviceProfiles) { $0.isEmpty ? language.say(.noProfile) : $0 },
                explanation.otherDeviceProfiles, nil
            ),
            (
                zones, named(explanation.timeZones) { $0.isEmpty ? language.say(.notKnown) : $0 },
                explanation.otherTimeZones, explanation.timeZoneSample
            ),
        ]
        var blocks = tables.filter { !$0.counts.isEmpty }.map { part in
            let rows = sorted(part.counts) + (part.others > 0 ? [(language.say(.notKnownOrOthers), part.others)] : [])
            return ReportDocument.Block.table(
                table(part.heading, rows, of: part.whole ?? explanation.devices, in: language))
        }
        if let words = explanation.words { blocks += self.blocks(of: words, explanation.devices, in: language) }
        return blocks
    }

    private static func blocks(
        of words: AudienceCount.Words, _ devices: Int, in language: Language
    ) -> [ReportDocument.Block] {
        func byName(_ counts: [String: Int]) -> [(String, Int)] {
            counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
        var tables: [ReportDocument.Table] = []
        if !words.languages.isEmpty {
            let rows = byName(words.languages) + [(language.say(.noLanguage), words.fallback)]
            tables.append(table(.languageColumn, rows, of: devices, in: language))
        }
        if !words.values.isEmpty {
            tables.append(table(.valueColumn, byName(words.values), of: devices, in: language))
        }
        return tables.map { .table($0) }
    }

    private static func named<Key>(_ counts: [Key: Int], _ name: (Key) -> String) -> [String: Int] {
        Dictionary(counts.map { (name($0.key), $0.value) }, uniquingKeysWith: +)
    }

    /// The counts, the largest first.
    private static func sorted(_ counts: [String: Int]) -> [(String, Int)] {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }

    /// A table of names, devices and their share of the whole; the smallest of very many rows are combined.
    private static func table(
        _ heading: Phrase, _ counts: [(String, Int)], of whole: Int?, most: Int = mostRows, in language: Language
    ) -> ReportDocument.Table {
        let rows = cut(counts, to: most, in: language)
        guard let whole, whole > 0 else {
            return ReportDocument.Table(
                columns: language.columns([heading, .devicesColumn], numeric: [.devicesColumn]),
                rows: rows.map { [$0.0, $0.1.grouped] })
        }
        let columns = language.columns([heading, .devicesColumn, .share], numeric: [.devicesColumn, .share])
        return ReportDocument.Table(
            columns: columns, rows: rows.map { [$0.0, $0.1.grouped, language.share($0.1, of: whole)] },
            shares: rows.map { min(1, Double($0.1) / Double(whole)) })
    }

    private static let mostRows = 8

    /// The rows, of which those after the first few are combined.
    private static func cut(_ rows: [(String, Int)], to most: Int, in language: Language) -> [(String, Int)] {
        guard rows.count > most else { return rows }
        let rest = rows[(most - 1)...]
        return rows.prefix(most - 1) + [(language.say(.others(rest.count)), rest.reduce(0) { $0 + $1.1 })]
    }
}
