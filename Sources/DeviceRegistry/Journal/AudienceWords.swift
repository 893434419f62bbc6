package import Base
package import Push

/// A form of a message: its language and its variant, which a number stands for in the journal.
package struct MessageForm: Hashable, Sendable {
    /// The language's number; 0 for the message itself.
    package let language: Int
    /// The variant's number; nil for the one that is chosen later.
    package let variant: Int?

    init(language: Int, variant: Int?) {
        (self.language, self.variant) = (language, variant)
    }

    /// Creates the form with a number: those of each variant in turn, then those of the one that is chosen later.
    package init(number: Int, languages: Int, variants: Int) {
        let variant = number / languages
        self.init(language: number % languages, variant: variant < variants ? variant : nil)
    }

    func number(languages: Int, variants: Int) -> Int { (variant ?? variants) * languages + language }
}

/// The rule that gives each device of an audience the form of a message that it reads, and the values in its texts.
package struct AudienceWords: Hashable, Sendable {
    /// The field that names a device's language; nil when there is one language only.
    package let languageField: String?
    /// The languages, whose numbers are those of ``forms``.
    package let lookup: LanguageLookup
    /// The forms: the message itself, then each language; with variants all of these for each.
    package let forms: [Form]
    /// The number of variants; 1 when everybody gets the same.
    package let arms: Int
    /// The most bytes of Apple's payload.
    package let limit: Int
    /// The top-level fields of installations that decide, without repeats.
    package let fields: [String]

    /// One form of a message.
    package struct Form: Hashable, Sendable {
        /// The bytes of Apple's payload without the values.
        package let bytes: Int
        /// The values in its texts, in the order of their places: those of Apple's payload first.
        package let values: [PersonalValue]
        /// The number of values in Apple's payload; only other services' messages have the rest.
        package let payloadValues: Int

        package init(bytes: Int, values: [PersonalValue], payloadValues: Int? = nil) {
            self.bytes = bytes
            self.values = values
            self.payloadValues = payloadValues ?? values.count
        }

        /// The bytes of the payload with the words that stand where a device has no values.
        package var bytesByDefault: Int { bytes(with: values.map(\.default)) }

        /// The bytes of the payload with these texts between its pieces.
        func bytes(with texts: [String]) -> Int {
            texts.prefix(payloadValues).reduce(bytes) { $0 + JSONValue.string($1).canonicalByteCount - 2 }
        }
    }

    /// The form and the texts of one device.
    package struct Choice: Hashable, Sendable {
        /// The form's number; for a device that gets the variant that is chosen later, that of the language behind all
        /// forms.
        package let form: Int
        /// The texts for the form's places, in their order; for such a device those of each variant in turn.
        package let texts: [String]
        /// The bytes of Apple's payload for it.
        package let bytes: Int
    }

    package init(languageField: String?, languages: [String], forms: [Form], limit: Int, arms: Int = 1) {
        self.arms = arms
        self.languageField = languageField
        self.forms = forms
        self.limit = limit
        lookup = LanguageLookup(languages)
        fields = ([languageField].compactMap(\.self) + forms.flatMap { $0.values.map(\.field) })
            .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The number of forms of each variant.
    package var languages: Int { forms.count / arms }

    /// Chooses for a device by the values of its ``fields``, in their order; those that it lacks may be missing at the
    /// end. `arm` is the variant that it tests; nil: the one that is chosen later.
    ///
    /// A payload must fit in every variant: which one a device gets changes nothing else.
    package func choice(_ values: [JSONValue], arm: Int? = nil) -> Choice {
        func value(_ field: String) -> JSONValue? {
            fields.firstIndex(of: field).flatMap { $0 < values.count ? values[$0] : nil }
        }
        let language = languageField.flatMap { value($0)?.string }.map(lookup.number) ?? 0
        let own = (0..<arms).map { forms[number(MessageForm(language: language, variant: $0))] }
        let texts = own.map { form in
            form.values.map { PersonalValue.words(of: value($0.field)) ?? $0.default }
        }
        let variant = arms == 1 ? 0 : arm
        return Choice(
            form: number(MessageForm(language: language, variant: variant)),
            texts: variant.map { texts[$0] } ?? texts.flatMap(\.self),
            bytes: zip(own, texts).map { $0.bytes(with: $1) }.max() ?? 0)
    }

    private func number(_ form: MessageForm) -> Int { form.number(languages: languages, variants: arms) }

    /// The form of a device that gets the variant `arm`, and where its texts stand among those of the device; nil when
    /// the form is none of these.
    ///
    /// `places` is the number of places for texts in each form.
    package static func form(
        _ number: Int, arm: Int?, of arms: Int, places: [Int]
    ) -> (form: Int, texts: Range<Int>, all: Int)? {
        if places.indices.contains(number) { return (number, 0..<places[number], places[number]) }
        let languages = places.count / arms
        guard let arm, (0..<arms).contains(arm), (places.count..<places.count + languages).contains(number) else {
            return nil
        }
        let language = MessageForm(number: number, languages: languages, variants: arms).language
        let numbers = (0..<arms).map {
            MessageForm(language: language, variant: $0).number(languages: languages, variants: arms)
        }
        let start = numbers.prefix(arm).reduce(0) { $0 + places[$1] }
        return (numbers[arm], start..<start + places[numbers[arm]], numbers.reduce(0) { $0 + places[$1] })
    }
}

extension AudienceWords {
    /// The count of no device.
    package var nobody: AudienceCount.Words {
        AudienceCount.Words(
            languages: Dictionary(lookup.names.map { ($0, 0) }, uniquingKeysWith: +),
            values: Dictionary(forms.flatMap(\.values).map { ($0.field, 0) }, uniquingKeysWith: +))
    }

    /// True if a device's payload fits: what other services take, they say when it is sent.
    package func fits(_ choice: Choice, by route: DeliveryRoute) -> Bool {
        route.vendor != .apns || choice.bytes <= limit
    }

    /// Counts the words of a device by the values of ``fields``; false when its payload does not fit.
    package func add(_ device: [JSONValue], by route: DeliveryRoute, to count: inout AudienceCount) -> Bool {
        let choice = choice(device)
        guard fits(choice, by: route) else {
            count.excess = max(count.excess, choice.bytes)
            return false
        }
        var words = count.words.take() ?? nobody
        defer { count.words = words }
        switch MessageForm(number: choice.form, languages: languages, variants: arms).language {
        case 0: words.fallback += 1
        case let language: words.languages[lookup.names[language - 1], default: 0] += 1
        }
        if route.vendor == .apns { words.largest = max(words.largest, choice.bytes) }
        for (field, value) in zip(fields, device) where words.values[field] != nil {
            if PersonalValue.words(of: value) != nil { words.values[field, default: 0] += 1 }
        }
        return true
    }
}
