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
            let value = language.say(audience.description)
            details.append(
                .field(label: language.say(.audienceDetail), value: value, aside: audience.size(in: language)))
            if let leftOut = audience.leftOut(in: language) {
                details.append(.field(label: language.say(.leftOutDetail), value: leftOut, aside: nil))
            }
        }
        if let payload {
            details.append(.field(label: language.say(.payloadDetail), value: language.size(payload), aside: nil))
        }
        details += PlannedDelivery.Division.allCases.compactMap { division in
            delivery?.divisions[division].map {
                .field(label: language.say(division.label), value: language.say($0), aside: nil)
            }
        }
        if let waves = audience?.waves(in: language) {
            details.append(.field(label: language.say(.wavesDetail), value: waves, aside: nil))
        }
        details += requires.map { $0.detail(in: language) }
        if let preview { details.append(.quote(preview)) }
        switch action {
        case .reschedule, .cancel, .resume, .wait, .missed, .none:
            // What is ahead says by itself when something must run.
            if occurrences?.mustRun == nil {
                details.append(because(in: language))
            }
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

    private func because(in language: Language) -> ReportDocument.Detail {
        .field(label: language.say(.reasonDetail), value: language.say(reason), aside: nil)
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
