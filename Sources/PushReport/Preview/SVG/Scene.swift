internal import Push

/// A drawing in progress: the content so far and its bottom edge.
struct Scene {
    /// The width of every drawing, in points: that of an iPhone, and roughly of an Android device.
    static let width = 390
    /// The radius of a screen's corners.
    static let corner = 36

    /// The notification being drawn.
    var look: NotificationLook
    let app: ShownApp
    let language: Language
    let view: NotificationDrawing.View
    let moment: Moment
    /// The age of the notification being drawn, in words.
    var age: String
    /// The content above the wallpaper.
    var canvas = SVGCanvas()
    /// The bottom edge of the screen.
    var height = 0
    /// The visible text of the notification, for readers who cannot see the picture.
    var words: [String] = []

    /// The time on the device, in its words.
    struct Moment: Hashable, Sendable {
        var time: String
        var day: String
    }

    /// Creates an empty drawing.
    init(
        of look: NotificationLook, app: ShownApp, view: NotificationDrawing.View, language: Language,
        moment: Moment? = nil
    ) {
        self.look = look
        self.app = app
        self.language = language
        self.view = view
        let day = language.say(view.platform == .ios ? .lockDate : .shadeDate)
        self.moment = moment ?? Moment(time: "9:41", day: day)
        age = language.say(.now)
    }

    /// Draws one notification.
    init(_ look: NotificationLook, app: ShownApp, view: NotificationDrawing.View, language: Language) {
        self.init(of: look, app: app, view: view, language: language)
        switch view {
        case .lockScreen: drawLockScreen()
        case .banner: drawBanner()
        case .expanded: drawExpanded()
        case .shade: drawShade(isOpen: false)
        case .openShade: drawShade(isOpen: true)
        }
    }

    /// The whole picture: the screen, and below it the effects that no screen shows but every reviewer asks about.
    func picture() -> (content: String, height: Int) {
        let chips = view == .lockScreen || view == .shade ? Chips(look, width: Self.width, in: language) : Chips()
        guard chips.height > 0 else { return screen }
        let total = height + chips.height + 20
        var (back, front) = (SVGCanvas(), SVGCanvas())
        back.rect("p", x: 0, y: 0, width: Self.width, height: total, radius: Self.corner)
        chips.draw(at: height + 10, on: &front)
        return (back.content + screen.content + front.content, total)
    }

    /// The screen alone.
    var screen: (content: String, height: Int) {
        var back = SVGCanvas()
        switch view.platform {
        case .ios: back.drawWallpaper(height: height)
        case .android: back.rect("a", x: 0, y: 0, width: Self.width, height: height, radius: Self.corner)
        }
        return (back.content + canvas.content, height)
    }

    /// Draws the app's icon, or the first letter of its name on a colour derived from the name.
    mutating func drawIcon(x: Int, y: Int, size: Int, isRound: Bool = false) {
        let radius = isRound ? size / 2 : size * 9 / 38
        guard app.icon == nil else {
            return canvas.rect("", x: x, y: y, width: size, height: size, radius: radius, fill: "url(#bp-icon)")
        }
        let colours = ["#d93a45", "#3357c9", "#1d8a5b", "#8040b4", "#c2530a", "#0b7d90"]
        let sum = app.name.utf8.reduce(0) { ($0 + Int($1)) % colours.count }
        canvas.rect("", x: x, y: y, width: size, height: size, radius: radius, fill: colours[sum])
        let letter = BrokenText.line(app.name, width: 1000).first?.uppercased() ?? ""
        canvas.text(size < 30 ? "B m" : "I m", letter, x: x + size / 2, y: y + size / 2 + (size < 30 ? 4 : 7))
    }

    /// Records the visible texts, in order.
    mutating func note(_ texts: BrokenText?...) {
        words += texts.compactMap { $0 }.map { $0.lines.map(\.text).joined(separator: " ") }
    }
}

extension SVGCanvas {
    /// Draws the wallpaper of an iPhone: three waves, all inside the rounded corners.
    fileprivate mutating func drawWallpaper(height: Int) {
        let (width, corner) = (Scene.width, Scene.corner)
        rect("w", x: 0, y: 0, width: width, height: height, radius: corner)
        for (left, crest, right) in [(0.55, 0.2, 0.35), (0.6, 0.85, 0.5), (0.95, 0.5, 0.75)] {
            let (a, b, c) = (Int(Double(height) * left), Int(Double(height) * crest), Int(Double(height) * right))
            let bottom = height - corner
            path(
                "v",
                "M0 \(min(a, bottom))C130 \(b) 250 \(b + 40) \(width) \(min(c, bottom))V\(bottom)"
                    + "a\(corner) \(corner) 0 0 1-\(corner) \(corner)H\(corner)a\(corner) \(corner) 0 0 1-\(corner)-\(corner)Z"
            )
        }
    }
}
