extension Campaign {
    /// The looks of the message, and of its languages, on each platform that its audience and a remote can reach, the
    /// platforms in order; the
    /// conditions of the workspace's segments may leave a platform out.
    package func looks(
        on remote: RemoteType, by encoder: any RequestEncoding, segments: [String: Segment]
    ) -> [NotificationLook] {
        let possible = audience.possiblePlatforms(segments: segments)
        return Platform.allCases.filter { remote.platforms.contains($0) && possible.contains($0) }.flatMap { platform in
            [encoder.look(of: message, on: platform, among: possible)]
                + message.languages.map { language in
                    var look = encoder.look(of: message.speaking(language), on: platform, among: possible)
                    look.language = language.name
                    return look
                }
        }
    }
}
