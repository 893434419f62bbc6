package import Push

/// The rule that gives each device of an audience its part.
package enum AudienceDivision: Hashable, Sendable {
    /// One part, open from the beginning.
    case whole
    /// A part for each instant at which clocks show a time: it opens then.
    case localTime(LocalSchedule)
    /// A part for each stage; the first is open, and each of the others opens by a verdict.
    case stages(Rollout, Buckets)
    /// A part that tests variants, open from the beginning, and the rest, which opens when one is chosen.
    case variants(VariantTest, Buckets)

    /// The property of a device that decides.
    package var traits: DeviceTraits.Kinds {
        switch self {
        case .whole: []
        case .localTime: .timeZone
        case .stages, .variants: .objectID
        }
    }
}

/// A part of a delivery and its progress.
package struct JournalPart: Hashable, Sendable {
    /// The number, in the order in which parts open; a stage's is that of the stage, from 1.
    package var number: Int
    /// The time from which it may be sent to; nil: it waits for a verdict.
    package var opensAt: Instant?
    /// Devices that are in it because their own time zone is missing or unknown.
    package var unplaced: Int
    /// The progress of its devices; closed when the rest of it was missed.
    package var figures: JournalFigures
    /// The verdict on it, if it is a stage that was judged.
    package var verdict: StageVerdict?
    /// The progress of its devices by form, if it is the part that tests variants.
    package var forms: [Int: JournalFigures] = [:]

    package init(
        number: Int, opensAt: Instant?, unplaced: Int = 0, figures: JournalFigures, verdict: StageVerdict? = nil
    ) {
        self.number = number
        self.opensAt = opensAt
        self.unplaced = unplaced
        self.figures = figures
        self.verdict = verdict
    }
}
