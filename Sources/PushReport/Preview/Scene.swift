package import Push

/// A drawing in progress: the content so far and its bottom edge.
struct Scene {
    /// The width of every drawing, in points: that of an iPhone, and roughly of an Android device.
    static let width = 390
    /// The radius of a screen's corners.
    static let corner = 36

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

// MARK: - Card

extension Scene {
    /// Draws the card of an iPhone with everything that the view shows.
    ///
    /// - Parameter top: the card's top edge.
    /// - Returns: the card's bottom edge.
    mutating func drawCard(top: Int) -> Int {
        let isOpen = view == .expanded
        let shown = ShownNotification(look, app: app.name, view: view, language: language)
        let picture = isOpen && shown.picture != nil ? 180 : 0
        let rows = look.pushType == .liveactivity ? ActivityRows(look, limit: isOpen ? 8 : 3, in: language).rows : []
        let lines = [shown.title, shown.subtitle, shown.body].reduce(rows.count) { $0 + ($1?.lines.count ?? 0) }
        let height = picture + max(62, lines * 20 + (shown.mark == nil ? 0 : 16) + 24)
        canvas.rect("c", x: 8, y: top, width: 374, height: height, radius: 22)
        if picture > 0, let file = shown.picture { drawPicture(file, top: top) }
        let start = top + picture
        drawIcon(x: 16, y: start + (isOpen ? 13 : (height - picture - 38) / 2), size: 38)
        canvas.text("s e", age, x: 366, y: start + 27)
        if shown.picture != nil, !isOpen { drawThumbnail(y: start + max(36, (height - 36) / 2 + 6)) }
        drawTexts(shown, rows: rows, baseline: start + 27)
        note(shown.title, shown.subtitle, shown.body)
        return top + height
    }

    private mutating func drawTexts(_ shown: ShownNotification, rows: [ActivityRows.Row], baseline: Int) {
        let columns = ShownNotification.Columns(look, view)
        var y = baseline
        if let mark = shown.mark {
            if mark == .critical { canvas.path("j", "M\(columns.left) \(y - 2)h11l-5.500-10z") }
            canvas.text("f", language.say(mark.label), x: columns.left + (mark == .critical ? 16 : 0), y: y - 2)
            y += 16
        }
        for (text, source, style, end) in [
            (shown.title, look.title, "h", columns.titleEnd), (shown.subtitle, look.subtitle, "h", columns.textEnd),
            (shown.body, look.body, "", columns.textEnd),
        ] {
            guard let text else { continue }
            y = canvas.lines(
                style + (source?.isKey == true ? " i" : ""), text, from: columns.left, to: end, baseline: y, step: 20)
        }
        for row in rows {
            canvas.text("s", row.name, x: columns.left, y: y)
            canvas.text("h e", row.value, x: columns.textEnd, y: y)
            y += 20
        }
    }

    private mutating func drawPicture(_ picture: ShownNotification.Picture, top: Int) {
        canvas.path("d", "M8 \(top + 180)v-158a22 22 0 0 1 22-22h330a22 22 0 0 1 22 22v158z")
        canvas.path("c", "M150 \(top + 104)l28-40 20 26 12-14 30 28z")
        canvas.circle("c", x: 222, y: top + 52, radius: 9)
        for (index, text) in [picture.file, picture.host].enumerated() where !text.isEmpty {
            let line = BrokenText.line(text, width: 340)
            canvas.text("s m", line, x: Self.width / 2, y: top + 134 + 18 * index)
        }
    }

    private mutating func drawThumbnail(y: Int) {
        canvas.rect("d", x: 330, y: y, width: 36, height: 36, radius: 7)
        canvas.path("c", "M334 \(y + 28)l9-13 6 8 4-5 9 10z")
    }
}

// MARK: - Shade

extension Scene {
    /// Draws the shade with its two tiles and the notification, collapsed or expanded.
    mutating func drawShade(isOpen: Bool) {
        drawShadeHead()
        var bottom = 116
        if look.isSilent {
            bottom = draw(Silence(look), top: 120)
        } else {
            bottom = drawNotification(top: 116, isOpen: isOpen)
        }
        drawEnd(below: bottom)
    }

    /// Draws the time, the day and the tiles.
    mutating func drawShadeHead() {
        canvas.text("h", moment.time, x: 26, y: 36)
        canvas.text("n e", moment.day, x: 364, y: 36)
        for (index, name) in [Phrase.internet, .doNotDisturb].enumerated() {
            let x = 10 + 188 * index
            canvas.rect(index == 0 ? "l" : "k", x: x, y: 50, width: 182, height: 54, radius: 27)
            canvas.circle(index == 0 ? "c" : "d", x: x + 28, y: 77, radius: 8)
            canvas.text("g", language.say(name), x: x + 48, y: 82)
        }
    }

