internal import Crypto
internal import FoundationEssentials
internal import Push
internal import PushReport

/// The console's templates and files, embedded in the program so that nothing else needs to be installed.
struct Templates: Sendable {
    private let templates: PageTemplates

    enum Template: String {
        // The pages.
        case login, overview, pushes, push, installations, device, message
        // Their parts that change while a page is open.
        case clock, summary, news, phones, scheduled
        case pushRows = "push-rows"
        case pushState = "push-state"
        case deviceScreen = "device-screen"
    }

    private static let all = Dictionary(uniqueKeysWithValues: Language.allCases.map { ($0, Templates($0)) })

    static subscript(language: Language) -> Templates { all[language] ?? Templates(language) }

    private init(_ language: Language) {
        templates = PageTemplates(Self.sources, words: Phrase.ofConsole, in: language, escapingNamed: "CONSOLE")
    }

    func render(_ template: Template, _ view: Any) -> String {
        templates.render(template.rawValue, view)
    }

    private static let sources: [(name: String, bytes: [UInt8])] = [
        ("layout", PackageResources.layout_mustache), ("login", PackageResources.login_mustache),
        ("overview", PackageResources.overview_mustache), ("pushes", PackageResources.pushes_mustache),
        ("push", PackageResources.push_mustache), ("installations", PackageResources.installations_mustache),
        ("device", PackageResources.device_mustache), ("message", PackageResources.message_mustache),
        ("charts", PackageResources.charts_mustache), ("counted", PackageResources.counted_mustache),
        ("place", PackageResources.place_mustache), ("clock", PackageResources.clock_mustache),
        ("summary", PackageResources.summary_mustache),
        ("news", PackageResources.news_mustache), ("phones", PackageResources.phones_mustache),
        ("phone", PackageResources.phone_mustache),
        ("push-rows", PackageResources.push_rows_mustache), ("scheduled", PackageResources.scheduled_mustache),
        ("push-state", PackageResources.push_state_mustache),
        ("device-screen", PackageResources.device_screen_mustache),
    ]
}

/// A static file that the browser loads beside a page.
struct StaticFile: Sendable {
    /// The media type.
    let type: String
    let bytes: [UInt8]
    /// A short hash of the content that is part of the file's address: a new version has a new address, so browsers can
    /// cache each file forever.
    let version: String

    private init(_ type: String, _ bytes: [UInt8]) {
        self.type = type
        self.bytes = bytes
        version = SHA256.hash(data: bytes).prefix(8).map { String($0, radix: 16) }.joined()
    }

    /// The stylesheet, also of drawings.
    static let style = StaticFile(
        "text/css; charset=utf-8", PackageResources.style_css + Array(NotificationDrawing.styles.utf8))
    /// The script, which only replaces the parts that change.
    static let script = StaticFile("text/javascript; charset=utf-8", PackageResources.console_js)
    static let icon = StaticFile("image/svg+xml", PackageResources.icon_svg)

    /// The file with a name, of the console or the app; `nil` when there is none.
    static func named(_ name: String, _ app: ShownApp) -> StaticFile? {
        switch name {
        case "style.css": style
        case "console.js": script
        case "icon.svg": icon
        case "app-icon": app.icon.flatMap { Data(base64Encoded: $0) }.map { StaticFile("image/png", Array($0)) }
        default: nil
        }
    }
}
