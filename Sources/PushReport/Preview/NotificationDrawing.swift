internal import Base
package import Push

/// A notification as a device shows it, drawn from the message.
///
/// Drawings are SVG without scripts, fonts or other loaded content, or text boxes for terminals.
package struct NotificationDrawing: Sendable {
    let look: NotificationLook
    let app: ShownApp
    let language: Language

    /// Creates the drawing of an app's notification. The app is shown where the system shows it; `language` is
    /// that of the device and of the captions.
    package init(_ look: NotificationLook, app: ShownApp, language: Language = .english) {
        self.look = look
        self.app = app
        self.language = language
    }

    /// The appearance of drawings.
    package enum Appearance: String, Hashable, Sendable, CaseIterable {
        case light
        case dark
        /// As the surrounding page or system.
        case automatic = "auto"
    }

    /// The views worth showing: all of its platform, or just one for a push that nobody sees.
    package var views: [View] {
        let views = View.allCases.filter { $0.platform == look.platform }
        // An update of a Live Activity without an alert is visible only in the activity itself.
        let isQuietUpdate = look.activity != nil && look.title == nil && look.body == nil
        return look.isSilent || isQuietUpdate ? Array(views.prefix(1)) : views
    }

    /// A view's name, for headings.
    package func name(of view: View) -> String {
        ([language.say(view.label)] + [look.variant, look.language, sampleName].compactMap(\.self))
            .joined(separator: " · ")
    }

    private var sampleName: String? {
        switch look.sample {
        case .without(let fields): language.say(.withoutValues(fields))
        case .with(let values): language.list(values)
        case nil: nil
        }
    }

    /// One view as an element for a page that includes ``styles`` and ``definitions(of:iconAt:)`` once.
    package func figure(_ view: View, _ appearance: Appearance = .automatic) -> String {
        element(view, appearance, attributes: "")
    }

    /// The style sheet that every ``figure(_:_:)`` needs, for a `style` element.
    package static var styles: String { DrawingStyle.css }

    /// The app's icon, which every ``figure(_:_:)`` refers to, as an element that takes no room; empty without one.
    ///
    /// The page loads it from `address`; nil: the element contains it.
    package static func definitions(of app: ShownApp, iconAt address: String? = nil) -> String {
        let icon = iconDefinition(app, at: address)
        return icon.isEmpty
            ? "" : "<svg class=\"bp-icons\" width=\"0\" height=\"0\" aria-hidden=\"true\">\(icon)</svg>"
    }

    /// The elements that a document of its own needs before its drawings.
    private static func head(for app: ShownApp) -> String { "<style>\(styles)</style>" + iconDefinition(app) }

    private static func iconDefinition(_ app: ShownApp, at address: String? = nil) -> String {
        guard let icon = app.icon else { return "" }
        let source = SVGCanvas.escaped(address ?? "data:image/png;base64," + icon)
        return
            "<defs><pattern id=\"bp-icon\" width=\"1\" height=\"1\" patternContentUnits=\"objectBoundingBox\"><image "
            + "width=\"1\" height=\"1\" href=\"\(source)\"/></pattern></defs>"
    }

    private static let namespace = " xmlns=\"http://www.w3.org/2000/svg\""

    func height(of view: View) -> Int { Scene(look, app: app, view: view, language: language).picture().height }

    /// One view as an element with extra attributes.
    func element(_ view: View, _ appearance: Appearance, attributes: String) -> String {
        let scene = Scene(look, app: app, view: view, language: language)
        return element(scene, appearance, scene.picture(), attributes: attributes)
    }

    func element(
        _ scene: Scene, _ appearance: Appearance, _ picture: (content: String, height: Int), attributes: String = ""
    ) -> String {
        "<svg\(attributes) class=\"bp \(appearance.rawValue)\" role=\"img\" width=\"\(Scene.width)\""
            + " height=\"\(picture.height)\" viewBox=\"0 0 \(Scene.width) \(picture.height)\">"
            + "<title>\(SVGCanvas.escaped(summary(scene)))</title>\(picture.content)</svg>"
    }

    /// Every view of several notifications in one file with a title: light above, dark below, with a row per
    /// notification.
    package static func sheet(_ drawings: [NotificationDrawing], title: String) -> String {
        let light = Sheet(drawings, .light, top: 0)
        let dark = Sheet(drawings, .dark, top: light.height)
        let (width, height) = (light.width, light.height + dark.height)
        return
            "<svg\(namespace) role=\"img\" width=\"\(width)\" height=\"\(height)\" viewBox=\"0 0 \(width) \(height)\">"
            + "<title>\(SVGCanvas.escaped(title))</title>\(drawings.first.map { head(for: $0.app) } ?? "")\(light.content)\(dark.content)</svg>\n"
    }

    /// The picture's content in words.
    private func summary(_ scene: Scene) -> String {
        let words = language.say(.sentences(scene.words))
        let shown = words.count > 300 ? words.prefix(299) + "…" : words[...]
        return name(of: scene.view) + language.say(.colon) + shown
    }
}

