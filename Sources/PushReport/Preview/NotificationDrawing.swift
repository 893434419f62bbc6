package import Push

/// A notification as a device shows it, drawn from the message.
///
/// Drawings are SVG without scripts, fonts or other loaded content, or text boxes for terminals.
package struct NotificationDrawing: Sendable {
    let look: NotificationLook
    let app: ShownApp
    let language: Language

    /// Creates the drawing of an app's notification. The app is shown where the system shows it; `language` is
    /// that of the device and of the captions; `strings` are the texts of the app's keys, nil to show keys unchanged.
    package init(
        _ look: NotificationLook, app: ShownApp, language: Language = .english, strings: LocalizedStrings? = nil
    ) {
        self.look = strings.map(look.filled(from:)) ?? look
        self.app = app
        self.language = language
    }

    /// The appearance of drawings.
    package enum Appearance: String, Hashable, Sendable, CaseIterable {
        /// Light.
        case light
        /// Dark.
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

    /// One view as an SVG document of its own.
    package func svg(_ view: View, _ appearance: Appearance = .automatic) -> String {
        element(view, appearance, attributes: Self.namespace, head: Self.head(for: app)) + "\n"
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

    /// The height of a view.
    func height(of view: View) -> Int { Scene(look, app: app, view: view, language: language).picture().height }

    /// One view as an element with extra attributes, and elements that come before the drawing.
    func element(_ view: View, _ appearance: Appearance, attributes: String, head: String = "") -> String {
        let scene = Scene(look, app: app, view: view, language: language)
        return element(scene, appearance, scene.picture(), attributes: attributes, head: head)
    }

    /// A drawn scene as an element.
    func element(
        _ scene: Scene, _ appearance: Appearance, _ picture: (content: String, height: Int), attributes: String = "",
        head: String = ""
    ) -> String {
        "<svg\(attributes) class=\"bp \(appearance.rawValue)\" role=\"img\" width=\"\(Scene.width)\""
            + " height=\"\(picture.height)\" viewBox=\"0 0 \(Scene.width) \(picture.height)\">"
            + "<title>\(SVGCanvas.escaped(summary(scene)))</title>\(head)\(picture.content)</svg>"
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
