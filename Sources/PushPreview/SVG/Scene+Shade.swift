internal import PushModel

extension Scene {
    /// A card's edges, and where the texts in it begin and end.
    private static let (cardLeft, textLeft, textRight, cardRight) = (10, 62, 332, 380)

    /// The shade with its two tiles and the notification, closed or open.
    mutating func drawShade(isOpen: Bool) {
        canvas.text("h", "9:41", x: 26, y: 36)
        canvas.text("n e", "Mon, Jun 9", x: 364, y: 36)
        for (index, name) in ["Internet", "Do not disturb"].enumerated() {
            let x = 10 + 188 * index
            canvas.rect(index == 0 ? "l" : "k", x: x, y: 50, width: 182, height: 54, radius: 27)
            canvas.circle(index == 0 ? "c" : "d", x: x + 28, y: 77, radius: 8)
            canvas.text("g", name, x: x + 48, y: 82)
        }
        var bottom = 116
        if look.isSilent {
            bottom = drawNothing(top: 120)
        } else {
            bottom = drawNotification(top: 116, isOpen: isOpen)
        }
        canvas.rect("d", x: Self.width / 2 - 54, y: bottom + 22, width: 108, height: 4, radius: 2)
        height = bottom + 34
    }

    /// The notification: closed, its title stands in the first line and the app is not named; open, it is.
    private mutating func drawNotification(top: Int, isOpen: Bool) -> Int {
        let isHeaderless = !isOpen && look.title != nil
        let shown = ShownNotification(
            look, app: app, view: view,
            columns: ShownNotification.Columns(
                title: Double(Self.textRight - Self.textLeft - (isHeaderless ? 40 : 0)),
                text: Double(Self.textRight - Self.textLeft)))
        let header = isHeaderless ? 0 : 20
        let lines = (shown.title?.lines.count ?? 0) + (shown.body?.lines.count ?? 0)
        let height = header + lines * 20 + 32
        canvas.rect("k", x: Self.cardLeft, y: top, width: 370, height: height, radius: 24)
        drawIcon(x: 24, y: top + 17, size: 26, isRound: true)
        drawExpander(y: top + 30, isOpen: isOpen)
        var y = top + 34
        if !isHeaderless {
            canvas.text("n", shown.app.lines[0].text + " · now", x: Self.textLeft, y: y)
            y += 20
        }
        if let title = shown.title {
            let style = "h g" + (look.title?.isKey == true ? " i" : "")
            let edge = isHeaderless ? Self.textRight - 40 : Self.textRight
            let isReversed = title.direction == .rightToLeft
            if isHeaderless {
                let end = Self.textLeft + Int(title.lines[0].width)
                canvas.text(isReversed ? "n" : "n", "· now", x: isReversed ? Self.textLeft : end + 8, y: y)
            }
            y = canvas.lines(
                style, title, from: Self.textLeft, to: isReversed ? Self.textRight : edge, baseline: y, step: 20)
        }
        if let body = shown.body {
            let style = "g" + (look.body?.isKey == true ? " i" : "")
            y = canvas.lines(style, body, from: Self.textLeft, to: Self.textRight, baseline: y, step: 20)
        }
        note(shown.title, shown.body)
        return top + height
    }

    private mutating func drawExpander(y: Int, isOpen: Bool) {
        canvas.circle("q", x: 356, y: y, radius: 12)
        canvas.path("x", isOpen ? "M351 \(y + 2)l5-5 5 5" : "M351 \(y - 2)l5 5 5-5")
    }
}
