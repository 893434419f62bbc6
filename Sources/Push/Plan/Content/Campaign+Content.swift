internal import Base

extension Campaign {
    /// Hash of the content to deliver: audience with its segments and profile, message, time, expiration.
    ///
    /// It excludes fields that control the delivery (revision, hold, limits, labels), and the place of the declaration.
    package func contentDigest(
        segments: [String: Segment], profiles: [String: DeviceProfile]
    ) -> Digest {
        var writer = ContentWriter()
        write(to: &writer, segments: segments, profiles: profiles)
        return writer.digest
    }

    /// Hash of the campaign's own document, independent of its segments and profiles.
    var documentDigest: Digest {
        var writer = ContentWriter()
        write(to: &writer, segments: nil, profiles: [:])
        return writer.digest
    }

    /// Writes what is hashed of the content; `segments` are those that it may name, or nil: only their names count.
    private func write(
        to writer: inout ContentWriter, segments: [String: Segment]?, profiles: [String: DeviceProfile]
    ) {
        writer.write("environment", environment.rawValue)
        writer.write("everyone", audience.everyone ? true : nil)
        writer.write("channels", audience.channels)
        let conditions = segments.map { known in audience.segments.compactMap { known[$0]?.condition.canonicalText } }
        writer.write("segments", conditions ?? audience.segments)
        writer.write("where", audience.condition)
        writer.write("platforms", audience.platforms.sorted().map(\.rawValue))
        writer.write("devices", audience.devices)
        writer.write("deviceProfile", audience.deviceProfile)
        if let profile = pushingProfile(profiles), case .token(let team, _, _) = profile.credential {
            writer.write("topic", profile.topic)
            writer.write("team", team)
        }
        message.hash(to: &writer)
        if !message.languages.isEmpty { writer.write("languageField", languageField) }
        writer.write("at", scheduledAt?.instant.text)
        recurrence?.hash(to: &writer)
        expiration?.hash(to: &writer)
        writer.write("throttle", throttlePerSecond)
        rollout?.hash(to: &writer)
        localSchedule?.hash(to: &writer)
        for variant in variants { writer.group("variant \(variant.name)") { Variant.fields.hash(variant, to: &$0) } }
        writer.write("decideBy", decideBy.map { Int($0.wholeSeconds) })
        writer.write("otherwise", otherwise)
    }

    /// The profile that a push names: the audience's, else the default one of its environment.
    func pushingProfile(_ profiles: [String: DeviceProfile]) -> DeviceProfile? {
        if let name = audience.deviceProfile { return profiles[name] }
        return profiles.values.filter { $0.isDefault && $0.environment == environment }.min { $0.name < $1.name }
    }

    /// Hash of everything the campaign declares, for the desired state; `content` is the hash of what would be
    /// delivered, ``contentDigest(segments:profiles:)``.
    func declarationDigest(content: Digest) -> Digest {
        var writer = ContentWriter()
        writer.write("name", name)
        writer.write("description", description)
        writer.write("revision", revision)
        writer.write("formerly", formerly)
        writer.write("hold", hold)
        for (label, value) in labels.sorted(by: { $0.key < $1.key }) { writer.write("label", [label, value]) }
        writer.write("remotes", remotes ?? [])
        writer.write("window", Int(window.wholeSeconds))
        writer.write("inDoubt", inDoubt.rawValue)
        writer.write("maxAudience", maxAudience)
        if minAudience != 1 { writer.write("minAudience", minAudience) }
        // The choice decides about the rest of what was delivered: the delivery stays the same.
        writer.write("winner", winner)
        writer.write("content", content.hexadecimal)
        return writer.digest
    }
}
