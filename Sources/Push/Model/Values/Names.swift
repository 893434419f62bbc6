package import Base

/// Apple's two push environments.
package enum PushEnvironment: String, Hashable, Sendable, CaseIterable {
    /// Apps from the App Store, TestFlight or ad hoc.
    case production
    /// Apps installed by Xcode.
    case development
}

/// The platforms a campaign can reach.
package enum Platform: String, Hashable, Sendable, CaseIterable, Comparable {
    /// Apple's platform.
    case ios
    /// The platform of Google and its vendors.
    case android

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue > rhs.rawValue }
}

/// The kinds of resources, in the order in which they are created.
package enum ResourceKind: String, Hashable, Sendable, CaseIterable {
    /// A certificate or key that pushes to a set of devices.
    case deviceProfile = "DeviceProfile"
    /// A name that devices subscribe to.
    case channel = "Channel"
    /// A named condition on installations.
    case segment = "Segment"
    /// A message to an audience.
    case campaign = "Campaign"

    /// The word in text for people: `deviceProfile`, `channel`, `segment`, `campaign`.
    package var word: String { rawValue.prefix(1).lowercased() + rawValue.dropFirst() }
}

/// The place of a declaration.
package struct Origin: Sendable {
    /// The file, relative to the workspace.
    package var file: String
    /// The line of the document's first key, from 1.
    package var line: Int
    /// Finds the lines of single fields.
    package var fields: (any FieldLocating)?

    package init(file: String, line: Int, fields: (any FieldLocating)? = nil) {
        self.file = file
        self.line = line
        self.fields = fields
    }

    /// The position of a field; the document's first line when it is unknown.
    package func range(of path: [FieldPathElement]) -> SourceRange {
        fields?.range(of: path) ?? SourceRange(file: file, start: SourcePosition(line: line, column: 1))
    }

    /// The diagnostic with the place where the part that it is in is used, if it is in one.
    package func located<Words>(_ diagnostic: DiagnosticOf<Words>) -> DiagnosticOf<Words> {
        guard let places = diagnostic.range.flatMap({ fields?.places(behind: $0) }), !places.isEmpty else {
            return diagnostic
        }
        var diagnostic = diagnostic
        diagnostic.related += places
        return diagnostic
    }
}

/// A language of plans, comments, previews and the console.
package enum Language: String, Hashable, Sendable, CaseIterable {
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

/// A text in every language: a row of the tables of reasons, of articles and of what people read.
///
/// A fixed text is a constant, a sentence a function, which each language fills in its own order and with its own plurals.
package struct Phrase: Hashable, Sendable {
    package let english: String
    package let chinese: String

    package init(_ english: String, _ chinese: String) {
        (self.english, self.chinese) = (english, chinese)
    }
}

extension Language {
    package func say(_ phrase: Phrase) -> String {
        switch self {
        case .english: phrase.english
        case .chinese: phrase.chinese
        }
    }
}

extension Int {
    /// The number for people, with a comma between thousands: `12,345`.
    package var grouped: String {
        let digits = String(magnitude).utf8
        var bytes: [UInt8] = self < 0 ? [UInt8(ascii: "-")] : []
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(digit)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Int64 {
    /// The number for people, with a comma between thousands: `12,345`.
    package var grouped: String { Int(self).grouped }
}
