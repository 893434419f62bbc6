internal import Base
internal import Push

extension Change {
    /// The change as an item; `isWarned` is true if there is a diagnostic about its document, and `collisions` counts the
    /// deliveries that are too close to it.
    func item(isWarned: Bool, collisions: Int, in language: Language) -> ReportDocument.Item {
        let risk = risk(isWarned: isWarned)
        return ReportDocument.Item(
            mark: isBlocked ? .blocked : Mark(action), kind: kind, name: name,
            outcome: isBlocked
                ? language.say(.blocked(blocked.map { language.say($0.message) })) : outcome(in: language),
            details: details(in: language), risk: risk,
            devices: action.isSending ? audience?.devices ?? 0 : 0, place: place,
            push: kind == .campaign ? push(risk, collisions: collisions, in: language) : nil,
            blocks: blocked.map { .init(word: $0.rule.word(in: language), reason: language.say($0.message)) },
            hasPictures: !looks.isEmpty)
    }

    /// The action in a few words; nil when the symbol is enough.
    func outcome(in language: Language) -> String? {
        let time = delivery?.at.map(language.time)
        let scheduled = delivery?.at.map { at in
            language.say(.scheduled(at, expires: delivery?.expires.map(language.say)))
        }
        if let occurrences { return action == .delete ? nil : occurrences.outcome(in: language) }
        return switch action {
        case .create, .update, .delete: nil
        case .send: ofDay(language.say(.sendsNow), in: language)
        case .schedule: scheduled ?? language.say(.sendsNow)
        case .reschedule: language.say(.rescheduled(to: scheduled ?? language.say(.now)))
        case .cancel: language.say(.cancels(time))
        case .resume: ofDay(language.say(.settles), in: language)
        case .wait: language.say(.waits(time))
        case .missed: language.say(.missed(time))
        case .none: ofDay(language.say(.outcomeUnknown), in: language)
        }
    }

    /// A text, and the day of an occurrence.
    func ofDay(_ text: String, in language: Language) -> String {
        delivery?.occurrence.date.map { language.say(.remarked(text, language.day($0))) } ?? text
    }

    private func details(in language: Language) -> [ReportDocument.Detail] {
        var details: [ReportDocument.Detail] = []
        func add(_ label: Phrase, _ value: String?, aside: String? = nil) {
            if let value { details.append(.field(label: language.say(label), value: value, aside: aside)) }
        }
        switch action {
        case .create where occurrences != nil: details = ruleDetails(in: language)
        case .create where kind != .campaign: details = FieldChanges(language: language).fields(of: after)
        case .update:
            details = FieldChanges(language: language).changes(from: before, to: after)
            if before?["name"] != after?["name"] { add(.reasonDetail, language.say(reason)) }
        case .reschedule: details = FieldChanges(language: language).sharedChanges(from: before, to: after)
        case .create, .delete, .send, .schedule, .cancel, .resume, .wait, .missed, .none: break
        }
        if let occurrences { details += occurrences.details(in: language) }
        if let audience, audience.devices != nil || occurrences == nil {
            add(.audienceDetail, language.say(audience.description), aside: audience.size(in: language))
            add(.waysDetail, audience.ways(in: language))
            add(.leftOutDetail, audience.leftOut(in: language))
        }
        if let payload { add(.payloadDetail, language.size(payload)) }
        for division in PlannedDelivery.Division.allCases {
            if let rule = delivery?.divisions[division] { add(division.label, language.say(rule)) }
        }
        add(.wavesDetail, audience?.waves(in: language))
        details += requires.map { $0.detail(in: language) }
        if let preview { details.append(.quote(preview)) }
        switch action {
        case .reschedule, .cancel, .resume, .wait, .missed, .none:
            // What is ahead says by itself when something must run.
            if occurrences?.mustRun == nil { add(.reasonDetail, language.say(reason)) }
        case .create, .update, .delete, .send, .schedule: break
        }
        return details
    }

    /// The rules by which a push is divided, with their labels.
    func rules(_ divisions: [PlannedDelivery.Division], in language: Language) -> [String] {
        divisions.compactMap { division in
            delivery?.divisions[division].map {
                language.say(division.label) + language.say(.colon) + language.say($0)
            }
        }
    }
}

extension PlannedDelivery.Division {
    fileprivate var label: Phrase {
        switch self {
        case .localTime: .localTimeDetail
        case .rollout: .rolloutDetail
        case .holdout: .holdoutDetail
        case .variants: .variantsDetail
        }
    }
}

