package import Base

/// A test of several messages, each on a share of the audience; the rest gets the one that is chosen.
///
/// Source: docs/features/variants.md.
package struct VariantTest: Hashable, Sendable {
    /// The variants in the order of their names; together less than everybody.
    package var arms: [Arm]
    /// The time after the last answer of the test by which somebody chooses.
    package var decideBy: Duration
    /// What the rest gets when nobody has chosen.
    package var otherwise: Otherwise
    /// The variant that a person chose; nil: nobody has yet.
    package var winner: String?
    /// The delay after its opening, and after each of its answers, within which the test or the rest may go on.
    package var window: Duration

    /// One variant.
    package struct Arm: Hashable, Sendable {
        package var name: String
        /// The share of the audience that tests it.
        package var share: Share

        package init(name: String, share: Share) {
            self.name = name
            self.share = share
        }
    }

    /// What the rest of an audience gets when nobody has chosen in time.
    package enum Otherwise: Hashable, Sendable {
        case arm(String)
        case abandon

        /// The word in files: a variant's name, or `abandon`.
        package var text: String {
            switch self {
            case .arm(let name): name
            case .abandon: Self.abandonment
            }
        }

        /// The word that is no variant's name.
        package static let abandonment = "abandon"

        package init(_ text: String) { self = text == Self.abandonment ? .abandon : .arm(text) }
    }

    package init(
        arms: [Arm], decideBy: Duration, otherwise: Otherwise, winner: String? = nil,
        window: Duration = .seconds(3600)
    ) {
        self.arms = arms.sorted { $0.name < $1.name }
        self.decideBy = decideBy
        self.otherwise = otherwise
        self.winner = winner
        self.window = window
    }

    /// The number of the part that tests.
    package static let test = 1
    /// The number of the part that gets what was chosen.
    package static let rest = 2

    /// The index of the variant that a bucket tests; nil: it is part of the rest.
    package func arm(ofBucket bucket: Int) -> Int? {
        var end = 0
        return arms.firstIndex { arm in
            end += arm.share.parts
            return bucket < end
        }
    }

    /// The index of a variant; nil when there is none of this name.
    package func index(of name: String) -> Int? { arms.firstIndex { $0.name == name } }

    /// The share of the audience that gets what was chosen.
    package var restShare: Share { Share(parts: Share.whole.parts - arms.reduce(0) { $0 + $1.share.parts }) }

    /// For people: `emoji 10%, plain 10%; the rest within 24h, otherwise plain`.
    package var reason: Reason {
        let shares = arms.map { "\($0.name) \($0.share.text)" }.joined(separator: ", ")
        return Reason(.variants, .text(shares), .duration(decideBy), .text(otherwise.text))
    }

    /// The smallest difference between the rates of two variants with so many devices each that shows with 80 % power, at
    /// a rate of one half, where differences are hardest to see; from 0 to 1.
    ///
    /// Source: J. L. Fleiss, "Statistical Methods for Rates and Proportions", two-sided at 5 %.
    package static func detectableDifference(_ first: Int, _ second: Int) -> Double {
        guard first > 0, second > 0 else { return 1 }
        let spread = (0.25 / Double(first) + 0.25 / Double(second)).squareRoot()
        return min(1, (1.959_963_984_540_054 + 0.841_621_233_572_914) * spread)
    }
}

/// A variant as a campaign declares it.
package struct Variant: Equatable, Sendable {
    package var name: String
    /// The share of the audience that tests it.
    package var share: Share
    /// The words that differ from the message.
    package var content: MessageContent
    /// The words that differ in the message's languages.
    package var languages: [MessageLanguage]

    package init(
        name: String, share: Share, content: MessageContent = MessageContent(), languages: [MessageLanguage] = []
    ) {
        self.name = name
        self.share = share
        self.content = content
        self.languages = languages.sorted { $0.name < $1.name }
    }
}

