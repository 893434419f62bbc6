internal import Foundation
internal import Push
internal import Testing

@testable internal import PushReport

/// A pull request comment as GitHub shows it, folded, beside what devices show: drawn from the comment's own Markdown.
struct CommentPicture {
    private var canvas = SVGCanvas()
    private var y = 0
    private let room: Int

    private static let (margin, width, size) = (24, 720, 14.0)
    private static let phoneScale = 0.66
    /// The parts of the width that the columns of the table get.
    private static let shares = [0.33, 0.19, 0.2, 0.1, 0.18]

    /// Draws a comment and the most common view of each drawing, in one appearance.
    static func svg(
        _ markdown: String, _ drawings: [NotificationDrawing], _ appearance: NotificationDrawing.Appearance,
        title: String, least: Int = 0
    ) -> String {
        let phones = drawings.compactMap { drawing in drawing.views.first.map { (drawing, $0) } }
        func scaled(_ height: Int) -> Int { Int((Double(height) * phoneScale).rounded(.up)) }
        let height = max(least, 2 * margin + phones.map { scaled($0.0.height(of: $0.1)) + 16 }.reduce(-16, +))
        var picture = CommentPicture(room: height - 2 * margin)
        picture.draw(markdown)
        var (views, y) = ("", margin)
        let left = 2 * margin + width
        for (drawing, view) in phones {
            let element = drawing.element(view, appearance, attributes: "")
            views += "<g transform=\"translate(\(left) \(y)) scale(\(phoneScale))\">\(element)</g>"
            y += scaled(drawing.height(of: view)) + 16
        }
        let whole = phones.isEmpty ? left : left + scaled(Scene.width) + margin
        var frame = SVGCanvas()
        frame.rect("k", x: 0, y: 0, width: whole, height: height, radius: 12)
        frame.rect("c", x: margin, y: margin, width: width, height: height - 2 * margin, radius: 8)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" role="img" width="\(whole)" height="\(height)" \
            viewBox="0 0 \(whole) \(height)"><title>\(SVGCanvas.escaped(title))</title>\
            <style>\(NotificationDrawing.styles).bp .G{font-size:20px;font-weight:600}.bp .g.h{font-weight:600}</style>\
            <g class="bp \(appearance.rawValue)">\(frame.content)\(picture.canvas.content)</g>\(views)</svg>

            """
    }

    private init(room: Int) { self.room = room }

    // MARK: Blocks

    /// Draws the blocks that are seen while everything is folded, as far as there is room.
    private mutating func draw(_ markdown: String) {
        y = Self.margin + 8
        var depth = 0
        for line in markdown.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("<details") { depth += 1 }
            if depth == 0, line.hasPrefix("<tr>") {
                drawRow(line)
            } else if depth <= 1 {
                drawLine(line)
            }
            if line.hasPrefix("</details>") { depth -= 1 }
            if y > room { return }
        }
    }

    private mutating func drawLine(_ line: String) {
        let isSummary = line.hasPrefix("<summary>")
        if line.hasPrefix("<h3>") {
            text(line, style: "G", size: 20, gap: 6)
        } else if line.hasPrefix("#### ") {
            // Not without what stands under it.
            guard y + 80 <= room else {
                y = room + 1
                return
            }
            text(String(line.dropFirst(5)), style: "h", size: 15, gap: 14)
        } else if isSummary {
            for (number, part) in line.components(separatedBy: "<br/>").enumerated() {
                text((number == 0 ? "▸ " : "") + part, style: number == 0 ? "g" : "s", indent: number == 0 ? 0 : 16)
            }
            y += 6
        } else if line.hasPrefix("<p>") || line.hasPrefix("<b>") || line.hasPrefix("<code>") {
            text(line, style: line.contains("<b>") ? "g" : "s", gap: line.contains("<b>") ? 8 : 2)
        }
    }

    /// Draws a row of a table: each line of a cell broken within its column, the first row small.
    private mutating func drawRow(_ line: String) {
        let cells = line.matches(of: /<t[hd][^>]*>(.*?)<\/t[hd]>/).map { String($0.output.1) }
        let isHead = line.contains("<th>")
        var left = Self.margin + 16
        var drawn: [(text: String, style: String, x: Int, y: Int)] = []
        var lowest = y
        for (cell, share) in zip(cells, Self.shares) {
            let column = Int(Double(Self.width - 32) * share)
            var baseline = y + 20
            for part in cell.components(separatedBy: "<br/>") where !Self.plain(part).isEmpty {
                let style = isHead ? "n" : part.contains("<b>") ? "g h" : part.hasPrefix("“") ? "s" : "u"
                let size = style == "g h" ? 14.0 : style == "s" ? 13.0 : 12.0
                let metrics = FontMetrics(size: size, isBold: style == "g h")
                let broken = BrokenText(Self.plain(part), width: Double(column - 16), limit: 4, metrics: metrics)
                for text in broken.lines {
                    drawn.append((text.text, style, left, baseline))
                    baseline += 17
                }
            }
            lowest = max(lowest, baseline)
            left += column
        }
        guard lowest <= room + Self.margin else {
            y = room + 1
            return
        }
        if !isHead { canvas.rect("q", x: Self.margin + 16, y: y + 2, width: Self.width - 32, height: 1, radius: 0) }
        for text in drawn { canvas.text(text.style, text.text, x: text.x, y: text.y) }
        y = lowest - 8
    }

    // MARK: Text

    /// Draws a text in one style; words in bold stay in bold only where the whole line is.
    private mutating func text(_ html: String, style: String, size: Double = Self.size, indent: Int = 0, gap: Int = 2) {
        let isBold = style == "G" || style == "h" || html.contains(/^(<p>)?<b>.*<\/b>(<br\/>|<\/p>)?$/)
        let words = Self.plain(html)
        guard !words.isEmpty else { return }
        let metrics = FontMetrics(size: size, isBold: isBold)
        let broken = BrokenText(words, width: Double(Self.width - 32 - indent), limit: 3, metrics: metrics)
        let step = Int(size * 1.45)
        guard y + gap + step * broken.lines.count <= room + Self.margin else {
            y = room + 1
            return
        }
        let classes = isBold && style == "g" ? "g h" : style
        let left = Self.margin + 16 + indent
        y += gap
        _ = canvas.lines(
            classes, broken, from: left, to: Self.margin + Self.width - 16, baseline: y + Int(size), step: step)
        y += step * broken.lines.count
    }

    /// The text of a cell or line without its marks.
    private static func plain(_ html: String) -> String {
        html.replacing(/<[^>]*>/, with: "").replacing("**", with: "").replacing("`", with: "")
            .replacing(/&#([0-9]+);/) { match in
                UInt32(match.output.1).flatMap(Unicode.Scalar.init).map { String(Character($0)) } ?? ""
            }
            .replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
            .replacing("&amp;", with: "&").trimmingCharacters(in: .whitespaces)
    }
}
