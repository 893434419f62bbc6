/// The texts of an app's keys, as in a `strings` file.
package struct LocalizedStrings: Hashable, Sendable {
    /// The texts by their keys.
    package var texts: [String: String]

    package init(texts: [String: String]) { self.texts = texts }

    /// The text of a key with its placeholders filled; nil when there is no such key.
    ///
    /// Placeholders are `%@`, `%1$@`, `%d` and the other conversions of a format string; `%%` is a percent sign. A
    /// placeholder without an argument is kept as written.
    package func text(of key: String, arguments: [String]) -> String? {
        texts[key].map { FormatFiller.filled($0, with: arguments) }
    }

    /// A message's text with its key looked up; unchanged when the key is unknown.
    package func filled(_ text: LocalizableText) -> LocalizableText {
        switch text {
        case .text: text
        case .localized(let key, let arguments): self.text(of: key, arguments: arguments).map { .text($0) } ?? text
        }
    }
}

extension NotificationLook {
    /// The look with its keys replaced by the app's localized texts.
    package func filled(from strings: LocalizedStrings) -> NotificationLook { filled(by: strings.filled) }

    /// The look with its keys replaced by the texts that devices in its language show.
    package func filled(from catalog: StringCatalog) -> NotificationLook {
        filled { catalog.filled($0, in: language) }
    }

    private func filled(by text: (LocalizableText) -> LocalizableText) -> NotificationLook {
        var look = self
        look.title = title.map(text)
        look.subtitle = subtitle.map(text)
        look.body = body.map(text)
        return look
    }
}
