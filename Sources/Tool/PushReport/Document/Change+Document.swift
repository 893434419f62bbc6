internal import JSONValue
internal import Phrasebook
internal import PushModel
internal import PushPlan

extension Change {
    /// The change as an item; `isWarned` is true if there is a diagnostic about its document, and `collisions` counts the
    /// deliveries that are too close to it.
    func item(isWarned: Bool, collisions: Int, in language: Language) -> ReportDocument.Item {
        let risk = risk(isWarned: isWarned)
        return ReportDocument.Item(
            mark: isBlocked ? .blocked : Mark(action), kind: kind, name: name,
            outcome: isBlocked
                ? language.say(.blocked(blocked.map { language.planned($0.message) })) : outcome(in: language),
            details: details(in: language), risk: risk,
            devices: action.isSending ? audience?.devices ?? 0 : 0, place: place,
            push: kind == .campaign ? push(risk, collisions: collisions, in: language) : nil,
            blocks: blocked.map { .init(word: $0.rule.word(in: language), reason: language.planned($0.message)) },
            hasPictures: !looks.isEmpty)
    }

    /// The action in a few words; nil when the symbol is enough.
    func outcome(in language: Language) -> String? {
        let time = delivery?.at.map(language.time)
        let scheduled = delivery?.at.map { at in
            language.say(.scheduled(at, expires: delivery?.expires.map(language.planned)))
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
        delivery?.occurrence.date.map { language.say(.remarked(text, language.planned($0.text))) } ?? text
    }

    private func details(in language: Language) -> [ReportDocument.Detail] {
        var details: [ReportDocument.Detail] = []
        switch action {
        case .create where occurrences != nil: details = ruleDetails(in: language)
        case .create where kind != .campaign: details = FieldChanges(language).fields(of: after)
        case .update:
            details = FieldChanges(language).changes(from: before, to: after)
            if before?["name"] != after?["name"] { details.append(because(in: language)) }
        case .reschedule: details = FieldChanges(language).sharedChanges(from: before, to: after)
        case .create, .delete, .send, .schedule, .cancel, .resume, .wait, .missed, .none: break
        }
        if let occurrences { details += occurrences.details(in: language) }
        if let audience, audience.devices != nil || occurrences == nil {
            let value = language.planned(audience.description)
            details.append(
                .field(label: language.say(.audienceDetail), value: value, aside: audience.size(in: language)))
            if let leftOut = audience.leftOut(in: language) {
                details.append(.field(label: language.say(.leftOutDetail), value: leftOut, aside: nil))
            }
        }
        if let payload {
            details.append(.field(label: language.say(.payloadDetail), value: language.size(payload), aside: nil))
        }
        details += Self.divisions.compactMap { name, label in
            division(name, in: language).map { .field(label: language.say(label), value: $0, aside: nil) }
        }
        if let waves = audience?.waves(in: language) {
            details.append(.field(label: language.say(.wavesDetail), value: waves, aside: nil))
        }
        details += requires.map { $0.detail(in: language) }
        if let preview { details.append(.quote(preview)) }
        switch action {
        case .reschedule, .cancel, .resume, .wait, .missed, .none:
            // What is ahead says by itself when something must run.
            if !reason.isEmpty, occurrences?.mustRun == nil {
                details.append(because(in: language))
            }
        case .create, .update, .delete, .send, .schedule: break
        }
        return details
    }

    private static let divisions: [(String, Phrase)] = [
        ("localTime", .localTimeDetail), ("rollout", .rolloutDetail), ("holdout", .holdoutDetail),
        ("variants", .variantsDetail),
    ]

    /// The rule by which a push is divided: `localTime`, `rollout`, `holdout` or `variants`.
    func division(_ name: String, in language: Language) -> String? {
        action.isSending ? after?[name]?.string.map(language.planned) : nil
    }

    private func because(in language: Language) -> ReportDocument.Detail {
        .field(label: language.say(.reasonDetail), value: language.planned(reason), aside: nil)
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
