internal import PushModel
internal import PushPreview

extension NotificationLook {
    /// What a device shows, in words: where nothing can be drawn.
    var lines: [String] {
        if let silence { return [silence] }
        var lines = [title, subtitle, body].compactMap { $0?.shownText }
        switch badge {
        case .number(0): lines.append("the badge is taken away")
        case .number(let number): lines.append("badge \(number)")
        case .increment: lines.append("badge: one more")
        case nil: break
        }
        switch sound {
        case .name(let name): lines.append("sound: \(name)")
        case .detailed(let name, let isCritical, _): lines.append("\(isCritical ? "critical sound" : "sound"): \(name)")
        case nil: break
        }
        if let interruptionLevel { lines.append("interruption level: \(interruptionLevel.apnsValue)") }
        return lines
    }
}
