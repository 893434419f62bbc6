package import Base

/// The verdict over one stage of a rollout, with the numbers that it rests on.
package struct StageVerdict: Hashable, Sendable {
    /// The stage, from 1.
    package var stage: Int
    /// The decision.
    package var decision: Decision
    /// The time it was made.
    package var at: Instant
    /// The answers of the stage.
    package var answers: Answers
    /// The rule that decided: `refused is 37 of 1,204, at least 2.3%, above 2%`.
    package var rule: Reason
    /// The variant that the rest gets; nil: it was no test of variants, or the rest gets nothing.
    package var winner: String?

    /// The decisions about the next stage.
    package enum Decision: String, Hashable, Sendable, CaseIterable {
        /// The next stage starts.
        case go
        /// A limit was passed; nothing more is sent until a person decides.
        case halt
        /// There is too little to judge; nothing more is sent until a person decides.
        case hold
        /// A person let the next stage start.
        case proceed
    }

    /// The answers of a stage, in devices.
    package struct Answers: Hashable, Sendable {
        /// Accepted by Apple.
        package var accepted: Int
        /// Refused for another reason than the token.
        package var refused: Int
        /// Refused because the token is dead or wrong.
        package var deadTokens: Int
        /// Lost.
        package var inDoubt: Int
        /// Accepted, and the app was opened by it; nil when nobody counted.
        package var opened: Int?

        package init(accepted: Int = 0, refused: Int = 0, deadTokens: Int = 0, inDoubt: Int = 0, opened: Int? = nil) {
            self.accepted = accepted
            self.refused = refused
            self.deadTokens = deadTokens
            self.inDoubt = inDoubt
            self.opened = opened
        }

        /// The number of devices with an answer.
        package var known: Int { accepted + refused + deadTokens }
        /// The number of devices that were sent to.
        package var all: Int { known + inDoubt }
    }

    package init(
        stage: Int, decision: Decision, at: Instant, answers: Answers, rule: Reason, winner: String? = nil
    ) {
        self.winner = winner
        self.stage = stage
        self.decision = decision
        self.at = at
        self.answers = answers
        self.rule = rule
    }

    /// True when the next stage may start.
    package var opensNext: Bool { decision == .go || decision == .proceed }
}

extension Rollout {
    /// Judges a stage by its answers.
    ///
    /// It halts when the lower Wilson bound (95 %) of a rate is above its limit, or the upper one below it, and holds when
    /// there are fewer answers than ``minimum`` or nobody counted: too little is never a pass.
    package func verdict(onStage stage: Int, _ answers: StageVerdict.Answers, at now: Instant) -> StageVerdict {
        func verdict(_ decision: StageVerdict.Decision, _ rule: Reason) -> StageVerdict {
            StageVerdict(stage: stage, decision: decision, at: now, answers: answers, rule: rule)
        }
        let rates: [(name: String, hits: Int, of: Int, limit: Share?)] = [
            ("refused", answers.refused, answers.known, stopWhen.refused),
            ("deadTokens", answers.deadTokens, answers.known, stopWhen.deadTokens),
            ("inDoubt", answers.inDoubt, answers.all, stopWhen.inDoubt),
        ]
        for rate in rates {
            guard let limit = rate.limit, rate.of > 0 else { continue }
            let bound = WilsonInterval(hits: rate.hits, of: rate.of).lower
            guard bound > limit.fraction else { continue }
            return verdict(
                .halt,
                Reason(
                    .ratePassed, .text(rate.name), .count(rate.hits), .count(rate.of),
                    .text(WilsonInterval.percent(bound)), .text(limit.text)))
        }
        if let floor = stopWhen.opened?.below, let opened = answers.opened, answers.accepted > 0 {
            let hits = min(opened, answers.accepted)
            let bound = WilsonInterval(hits: hits, of: answers.accepted).upper
            if bound < floor.fraction {
                return verdict(
                    .halt,
                    Reason(
                        .openedBelow, .count(hits), .count(answers.accepted),
                        .text(WilsonInterval.percent(bound, .up, places: 2)), .text(floor.text)))
            }
        }
        guard answers.known >= minimum else {
            return verdict(.hold, Reason(.tooFewAnswers, .count(answers.known), .count(minimum)))
        }
        if let floor = stopWhen.opened {
            guard answers.opened != nil else { return verdict(.hold, Reason(.openedUncounted)) }
            guard answers.accepted >= floor.fewest else {
                return verdict(
                    .hold,
                    Reason(
                        .tooFewAccepted, .count(answers.accepted), .count(floor.fewest), .text(floor.below.text)))
            }
        }
        return verdict(.go, Reason(.noRatePassed, .count(answers.known)))
    }
}