extension NotificationDrawing {
    /// A place where the system shows a notification.
    package enum View: String, Hashable, Sendable, CaseIterable {
        case lockScreen
        /// The banner over an iPhone's home screen.
        case banner
        /// The notification on an iPhone, expanded by a long press.
        case expanded
        case shade
        /// The notification in an Android shade, expanded.
        case openShade

        private var row: (platform: Platform, label: Phrase, title: Int, subtitle: Int, body: Int) {
            switch self {
            case .lockScreen: (.ios, .lockScreen, 1, 1, 4)
            case .banner: (.ios, .banner, 1, 1, 2)
            case .expanded: (.ios, .expanded, 2, 2, 24)
            case .shade: (.android, .shade, 1, 0, 1)
            case .openShade: (.android, .openShade, 1, 0, 12)
            }
        }

        package var platform: Platform { row.platform }

        /// The view's name, for headings.
        var label: Phrase { row.label }

        /// The maximum numbers of lines for the title, the subtitle and the body.
        ///
        /// Neither system documents them. iOS: "banners get truncated around 62 characters or 2 lines, the notification
        /// center and the lock screen around 4 lines", and Braze's lengths for them (80 and 160 characters); expanded
        /// it scrolls, so that the bound is a screen's height. Android: `DecoratedContentView` collapsed has one line;
        /// `BigTextStyle` is shown to about 600 characters, twelve lines.
        var limits: (title: Int, subtitle: Int, body: Int) { (row.title, row.subtitle, row.body) }
    }
}

/// Views side by side under their names, with a row per notification.
struct Sheet {
    private(set) var content = ""
    private(set) var width = 0
    private(set) var height = 0

    private static let gap = 24

    /// Arranges the drawings in a sheet whose top edge is `top`.
    init(_ drawings: [NotificationDrawing], _ appearance: NotificationDrawing.Appearance, top: Int) {
        var canvas = SVGCanvas()
        var views = ""
        height = Self.gap
        for drawing in drawings {
            var (x, lowest) = (Self.gap, 0)
            for view in drawing.views {
                canvas.text("u", drawing.name(of: view), x: x + 14, y: top + height + 12)
                views += drawing.element(view, appearance, attributes: " x=\"\(x)\" y=\"\(top + height + 22)\"")
                x += Scene.width + Self.gap
                lowest = max(lowest, drawing.height(of: view))
            }
            width = max(width, x)
            height += lowest + 22 + Self.gap
        }
        var back = SVGCanvas()
        back.rect("k", x: 0, y: top, width: width, height: height)
        content = "<g class=\"bp \(appearance.rawValue)\">\(back.content)\(canvas.content)</g>\(views)"
    }
}

