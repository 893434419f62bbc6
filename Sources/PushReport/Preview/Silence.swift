package import Push

/// The explanation of a push that no person sees.
struct Silence {
    /// The headline, which says that it is not seen.
    var headline: Phrase
    /// The effects it has instead.
    var explanation: [Phrase]

    /// The text in place of a banner.
    ///
    /// Source: `UNNotificationInterruptionLevel.passive`: "adds the notification to the notification list without
    /// lighting up the screen or playing a sound".
    static let passive = Silence(
        headline: .goesToList, explanation: [.passiveEffect])

    private init(headline: Phrase, explanation: [Phrase]) {
        self.headline = headline
        self.explanation = explanation
    }

    init(_ look: NotificationLook) {
        headline = .nothingShown
        switch look.pushType {
        case .alert, .liveactivity: explanation = Self.effects(of: look)
        case .background: explanation = [.silentEffect]
        case .voip: explanation = [.callEffect]
        case .complication: explanation = [.complicationEffect]
        case .fileprovider: explanation = [.fileEffect]
        case .mdm: explanation = [.mdmEffect]
        case .location: explanation = [.locationEffect]
        case .pushtotalk: explanation = [.talkEffect]
        case .widgets: explanation = [.widgetEffect]
        case .controls: explanation = [.controlEffect]
        }
    }

    /// The effects in words.
    func explained(in language: Language) -> String { language.say(.sideBySide(explanation.map(language.say))) }

    private static func effects(of look: NotificationLook) -> [Phrase] {
        var effects: [Phrase] = []
        if let sound = look.sound { effects.append(.soundPlays(sound.name)) }
        switch look.badge {
        case .number(0): effects.append(.badgeIsRemoved)
        case .number(let number): effects.append(.badgeBecomes(number))
        case .increment: effects.append(.badgeIsMore)
        case nil: break
        }
        return effects.isEmpty ? [.noText] : effects
    }
}

extension Sound {
    /// The file name, or `default`.
    var name: String {
        switch self {
        case .name(let name), .detailed(let name, _, _): name
        }
    }
}

extension NotificationLook {
    /// The effects in place of a notification, in words; nil when a device shows something.
    package func silence(in language: Language) -> String? {
        guard isSilent else { return nil }
        let silence = Silence(self)
        return language.say(.sideBySide([language.say(silence.headline), silence.explained(in: language)]))
    }
}
