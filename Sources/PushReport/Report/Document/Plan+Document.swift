internal import Base
internal import Push

extension Plan {
    /// The plan as a document: head, verdict, changes, diagnostics, sections if `isWhole` (text omits them), and
    /// totals.
    func document(isWhole: Bool, in language: Language) -> ReportDocument {
        var notes = stops.map { language.say($0.headline) }
        if let lastApplied { notes.append(language.lastApplied(lastApplied, now: createdAt)) }
        if isSimulated { notes.append(language.say(.simulated)) }
        let warned = WarnedDocuments(self)
        let close = calendar.close
        var items = changes.map { change in
            change.item(
                isWarned: warned.contain(change), collisions: change.kind == .campaign ? close[change.name] ?? 0 : 0,
                in: language)
        }
        if isWhole {
            for index in items.riskiestFirst.prefix(ReportDocument.Item.mostWithSections) {
                items[index].sections = changes[index].sections(in: language)
            }
        }
        let verdict = PlanVerdict(of: self)
        var parts: [ReportDocument.Part] = [
            .title(
                ReportDocument.Title(
                    workspace: workspace, app: shownApp, remote: remote.name, aside: remote.title, notes: notes,
                    what: language.say(.planTitle))),
            .verdict(
                ReportDocument.Verdict(
                    tone: verdict.tone, text: verdict.sentence(remote: remote.name, in: language))),
            .items(items),
            .diagnostics(
                (isWhole ? diagnostics.filter { !$0.isPairOfCalendar } : diagnostics).map { $0.map(language.say) }),
        ]
        if isWhole {
            parts += [
                calendar.section(now: createdAt, in: language), certificateSection(in: language),
                calendar.collisionSection(in: language),
            ].map { .section($0) }
        }
        return ReportDocument(parts: parts + (verdict.code == .noChanges ? [] : [.closing(closing(in: language))]))
    }

    private func closing(in language: Language) -> [String] {
        let summary = summary
        func counts(_ words: [(Action, Phrase)]) -> [String] {
            words.map { language.say(.count(summary[$0.0], of: language.say($0.1))) }
        }
        let rare: [(Action, Phrase)] = [
            (.reschedule, .toReschedule), (.resume, .toResume), (.wait, .waiting), (.missed, .missed),
            (.none, .unknown),
        ]
        let deliveries =
            counts([(.send, .toSend), (.schedule, .toSchedule), (.cancel, .toCancel)])
            + counts(rare.filter { summary[$0.0] > 0 })
            + [language.say(.count(summary.blocked, of: language.say(.blocked)))]
        let resources = counts([(.create, .toCreate), (.update, .toUpdate), (.delete, .toDelete)])
        var lines = [language.say(.sums(resources: resources, deliveries: deliveries))]
        if summary[.send] + summary[.schedule] + summary[.reschedule] + summary[.resume] > 0 {
            lines.append(language.say(.cannotBeTakenBack))
        }
        return lines
    }
}

// MARK: - Sentence

extension PlanVerdict {
    /// The verdict in one sentence: what merging does, and what is blocked or waits.
    func sentence(remote: String, in language: Language) -> String {
        guard code != .noChanges else { return language.say(.noChanges(remote)) }
        var verbs = pushVerbs(in: language)
        if sends.pushes + schedules.pushes + reschedules.pushes + resumes.pushes == 0 {
            verbs.insert(language.say(.sendsNothing), at: 0)
        }
        verbs += otherVerbs(in: language)
        return language.say(.merging(verbs, then: consequences(in: language), isNothing: code != .sends))
    }

    private func pushVerbs(in language: Language) -> [String] {
        var verbs: [String] = []
        if sends.pushes > 0 { verbs.append(language.say(.verbSends(sends.pushes, to: sends.devices(in: language)))) }
        if schedules.pushes > 0 {
            // The number that is sent now has said of what, and what goes out later is counted again.
            let isFirst = sends.pushes == 0
            let devices = isFirst ? schedules.devices(in: language) : nil
            verbs.append(language.say(.verbSchedules(schedules.pushes, to: devices, isFirst: isFirst)))
        }
        if reschedules.pushes > 0 { verbs.append(language.say(.verbReschedules(reschedules.pushes))) }
        if resumes.pushes > 0 {
            let devices = resumes.devices > 0 ? resumes.devices(in: language) : nil
            verbs.append(language.say(.verbGoesOn(resumes.pushes, to: devices)))
        }
        return verbs
    }

