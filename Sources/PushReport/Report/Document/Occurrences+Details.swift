internal import Base
internal import Push

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
        return FieldChanges(language).fields(of: .object(fields.filter { shown.contains($0.key) }))
    }
}
