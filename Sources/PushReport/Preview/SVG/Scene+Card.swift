internal import Push

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