    /// Draws the notification: collapsed, its title is in the first line and the app is not named; expanded, it is.
    mutating func drawNotification(top: Int, isOpen: Bool) -> Int {
        let columns = ShownNotification.Columns(look, view)
        let isHeaderless = columns.isHeaderless
        let shown = ShownNotification(look, app: app.name, view: view, language: language)
        let header = isHeaderless ? 0 : 20
        let lines = (shown.title?.lines.count ?? 0) + (shown.body?.lines.count ?? 0)
        let height = header + lines * 20 + 32
        canvas.rect("k", x: 10, y: top, width: 370, height: height, radius: 24)
        drawIcon(x: 24, y: top + 17, size: 26, isRound: true)
        drawExpander(y: top + 30, isOpen: isOpen)
        var y = top + 34
        if !isHeaderless {
            canvas.text("n", "\(shown.app.lines[0].text) · \(age)", x: columns.left, y: y)
            y += 20
        }
        if let title = shown.title {
            y = canvas.lines(
                "h g" + (look.title?.isKey == true ? " i" : ""), title, from: columns.left, to: columns.textEnd,
                baseline: y, step: 20, aside: isHeaderless ? ("n", "  · " + age) : nil)
        }
        if let body = shown.body {
            let style = "g" + (look.body?.isKey == true ? " i" : "")
            y = canvas.lines(style, body, from: columns.left, to: columns.textEnd, baseline: y, step: 20)
        }
        note(shown.title, shown.body)
        return top + height
    }

    private mutating func drawExpander(y: Int, isOpen: Bool) {
        canvas.circle("q", x: 356, y: y, radius: 12)
        canvas.path("x", isOpen ? "M351 \(y + 2)l5-5 5 5" : "M351 \(y - 2)l5 5 5-5")
    }
}

// MARK: - Phone

extension Scene {
    /// Draws the clock, the card on the list, and the area below it.
    mutating func drawLockScreen() {
        let middle = Self.width / 2
        drawClock()
        var bottom = 150
        if look.isSilent {
            bottom = draw(Silence(look), top: 158)
        } else {
            let isGrouped = look.threadId != nil
            bottom = draw {
                $0.drawCard(top: 150)
            } above: { canvas, edge in
                // The next notification of the group peeks out from under the card.
                if isGrouped { canvas.rect("c b", x: 22, y: edge - 30, width: 346, height: 39, radius: 20) }
            }
            bottom += isGrouped ? 9 : 0
            if look.interruptionLevel == .passive {
                canvas.text("B m", language.say(.addedQuietly), x: middle, y: bottom + 22)
                bottom += 22
            }
        }
        drawEnd(below: bottom)
    }

    mutating func drawClock(top: Int = 0) {
        canvas.text("D m", moment.day, x: Self.width / 2, y: top + 48)
        canvas.text("T m", moment.time, x: Self.width / 2, y: top + 120)
    }

    /// Draws the bar at the lower end of the screen.
    mutating func drawEnd(below bottom: Int) {
        let isApple = view.platform == .ios
        let (length, gap) = isApple ? (136, 24) : (108, 22)
        canvas.rect(
            isApple ? "o" : "d", x: (Self.width - length) / 2, y: bottom + gap, width: length, height: isApple ? 5 : 4,
            radius: 2)
        height = bottom + gap + (isApple ? 14 : 12)
    }

    /// Draws the status bar, the banner over the home screen, and the badge on the app's icon.
    mutating func drawBanner() {
        canvas.rect("y", x: 135, y: 11, width: 120, height: 33, radius: 16)
        canvas.text("D", "9:41", x: 38, y: 33)
        canvas.rect("o", x: 326, y: 22, width: 26, height: 12, radius: 3)
        var bottom = 56
        if look.isSilent {
            bottom = draw(Silence(look), top: 76)
        } else if look.interruptionLevel == .passive {
            bottom = draw(.passive, top: 72)
        } else {
            bottom = drawCard(top: 56)
        }
        let top = bottom + 26
        for column in 1..<4 {
            canvas.rect("o z", x: 27 + 92 * column, y: top, width: 60, height: 60, radius: 14)
        }
        drawIcon(x: 27, y: top, size: 60)
        drawBadge(x: 87, y: top)
        canvas.text("B m", BrokenText.line(app.name, width: 84, size: 12), x: 57, y: top + 76)
        height = top + 96
    }

    private mutating func drawBadge(x: Int, y: Int) {
        let text: String
        switch look.badge {
        case .number(0), nil: return
        case .number(let number): text = String(number)
        case .increment: text = "+1"
        }
        let width = max(24, text.utf8.count * 8 + 10)
        canvas.rect("j", x: x - width + 9, y: y - 10, width: width, height: 24, radius: 12)
        canvas.text("B m", text, x: x + 9 - width / 2, y: y + 6)
    }

