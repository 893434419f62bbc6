internal import Push

extension PreviewReport {
    /// The parts of the delivery with their times; nil when it is undivided.
    func parts(in language: Language) -> ReportDocument.Section? {
        guard let division else { return nil }
        let columns = [Phrase.part, .sentAtColumn, .devicesColumn].map {
            ReportDocument.Table.Column(heading: language.say($0), isNumeric: false)
        }
        let rows = division.parts(at: at).map { part in
            [language.say(part.label), part.time(in: language), part.devices(in: language)]
        }
        var blocks: [ReportDocument.Block] = [
            .paragraph(language.say(division.reason)),
            .table(ReportDocument.Table(columns: columns, rows: rows)),
        ]
        if case .stages = division { blocks.append(.paragraph(language.say(.stagesAreEstimates))) }
        return ReportDocument.Section(
            heading: language.say(.whenItIsSent), aside: nil, blocks: blocks, isFolded: false)
    }
}

extension PreviewReport.Division {
    /// One part.
    struct Part: Hashable {
        var label: Reason
        /// The time, or the delay after whatever time it is applied at; if it is an estimate, the earliest one.
        let opening: Opening
        var isEstimate = false
        let who: Who

        enum Opening: Hashable {
            case at(OffsetInstant)
            case after(Duration)
            /// When one of the variants was chosen.
            case chosen
        }

        enum Who: Hashable {
            case first
            /// Devices that report no time zone, by that of a name.
            case unplaced(String)
            case last
            case share(Share)
        }
    }

    /// The rule in words, which a plan has too.
    var reason: Reason {
        switch self {
        case .waves(let schedule): schedule.reason
        case .stages(let rollout): rollout.reason
        case .variants(let test): test.reason
        }
    }

    /// The parts in the order in which they open: all stages, but of the waves, which are as many as the clocks of the
    /// audience, those that a reader counts with.
    func parts(at start: OffsetInstant?) -> [Part] {
        switch self {
        case .waves(let schedule):
            return [
                (schedule.first.instant, Part.Who.first), (schedule.fallback, .unplaced(schedule.otherwise)),
                (schedule.last, .last),
            ].map { wave, who in
                let opensAt = schedule.reading(of: wave)
                return Part(
                    label: .verbatim(LocalSchedule.label(ofOffset: opensAt.offset)), opening: .at(opensAt), who: who)
            }
        case .stages(let rollout):
            let zero = OffsetInstant(Instant(milliseconds: 0))
            return rollout.openings(from: 1, at: start ?? zero).map { opening in
                Part(
                    label: .verbatim(opening.share.text),
                    opening: start == nil ? .after(opening.at.instant - zero.instant) : .at(opening.at),
                    isEstimate: opening.isEstimate, who: .share(rollout.share(ofStage: opening.stage)))
            }
        case .variants(let test):
            return test.arms.map { arm in
                Part(
                    label: .verbatim(arm.name), opening: start.map { .at($0) } ?? .after(.zero), who: .share(arm.share))
            } + [Part(label: Reason(.rest), opening: .chosen, who: .share(test.restShare))]
        }
    }
}

extension PreviewReport.Division.Part {
    fileprivate func time(in language: Language) -> String {
        switch opening {
        case .at(let time): isEstimate ? language.say(.atTheEarliest(time)) : language.time(time)
        case .after(let delay): isEstimate ? language.say(.laterAtTheEarliest(delay)) : language.say(.sendsNow)
        case .chosen: language.say(.whenChosen)
        }
    }

    fileprivate func devices(in language: Language) -> String {
        switch who {
        case .first: language.say(.firstWave)
        case .unplaced(let zone): language.say(.devicesWithoutZone(zone))
        case .last: language.say(.lastWave)
        case .share(let share): share.text
        }
    }
}
