/// Views side by side under their names, with a row per notification.
struct Sheet {
    /// The SVG content.
    private(set) var content = ""
    /// The width of the sheet.
    private(set) var width = 0
    /// The height of the sheet.
    private(set) var height = 0

    private static let gap = 24

    /// Arranges the drawings in a sheet whose top edge is `top`.
    init(_ drawings: [NotificationDrawing], _ appearance: NotificationDrawing.Appearance, top: Int) {
        var canvas = SVGCanvas()
        var views = ""
        height = Self.gap
        for drawing in drawings {
            var (x, lowest) = (Self.gap, 0)
            for view in drawing.views {
                canvas.text("u", drawing.name(of: view), x: x + 14, y: top + height + 12)
                views += drawing.element(view, appearance, attributes: " x=\"\(x)\" y=\"\(top + height + 22)\"")
                x += Scene.width + Self.gap
                lowest = max(lowest, drawing.height(of: view))
            }
            width = max(width, x)
            height += lowest + 22 + Self.gap
        }
        var back = SVGCanvas()
        back.rect("k", x: 0, y: top, width: width, height: height)
        content = "<g class=\"bp \(appearance.rawValue)\">\(back.content)\(canvas.content)</g>\(views)"
    }
}
