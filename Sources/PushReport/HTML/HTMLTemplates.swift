internal import Diagnostics
internal import Phrasebook
internal import PushModel
internal import PushPreview

/// The templates of the page, which the program carries within it.
///
/// What a reader does not see is shown escaped, as in every other form; then every value is made harmless for HTML. Only
/// the style and pictures are put in as they are: both are made by this program.
enum HTMLTemplates {
    /// A view's values by the names that templates use. A name that a template asks for is always there, `false` where
    /// there is nothing: else it would be looked for in the views around.
    typealias View = [String: Any]

    /// A template filled with values.
    static func render(_ template: Template, _ view: View, in language: Language) -> String {
        templates[language]?.render(template.rawValue, view) ?? ""
    }

    /// The templates that are filled from here; they include others.
    enum Template: String {
        case head, foot, card, row, section, diagnostics
        case groupHead = "group-head"
        case groupFoot = "group-foot"
    }

    /// The style that stands in the page.
    static let style = String(decoding: PackageResources.style_css, as: UTF8.self) + NotificationDrawing.styles

    private static let templates = Dictionary(
        uniqueKeysWithValues: Language.allCases.map { language in
            (
                language,
                PageTemplates(
                    sources, words: language.labels, escapingNamed: "REPORT", by: { HTMLEscaping.escaped(escaped($0)) })
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
    /// The value, or what templates take for nothing.
    var orNothing: Any { self.map { $0 as Any } ?? false }
}
