internal import Foundation
internal import Push

@testable internal import PushReport

/// The smaller pictures of the documentation, in the colours of the previews.
enum PagePictures {
    private static let (margin, scale) = (16, 0.66)

    /// Lock screens side by side under their names.
    static func row(_ drawings: [NotificationDrawing], title: String) -> String {
        let step = Int(Double(Scene.width) * scale) + margin
        var (names, views, lowest) = (SVGCanvas(), "", 0)
        for (place, drawing) in drawings.enumerated() {
            guard let view = drawing.views.first else { continue }
            let x = margin + place * step
            names.text("u", drawing.name(of: view), x: x + 8, y: margin + 10)
            let element = drawing.element(view, .automatic, attributes: "")
            views += "<g transform=\"translate(\(x) \(margin + 22)) scale(\(scale))\">\(element)</g>"
            lowest = max(lowest, Int(Double(drawing.height(of: view)) * scale))
        }
        return picture(
            names.content, views, width: margin + drawings.count * step, height: 2 * margin + 24 + lowest, title: title)
    }

    /// One bar for each value, the largest over the whole width.
    static func bars(_ values: [(label: String, value: Int, text: String)], title: String) -> String {
        let (left, room, step) = (300, 420, 30)
        let most = max(values.map(\.value).max() ?? 1, 1)
        var canvas = SVGCanvas()
        for (place, bar) in values.enumerated() {
            let y = margin + place * step
            let width = room * bar.value / most
            canvas.text("g e", BrokenText.line(bar.label, width: 270, size: 14), x: left - 12, y: y + 16)
            canvas.rect(place == 0 ? "d" : "w", x: left, y: y + 2, width: width, height: 20, radius: 3)
            canvas.text("u", bar.text, x: left + width + 8, y: y + 16)
        }
        return picture(
            canvas.content, "", width: left + room + 90, height: 2 * margin + step * values.count, title: title)
    }

    private static func picture(_ text: String, _ views: String, width: Int, height: Int, title: String) -> String {
        var back = SVGCanvas()
        back.rect("k", x: 0, y: 0, width: width, height: height, radius: 12)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" role="img" width="\(width)" height="\(height)" \
            viewBox="0 0 \(width) \(height)"><title>\(SVGCanvas.escaped(title))</title>\
            <style>\(NotificationDrawing.styles)</style><g class="bp auto">\(back.content)\(text)</g>\(views)</svg>

            """
    }
}