extension NotificationDrawing {
    /// One view as lines of text in a box, for terminals, cut where the picture is cut; `usesUnicode` allows non-ASCII
    /// characters besides the message's own texts.
    ///
    /// - Returns: the lines, without line breaks; nothing in them needs escaping.
    package func text(_ view: View, usesUnicode: Bool = true) -> [String] {
        var box = TextBox(glyphs: usesUnicode ? .unicode : .ascii)
        let isPassive = view == .banner && look.interruptionLevel == .passive
        if look.isSilent || isPassive {
            let silence = look.isSilent ? Silence(look) : .passive
            box.add(language.say(silence.headline))
            box.add(silence.explained(in: language))
        } else {
            fill(&box, view)
        }
        var lines = [name(of: view)] + box.lines
        if view == .lockScreen || view == .shade {
            let remarks = look.remarks(in: language).map { BrokenText.line($0, width: 400) }
            let separator = usesUnicode ? " · " : ", "
            let note = usesUnicode ? "♪ " : language.say(.sound(""))
            lines +=
                remarks.isEmpty
                ? [] : ["  " + remarks.map { $0.replacing("♪ ", with: note) }.joined(separator: separator)]
            lines += look.services.map { "  " + BrokenText.line($0.words(in: language), width: 500) }
        }
        return lines
    }

    private func fill(_ box: inout TextBox, _ view: View) {
        let shown = ShownNotification(look, app: app.name, view: view, language: language)
        if view.platform == .android, view == .openShade || shown.title == nil {
            box.add(shown.app.lines[0].text, aside: language.say(.now))
        }
        if let mark = shown.mark { box.add(language.say(mark.label)) }
        if view == .expanded, let picture = shown.picture {
            let (file, host) = (BrokenText.line(picture.file, width: 150), BrokenText.line(picture.host, width: 150))
            box.add(language.say(.picture(file, of: host)))
        }
        for (index, text) in [shown.title, shown.subtitle, shown.body].enumerated() {
            for line in text?.lines ?? [] {
                let isFirst = index == 0 && line == text?.lines.first && view != .openShade
                box.add(
                    line.text, aside: isFirst ? language.say(.now) : nil, isReversed: text?.isRightToLeft == true)
            }
        }
        let activity = ActivityRows(look, limit: view == .expanded ? 8 : 3, in: language)
        for row in activity.rows where look.pushType == .liveactivity {
            box.add(row.value.isEmpty ? row.name : row.name + language.say(.colon) + row.value)
        }
        if view == .expanded, let category = look.category {
            box.add(language.say(.actionsNamed(BrokenText.line(category, width: 200))))
        }
    }
}

/// Lines with a border around them.
struct TextBox {
    private var rows: [Row] = []
    private let glyphs: Glyphs

    private struct Row {
        var text: String
        var aside: String
        var isReversed: Bool
        var width: Int
    }

    /// The characters of the border.
    struct Glyphs {
        var corners: [String]
        var horizontal: String
        var vertical: String
        var ellipsis: String

        static let unicode = Glyphs(corners: ["╭", "╮", "╰", "╯"], horizontal: "─", vertical: "│", ellipsis: "…")
        static let ascii = Glyphs(corners: ["+", "+", "+", "+"], horizontal: "-", vertical: "|", ellipsis: "...")
    }

    init(glyphs: Glyphs) { self.glyphs = glyphs }

    /// Adds a line, which must not contain invisible characters.
    mutating func add(_ text: String, aside: String? = nil, isReversed: Bool = false) {
        let text = text.replacing("…", with: glyphs.ellipsis)
        let aside = aside ?? ""
        let width = DisplayWidth.of(text) + (aside.isEmpty ? 0 : DisplayWidth.of(aside) + 2)
        rows.append(Row(text: text, aside: aside, isReversed: isReversed, width: width))
    }

    /// The lines of the box; as wide as its widest line, at least 44 columns inside.
    var lines: [String] {
        let width = rows.reduce(44) { max($0, $1.width) }
        let edge = String(repeating: glyphs.horizontal, count: width + 2)
        let inner = rows.map { row in
            let space = String(repeating: " ", count: width - row.width)
            let aside = row.aside.isEmpty ? "" : "  " + row.aside
            // Right-to-left text is aligned to the right.
            let content = row.isReversed ? space + row.text + aside : row.text + space + aside
            return "\(glyphs.vertical) \(content) \(glyphs.vertical)"
        }
        return [glyphs.corners[0] + edge + glyphs.corners[1]] + inner + [glyphs.corners[2] + edge + glyphs.corners[3]]
    }
}
