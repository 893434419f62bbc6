internal import Push

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
