internal import Base
internal import Mustache
package import Push

/// Templates that a program carries within it: there is nothing to install beside it.
///
/// Values are escaped wherever a template names them with two braces.
package struct PageTemplates: Sendable {
    private let library: MustacheLibrary

    /// Compiles templates; one that is broken ends the program, as no input can break it.
    ///
    /// - Parameters:
    ///   - sources: the templates by the names under which they include each other.
    ///   - words: what stands in the place of `[[name]]`.
    ///   - language: the language of the page.
    ///   - name: a name of their own for how they escape; it is the process's.
    ///   - escape: makes a value harmless within a page.
    package init(
        _ sources: [(name: String, bytes: [UInt8])], words: [String: Phrase] = [:],
        in language: Language = .english, escapingNamed name: String,
        by escape: @escaping @Sendable (String) -> String = HTMLEscaping.escaped
    ) {
        MustacheContentTypes.register(ContentEscaper(escape: escape), named: name)
        var library = MustacheLibrary()
        for (template, bytes) in sources {
            // Each template says it by itself, because a part does not take it over from the whole.
            let text =
                "{{% CONTENT_TYPE:\(name)}}" + Self.worded(String(decoding: bytes, as: UTF8.self), words, language)
            do {
                try library.register(text, named: template)
            } catch {
                preconditionFailure("the template '\(template)' is broken: \(error)")
            }
        }
        self.library = library
    }

    private static func worded(_ source: String, _ words: [String: Phrase], _ language: Language) -> String {
        var text = ""
        var rest = source[...]
        while let open = rest.firstRange(of: "[["), let close = rest[open.upperBound...].firstRange(of: "]]") {
            let name = String(rest[open.upperBound..<close.lowerBound])
            guard let word = words[name] else { preconditionFailure("there is no text named '\(name)'") }
            text += rest[..<open.lowerBound] + language.say(word)
            rest = rest[close.upperBound...]
        }
        return text + rest
    }

    /// A template filled with a view's values; empty when there is no such template.
    package func render(_ template: String, _ view: Any) -> String {
        library.render(view, withTemplate: template) ?? ""
    }

    private struct ContentEscaper: MustacheContentType {
        let escape: @Sendable (String) -> String

        func escapeText(_ text: String) -> String { escape(text) }
    }
}

/// The templates of the page, embedded in the program.
///
/// Invisible characters are escaped as in every other format; then every value is escaped for HTML. Only the style and
/// pictures are inserted unescaped: both are made by this program.
enum HTMLTemplates {
    /// A template's values by name. Every name that a template uses is present, `false` when there is no value:
    /// otherwise it would be looked up in the enclosing views.
    typealias View = [String: Any]

    static func render(_ template: Template, _ view: View, in language: Language) -> String {
        templates[language]?.render(template.rawValue, view) ?? ""
    }

    /// The templates that code renders; they include others.
    enum Template: String {
        case head, foot, card, row, section, diagnostics
        case groupHead = "group-head"
        case groupFoot = "group-foot"
    }

    static let style = String(decoding: PackageResources.style_css, as: UTF8.self) + NotificationDrawing.styles

    static let liveScript = String(decoding: PackageResources.live_js, as: UTF8.self)

    private static let templates = Dictionary(
        uniqueKeysWithValues: Language.allCases.map { language in
            (
                language,
                PageTemplates(
                    sources, words: Phrase.ofPage, in: language, escapingNamed: "REPORT",
                    by: { HTMLEscaping.escaped(escaped($0)) })
            )
        })

    private static let sources = [
        ("head", PackageResources.head_mustache), ("foot", PackageResources.foot_mustache),
        ("card", PackageResources.card_mustache), ("row", PackageResources.row_mustache),
        ("section", PackageResources.section_mustache), ("diagnostics", PackageResources.diagnostics_mustache),
        ("group-head", PackageResources.group_head_mustache),
        ("group-foot", PackageResources.group_foot_mustache), ("blocks", PackageResources.blocks_mustache),
        ("figure", PackageResources.figure_mustache), ("table", PackageResources.table_mustache),
        ("calendar", PackageResources.calendar_mustache),
    ]
}

extension Optional {
    /// The value, or `false` for nil, which templates treat as absent.
    var orNothing: Any { self.map { $0 as Any } ?? false }
}

extension Phrase {
    /// The words of the page by the names that its templates use.
    static let ofPage: [String: Phrase] = [
        "pageLanguage": .pageLanguage,
        "skipToContent": .skipToContent,
        "contents": Phrase("Contents", "目录"),
        "to": Phrase("to", "到"),
        "becomes": Phrase("becomes", "变为"),
        "moreViews": .moreViews,
        "legendSent": Phrase("sent", "发送"),
        "legendWorth": Phrase("deliverable", "有效期内"),
        "legendQuiet": Phrase("quiet hours", "免打扰时段"),
        "legendNow": Phrase("time of the plan", "计划时间"),
        "legendClose": Phrase("too close to another", "与另一次间隔过近"),
        "toThePush": Phrase("To the push", "查看这次推送"),
    ]
}

/// Makes text of anybody's harmless within a page, in elements and in quoted attributes alike.
///
/// Mustache's own escaping compares whole characters, so that a quotation mark with a combining accent on it is left as
/// it is and ends an attribute; this one looks at every scalar. What XML cannot hold or a screen does not show is
/// written out: control characters as their pictures, every other hidden character as its number. Text that
/// merely runs from right to left is left alone, and the pages isolate it.
package enum HTMLEscaping {
    /// The text as HTML and XML hold it.
    package static func escaped(_ text: String) -> String {
        if isPlain(text) { return text }
        let scalars = text.unicodeScalars
        var result = ""
        // Whole stretches are copied between the characters that something else stands for.
        var start = text.startIndex
        for index in scalars.indices {
            guard let replacement = replacement(of: index, in: scalars) else { continue }
            result += text[start..<index]
            result += replacement
            start = scalars.index(after: index)
        }
        return result + text[start...]
    }

    /// True if nothing in a text can need escaping, judged by its bytes alone: most texts are seen to need none.
    private static func isPlain(_ text: String) -> Bool {
        HiddenCharacters.areCertainlyAbsent(from: text) && !text.utf8.contains { "&<>\"'".utf8.contains($0) }
    }

    private static func replacement(of index: String.Index, in scalars: String.UnicodeScalarView) -> String? {
        let scalar = scalars[index]
        return switch scalar.value {
        case 0x26: "&amp;"
        case 0x3C: "&lt;"
        case 0x3E: "&gt;"
        case 0x22: "&quot;"
        case 0x27: "&#39;"
        case 0x09, 0x0A: nil
        case 0x0D: "&#13;"
        case 0..<0x20: String(picture(of: scalar))
        case 0x7F: "\u{2421}"
        default:
            // Isolated by itself, so that it reads from left to right amid text that does not.
            HiddenCharacters.hide(scalars, at: index)
                ? "\u{2066}[U+\(scalar.value.hexadecimal(digits: 1, uppercase: true))]\u{2069}" : nil
        }
    }

    private static func picture(of scalar: Unicode.Scalar) -> Unicode.Scalar {
        Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
    }
}
