package import PushModel

/// The texts of an app's keys, as a `strings` file has them.
package struct LocalizedStrings: Hashable, Sendable {
    /// The texts by their keys.
    package var texts: [String: String]

    /// Takes them.
    package init(texts: [String: String]) { self.texts = texts }

    /// The text of a key with its places filled; nil when there is no such key.
    ///
    /// Places are `%@`, `%1$@`, `%d` and the other conversions of a format string; `%%` is a percent sign. A place
    /// without an argument stays as it is written.
    package func text(of key: String, arguments: [String]) -> String? {
        texts[key].map { FormatFilling.filled($0, with: arguments) }
    }

    /// A text of a message with its key looked up; as it was when the key is not here.
    package func filled(_ text: LocalizableText) -> LocalizableText {
        switch text {
        case .text: text
        case .localized(let key, let arguments): self.text(of: key, arguments: arguments).map { .text($0) } ?? text
        }
    }
}

extension NotificationLook {
    /// The look with the texts that an app has localized.
    package func filled(from strings: LocalizedStrings) -> NotificationLook {
        var look = self
        look.title = title.map(strings.filled)
        look.subtitle = subtitle.map(strings.filled)
        look.body = body.map(strings.filled)
        return look
    }
}
