internal import Base

extension Workspace {
    /// Hash of the canonical desired state: everything the files declare, regardless of how they are written.
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
        writer.write("formerly", formerly)
        writer.write("defaultRemote", defaultRemote)
        for remote in remotes.values.sorted(by: { $0.name < $1.name }) { remote.write(to: &writer) }
        policy.write(to: &writer)
        for profile in deviceProfiles { writer.write("deviceProfile", profile.declaration) }
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

    /// The indices of the campaigns by name; indices, because there may be ten thousand campaigns and each is large.
    var campaignPlaces: [String: Int] {
        Dictionary(campaigns.indices.lazy.map { (campaigns[$0].name, $0) }) { first, _ in first }
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
            writer.write("leancloud", ["url": settings.url.declaration, "appId": settings.appId.declaration])
        case .apns(let settings):
            writer.write("registry", settings.registry.declaration)
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
        // Written only when it is set, so that other workspaces keep their hashes.
        if minimumGap != Self.defaultMinimumGap { writer.write("minimumGap", Int(minimumGap.wholeSeconds)) }
        writer.write("languageField", languageField)
        if let holdout { writer.group("holdout") { Holdout.fields.hash(holdout, to: &$0) } }
        for rule in frequency { writer.group("frequency") { FrequencyRule.fields.hash(rule, to: &$0) } }
        for rule in approvals { writer.group("approvals") { ApprovalRule.fields.hash(rule, to: &$0) } }
        writer.write("certificateExpiryWarning", Int(certificateExpiryWarning.wholeSeconds))
        writer.write("developmentAudience", developmentAudience)
        writer.write("quotas", [String(pendingQuota), String(dailyQuota)])
        if reachedKept != Self.defaultReachedKept { writer.write("reachedKept", Int(reachedKept.wholeSeconds)) }
        writer.write("events", events.map { Int($0.keep.wholeSeconds) })
    }
}

extension DeviceProfile {
    /// The declaration in the file, without the facts found in the certificate.
    fileprivate var declaration: JSONValue {
        var fields: JSONObject = [
            "name": .string(name), "environment": .string(environment.rawValue), "topic": .string(topic),
            "default": .bool(isDefault), "protected": .bool(isProtected),
        ]
        switch credential {
        case .certificate(let source, let key, let passphrase):
            fields["certificate"] = source.declaration
            fields["key"] = key?.declaration
            fields["passphrase"] = passphrase?.declaration
        case .token(let teamId, let keyId, let key):
            fields["token"] = ["teamId": .string(teamId), "keyId": .string(keyId), "key": key.declaration]
        }
        return .object(fields)
    }
}

// Locations as written in files: the names that the program uses for them may change.

extension TextReference {
    fileprivate var declaration: JSONValue {
        switch self {
        case .literal(let text): .string(text)
        case .environment(let name): ["env": .string(name)]
        }
    }
}

extension SecretSource {
    fileprivate var declaration: JSONValue {
        switch self {
        case .environment(let name): ["env": .string(name)]
        case .file(.path(let path)): ["file": .string(path)]
        case .file(.environment(let name)): ["file": ["env": .string(name)]]
        }
    }
}

extension RemoteDeclaration.APNs.Registry {
    fileprivate var declaration: JSONValue {
        switch self {
        case .sqlite(let path): ["sqlite": .string(path)]
        case .postgres(let source): ["postgres": source.declaration]
        }
    }
}
