internal import Base

/// Which of two samples of a text with places for a device's values is shown.
package enum LookSample: Hashable, Sendable {
    /// What a device without these fields shows.
    case without([String])
    /// What a device with a made-up value of each field shows: `firstName: Ada`.
    case with([String])
}

extension NotificationLook {
    /// The look on a device without values of its own, and that with made-up ones; only itself if it has no places.
    package var samples: [NotificationLook] {
        let fields = personalFields
        guard !fields.isEmpty else { return [self] }
        let values = fields.map { "\($0): \(Self.value(of: $0))" }
        return [filled(.without(fields)) { $0.default }, filled(.with(values)) { Self.value(of: $0.field) }]
    }

    /// The look on a device without values of its own.
    package var byDefault: NotificationLook { samples[0] }

    private var personalFields: [String] {
        var fields: [String] = []
        for case .text(let text)? in [title, subtitle, body] {
            for value in JSONValue.string(text).personalValues where !fields.contains(value.field) {
                fields.append(value.field)
            }
        }
        return fields
    }

    private func filled(_ sample: LookSample, by word: (PersonalValue) -> String) -> NotificationLook {
        func filled(_ text: LocalizableText?) -> LocalizableText? {
            guard case .text(let text) = text, let personal = try? PersonalText(text) else { return text }
            return .text(
                personal.pieces.map { piece in
                    switch piece {
                    case .words(let words): words
                    case .value(let value): word(value)
                    }
                }.joined())
        }
        var look = self
        (look.title, look.subtitle, look.body) = (filled(title), filled(subtitle), filled(body))
        look.sample = sample
        return look
    }

    /// A made-up value: a name where the field seems to be one.
    private static func value(of field: String) -> String { field.lowercased().contains("name") ? "Ada" : "7" }
}