    private func otherVerbs(in language: Language) -> [String] {
        let verbs: [(Int, Phrase)] = [
            (cancels, .verbCancels(cancels)), (starts, .verbStarts(starts)), (creates, .verbCreates(creates)),
            (updates, .verbUpdates(updates, isFirst: creates == 0)),
            (deletes, .verbDeletes(deletes, isFirst: creates + updates == 0)),
        ]
        return verbs.filter { $0.0 > 0 }.map { language.say($0.1) }
    }

    private func consequences(in language: Language) -> [String] {
        var clauses: [String] = []
        if !blocked.isEmpty {
            let (pushes, others) = (blocked.reduce(0) { $0 + $1.pushes }, blocked.reduce(0) { $0 + $1.others })
            let rules = blocked.map { entry in
                language.say(
                    .byRule(
                        entry.rule.word(in: language), until: entry.until,
                        count: blocked.count > 1 ? entry.pushes + entry.others : nil))
            }
            clauses.append(language.say(.areBlocked(pushes: pushes, others: others, by: rules)))
        }
        let rest: [(Int, Phrase)] = [
            (undecided, .needPerson(undecided)), (onHold, .areOnHold(onHold)), (inParts, .goOnInParts(inParts)),
            (waits, .waitForTime(waits)), (missed, .wereMissed(missed)),
        ]
        clauses += rest.filter { $0.0 > 0 }.map { language.say($0.1) }
        if blocked.isEmpty, code == .sends || code == .changes { clauses.insert(language.say(.nothingBlocked), at: 0) }
        return clauses
    }

    /// What it means to a reviewer, for a sign before it.
    var tone: ReportDocument.Verdict.Tone {
        switch code {
        case .blocked, .undecided: .stop
        case .sends, .changes: blocked.isEmpty && undecided + missed == 0 ? .fine : .look
        case .waits: .look
        case .noChanges: .fine
        }
    }
}

extension PlanVerdict.Reach {
    /// The number of devices, as far as it is known.
    fileprivate func devices(in language: Language) -> String {
        let counted = language.say(.devices(devices))
        guard uncounted > 0 else { return counted }
        return devices > 0 ? language.say(.atLeast(counted)) : language.say(.uncountedDevices)
    }
}

extension Block.Rule {
    /// The rule in a word or two; fields of the policy by their names, which are the same in every language.
    func word(in language: Language) -> String {
        switch self {
        case .maxSendsPerApply, .maxCancelsPerApply, .maxAudience, .minAudience, .maxAudienceGrowth,
            .requireExpiration, .allowEveryone, .developmentAudience:
            rawValue
        case .quietHours: language.say(.ruleQuietHours)
        case .certificateExpiryWarning: language.say(.ruleCertificate)
        case .payloadSize: language.say(.rulePayload)
        case .protected: language.say(.ruleProtected)
        case .innerQueryLimit: language.say(.ruleInnerQuery)
        case .tooLateToChange: language.say(.ruleTooLate)
        case .newLedger: language.say(.ruleNewLedger)
        case .renamed: language.say(.ruleRenamed)
        case .notCounted: language.say(.ruleNotCounted)
        case .winner: language.say(.ruleWinner)
        case .missed: language.say(.ruleMissed)
        case .approvals: language.say(.ruleApprovals)
        case .fence: language.say(.ruleFence)
        case .stopped: language.say(.ruleStopped)
        }
    }
}

// MARK: - Section

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
        let columns = language.columns([
            .sentAtColumn, .campaignColumn, .happensColumn, .worthUntilColumn, .localTimesColumn,
        ])
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

// MARK: - Section

extension Plan {
    /// Each DeviceProfile's certificate or key, its remaining lifetime, and the campaigns that depend on it.
    func certificateSection(in language: Language) -> ReportDocument.Section {
        var blocks: [ReportDocument.Block] = certificates.compactMap { certificate in
            certificate.remark(in: language).map { .remark($0.severity, $0.text) }
        }
        if !certificates.isEmpty {
            let columns = language.columns(
                [
                    .deviceProfile, .environment, .topicsColumn, .fingerprintColumn, .endsColumn, .daysLeftColumn,
                    .campaignsColumn,
                ], numeric: [.daysLeftColumn])
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
            name, environment.rawValue, place(in: language),
            fingerprint.map { Self.short($0) } ?? keyId.map { language.say(.key($0)) },
            expiresAt.map(language.day),
            daysLeft.map { $0.grouped }, campaigns.isEmpty ? nil : Self.listed(campaigns, in: language),
        ]
    }

    /// The topics of Apple's, or another service with its project.
    private func place(in language: Language) -> String {
        guard vendor != .apns else { return language.list(topics.isEmpty ? [topic] : topics) }
        return topic.isEmpty ? vendor.title : "\(vendor.title) · \(topic)"
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
