internal import Base
internal import Push

extension NotificationDrawing {
    /// One view as lines of text in a box, for terminals, cut where the picture is cut; `usesUnicode` allows non-ASCII
    /// characters besides the message's own texts.
    ///
    /// - Returns: the lines, without line breaks; nothing in them needs escaping.
    package func text(_ view: View, usesUnicode: Bool = true) -> [String] {
        var box = TextBox(glyphs: usesUnicode ? .unicode : .ascii)
        let isPassive = view == .banner && look.interruptionLevel == .passive
        if look.isSilent || isPassive {
            let silence = look.isSilent ? Silence(look) : .passive
            box.add(language.say(silence.headline))
            box.add(silence.explained(in: language))
        } else {
            fill(&box, view)
        }
        var lines = [name(of: view)] + box.lines
        if view == .lockScreen || view == .shade {
            let remarks = look.remarks(in: language).map { BrokenText.line($0, width: 400) }
            let separator = usesUnicode ? " · " : ", "
            let note = usesUnicode ? "♪ " : language.say(.sound(""))
            lines +=
                remarks.isEmpty
                ? [] : ["  " + remarks.map { $0.replacing("♪ ", with: note) }.joined(separator: separator)]
        }
        return lines
    }

    private func fill(_ box: inout TextBox, _ view: View) {
        let shown = ShownNotification(look, app: app.name, view: view, language: language)
        if view.platform == .android, view == .openShade || shown.title == nil {
            box.add(shown.app.lines[0].text, aside: language.say(.now))
        }
        if let mark = shown.mark { box.add(language.say(mark.label)) }
        if view == .expanded, let picture = shown.picture {
            let (file, host) = (BrokenText.line(picture.file, width: 150), BrokenText.line(picture.host, width: 150))
            box.add(language.say(.picture(file, of: host)))
        }
        for (index, text) in [shown.title, shown.subtitle, shown.body].enumerated() {
            for line in text?.lines ?? [] {
                let isFirst = index == 0 && line == text?.lines.first && view != .openShade
                box.add(
                    line.text, aside: isFirst ? language.say(.now) : nil, isReversed: text?.direction == .rightToLeft)
            }
        }
        let activity = ActivityRows(look, limit: view == .expanded ? 8 : 3, in: language)
        for row in activity.rows where look.pushType == .liveactivity {
            box.add(row.value.isEmpty ? row.name : row.name + language.say(.colon) + row.value)
        }
        if view == .expanded, let category = look.category {
            box.add(language.say(.actionsNamed(BrokenText.line(category, width: 200))))
        }
    }
}

/// Lines with a border around them.
struct TextBox {
    private var rows: [Row] = []
    private let glyphs: Glyphs

    private struct Row {
        var text: String
        var aside: String
        var isReversed: Bool
        var width: Int
    }

    /// The characters of the border.
    struct Glyphs {
        var corners: [String]
        var horizontal: String
        var vertical: String
        var ellipsis: String

        static let unicode = Glyphs(corners: ["╭", "╮", "╰", "╯"], horizontal: "─", vertical: "│", ellipsis: "…")
        static let ascii = Glyphs(corners: ["+", "+", "+", "+"], horizontal: "-", vertical: "|", ellipsis: "...")
    }

    init(glyphs: Glyphs) { self.glyphs = glyphs }

    /// Adds a line, which must not contain invisible characters.
    mutating func add(_ text: String, aside: String? = nil, isReversed: Bool = false) {
        let text = text.replacing("…", with: glyphs.ellipsis)
        let aside = aside ?? ""
        let width = DisplayWidth.of(text) + (aside.isEmpty ? 0 : DisplayWidth.of(aside) + 2)
        rows.append(Row(text: text, aside: aside, isReversed: isReversed, width: width))
    }

    /// The lines of the box; as wide as its widest line, at least 44 columns inside.
    var lines: [String] {
        let width = rows.reduce(44) { max($0, $1.width) }
        let edge = String(repeating: glyphs.horizontal, count: width + 2)
        let inner = rows.map { row in
            let space = String(repeating: " ", count: width - row.width)
            let aside = row.aside.isEmpty ? "" : "  " + row.aside
            // Right-to-left text is aligned to the right.
            let content = row.isReversed ? space + row.text + aside : row.text + space + aside
            return "\(glyphs.vertical) \(content) \(glyphs.vertical)"
        }
        return [glyphs.corners[0] + edge + glyphs.corners[1]] + inner + [glyphs.corners[2] + edge + glyphs.corners[3]]
    }
}
