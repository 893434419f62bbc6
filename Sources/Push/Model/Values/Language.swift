/// A language of plans, comments, previews and the console.
package enum Language: String, Hashable, Sendable, CaseIterable {
    /// English.
    case english = "en"
    /// Simplified Chinese.
    case chinese = "zh-Hans"

    /// The language of a locale as `LANG` names it, such as `zh_CN.UTF-8`; nil when it is neither of these.
    package init?(locale: String) {
        self.init(tag: String(locale.prefix { $0 != "." && $0 != "@" }).replacing("_", with: "-"))
    }

    /// The language of these that the browser prefers; nil when it accepts neither.
    ///
    /// Source: RFC 9110 section 12.5.4.
    package init?(acceptLanguage header: String) {
        var best: (language: Language, weight: Double)?
        for part in header.split(separator: ",").prefix(32) {
            let fields = part.split(separator: ";").map { $0.filter { $0 != " " } }
            guard let tag = fields.first, let language = Language(tag: tag) else { continue }
            let weight = fields.dropFirst().first.flatMap { $0.hasPrefix("q=") ? Double($0.dropFirst(2)) : nil } ?? 1
            if weight > best?.weight ?? 0 { best = (language, weight) }
        }
        guard let best else { return nil }
        self = best.language
    }

    /// The language of a BCP 47 tag such as `zh-CN`; nil for any other, including traditional Chinese.
    private init?(tag: String) {
        let parts = tag.lowercased().split(separator: "-")
        switch parts.first {
        case "en": self = .english
        case "zh":
            guard !parts.contains(where: { ["hant", "tw", "hk", "mo"].contains($0) }) else { return nil }
            self = .chinese
        default: return nil
        }
    }
}
