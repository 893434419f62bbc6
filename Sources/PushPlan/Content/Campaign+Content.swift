internal import JSONValue
package import PushModel

extension Campaign {
    /// Hash of what would be delivered: audience with its segments and profile, message, time, expiration.
    ///
    /// Not of what steers the delivery (revision, hold, limits, labels), nor of where it is written.
    package func contentDigest(
        segments: [String: Segment], profiles: [String: DeviceProfile]
    ) -> Digest {
        var writer = ContentWriter()
        write(to: &writer, segments: segments, profiles: profiles)
        return writer.digest
    }

    /// Hash of what the campaign's own document says of it, whatever its segments and profiles do.
    var documentDigest: Digest {
        var writer = ContentWriter()
        write(to: &writer, segments: nil, profiles: [:])
        return writer.digest
    }

    /// - Parameter segments: those that it may name; nil: only their names count.
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
        message.common.write("common", to: &writer)
        message.ios?.write("ios", to: &writer)
        message.android?.write("android", to: &writer)
        for (vendor, content) in message.vendors.sorted(by: { $0.key < $1.key }) {
            writer.write("vendor", vendor)
            writer.write("content", content)
        }
        writer.write("at", scheduledAt?.instant.text)
        switch expiration {
        case .after(let duration): writer.write("expiresAfter", Int(duration.wholeSeconds))
        case .at(let instant): writer.write("expiresAt", instant.instant.text)
        case .never: writer.write("expires", "never")
        case nil: break
        }
        writer.write("throttle", throttlePerSecond)
    }

    /// The profile that a push names: the audience's, else the default one of its environment.
    func pushingProfile(_ profiles: [String: DeviceProfile]) -> DeviceProfile? {
        if let name = audience.deviceProfile { return profiles[name] }
        return profiles.values.filter { $0.isDefault && $0.environment == environment }.min { $0.name < $1.name }
    }

    /// Hash of everything the campaign declares, for the desired state.
    ///
    /// - Parameter content: the hash of what would be delivered, ``contentDigest(segments:profiles:)``.
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
        writer.write("content", content.hexadecimal)
        return writer.digest
    }
}

extension MessageContent {
    fileprivate func write(_ name: StaticString, to writer: inout ContentWriter) {
        writer.group(name) { writer in
            title?.write("title", to: &writer)
            subtitle?.write("subtitle", to: &writer)
            body?.write("body", to: &writer)
            switch badge {
            case .number(let number): writer.write("badge", number)
            case .increment: writer.write("badge", "increment")
            case nil: break
            }
            switch sound {
            case .name(let name): writer.write("sound", name)
            case .detailed(let name, let critical, let volume):
                writer.write("soundName", name)
                writer.write("critical", critical)
                writer.write("volume", volume)
            case nil: break
            }
            writer.write("category", category)
            writer.write("threadId", threadId)
            writer.write("targetContentId", targetContentId)
            writer.write("launchImage", launchImage)
            writer.write("filterCriteria", filterCriteria)
            writer.write("interruptionLevel", interruptionLevel?.rawValue)
            writer.write("relevanceScore", relevanceScore)
            writer.write("mutableContent", mutableContent)
            writer.write("contentAvailable", contentAvailable)
            writer.write("collapseId", collapseId)
            writer.write("priority", priority)
            writer.write("pushType", pushType?.rawValue)
            if let liveActivity { writer.write("liveActivity", .object(liveActivity.apsFields)) }
            writer.write("data", data.map { .object($0) })
            writer.write("deliveryKey", deliveryKey)
            writer.write("silent", silent)
            writer.write("action", action)
            writer.write("channel", channel)
        }
    }
}

extension LocalizableText {
    fileprivate func write(_ name: StaticString, to writer: inout ContentWriter) {
        switch self {
        case .text(let text): writer.write(name, text)
        case .localized(let key, let arguments):
            writer.group(name) { writer in
                writer.write("key", key)
                writer.write("args", arguments)
            }
        }
    }
}
