internal import Base
internal import Push

/// The templates of the page, embedded in the program.
///
/// Invisible characters are escaped as in every other format; then every value is escaped for HTML. Only the style and
/// pictures are inserted unescaped: both are made by this program.
enum HTMLTemplates {
    /// A template's values by name. Every name that a template uses is present, `false` when there is no value:
    /// otherwise it would be looked up in the enclosing views.
    typealias View = [String: Any]

    /// Renders a template.
    static func render(_ template: Template, _ view: View, in language: Language) -> String {
        templates[language]?.render(template.rawValue, view) ?? ""
    }

    /// The templates that code renders; they include others.
    enum Template: String {
        case head, foot, card, row, section, diagnostics
        case groupHead = "group-head"
        case groupFoot = "group-foot"
    }

    /// The inline style sheet.
    static let style = String(decoding: PackageResources.style_css, as: UTF8.self) + NotificationDrawing.styles

    /// The script of a live page.
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
