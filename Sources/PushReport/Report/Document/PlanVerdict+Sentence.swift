internal import Push

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
        }
    }
}
