internal import PushModel

extension Scene {
    /// A card's left edge, and where the texts in it begin.
    private static let (cardLeft, textLeft) = (8, 62)
    /// A card's right edge, and where the texts in it end.
    private static let (cardRight, textRight) = (382, 366)

    /// The card of an iPhone with everything that the view shows.
    ///
    /// - Parameter top: its upper edge.
    /// - Returns: its lower edge.
    mutating func drawCard(top: Int) -> Int {
        let isOpen = view == .expanded
        let hasThumbnail = look.image != nil && !isOpen
        let textEnd = Self.textRight - (hasThumbnail ? 46 : 0)
        let titleEnd = Self.textRight - 36
        let shown = ShownNotification(
            look, app: app, view: view,
            columns: ShownNotification.Columns(
                title: Double(titleEnd - Self.textLeft), text: Double(textEnd - Self.textLeft)))
        let picture = isOpen && shown.picture != nil ? 180 : 0
        let activity = look.pushType == .liveactivity ? ActivityRows(look, limit: isOpen ? 8 : 3) : nil
        let lines = [shown.title, shown.subtitle, shown.body].reduce(0) { $0 + ($1?.lines.count ?? 0) }
        let rows = (activity?.rows.count ?? 0) * 20 + (shown.mark == nil ? 0 : 16)
        let height = picture + max(62, lines * 20 + rows + 24)
        canvas.rect("c", x: Self.cardLeft, y: top, width: 374, height: height, radius: 22)
        if picture > 0, let file = shown.picture { drawPicture(file, top: top) }
        let start = top + picture
        drawIcon(x: 16, y: start + (height - picture - 38) / 2, size: 38)
        canvas.text("s e", "now", x: Self.textRight, y: start + 27)
        if hasThumbnail { drawThumbnail(y: start + max(36, (height - 36) / 2 + 6)) }
        var y = start + 27
        if let mark = shown.mark {
            if mark == .critical { canvas.path("j", "M\(Self.textLeft) \(y - 2)h11l-5.500-10z") }
            canvas.text("f", mark.rawValue, x: Self.textLeft + (mark == .critical ? 16 : 0), y: y - 2)
            y += 16
        }
        let italic = { (text: LocalizableText?) in text?.isKey == true ? " i" : "" }
        if let title = shown.title {
            y = canvas.lines("h" + italic(look.title), title, from: Self.textLeft, to: titleEnd, baseline: y, step: 20)
        }
        if let subtitle = shown.subtitle {
            y = canvas.lines(
                "h" + italic(look.subtitle), subtitle, from: Self.textLeft, to: textEnd, baseline: y, step: 20)
        }
        if let body = shown.body {
            let style = look.body?.isKey == true ? "i" : ""
            y = canvas.lines(style, body, from: Self.textLeft, to: textEnd, baseline: y, step: 20)
        }
        for row in activity?.rows ?? [] {
            canvas.text("s", row.name, x: Self.textLeft, y: y)
            canvas.text("h e", row.value, x: Self.textRight, y: y)
            y += 20
        }
        note(shown.title, shown.subtitle, shown.body)
        return top + height
    }

    private mutating func drawPicture(_ picture: ShownNotification.Picture, top: Int) {
        canvas.path("d", "M8 \(top + 180)v-158a22 22 0 0 1 22-22h330a22 22 0 0 1 22 22v158z")
        canvas.path("c", "M150 \(top + 104)l28-40 20 26 12-14 30 28z")
        canvas.circle("c", x: 222, y: top + 52, radius: 9)
        let width = 340.0
        for (index, text) in [picture.file, picture.host].enumerated() where !text.isEmpty {
            let line = BrokenText(text, width: width, limit: 1, metrics: FontMetrics(size: 13)).lines[0].text
            canvas.text("s m", line, x: Self.width / 2, y: top + 134 + 18 * index)
        }
    }

    private mutating func drawThumbnail(y: Int) {
        canvas.rect("d", x: 330, y: y, width: 36, height: 36, radius: 7)
        canvas.path("c", "M334 \(y + 28)l9-13 6 8 4-5 9 10z")
    }
}
