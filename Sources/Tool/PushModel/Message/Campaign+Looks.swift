extension Campaign {
    /// The campaign's look on each platform that its audience and a remote can reach, in platform order.
    ///
    /// - Parameter segments: the segments of the workspace, whose conditions may leave a platform out.
    package func looks(
        on remote: RemoteType, by encoder: any RequestEncoding, segments: [String: Segment]
    ) -> [NotificationLook] {
        let possible = audience.possiblePlatforms(segments: segments)
        return Platform.allCases.filter { remote.platforms.contains($0) && possible.contains($0) }
            .map { encoder.look(of: message, on: $0, among: possible) }
    }
}
