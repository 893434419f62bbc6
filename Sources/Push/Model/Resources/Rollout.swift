/// A delivery in stages, each of which is judged before the next one starts.
package struct Rollout: Hashable, Sendable {
    /// The shares that have been sent to after each stage: rising, the last is 100%.
    package var stages: [Share]
    /// The time between a stage's last answer and its verdict.
    package var bake: Duration
    /// The limits with which it is stopped; at least one.
    package var stopWhen: Limits
    /// The fewest answers of a stage that suffice for a verdict; 300 by default.
    package var minimum: Int

    /// The delay after its opening, and after each of its answers, within which a stage may go on and the next one open.
    package var window: Duration

    /// The shares of a stage's devices with which a rollout is halted.
    package struct Limits: Hashable, Sendable {
        /// Refused for another reason than the token.
        package var refused: Share?
        /// Refused because the token is dead or wrong.
        package var deadTokens: Share?
        /// Answers that were lost.
        package var inDoubt: Share?
        /// Opened, of those that were accepted: too few.
        package var opened: Floor?

        package init(
            refused: Share? = nil, deadTokens: Share? = nil, inDoubt: Share? = nil, opened: Floor? = nil
        ) {
            self.refused = refused
            self.deadTokens = deadTokens
            self.inDoubt = inDoubt
            self.opened = opened
        }
    }

    /// A limit that a share must reach.
    package struct Floor: Hashable, Sendable {
        /// The share below which a rollout is halted.
        package var below: Share

        package init(below: Share) { self.below = below }
    }

    package init(
        stages: [Share], bake: Duration, stopWhen: Limits, minimum: Int = 300, window: Duration = .seconds(3600)
    ) {
        self.stages = stages
        self.bake = bake
        self.stopWhen = stopWhen
        self.minimum = minimum
        self.window = window
    }

    /// For people: `1%, 10%, 100%; 30m between stages`.
    package var reason: Reason {
        Reason(.stages, .text(stages.map(\.text).joined(separator: ", ")), .duration(bake))
    }

    /// The stage that a bucket belongs to, from 1.
    package func stage(ofBucket bucket: Int) -> Int {
        1 + (stages.firstIndex { bucket < $0.parts } ?? stages.count - 1)
    }

    /// The share of devices that a stage adds to those before it.
    package func share(ofStage stage: Int) -> Share {
        Share(parts: stages[stage - 1].parts - (stage > 1 ? stages[stage - 2].parts : 0))
    }

    /// The time that all bakes take together: the last stage starts no earlier.
    package var bakes: Duration { bake * (stages.count - 1) }

    /// The stages from one of them, which starts at a time, in their order.
    package func openings(from first: Int, at start: OffsetInstant) -> [Opening] {
        (first...stages.count).map { stage in
            Opening(
                stage: stage, share: stages[stage - 1],
                at: OffsetInstant(start.instant + bake * (stage - first), offset: start.offset),
                isEstimate: stage > first)
        }
    }

    /// The opening of a stage.
    package struct Opening: Hashable, Sendable {
        /// The stage, from 1.
        package let stage: Int
        /// The share that has been sent to after it.
        package let share: Share
        /// The time; if it is an estimate, the earliest one.
        package let at: OffsetInstant
        /// True for all but the first: sending takes time, and only a verdict of go opens the next stage.
        package let isEstimate: Bool
    }
}
