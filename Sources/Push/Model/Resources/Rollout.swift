package import Base

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

        package init(refused: Share? = nil, deadTokens: Share? = nil, inDoubt: Share? = nil, opened: Floor? = nil) {
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

// MARK: - Fields

extension Rollout {
    package static let fields = FieldTable<Self>(
        "Campaign.rollout", "Stages, each of which is judged before the next one starts; straight to Apple only",
        "分阶段发布：每一阶段判定通过后才开始下一阶段；仅限直连 Apple", blank: Rollout(stages: [], bake: Rollout.usualBake, stopWhen: Limits()),
        [
            FieldRow(
                required: "stages", .shares,
                "The shares that have been sent to after each stage: rising, the last is 100%",
                "各阶段结束后累计触达的比例：逐级递增，最后一级为 100%", { $0.stages }, { $0.stages = $1 }),
            FieldRow(
                "bake", .duration, default: "30m", "The time between a stage's last answer and its verdict",
                "一个阶段收到最后一个应答之后，等待多久再判定", unless: usualBake, { $0.bake }, { $0.bake = $1 }),
            FieldRow(
                required: "stopWhen", .map(Limits.fields),
                "The limits with which it is halted; what decides is the bound of a rate (Wilson, 95 %) that is certain to pass one",
                "触发即中止的界限；以比率的威尔逊区间（95%）中确定越界的一端为准", { $0.stopWhen }, { $0.stopWhen = $1 }),
            FieldRow(
                "minimum", .positive, default: "300", "With fewer answers a stage is not judged: the rollout holds",
                "应答数少于它就不作判定：发布暂停，等待人工决定", unless: 300, { $0.minimum }, { $0.minimum = $1 }),
        ])

    /// The time between a stage and its verdict unless a file says another.
    private static let usualBake = Duration.seconds(1800)

    /// Writes the rollout for hashing.
    package func hash(to writer: inout ContentWriter) {
        writer.write("stages", stages.map(\.text))
        writer.write("bake", Int(bake.wholeSeconds))
        writer.write("stopWhenRefused", stopWhen.refused?.text)
        writer.write("stopWhenDeadTokens", stopWhen.deadTokens?.text)
        writer.write("stopWhenInDoubt", stopWhen.inDoubt?.text)
        writer.write("stopWhenOpenedBelow", stopWhen.opened?.below.text)
        writer.write("minimumAnswers", minimum)
    }
}

extension Rollout.Limits {
    static let fields = FieldTable<Self>(
        "Campaign.rollout.stopWhen", "The shares of a stage's answers with which the rollout is halted; at least one",
        "一个阶段的应答中，触发中止的比例；至少写一个", blank: Rollout.Limits(), rules: [.notEmpty],
        [
            FieldRow(
                "refused", .share, "Refused by Apple for another reason than the token", "因令牌以外的原因被 Apple 拒绝的比例",
                { $0.refused }, { $0.refused = $1 }),
            FieldRow(
                "deadTokens", .share, "Refused because the token is dead or wrong", "因令牌失效或有误而被拒绝的比例",
                { $0.deadTokens }, { $0.deadTokens = $1 }),
            FieldRow("inDoubt", .share, "Without an answer", "没有收到应答的比例", { $0.inDoubt }, { $0.inDoubt = $1 }),
            FieldRow(
                "opened", .map(Rollout.Floor.fields),
                "The app was opened by it, as devices report within 'bake'; needs 'policy.events'",
                "设备在 'bake' 之内上报的打开比例；需要 'policy.events'", { $0.opened }, { $0.opened = $1 }),
        ])
}

extension Rollout.Floor {
    static let fields = FieldTable<Self>(
        "Campaign.rollout.stopWhen.opened", "A share of the devices that a stage reached", "占该阶段已触达设备的比例",
        blank: Rollout.Floor(below: .whole),
        [
            FieldRow(
                required: "below", .share, "The rollout is halted when the share is certain to be smaller",
                "确定低于该比例时中止发布", { $0.below }, { $0.below = $1 })
        ])
}

extension FieldForm<Share> {
    /// A share such as `1%` or `0.25%`.
    static let share = FieldForm<String>.string(.percentage).map({ Share($0) }, \.text)
}

extension FieldForm<[Share]> {
    static let shares = FieldForm<[String]>.list(.list(of: .percentage, ListRule(minimum: 2))).map(
        { texts in texts.compactMap { Share($0) } }, { $0.map(\.text) })
}

/// The verdict over one stage of a rollout, with the numbers that it rests on.
package struct StageVerdict: Hashable, Sendable {
    /// The stage, from 1.
    package var stage: Int
    package var decision: Decision
    /// The time it was made.
    package var at: Instant
    package var answers: Answers
    /// The rule that decided: `refused is 37 of 1,204, at least 2.3%, above 2%`.
    package var rule: Reason
    /// The variant that the rest gets; nil: it was no test of variants, or the rest gets nothing.
    package var winner: String?

    /// The decisions about the next stage.
    package enum Decision: String, Hashable, Sendable, CaseIterable {
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

    package init(stage: Int, decision: Decision, at: Instant, answers: Answers, rule: Reason, winner: String? = nil) {
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
    package static func percent(_ rate: Double, _ rule: FloatingPointRoundingRule = .down, places: Int = 1) -> String {
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
            Field(optional: "winner", .text, "The variant that the rest gets.", { $0.winner }, { $0.winner = $1 }),
        ])
}

extension JSONForm<Instant> {
    static var isoTime: JSONForm<Instant> {
        text(schema: { SchemaPart.time($0, orNull: $1) }, write: { $0.isoText }, read: { Instant($0) })
    }
}