/// The interval that holds a rate with 95 % confidence, after so many trials.
package struct WilsonInterval: Hashable, Sendable {
    /// The smallest rate, from 0 to 1.
    package let lower: Double
    /// The largest rate, from 0 to 1.
    package let upper: Double

    /// The quantile of the normal distribution for 95 %.
    fileprivate static let z = 1.959_963_984_540_054

    /// Source: E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", 1927.
    package init(hits: Int, of trials: Int) {
        let (n, z) = (Double(trials), Self.z)
        let rate = Double(hits) / n
        let middle = (rate + z * z / (2 * n)) / (1 + z * z / n)
        let half = z / (1 + z * z / n) * (rate * (1 - rate) / n + z * z / (4 * n * n)).squareRoot()
        (lower, upper) = (hits == 0 ? 0 : middle - half, hits == trials ? 1 : middle + half)
    }

    /// A rate in percent with one decimal or two, rounded down by default: `2.3%`.
    package static func percent(
        _ rate: Double, _ rule: FloatingPointRoundingRule = .down, places: Int = 1
    ) -> String {
        let unit = places == 1 ? 10 : 100
        let parts = Int((rate * Double(100 * unit)).rounded(rule))
        return "\(parts / unit).\(String(parts % unit + unit).dropFirst())%"
    }
}

extension Rollout {
    /// The fewest answers of a stage that can suffice for a verdict.
    package var fewestAnswers: Int { max(minimum, stopWhen.opened?.fewest ?? 0) }
}

extension Rollout.Floor {
    /// The fewest trials after which a rate without any hit is certain to be below it.
    var fewest: Int {
        let square = WilsonInterval.z * WilsonInterval.z
        return 1 + Int(square * (1 - below.fraction) / below.fraction)
    }
}

extension StageVerdict {
    /// The stored form, in the journal and in the ledger.
    package static let record = Record<StageVerdict>(
        StageVerdict(stage: 1, decision: .hold, at: Instant(milliseconds: 0), answers: Answers(), rule: .verbatim("")),
        [
            Field("stage", .integer(minimum: 1), "The stage, from 1.", { $0.stage }, { $0.stage = $1 }),
            Field("decision", .choice(Decision.self), "The decision.", { $0.decision }, { $0.decision = $1 }),
            Field("at", .isoTime, "The time it was made.", { $0.at }, { $0.at = $1 }),
            Field(
                "accepted", .count, "Devices for which it was accepted.", { $0.answers.accepted },
                { $0.answers.accepted = $1 }),
            Field(
                "refused", .count, "Devices refused for another reason than the token.", { $0.answers.refused },
                { $0.answers.refused = $1 }),
            Field(
                "deadTokens", .count, "Devices refused because of their token.", { $0.answers.deadTokens },
                { $0.answers.deadTokens = $1 }),
            Field(
                "inDoubt", .count, "Devices whose answer was lost.", { $0.answers.inDoubt }, { $0.answers.inDoubt = $1 }
            ),
            Field(
                optional: "opened", .count, "Devices whose app was opened by it; absent: not counted.",
                { $0.answers.opened }, { $0.answers.opened = $1 }),
            .reason("rule", "The rule that decided, in words.", { $0.rule }, { $0.rule = $1 }),
            Field(
                optional: "winner", .text, "The variant that the rest gets.", { $0.winner }, { $0.winner = $1 }),
        ])
}

extension JSONForm<Instant> {
    /// A time as ISO text in UTC.
    static var isoTime: JSONForm<Instant> {
        text(schema: { SchemaPart.time($0, orNull: $1) }, write: { $0.isoText }, read: { Instant($0) })
    }
}
