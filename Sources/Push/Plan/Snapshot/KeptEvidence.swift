internal import Base

/// The result of a look-up in a snapshot: without free text.
struct KeptEvidence: Hashable, Sendable {
    private var isFailed = false
    private var found: PushRecord?
    private var journal: JournalState?

    init(_ evidence: Evidence) {
        switch evidence {
        case .none: break
        case .failed: isFailed = true
        case .found(let record): found = record
        case .journal(let state): journal = state
        }
    }

    var evidence: Evidence {
        if let found { return .found(found) }
        if let journal { return .journal(journal) }
        return isFailed ? .failed(Reason(.notKept)) : .none
    }

    static let record = Record<KeptEvidence>(
        KeptEvidence(.none),
        [
            Field(
                optional: "failed", .flag, "True when it cannot be trusted.", unless: false, { $0.isFailed },
                { $0.isFailed = $1 }),
            Field(optional: "found", .record(PushRecord.record), "A record.", { $0.found }, { $0.found = $1 }),
            Field(
                optional: "journal", .record(JournalState.record), "The remote's journal.", { $0.journal },
                { $0.journal = $1 }),
        ])
}

extension PushRecord {
    fileprivate static let record = Record<PushRecord>(
        PushRecord(objectID: nil, .queued, figures: DeliveryFigures(devices: 0, successes: 0, invalidTokens: 0)),
        [
            Field(optional: "objectId", .text, "The service's id.", { $0.objectID }, { $0.objectID = $1 }),
            Field(
                "standing", .choice(StandingWord.self), "The state.", { StandingWord($0.standing) },
                { $0.standing = $1.standing }),
            Field("devices", .count, "Devices.", { $0.figures.devices }, { $0.figures.devices = $1 }),
            Field("successes", .count, "Accepted.", { $0.figures.successes }, { $0.figures.successes = $1 }),
            Field(
                "invalidTokens", .count, "Dead tokens.", { $0.figures.invalidTokens }, { $0.figures.invalidTokens = $1 }
            ),
            Field(
                optional: "simulated", .count, "Simulated devices.", unless: 0, { $0.figures.simulated },
                { $0.figures.simulated = $1 }),
        ])
}

/// The standing of a push, without the undocumented words of a record.
private enum StandingWord: String, CaseIterable {
    case queued, scheduled, done, refused, unknown

    init(_ standing: PushRecord.Standing) {
        self =
            switch standing {
            case .queued: .queued
            case .scheduled: .scheduled
            case .done: .done
            case .refused: .refused
            case .unknown: .unknown
            }
    }

    var standing: PushRecord.Standing {
        switch self {
        case .queued: .queued
        case .scheduled: .scheduled
        case .done: .done
        case .refused: .refused(.massiveDevelopmentPush)
        case .unknown: .unknown(Reason(.notKept).text)
        }
    }
}

extension VariantStanding {
    fileprivate static let record = Record<VariantStanding>(
        VariantStanding(variants: [], decideBy: .distantPast),
        [
            Field(
                "variants", .list(of: .record(VariantAnswers.record)), "The answers by variant.", { $0.variants },
                { $0.variants = $1 }),
            Field("decideBy", .time, "The time by which a winner may be named.", { $0.decideBy }, { $0.decideBy = $1 }),
        ])
}

extension JournalState {
    fileprivate static let record = Record<JournalState>(
        .unbegun,
        [
            Field("targets", .count, "Devices in the audience.", { $0.targets }, { $0.targets = $1 }),
            Field("answered", .count, "Devices with a known answer.", { $0.answered }, { $0.answered = $1 }),
            Field("refused", .count, "Of those, refused devices.", { $0.refused }, { $0.refused = $1 }),
            Field("inDoubt", .count, "Devices with a lost answer.", { $0.inDoubt }, { $0.inDoubt = $1 }),
            Field("waiting", .count, "Still to be sent to.", { $0.waiting }, { $0.waiting = $1 }),
            Field(
                optional: "lastOutcomeAt", .time, "The time of the last answers.", { $0.lastOutcomeAt },
                { $0.lastOutcomeAt = $1 }),
            Field(
                optional: "windowFrom", .time, "The time from which the window counts.", { $0.windowFrom },
                { $0.windowFrom = $1 }),
            Field(
                optional: "opensAt", .time, "The time when the next part opens.", { $0.opensAt }, { $0.opensAt = $1 }),
            Field(
                optional: "stage", .integer(minimum: 1), "The stage that is sent to next.", { $0.stage },
                { $0.stage = $1 }),
            Field(
                optional: "part", .record(PartStanding.record), "The part that was sent last.", { $0.part },
                { $0.part = $1 }),
            Field(
                optional: "standing", .record(VariantStanding.record), "The test of variants that waits for a winner.",
                { $0.standing }, { $0.standing = $1 }),
            Field(
                optional: "winner", .text, "The variant that those who tested none get.", { $0.winner },
                { $0.winner = $1 }),
        ])
}
