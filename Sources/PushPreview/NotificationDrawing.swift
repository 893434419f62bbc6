package import PushModel

/// A notification as a device shows it, drawn from what the message says.
///
/// Drawings are SVG without scripts, fonts or anything else that is loaded, and boxes of text for terminals.
package struct NotificationDrawing: Sendable {
    private let look: NotificationLook
    private let app: String

    /// Draws a notification of an app.
    ///
    /// - Parameters:
    ///   - app: the app's name, shown where the system shows it.
    ///   - strings: the texts of the app's keys; nil: keys are shown as they are.
    package init(_ look: NotificationLook, app: String, strings: LocalizedStrings? = nil) {
        self.look = strings.map(look.filled(from:)) ?? look
        self.app = app
    }

    /// Whether drawings are light or dark.
    package enum Appearance: String, Hashable, Sendable, CaseIterable {
        /// Light.
        case light
        /// Dark.
        case dark
        /// As whatever shows it is.
        case automatic = "auto"
    }

    /// The views worth a look: those of its platform; of a push that nobody sees, one.
    package var views: [View] {
        let views = View.allCases.filter { $0.platform == look.platform }
        return look.isSilent ? Array(views.prefix(1)) : views
    }

    /// One view as a file of its own: an SVG document.
    package func svg(_ view: View, _ appearance: Appearance = .automatic) -> String {
        element(view, appearance, attributes: Self.namespace, style: "<style>\(Self.styles)</style>") + "\n"
    }

    /// One view as an element of a page that holds ``styles`` once.
    package func figure(_ view: View, _ appearance: Appearance = .automatic) -> String {
        element(view, appearance, attributes: "", style: "")
    }

    /// The style sheet that every ``figure(_:_:)`` needs, for a `style` element.
    package static var styles: String { DrawingStyle.css }

    static let namespace = " xmlns=\"http://www.w3.org/2000/svg\""

    private func element(_ view: View, _ appearance: Appearance, attributes: String, style: String) -> String {
        let scene = Scene(look, app: app, view: view)
        let picture = scene.picture()
        return "<svg\(attributes) class=\"bp \(appearance.rawValue)\" role=\"img\" width=\"\(Scene.width)\""
            + " height=\"\(picture.height)\" viewBox=\"0 0 \(Scene.width) \(picture.height)\">"
            + "<title>\(SVGCanvas.escaped(summary(scene)))</title>\(style)\(picture.content)</svg>"
    }

    /// What the picture shows, in words.
    private func summary(_ scene: Scene) -> String {
        let words = scene.words.joined(separator: ". ")
        let shown = words.count > 300 ? words.prefix(299) + "…" : words[...]
        return "\(scene.view.name): \(shown)"
    }
}
