internal import Base

/// Writes the elements of a drawing, with every text escaped for XML; coordinates are in points.
struct SVGCanvas {
    private(set) var content = ""

    /// Adds a rectangle with rounded corners.
    mutating func rect(_ style: String, x: Int, y: Int, width: Int, height: Int, radius: Int = 0, fill: String? = nil) {
        content += "<rect"
        attribute("class", style)
        if x != 0 { content += " x=\"\(x)\"" }
        if y != 0 { content += " y=\"\(y)\"" }
        content += " width=\"\(width)\" height=\"\(height)\""
        if radius > 0 { content += " rx=\"\(radius)\"" }
        if let fill { content += " fill=\"\(fill)\"" }
        content += "/>"
    }

    mutating func circle(_ style: String, x: Int, y: Int, radius: Int, fill: String? = nil) {
        content += "<circle"
        attribute("class", style)
        content += " cx=\"\(x)\" cy=\"\(y)\" r=\"\(radius)\""
        if let fill { content += " fill=\"\(fill)\"" }
        content += "/>"
    }

    /// Adds a path; `data` is our own, never text from a message.
    mutating func path(_ style: String, _ data: String) {
        content += "<path"
        attribute("class", style)
        content += " d=\"\(data)\"/>"
    }

    /// Adds a line of text that starts, is centred, or ends at a position, depending on the style's anchor. `room` is
    /// the width available and the width used, by our own metrics; `aside` follows in the same line, in another style.
    mutating func text(
        _ style: String, _ text: String, x: Int, y: Int, room: Room? = nil,
        aside: (style: String, text: String)? = nil
    ) {
        content += "<text"
        attribute("class", style)
        content += " x=\"\(x)\" y=\"\(y)\""
        // Another font than the system's may be wider: compress a line that nearly fills its room.
        if let room, room.used > room.width * 0.85 {
            content += " textLength=\"\(Int(room.used.rounded()))\" lengthAdjust=\"spacingAndGlyphs\""
        }
        content += ">\(Self.escaped(text))"
        if let aside { content += "<tspan class=\"\(aside.style)\">\(Self.escaped(aside.text))</tspan>" }
        content += "</text>"
    }

    /// Adds the lines of a text between two edges, aligned to the edge at which its direction starts.
    ///
    /// - Returns: the baseline after the last line.
    mutating func lines(
        _ style: String, _ text: BrokenText, from left: Int, to right: Int, baseline: Int, step: Int,
        aside: (style: String, text: String)? = nil
    ) -> Int {
        var y = baseline
        let isReversed = text.isRightToLeft
        for line in text.lines {
            if !line.text.isEmpty {
                self.text(
                    isReversed ? (style.isEmpty ? "r" : style + " r") : style, line.text, x: isReversed ? right : left,
                    y: y,
                    room: aside == nil ? Room(used: line.width, width: Double(right - left)) : nil,
                    aside: aside)
            }
            y += step
        }
        return y
    }

    /// The width that a line of text uses, and the width available.
    struct Room {
        var used: Double
        var width: Double
    }

    /// Adds the content of another canvas on top.
    mutating func append(_ other: SVGCanvas) { content += other.content }

    private mutating func attribute(_ name: String, _ value: String) {
        if !value.isEmpty { content += " \(name)=\"\(value)\"" }
    }

    /// The text as character data or an attribute's value, safe for any content.
    static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in VisibleText.shown(text).utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes.append(contentsOf: "&amp;".utf8)
            case UInt8(ascii: "<"): bytes.append(contentsOf: "&lt;".utf8)
            case UInt8(ascii: ">"): bytes.append(contentsOf: "&gt;".utf8)
            case UInt8(ascii: "\""): bytes.append(contentsOf: "&quot;".utf8)
            case UInt8(ascii: "'"): bytes.append(contentsOf: "&#39;".utf8)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The colours and fonts of drawings, as one style sheet: light, dark, or following the viewer's device.
enum DrawingStyle {
    /// The rules, all under the class `bp`.
    static let css = ".bp{\(font)\(light)}.bp.dark{\(dark)}@media(prefers-color-scheme:dark){.bp.auto{\(dark)}}\(rules)"

    private static let font =
        "font-family:-apple-system,Roboto,'Helvetica Neue',Arial,'PingFang SC','Noto Sans CJK SC',sans-serif;"

    // p panel, q chip, u text on both; w wallpaper, v waves; c card, t text, s secondary text; a shade, k tile, l its
    // accent.
    private static let light =
        "--p:#f2f2f7;--q:#e2e2ea;--u:#44454d;--w:#2f52b8;--v:#527ce0;--c:#f5f6fa;--t:#0b0b0e;--s:#5b5c65;--a:#e6e7f0;"
        + "--k:#fff;--l:#c3d3ff;--d:#d0d1dc"
    private static let dark =
        "--p:#16161a;--q:#34353e;--u:#c6c7d1;--w:#151b3f;--v:#3b4a9c;--c:#2b2c34;--t:#fff;--s:#b4b5c0;--a:#101116;"
        + "--k:#26272f;--l:#3a4a80;--d:#4a4b57"

    private static let rules =
        ".bp text{fill:var(--t);font-size:15px;unicode-bidi:isolate}.bp .p{fill:var(--p)}.bp .w{fill:var(--w)}"
        + ".bp .v{fill:var(--v);opacity:.4}.bp .c{fill:var(--c)}.bp .a{fill:var(--a)}.bp .k{fill:var(--k)}"
        + ".bp .l{fill:var(--l)}.bp .q{fill:var(--q)}.bp .d{fill:var(--d)}.bp .o{fill:#fff}.bp .z{opacity:.35}.bp .b{opacity:.6}"
        + ".bp .y{fill:#000;opacity:.45}.bp .j{fill:#e0323f}.bp .x{fill:none;stroke:var(--s);stroke-width:1.6}"
        + ".bp tspan{unicode-bidi:isolate;white-space:pre}.bp .h{font-weight:600}.bp .s{fill:var(--s);font-size:13px}.bp .e{text-anchor:end}.bp .m{text-anchor:middle}"
        + ".bp .f{fill:var(--s);font-size:11px;font-weight:700;letter-spacing:.3px}.bp .i{font-style:italic}"
        + ".bp .g{font-size:14px}.bp .n{fill:var(--s);font-size:12px}.bp .u{fill:var(--u);font-size:12px}"
        + ".bp .W{fill:#fff}.bp .B{fill:#fff;font-size:12px;font-weight:600}.bp .D{fill:#fff;font-weight:600}"
        + ".bp .T{fill:#fff;font-size:76px;font-weight:300}.bp .I{fill:#fff;font-size:19px;font-weight:600}"
        + ".bp .r{direction:rtl}.bp-icons{position:absolute}"
}