    /// Draws the expanded notification: all its texts and its actions.
    mutating func drawExpanded() {
        if look.isSilent {
            height = draw(Silence(look), top: 60) + 40
            return
        }
        height = draw {
            $0.drawOpenCard() + 26
        } above: { canvas, edge in
            canvas.rect("y", x: 0, y: 0, width: Self.width, height: edge, radius: Self.corner)
        }
    }

    private mutating func drawOpenCard() -> Int {
        let bottom = drawCard(top: 24)
        guard let category = look.category else { return bottom }
        let name = BrokenText.line(category, width: 226, size: 15)
        canvas.rect("c", x: 8, y: bottom + 10, width: 262, height: 58, radius: 18)
        canvas.text("", name, x: 26, y: bottom + 34)
        canvas.text("n", language.say(.appNamesActions), x: 26, y: bottom + 54)
        words.append(language.say(.actionsOf(name)))
        return bottom + 68
    }

    /// Draws a front whose bottom edge is known only afterwards, and a back beneath it.
    private mutating func draw(_ front: (inout Scene) -> Int, above back: (inout SVGCanvas, Int) -> Void) -> Int {
        let before = canvas
        canvas = SVGCanvas()
        let edge = front(&self)
        let drawn = canvas
        canvas = before
        back(&canvas, edge)
        canvas.append(drawn)
        return edge
    }

    /// Draws the explanation of what happens instead of a notification.
    ///
    /// - Returns: the bottom edge of the text.
    mutating func draw(_ silence: Silence, top: Int) -> Int {
        let isApple = view.platform == .ios
        let (headline, explanation) = (language.say(silence.headline), silence.explained(in: language))
        canvas.text(isApple ? "D m" : "h m", headline, x: Self.width / 2, y: top + 20)
        let text = BrokenText(explanation, width: 320, limit: 3, metrics: FontMetrics(size: 12))
        for (index, line) in text.lines.enumerated() {
            canvas.text(isApple ? "B m" : "n m", line.text, x: Self.width / 2, y: top + 44 + 18 * index)
        }
        words += [headline, explanation]
        return top + 34 + 18 * text.lines.count
    }
}

/// A device with the notifications on its screen, drawn as the previews of campaigns are.
///
/// A page includes ``NotificationDrawing/styles`` and ``NotificationDrawing/definitions(of:iconAt:)`` once.
package struct PhoneDrawing: Sendable {
    let notes: [Note]
    let caption: String
    let moment: Scene.Moment
    let platform: Platform
    let app: ShownApp
    let language: Language

    /// A notification with its age in words: `5 min ago`.
    package struct Note: Sendable {
        let look: NotificationLook
        let age: String

        package init(_ look: NotificationLook, age: String) {
            self.look = look
            self.age = age
        }
    }

    /// Creates the drawing of a device with notifications, newest first; `caption` stands below them, `time` and `day`
    /// are those on the device.
    package init(
        _ notes: [Note], caption: String, on platform: Platform, app: ShownApp, language: Language, time: String,
        day: String
    ) {
        self.notes = notes
        self.caption = caption
        moment = Scene.Moment(time: time, day: day)
        self.platform = platform
        self.app = app
        self.language = language
    }

    /// The screen as an element for a page.
    package var figure: String {
        let scene = Scene(self)
        let drawing = NotificationDrawing(scene.look, app: app, language: language)
        return drawing.element(scene, .automatic, scene.screen)
    }
}

extension Scene {
    /// The height of a screen, which notifications do not change.
    private static let screenHeight = 700

    /// Draws the screen of a device.
    fileprivate init(_ phone: PhoneDrawing) {
        let isApple = phone.platform == .ios
        self.init(
            of: NotificationLook(platform: phone.platform, pushType: .alert), app: phone.app,
            view: isApple ? .lockScreen : .shade, language: phone.language, moment: phone.moment)
        if isApple { drawClock(top: 32) } else { drawShadeHead() }
        // On an iPhone they gather at the lower end; there is no telling how high they are before they are drawn.
        var trial = self
        let end = Self.screenHeight - 38
        draw(phone, top: isApple ? end - trial.draw(phone, top: 0) : 116)
        drawEnd(below: end)
    }

    /// Draws notifications one below another, and the caption.
    ///
    /// - Returns: the bottom edge of the caption.
    @discardableResult private mutating func draw(_ phone: PhoneDrawing, top: Int) -> Int {
        var bottom = top
        for note in phone.notes {
            (look, age) = (note.look, note.age)
            bottom = (view == .lockScreen ? drawCard(top: bottom) : drawNotification(top: bottom, isOpen: false)) + 6
        }
        guard !phone.caption.isEmpty else { return bottom }
        canvas.text(view == .lockScreen ? "B m" : "n m", phone.caption, x: Self.width / 2, y: bottom + 20)
        words.append(phone.caption)
        return bottom + 30
    }
}
