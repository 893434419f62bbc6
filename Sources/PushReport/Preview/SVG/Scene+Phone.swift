internal import Push

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

    /// Draws the day and the time.
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
    private mutating func draw(
        _ front: (inout Scene) -> Int, above back: (inout SVGCanvas, Int) -> Void
    ) -> Int {
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
