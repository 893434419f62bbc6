extension Campaign {
    /// The looks of the message, or of its variants, and of its languages, on each platform that its audience and a
    /// remote can reach, the platforms in order; the conditions of the workspace's segments may leave a platform out.
    package func looks(
        on remote: RemoteType, by encoder: any RequestEncoding, segments: [String: Segment]
    ) -> [NotificationLook] {
        let possible = audience.possiblePlatforms(segments: segments)
        return Platform.allCases.filter { remote.platforms.contains($0) && possible.contains($0) }.flatMap { platform in
            zip(messages, variants.isEmpty ? [nil] : variants.map(\.name)).flatMap { message, variant in
                ([(message, nil)] + message.languages.map { (message.speaking($0), $0.name) }).map { words, language in
                    var look = encoder.look(of: words, on: platform, among: possible)
                    (look.language, look.variant) = (language, variant)
                    return look
                }
            }
        }
    }
}
