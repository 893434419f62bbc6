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
    /// The most bytes of a payload.
    package let limit: Int
    /// The top-level fields of installations that decide, without repeats.
    package let fields: [String]

    /// One form of a message.
    package struct Form: Hashable, Sendable {
        /// The bytes of its payload without the values.
        package let bytes: Int
        /// The values in its texts, in the order of their places.
        package let values: [PersonalValue]

        package init(bytes: Int, values: [PersonalValue]) {
            self.bytes = bytes
            self.values = values
        }

        /// The bytes of the payload with the words that stand where a device has no values.
        package var bytesByDefault: Int { bytes(with: values.map(\.default)) }

        /// The bytes of the payload with these texts between its pieces.
        func bytes(with texts: [String]) -> Int {
            texts.reduce(bytes) { $0 + JSONValue.string($1).canonicalByteCount - 2 }
        }
    }

    /// The form and the texts of one device.
    package struct Choice: Hashable, Sendable {
        /// The form's number; for a device that gets the variant that is chosen later, that of the language behind all
        /// forms.
        package let form: Int
        /// The texts for the form's places, in their order; for such a device those of each variant in turn.
        package let texts: [String]
        /// The bytes of its payload.
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

/// The forms that the devices of an audience would get, and their values.
package struct WordFigures: Hashable, Sendable {
    /// Devices by language: those that get the message itself, then each language.
    package var forms: [Int]
    /// Devices with a value of their own, by field; the others get the default.
    package var values: [String: Int]
    /// The bytes of the largest payload that fits.
    package var largest = 0
    /// The bytes of the largest payload that does not fit; 0 when all do.
    package var excess = 0
    /// Devices whose payload does not fit.
    package var tooLarge = 0

    private let words: AudienceWords

    /// The languages of ``forms`` after the first.
    package var languages: [String] { words.lookup.names }

    /// Starts to count.
    package init(_ words: AudienceWords) {
        self.words = words
        forms = Array(repeating: 0, count: words.languages)
        values = [:]
        for value in words.forms.flatMap(\.values) { values[value.field] = 0 }
    }

    /// Counts a device by the values of the words' fields; false when its payload does not fit.
    package mutating func add(_ device: [JSONValue]) -> Bool {
        let choice = words.choice(device)
        guard choice.bytes <= words.limit else {
            tooLarge += 1
            excess = max(excess, choice.bytes)
            return false
        }
        let form = MessageForm(number: choice.form, languages: words.languages, variants: words.arms)
        forms[form.language] += 1
        largest = max(largest, choice.bytes)
        for (field, value) in zip(words.fields, device) where values[field] != nil {
            if PersonalValue.words(of: value) != nil { values[field, default: 0] += 1 }
        }
        return true
    }
}
