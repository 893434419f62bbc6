internal import JSONValue
package import PushModel

extension Workspace {
    /// Hash of the canonical desired state: everything the files declare, and nothing of how they say it.
    package var desiredDigest: Digest { desiredDigest(contents: contentDigests) }

    /// The hash of each campaign's content, in their order.
    var contentDigests: [Digest] {
        let segments = segmentsByName
        let profiles = profilesByName
        return campaigns.mapConcurrently { $0.contentDigest(segments: segments, profiles: profiles) }
    }

    func desiredDigest(contents: [Digest]) -> Digest {
        var writer = ContentWriter()
        writer.write("workspace", name)
        writer.write("defaultRemote", defaultRemote)
        for remote in remotes.values.sorted(by: { $0.name < $1.name }) { remote.write(to: &writer) }
        policy.write(to: &writer)
        for profile in deviceProfiles { writer.write("deviceProfile", [profile.name, profile.declaration]) }
        for channel in channels { writer.write("channel", [channel.name, channel.fields.canonicalText]) }
        for segment in segments {
            writer.write("segment", [segment.name, segment.fields.canonicalText])
        }
        let declarations = [Digest](concurrently: campaigns.count) { index in
            campaigns[index].declarationDigest(content: contents[index])
        }
        for digest in declarations {
            writer.write("campaign", digest.hexadecimal)
        }
        return writer.digest
    }

    /// The places of the campaigns by name; places, because there may be ten thousand, and each campaign is large.
    var campaignPlaces: [String: Int] {
        Dictionary(campaigns.enumerated().lazy.map { ($0.element.name, $0.offset) }) { first, _ in first }
    }

    /// The segments by name.
    package var segmentsByName: [String: Segment] {
        Dictionary(segments.map { ($0.name, $0) }) { first, _ in first }
    }

    /// The profiles by name.
    package var profilesByName: [String: DeviceProfile] {
        Dictionary(deviceProfiles.map { ($0.name, $0) }) { first, _ in first }
    }
}

extension RemoteDeclaration {
    fileprivate func write(to writer: inout ContentWriter) {
        writer.write("remote", name)
        writer.write("timeout", Int(timeout.wholeSeconds))
        writer.write("ca", ca)
        switch service {
        case .leancloud(let settings):
            writer.write("leancloud", [String(describing: settings.url), String(describing: settings.appId)])
        case .apns(let settings):
            writer.write("apns", String(describing: settings.registry))
            for (name, host) in settings.hosts.sorted(by: { $0.key < $1.key }) { writer.write("host", [name, host]) }
        }
    }
}

extension Policy {
    fileprivate func write(to writer: inout ContentWriter) {
        writer.write("maxSendsPerApply", maxSendsPerApply)
        writer.write("maxCancelsPerApply", maxCancelsPerApply)
        writer.write("maxAudience", maxAudience)
        writer.write("maxAudienceGrowth", maxAudienceGrowth)
        writer.write("requireExpiration", requireExpiration)
        writer.write("allowEveryone", allowEveryone)
        writer.write("quietHours", quietHours?.text)
        // Only when it is set, so that other workspaces keep their hashes.
        if minimumGap != Self.defaultMinimumGap { writer.write("minimumGap", Int(minimumGap.wholeSeconds)) }
        writer.write("certificateExpiryWarning", Int(certificateExpiryWarning.wholeSeconds))
        writer.write("developmentAudience", developmentAudience)
        writer.write("quotas", [String(pendingQuota), String(dailyQuota)])
    }
}

extension DeviceProfile {
    /// What the file says, without what was found in the certificate.
    fileprivate var declaration: String {
        "\(environment) \(topic) \(isDefault) \(isProtected) \(credential)"
    }
}
