internal import Phrasebook
internal import PushModel

/// What a notification does that no screen shows: its sound, its badge, its group, what it replaces.
struct Chips {
    /// Their height together; 0 when there is nothing to say.
    private(set) var height = 0
    private var chips: [Chip] = []

    private struct Chip {
        var text: String
        var x: Int
        var y: Int
        var width: Int
    }

    /// None.
    init() {}

    /// Those of a look, in rows of a width.
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

    /// Draws them below a place.
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
    /// What no screen shows, a few words each; badges, groups and levels are Apple's.
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