extension Mark {
    /// The mark of an action that is not blocked.
    init(_ action: Action) {
        self =
            switch action {
            case .create: .create
            case .update: .update
            case .delete: .delete
            case .send: .send
            case .schedule, .reschedule: .schedule
            case .cancel: .cancel
            case .resume: .resume
            case .wait: .wait
            case .missed: .missed
            case .none: .unknown
            }
    }
}

// MARK: - Push

extension Change {
    /// The push in the words of a table's row: when, to whom, to how many, and what to look out for.
    func push(_ risk: Risk, collisions: Int, in language: Language) -> ReportDocument.Push {
        ReportDocument.Push(
            when: [time(in: language)] + rules([.localTime, .rollout], in: language) + next(in: language),
            whom: whom(in: language),
            devices: audience.map { $0.devices?.grouped ?? language.say(.notCounted) },
            lookOut: lookOut(risk, collisions: collisions, in: language))
    }

    /// The outcome, in the words of a column about times.
    private func time(in language: Language) -> String {
        if occurrences == nil, action == .send || action == .schedule && delivery?.at == nil {
            return ofDay(language.say(.now), in: language)
        }
        return outcome(in: language) ?? ""
    }

    /// The next occurrences, and by when something must run.
    private func next(in language: Language) -> [String] {
        guard let occurrences else { return [] }
        let next = occurrences.next.first.map {
            language.say(.nextDetail) + language.say(.colon) + language.time($0.at)
        }
        let mustRun = occurrences.mustRun.map { span in
            language.say(.mustRunDetail) + language.say(.colon)
                + language.say(.between(language.time(span.from), language.time(span.until)))
        }
        return [next, mustRun].compactMap(\.self)
    }

    private func whom(in language: Language) -> [String] {
        var whom = (audience.map { [language.say($0.description)] } ?? []) + rules([.variants, .holdout], in: language)
        let languages = audience?.review.explanation?.words?.languages.keys.sorted() ?? []
        if !languages.isEmpty {
            whom.append(language.say(.languagesDetail) + language.say(.colon) + language.list(languages))
        }
        return whom
    }

    private func lookOut(_ risk: Risk, collisions: Int, in language: Language) -> [String] {
        var lines: [String] = []
        if !isBlocked, risk != .unknown, risk != .warned || collisions == 0, let concern = risk.concern {
            lines.append(language.say(concern))
        }
        if collisions > 0 { lines.append(language.say(.closeTo(collisions))) }
        for requirement in requires {
            guard case .field(let label, let value, let aside) = requirement.detail(in: language) else { continue }
            let text = "\(label) \(value)"
            lines.append(aside.map { language.say(.remarked(text, $0)) } ?? text)
        }
        switch action {
        case .reschedule, .cancel, .resume, .wait, .missed, .none:
            if occurrences?.mustRun == nil { lines.append(language.say(reason)) }
        case .create, .update, .delete, .send, .schedule: break
        }
        return lines
    }
}

// MARK: - Risk

extension Change {
    /// The risk of the change; `isWarned` is true if there is a diagnostic about its document.
    func risk(isWarned: Bool) -> Risk {
        if isBlocked { return .blocked }
        switch action {
        case .none: return .unknown
        case .send, .schedule, .reschedule:
            if audience?.isEveryone == true { return .everyone }
            if let devices = audience?.devices, devices >= Risk.largeAudience { return .large }
            if let audience, audience.devices == nil { return .uncounted }
            if isWarned { return .warned }
            return action == .send || delivery?.at == nil ? .now : .later
        case .resume: return isWarned ? .warned : .now
        case .cancel: return isWarned ? .warned : .later
        case .delete: return isWarned ? .warned : .removal
        case .create where occurrences != nil, .update where occurrences != nil:
            if audience?.isEveryone == true { return .everyone }
            if let devices = audience?.devices, devices >= Risk.largeAudience { return .large }
            return isWarned ? .warned : .later
        case .create, .update, .wait, .missed: return isWarned ? .warned : .routine
        }
    }
}

/// The documents of a plan with warnings.
struct WarnedDocuments {
    private var places: Set<ReportDocument.Place> = []

    /// Finds the documents that warnings and errors refer to.
    init(_ plan: Plan) {
        let ranges = plan.diagnostics.filter { $0.severity != .note }.compactMap(\.range)
        guard !ranges.isEmpty else { return }
        var starts: [String: [Int]] = [:]
        for place in plan.changes.compactMap(\.place) { starts[place.file, default: []].append(place.line) }
        for file in starts.keys { starts[file]?.sort() }
        for range in ranges {
            guard let (file, lines) = Self.file(of: range.file, in: starts),
                let line = Self.last(of: lines, upTo: range.start.line)
            else { continue }
            places.insert(ReportDocument.Place(file: file, line: line))
        }
    }

