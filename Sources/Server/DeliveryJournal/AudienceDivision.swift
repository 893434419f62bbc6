package import JSONValue
package import PushModel

/// The rule that gives each device of an audience its part.
package enum AudienceDivision: Hashable, Sendable {
    /// One part, open from the beginning.
    case whole
    /// A part for each instant at which clocks show a time: it opens then.
    case localTime(LocalSchedule)
    /// A part for each stage; the first is open, and each of the others opens by a verdict.
    case stages(Rollout, Buckets)

    /// The property of a device that decides.
    package var trait: Trait {
        switch self {
        case .whole: .nothing
        case .localTime: .timeZone
        case .stages: .objectID
        }
    }

    /// The properties of devices that a division looks at.
    package enum Trait: Hashable, Sendable {
        case nothing
        /// The `timeZone` of the installation.
        case timeZone
        /// The `objectId` of the installation; the token of a device that is not registered.
        case objectID
    }
}

/// The properties of a device that decide on its part and its words.
package struct DeviceTraits: Hashable, Sendable {
    /// The property that the audience's division looks at, in UTF-8; nil when the device has none.
    package var part: [UInt8]?
    /// The values of the fields that its words look at.
    package var values: [JSONValue]

    package init(part: [UInt8]? = nil, values: [JSONValue] = []) {
        self.part = part
        self.values = values
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