extension Message {
    /// The message as a variant's devices get it: what the variant says stands above the message, and what it says in a
    /// language above that language.
    package func varied(by variant: Variant) -> Message {
        Message(
            common: common.overridden(by: variant.content), ios: ios?.overridden(by: variant.content),
            android: android?.overridden(by: variant.content), vendors: vendors,
            languages: languages.map { language in
                let own = variant.languages.first { $0.name == language.name }
                return MessageLanguage(
                    name: language.name,
                    content: own.map { language.content.overridden(by: $0.content) } ?? language.content)
            })
    }
}

extension Campaign {
    /// The test of its variants; nil when everybody gets the same.
    package var variantTest: VariantTest? {
        guard !variants.isEmpty, let decideBy, let otherwise else { return nil }
        return VariantTest(
            arms: variants.map { VariantTest.Arm(name: $0.name, share: $0.share) }, decideBy: decideBy,
            otherwise: VariantTest.Otherwise(otherwise), winner: winner, window: window)
    }

    /// The messages of its variants, in the order of their names; the message itself when there are none.
    package var messages: [Message] {
        variants.isEmpty ? [message] : variants.map { message.varied(by: $0) }
    }
}

// MARK: - Fields

extension Variant {
    /// The fields of a variant in a file; its name is its key.
    package static let fields = FieldTable<Self>(
        "Campaign.variants.<name>", "A variant of the message, tested on a share of the audience",
        "消息的一个变体，在一部分受众上测试", blank: Variant(name: "", share: .whole),
        [
            FieldRow(
                required: "share", .share, "The share of the audience that tests it", "用于测试该变体的受众比例",
                { $0.share }, { $0.share = $1 }),
            FieldRow(
                "message", .words, "The words that differ from the message; without any it is the message itself",
                "与消息本身不同的文案；不写则为消息本身",
                { $0.content == MessageContent() && $0.languages.isEmpty ? nil : $0 },
                { ($0.content, $0.languages) = ($1.content, $1.languages) }),
        ])

    package static let wordFields = MapDescription(
        "Campaign.variants.<name>.message", "The words of a variant that differ", "变体中不同的文案",
        elsewhere: MessageContent.sameForAll("every variant"),
        MessageContent.languageRows.map(\.spec) + [
            FieldSpec(
                "languages", .entries(of: .map(MessageContent.language.description), keys: .language),
                "The words that differ in languages of the message", "在消息的其他语言中不同的文案")
        ])
}

extension FieldForm<Variant> {
    /// The words of a variant alone.
    fileprivate static let words = FieldForm(
        type: .map(Variant.wordFields),
        read: { value in
            guard case .fields(let values) = value else { return nil }
            var variant = Variant(name: "", share: .whole, content: MessageContent.language.partialRecord(of: values))
            variant.languages = values[MessageContent.language.rows.count].map(FieldForm<Message>.languages) ?? []
            return variant
        },
        write: { words in
            .fields(MessageContent.language.values(of: words.content) + [FieldForm<Message>.value(of: words.languages)])
        },
        hash: { words, name, writer in
            writer.group(name) { writer in
                MessageContent.language.hash(words.content, to: &writer)
                for language in words.languages {
                    writer.group("language \(language.name)") {
                        MessageContent.language.hash(language.content, to: &$0)
                    }
                }
            }
        })
}

extension FieldForm<[Variant]> {
    /// A mapping from names to variants.
    static let variants = FieldForm(
        type: .entries(of: .map(Variant.fields.description), keys: .label),
        read: { value in
            guard case .entries(let entries) = value else { return nil }
            return entries.compactMap { name, value in
                value.fields.map { fields in
                    var variant = Variant.fields.partialRecord(of: fields)
                    variant.name = name
                    return variant
                }
            }.sorted { $0.name < $1.name }
        },
        write: { .entries($0.map { ($0.name, .fields(Variant.fields.values(of: $0))) }) },
        hash: { variants, name, writer in
            for variant in variants {
                writer.group("\(name) \(variant.name)") { Variant.fields.hash(variant, to: &$0) }
            }
        })
}

/// The answers of the devices that tested one variant.
package struct VariantAnswers: Hashable, Sendable {
    package var name: String
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
