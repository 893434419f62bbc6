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
        /// The name.
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
        /// This variant.
        case arm(String)
        /// Nothing.
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
    /// The name.
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
