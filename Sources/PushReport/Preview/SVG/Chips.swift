internal import Push

/// The effects of a notification that no screen shows: its sound, badge, group, and what it replaces.
struct Chips {
    /// The total height; 0 when there are no chips.
    private(set) var height = 0
    private var chips: [Chip] = []

    private struct Chip {
        var text: String
        var x: Int
        var y: Int
        var width: Int
    }

    /// Creates no chips.
    init() {}

    /// Creates the chips of a look, in rows of the given width.
    init(_ look: NotificationLook, width: Int, in language: Language) {
        let metrics = FontMetrics(size: 12)
        var (x, y) = (14, 0)
        for text in look.remarks(in: language) {
            let line = BrokenText(text, width: Double(width - 52), limit: 1, metrics: metrics).lines[0]
            let size = Int(line.width) + 22
            if x > 14, x + size > width - 14 { (x, y) = (14, y + 30) }
            chips.append(Chip(text: line.text, x: x, y: y, width: size))
            x += size + 8
        }
        height = chips.isEmpty ? 0 : y + 24
    }

    /// Draws the chips from a given top edge.
    func draw(at top: Int, on canvas: inout SVGCanvas) {
        for chip in chips {
            canvas.rect("q", x: chip.x, y: top + chip.y, width: chip.width, height: 24, radius: 12)
            canvas.text(
                "u", chip.text, x: chip.x + 11, y: top + chip.y + 16,
                room: SVGCanvas.Line.Room(used: Double(chip.width - 22), width: Double(chip.width - 22)))
        }
    }
}

extension NotificationLook {
    /// The effects that no screen shows, in a few words each; badges, groups and levels exist on Apple devices only.
    func remarks(in language: Language) -> [String] {
        let keys = [title, subtitle, body].contains { $0?.isKey == true } ? [language.say(.localizedInApp)] : []
        return tone(in: language) + (platform == .ios ? appleRemarks(in: language) : []) + keys
    }

    private func tone(in language: Language) -> [String] {
        guard let sound, !isSilent else { return [] }
        let name = sound.name == "default" ? language.say(.defaultSound) : sound.name
        guard platform == .ios else { return ["♪ " + name] }
        if mark == .critical { return [language.say(.playedThoughMuted(name))] }
        return [interruptionLevel == .passive ? language.say(.notPlayed(name)) : "♪ " + name]
    }

    private func appleRemarks(in language: Language) -> [String] {
        var remarks: [String] = []
        switch badge {
        case .number(0): remarks.append(language.say(.badgeRemoved))
        case .number(let number): remarks.append(language.say(.badge(number)))
        case .increment: remarks.append(language.say(.badgePlus))
        case nil: break
        }
        if let threadId { remarks.append(language.say(.grouped(threadId))) }
        if let category { remarks.append(language.say(.actions(category))) }
        if let collapseId { remarks.append(language.say(.replaces(collapseId))) }
        switch interruptionLevel {
        case .timeSensitive: remarks.append(language.say(.breaksFocus))
        case .critical: remarks.append(language.say(.breaksEverything))
        case .passive: remarks.append(language.say(.passive))
        case .active, nil: break
        }
        return remarks
    }
}
