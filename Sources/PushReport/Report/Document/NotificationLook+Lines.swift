internal import Push

extension NotificationLook {
    /// The effects on a device in words, for formats that draw nothing.
    func lines(in language: Language) -> [String] {
        if let silence = silence(in: language) { return [silence] }
        var lines = [title, subtitle, body].compactMap { $0?.shownText }
        switch badge {
        case .number(0): lines.append(language.say(.badgeTaken))
        case .number(let number): lines.append(language.say(.badge(number)))
        case .increment: lines.append(language.say(.badgeMore))
        case nil: break
        }
        switch sound {
        case .name(let name): lines.append(language.say(.sound(name)))
        case .detailed(let name, let isCritical, _):
            lines.append(language.say(isCritical ? .criticalSound(name) : .sound(name)))
        case nil: break
        }
        if let interruptionLevel { lines.append(language.say(.interruption(interruptionLevel.apnsValue))) }
        return lines
    }
}
