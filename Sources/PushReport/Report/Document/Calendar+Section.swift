internal import Base
internal import Push

extension PlanCalendar {
    /// The times of pushes, and the pairs that are too close to each other.
    func section(now: Instant, in language: Language) -> ReportDocument.Section {
        let heading = language.say(.calendar)
        guard !entries.isEmpty else { return ReportDocument.Section(heading: heading, aside: nil, blocks: []) }
        // The warnings name the pairs that are too close; here they are counted and marked.
        let number = collisions.count + otherCollisions
        var blocks = [ReportDocument.Block.calendar(self, now: now)]
        if entries.contains(where: \.isEstimate) { blocks.append(.paragraph(language.say(.stagesAreEstimates))) }
        if let quietHours, quietHours.from != quietHours.to {
            blocks.append(.paragraph(language.say(.quietHours(quietHours.text))))
        }
        var aside = language.say(.pushes(entries.count))
        if number > 0 { aside += language.say(.comma) + language.say(.collisions(number)) }
        return ReportDocument.Section(heading: heading, aside: aside, blocks: blocks)
    }

    /// The pairs that are too close to each other, one a line; pages and comments have them at the end.
    func collisionSection(in language: Language) -> ReportDocument.Section {
        let number = collisions.count + otherCollisions
        var lines = collisions.map { pair in
            let names = [pair.first, pair.second].map { $0.isEmpty ? language.say(.notOurs) : $0 }
            return language.say(.pair(names[0], names[1], apart: pair.apart, devices: pair.devices))
        }
        if otherCollisions > 0 { lines.append("… " + language.say(.more(otherCollisions))) }
        return ReportDocument.Section(
            heading: language.say(.collisionsHeading), aside: language.say(.collisions(number)),
            blocks: lines.isEmpty ? [] : [.paragraph(language.say(.minimumGap(minimumGap))), .list(lines)])
    }

    /// The number of deliveries that are too close to each campaign; those that perhaps share no device with it are in
    /// the list of pairs only.
    var close: [String: Int] {
        var close: [String: Int] = [:]
        for pair in collisions where pair.devices != nil {
            for name in [pair.first, pair.second] { close[name, default: 0] += 1 }
        }
        return close
    }

    private static let mostRows = 200

    /// The calendar as a table, for formats that do not draw it.
    func table(in language: Language) -> ReportDocument.Table {
        let headings: [Phrase] = [.sentAtColumn, .campaignColumn, .happensColumn, .worthUntilColumn, .localTimesColumn]
        let columns = headings.map { ReportDocument.Table.Column(heading: language.say($0), isNumeric: false) }
        var rows: [[String?]] = entries.prefix(Self.mostRows).map { entry in
            [
                entry.time(in: language), entry.name(in: language), language.say(entry.label),
                entry.expiry.map(language.time),
                entry.localTimes.isEmpty ? nil : language.clauses(entry.localTimes.map { $0.words(in: language) }),
            ]
        }
        if entries.count > Self.mostRows {
            rows.append(["…", language.say(.morePushes(entries.count - Self.mostRows)), nil, nil, nil])
        }
        return ReportDocument.Table(columns: columns, rows: rows)
    }
}

extension PlanCalendar.Entry {
    /// The time of sending, and that it is an estimate if it is one.
    func time(in language: Language) -> String {
        isEstimate ? language.say(.atTheEarliest(at)) : language.time(at)
    }

    /// The campaign, with the wave or stage if it is one.
    func name(in language: Language) -> String {
        [campaign ?? language.say(.notOurs), part].compactMap(\.self).joined(separator: " · ")
    }

    /// The expiration, by the clock that the time of sending is told by.
    var expiry: OffsetInstant? { expiresAt.map { OffsetInstant($0, offset: at.offset) } }

    /// The word for the plan's action on it.
    var label: Phrase {
        if isBlocked { return .isBlocked }
        return switch action {
        case nil: .isPending
        case .send: .isSent
        case .schedule: .isScheduled
        case .reschedule: .isRescheduled
        case .cancel: .isCancelled
        case .resume: .isSettled
        case .wait: .isWaiting
        case .missed: .isMissed
        case .create, .update, .delete: .isChanged
        case .some(.none): .isUnknown
        }
    }
}

extension PlanCalendar.LocalTime {
    /// `20:00 Asia/Shanghai, 9,000 devices (clocks change that day)`.
    func words(in language: Language) -> String {
        var text = "\(language.time(at)) \(timeZone)"
        if let devices { text += language.say(.comma) + language.say(.devices(devices)) }
        return remark.map { language.say(.remarked(text, language.say($0))) } ?? text
    }
}
