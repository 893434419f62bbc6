package import Push

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
