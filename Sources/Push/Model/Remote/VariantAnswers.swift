package import Base

/// The answers of the devices that tested one variant.
package struct VariantAnswers: Hashable, Sendable {
    /// The variant's name.
    package var name: String
    /// The answers.
    package var answers: StageVerdict.Answers

    package init(name: String, answers: StageVerdict.Answers) {
        self.name = name
        self.answers = answers
    }

    /// In words, each rate with the interval that holds it with 95 % confidence: `emoji 970 of 1,000 accepted (95.7% to
    /// 97.8%), 120 opened (10.4% to 14.5%)`.
    package var reason: Reason {
        let accepted = Self.interval(answers.accepted, of: answers.all)
        guard let opened = answers.opened else {
            return Reason(
                .variantAccepted, .text(name), .count(answers.accepted), .count(answers.all), accepted.from, accepted.to
            )
        }
        let share = Self.interval(opened, of: answers.accepted)
        return Reason(
            .variantOpened, .text(name), .count(answers.accepted), .count(answers.all), accepted.from, accepted.to,
            .count(opened), share.from, share.to)
    }

    private static func interval(_ hits: Int, of trials: Int) -> (from: Reason.Value, to: Reason.Value) {
        // Without any trial the rate may be anything.
        guard trials > 0 else { return (.text("0.0%"), .text("100.0%")) }
        let interval = WilsonInterval(hits: min(hits, trials), of: trials)
        return (.text(WilsonInterval.percent(interval.lower)), .text(WilsonInterval.percent(interval.upper)))
    }

    /// The stored form, in the ledger and in reports.
    package static let record = Record<VariantAnswers>(
        VariantAnswers(name: "", answers: StageVerdict.Answers()),
        [
            Field("name", .text, "The variant.", { $0.name }, { $0.name = $1 }),
            Field("accepted", .count, "Accepted by Apple.", { $0.answers.accepted }, { $0.answers.accepted = $1 }),
            Field(
                "refused", .count, "Refused for another reason than the token.", { $0.answers.refused },
                { $0.answers.refused = $1 }),
            Field(
                "deadTokens", .count, "Refused because of the token.", { $0.answers.deadTokens },
                { $0.answers.deadTokens = $1 }),
            Field("inDoubt", .count, "Without an answer.", { $0.answers.inDoubt }, { $0.answers.inDoubt = $1 }),
            Field(
                optional: "opened", .count, "Devices whose app was opened by it; absent: not counted.",
                { $0.answers.opened }, { $0.answers.opened = $1 }),
        ])
}

/// A test of variants that waits for a winner.
package struct VariantStanding: Hashable, Sendable {
    /// The answers so far, by variant.
    package var variants: [VariantAnswers]
    /// The time by which a winner may be named.
    package var decideBy: Instant

    package init(variants: [VariantAnswers], decideBy: Instant) {
        self.variants = variants
        self.decideBy = decideBy
    }

    /// The answers of every variant, in words.
    package var reason: Reason { .joined(variants.map(\.reason)) ?? .verbatim("") }
}

extension PushRequest {
    private static let (test, winner) = ("variants", "winner")

    /// The variant that was chosen for those who tested none; nil: none was, or it is no test.
    package var winner: String? { body[Self.test]?[Self.winner]?.string }

    /// What those who tested no variant get when none is chosen: a variant's name, or `abandon`; nil: it is no test.
    package var otherwise: String? { body[Self.test]?["otherwise"]?.string }

    /// The names of the variants, in order; empty: it is no test.
    package var variants: [String] { body[Self.test]?["arms"]?.array?.compactMap { $0["name"]?.string } ?? [] }

    /// The request with a variant chosen, or with none yet; nil when it has none of this name.
    package func choosing(_ name: String?) -> PushRequest? {
        guard var test = body[Self.test], name.map(variants.contains) ?? true else { return nil }
        test[Self.winner] = name.map { .string($0) }
        var request = self
        request.body[Self.test] = test
        return request
    }
    /// The answers of those who tested its variants, with the devices whose app was opened by each.
    package func counting(_ events: EventFigures, in variants: [VariantAnswers]) -> [VariantAnswers] {
        let forms = 1 + (body[Self.test]?["arms"]?.array?.first?["languages"]?.object?.count ?? 0)
        return variants.enumerated().map { index, variant in
            var variant = variant
            let parts = events.parts.filter { $0.number == VariantTest.test && $0.form / forms == index }
            variant.answers.opened = parts.reduce(0) { $0 + $1.opened }
            return variant
        }
    }
}