    /// True if a warning lies between the first line of a change's document and that of the next change.
    func contain(_ change: Change) -> Bool { change.place.map(places.contains) ?? false }

    /// The file of the changes that a diagnostic refers to: its path is relative to the current folder, theirs to the
    /// workspace.
    private static func file(of path: String, in starts: [String: [Int]]) -> (String, [Int])? {
        var rest = path[...]
        while true {
            if let lines = starts[String(rest)] { return (String(rest), lines) }
            guard let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
            rest = rest[rest.utf8.index(after: slash)...]
        }
    }

    private static func last(of lines: [Int], upTo line: Int) -> Int? {
        var (low, high) = (0, lines.count)
        while low < high {
            let middle = (low + high) / 2
            if lines[middle] <= line { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? lines[low - 1] : nil
    }
}

extension Change {
    var place: ReportDocument.Place? {
        guard let file, let line else { return nil }
        return ReportDocument.Place(file: file, line: line)
    }
}

// MARK: - Sections

extension Change {
    /// The sections for pages and comments: its look, its audience, and the exact request.
    func sections(in language: Language) -> [ReportDocument.Section] {
        [lookSection(in: language), audience?.section(in: language), requestSection(in: language)].compactMap(\.self)
    }

    private func lookSection(in language: Language) -> ReportDocument.Section? {
        guard !looks.isEmpty else { return nil }
        let names = looks.map { look in
            let name = look.caption
            return look.isSilent ? language.say(.showsNothing(name)) : name
        }
        return ReportDocument.Section(
            heading: language.say(.looks), aside: language.list(names), blocks: [.looks(looks.map(\.byDefault))])
    }

    private func requestSection(in language: Language) -> ReportDocument.Section? {
        guard let request else { return nil }
        var blocks: [ReportDocument.Block] = []
        let fields = PayloadSize.fields(of: request.body).prefix(5)
        if !fields.isEmpty { blocks.append(.table(ReportDocument.Table(largest: Array(fields), in: language))) }
        blocks.append(.json(request.body))
        return ReportDocument.Section(
            heading: language.say(.request), aside: payload.map(language.size), blocks: blocks)
    }
}

extension ReportDocument.Table {
    /// The fields that take most bytes of a request.
    init(largest fields: [PayloadSize.Field], in language: Language) {
        self.init(
            columns: language.columns([.largestColumn, .bytesColumn], numeric: [.bytesColumn]),
            rows: fields.map { [$0.name, $0.bytes.grouped] })
    }
}

/// The differences between two states of a resource, field by field.
struct FieldChanges {
    let language: Language

    /// All fields of a new resource; none without an object.
    func fields(of value: JSONValue?) -> [ReportDocument.Detail] {
        pairs(nil, value, path: "").map { .field(label: $0.label, value: shown($0.to, $0.label), aside: nil) }
    }

    /// The fields whose values differ, sorted; nested fields are named with dots.
    func changes(from before: JSONValue?, to after: JSONValue?) -> [ReportDocument.Detail] {
        guard before?.object != nil, after?.object != nil else { return [] }
        return pairs(before, after, path: "").map(detail)
    }

    /// The fields of both states whose values differ; a time in another offset is equal.
    func sharedChanges(from before: JSONValue?, to after: JSONValue?) -> [ReportDocument.Detail] {
        pairs(before, after, path: "").filter { pair in
            guard let from = pair.from, let to = pair.to else { return false }
            guard let time = instant(from)?.instant else { return true }
            return instant(to)?.instant != time
        }.map(detail)
    }

    private struct Pair {
        var label: String
        var from: JSONValue?
        var to: JSONValue?
    }

    /// The two values, as short as they can be while they differ.
    private func detail(_ pair: Pair) -> ReportDocument.Detail {
        let (from, to) = (shown(pair.from, pair.label), shown(pair.to, pair.label))
        return from == to
            ? .changed(label: pair.label, from: whole(pair.from), to: whole(pair.to))
            : .changed(label: pair.label, from: from, to: to)
    }

    private func pairs(_ before: JSONValue?, _ after: JSONValue?, path: String) -> [Pair] {
        let (from, to) = (before?.object ?? [:], after?.object ?? [:])
        return Set(from.keys).union(to.keys).sorted().flatMap { key -> [Pair] in
            let label = path.isEmpty ? key : path + "." + key
            let (old, new) = (from[key], to[key])
            if old == new { return [] }
            if old?.object != nil, new?.object != nil { return pairs(old, new, path: label) }
            return [Pair(label: label, from: old, to: new)]
        }
    }

    /// A readable value: hashes are shortened, the end of a certificate is a day, lists of texts have commas.
    private func shown(_ value: JSONValue?, _ label: String) -> String {
        if let text = value?.string {
            if let digest = Digest(text) { return digest.shortText }
            guard let time = instant(value) else { return text }
            return label == "expires" ? language.day(time.instant) : language.time(time)
        }
        if let elements = value?.array {
            let texts = elements.compactMap(\.string)
            if texts.count == elements.count { return language.list(texts) }
        }
        return whole(value)
    }

    private func whole(_ value: JSONValue?) -> String {
        guard let value, !value.isNull else { return language.say(.nothing) }
        return value.string ?? value.canonicalText
    }

    /// The time in a text; the shortest form is as long as `2026-12-01T00:00:00Z`.
    private func instant(_ value: JSONValue?) -> OffsetInstant? {
        guard let text = value?.string, text.utf8.count >= 20 else { return nil }
        return OffsetInstant(text)
    }
}

// MARK: - Details

extension PlannedOccurrences {
    /// What is ahead, in a few words.
    func outcome(in language: Language) -> String { language.say(.occurrencesAhead(ahead)) }

    /// The next days, how many follow, those that a month does not have, and by when something must run.
    func details(in language: Language) -> [ReportDocument.Detail] {
        var details: [ReportDocument.Detail] = []
        func add(_ label: Phrase, _ value: String) {
            details.append(.field(label: language.say(label), value: value, aside: nil))
        }
        if !next.isEmpty { add(.nextDetail, language.list(next.map { language.time($0.at) })) }
        if following > 0 {
            add(.followingDetail, language.say(.furtherUntil(following, last.map(language.day))))
        }
        if !absent.isEmpty { add(.absentDetail, language.list(absent)) }
        if let mustRun {
            add(.mustRunDetail, language.say(.between(language.time(mustRun.from), language.time(mustRun.until))))
        }
        return details
    }
}

extension Change {
    /// The rule of a recurring campaign that is new.
    func ruleDetails(in language: Language) -> [ReportDocument.Detail] {
        guard let fields = after?.object else { return [] }
        let shown = ["every", "on", "at", "timeZone", "from", "until", "count", "except", "window", "expiration"]
        return FieldChanges(language: language).fields(of: .object(fields.filter { shown.contains($0.key) }))
    }
}

// MARK: - Detail

extension ApprovalRequirement {
    /// The approvals, when they are needed, and who gave them: `requires 2 approvals, 50,000 devices or more`.
    func detail(in language: Language) -> ReportDocument.Detail {
        var aside = rule.when.devices.map { [language.say(.approvalsFrom(devices: $0))] } ?? []
        if isUncounted { aside.append(language.say(.notCounted)) }
        let labels = rule.when.labels.sorted { $0.key < $1.key }
        aside += labels.map { $0.key + language.say(.colon) + $0.value }
        if !approvedBy.isEmpty { aside.append(language.say(.approvedBy(approvedBy))) }
        return .field(
            label: language.say(.approvalsDetail), value: language.say(.approvals(rule.need, teams: rule.from)),
            aside: aside.isEmpty ? nil : aside.joined(separator: language.say(.comma)))
    }
}

// MARK: - Lines

extension NotificationLook {
    /// The effects on a device in words, for formats that draw nothing.
    func lines(in language: Language) -> [String] {
        let services = services.map { $0.words(in: language) }
        let shownBy = services.isEmpty ? [] : [services.joined(separator: " · ")]
        if let silence = silence(in: language) { return [silence] + shownBy }
        var lines = [title, subtitle, body].compactMap { $0?.shownText }
        switch badge {
        case .number(0): lines.append(language.say(.badgeTaken))
        case .number(let number): lines.append(language.say(.badge(number)))
        case .increment: lines.append(language.say(.badgeMore))
        case nil: break
        }
        switch sound {
        case .name(let name): lines.append(language.say(.sound(name)))
        case .detailed(let name, let isCritical, _):
            lines.append(language.say(isCritical ? .criticalSound(name) : .sound(name)))
        case nil: break
        }
        if let interruptionLevel { lines.append(language.say(.interruption(interruptionLevel.apnsValue))) }
        return lines + shownBy
    }
}
