package import PushModel

/// What is said of a push that no person sees.
struct Silence: Hashable {
    /// That it is not seen.
    var headline: String
    /// What happens instead.
    var explanation: String

    /// What stands in a banner's place.
    ///
    /// Source: `UNNotificationInterruptionLevel.passive`: "adds the notification to the notification list without
    /// lighting up the screen or playing a sound".
    static let passive = Silence(
        headline: "It goes to the list.", explanation: "Passive: no screen lights up, no sound is played.")

    private init(headline: String, explanation: String) {
        self.headline = headline
        self.explanation = explanation
    }

    init(_ look: NotificationLook) {
        headline = "Nothing is shown."
        switch look.pushType {
        case .alert, .liveactivity: explanation = Self.effects(of: look)
        case .background: explanation = "The app is woken in the background and gets the data."
        case .voip: explanation = "The app is woken and shows the call itself."
        case .complication: explanation = "The app on the watch updates its complication."
        case .fileprovider: explanation = "The File Provider extension looks at its files."
        case .mdm: explanation = "The device asks its management server for commands."
        case .location: explanation = "The app's extension tells where the device is."
        case .pushtotalk: explanation = "The app is woken to play or join a talk."
        case .widgets: explanation = "The app's widgets are drawn anew."
        case .controls: explanation = "The app's controls are drawn anew."
        }
    }

    private static func effects(of look: NotificationLook) -> String {
        var effects: [String] = []
        if let sound = look.sound { effects.append("The sound \(sound.name) is played.") }
        switch look.badge {
        case .number(0): effects.append("The badge is removed.")
        case .number(let number): effects.append("The badge becomes \(number).")
        case .increment: effects.append("The badge becomes one more.")
        case nil: break
        }
        return effects.isEmpty ? "The message has no text." : effects.joined(separator: " ")
    }
}

extension Sound {
    /// The file, or `default`.
    var name: String {
        switch self {
        case .name(let name), .detailed(let name, _, _): name
        }
    }
}

extension NotificationLook {
    /// What happens instead of a notification, in words; nil: a device shows something.
    package var silence: String? {
        guard isSilent else { return nil }
        let silence = Silence(self)
        return "\(silence.headline) \(silence.explanation)"
    }
}
