internal import Push

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
