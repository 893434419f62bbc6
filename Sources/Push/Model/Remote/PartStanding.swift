package import Base

/// Where a delivery in parts stands while nothing is wrong and only time goes on: the part that was sent last, and the
/// time of what comes next.
package struct PartStanding: Hashable, Sendable {
    /// What the parts are.
    package var kind: Kind
    /// The part that was sent last, from 1.
    package var number: Int
    /// The number of parts.
    package var count: Int
    /// Devices of the part for which it was accepted.
    package var accepted: Int
    /// Devices of the part that were refused.
    package var refused: Int
    /// Devices of the part whose answer was lost.
    package var inDoubt: Int
    /// When it is judged, the next wave opens, or a winner must have been named.
    package var next: Instant

    /// The kinds of parts.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A stage of a rollout, which is judged before the next one opens.
        case stage
        /// The devices whose clocks show the time at one instant.
        case wave
        /// The test of variants, after which the rest gets the winner.
        case test
    }

    package init(
        kind: Kind, number: Int, of count: Int, accepted: Int, refused: Int, inDoubt: Int = 0, next: Instant
    ) {
        self.kind = kind
        self.number = number
        self.count = count
        self.accepted = accepted
        self.refused = refused
        self.inDoubt = inDoubt
        self.next = next
    }

    /// How it stands: `stage 1/3 baking: 627 accepted, 0 refused; verdict 2026-11-24T19:26:02Z`.
    package var reason: Reason {
        let answers =
            inDoubt > 0
            ? Reason(.acceptedInDoubt, .count(accepted), .count(refused), .count(inDoubt))
            : Reason(.accepted, .count(accepted), .count(refused))
        return switch kind {
        case .stage: Reason(.stageBakes, .number(number), .number(count), .reason(answers), .instant(next))
        case .wave: Reason(.waveSent, .number(number), .number(count), .reason(answers), .instant(next))
        case .test: Reason(.testSent, .reason(answers), .instant(next))
        }
    }

    /// What an apply did, and when the next one does something:
    /// `stage 1 of 3 sent, 627 devices; judged at 2026-11-24T19:26:02Z, next: bugle apply --due`.
    package var outcome: Reason {
        let devices = Reason.Value.count(accepted + refused + inDoubt)
        return switch kind {
        case .stage: Reason(.appliedStage, .number(number), .number(count), devices, .instant(next))
        case .wave: Reason(.appliedWave, .number(number), .number(count), devices, .instant(next))
        case .test: Reason(.appliedTest, devices, .instant(next))
        }
    }

    /// The stored form.
    package static let record = Record<PartStanding>(
        PartStanding(kind: .stage, number: 1, of: 1, accepted: 0, refused: 0, next: Instant(milliseconds: 0)),
        [
            Field("kind", .choice(Kind.self), "What the parts are.", { $0.kind }, { $0.kind = $1 }),
            Field("number", .integer(minimum: 1), "The part that was sent last.", { $0.number }, { $0.number = $1 }),
            Field("of", .integer(minimum: 1), "The number of parts.", { $0.count }, { $0.count = $1 }),
            Field("accepted", .count, "Devices for which it was accepted.", { $0.accepted }, { $0.accepted = $1 }),
            Field("refused", .count, "Devices that were refused.", { $0.refused }, { $0.refused = $1 }),
            Field("inDoubt", .count, "Devices whose answer was lost.", { $0.inDoubt }, { $0.inDoubt = $1 }),
            Field("next", .isoTime, "When the next thing happens.", { $0.next }, { $0.next = $1 }),
        ])
}
