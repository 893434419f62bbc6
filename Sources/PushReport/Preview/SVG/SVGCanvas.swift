internal import Base

/// Writes the elements of a drawing, with every text escaped for XML; coordinates are in points.
struct SVGCanvas {
    /// The SVG written so far.
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

    /// Adds a circle.
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
        _ style: String, _ text: String, x: Int, y: Int, room: Line.Room? = nil,
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
        let isReversed = text.direction == .rightToLeft
        for line in text.lines {
            if !line.text.isEmpty {
                self.text(
                    isReversed ? (style.isEmpty ? "r" : style + " r") : style, line.text, x: isReversed ? right : left,
                    y: y,
                    room: aside == nil ? Line.Room(used: line.width, width: Double(right - left)) : nil,
                    aside: aside)
            }
            y += step
        }
        return y
    }

    /// Measurements of a line of text.
    enum Line {
        /// The width used and the width available.
        struct Room {
            var used: Double
            var width: Double
        }
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
