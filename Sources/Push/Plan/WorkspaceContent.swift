internal import Base
internal import Dispatch

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
        // Written only when it is set, so that other workspaces keep their hashes.
        if migration != MigrationPolicy() {
            writer.group("migration") { MigrationPolicy.fields.hash(migration, to: &$0) }
        }
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

    package var segmentsByName: [String: Segment] {
        Dictionary(segments.map { ($0.name, $0) }) { first, _ in first }
    }

    package var profilesByName: [String: DeviceProfile] {
        Dictionary(deviceProfiles.map { ($0.name, $0) }) { first, _ in first }
    }
}

extension RemoteDeclaration {
    fileprivate func write(to writer: inout ContentWriter) {
        writer.write("remote", name)
        writer.write("timeout", Int(timeout.wholeSeconds))
        writer.write("ca", ca)
        // Written only when they are set, so that other workspaces keep their hashes.
        if let fence { writer.group("audience") { Audience.fields.hash(fence, to: &$0) } }
        if let policy { writer.group("policy") { policy.limits.write(to: &$0) } }
        switch service {
        case .leancloud(let settings):
            writer.write("leancloud", ["url": settings.url.declaration, "appId": settings.appId.declaration])
        case .apns(let settings):
            writer.write("registry", settings.registry.declaration)
            for (name, host) in settings.hosts.sorted(by: { $0.key < $1.key }) { writer.write("host", [name, host]) }
            if settings.stale != AudienceCount.threeMonths {
                writer.write("stale", settings.stale?.configurationText ?? "never")
            }
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
        case .serviceAccount(let source):
            fields["vendor"] = .string(vendor.rawValue)
            fields["serviceAccount"] = source.declaration
        case .vendor(_, let ids, let secrets):
            fields["vendor"] = .string(vendor.rawValue)
            for (name, id) in ids { fields[name] = .string(id) }
            for (name, secret) in secrets { fields[name] = secret.declaration }
            for (name, option) in options { fields[name] = option }
        }
        if installations != name { fields["deviceProfile"] = .string(installations) }
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

// MARK: - Content

extension Campaign {
    /// Hash of the content to deliver: audience with its segments and profile, message, time, expiration.
    ///
    /// It excludes fields that control the delivery (revision, hold, limits, labels), and the place of the declaration.
    package func contentDigest(segments: [String: Segment], profiles: [String: DeviceProfile]) -> Digest {
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
        if let name = audience.deviceProfile, let profile = profiles[name] {
            // Written only when it is set, so that other campaigns keep their hashes.
            if profile.installations != name { writer.write("installations", profile.installations) }
            if profile.isDefault { writer.write("default", true) }
        }
        if let profile = pushingProfile(profiles), case .token(let team, _, _) = profile.credential {
            writer.write("topic", profile.topic)
            writer.write("team", team)
        }
        // The fence is the remote's: a campaign's own document is the same without it.
        if let fence, let segments {
            writer.write("fence", Audience.joined(fence.conditions(segments: segments, profiles: profiles)))
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

    /// The profile that a push names: the audience's, else Apple's default one of its environment.
    func pushingProfile(_ profiles: [String: DeviceProfile]) -> DeviceProfile? {
        if let name = audience.deviceProfile { return profiles[name] }
        return profiles.values.filter { $0.isDefault && $0.vendor == .apns && $0.environment == environment }
            .min { $0.name < $1.name }
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

// MARK: - Concurrent

extension Array where Element: Sendable {
    /// Makes `count` elements on all cores; they stand in the order of their indices.
    ///
    /// A few are made where they are needed: spreading them costs more than it saves. Each core makes `chunk` elements
    /// at a time, one after the other; use 1 where each is much work.
    package init(concurrently count: Int, inChunksOf chunk: Int = 128, _ element: @Sendable (Int) -> Element) {
        guard count >= 2 * chunk else {
            self = (0..<count).map(element)
            return
        }
        let chunks = (count + chunk - 1) / chunk
        var parts = [[Element]](repeating: [], count: chunks)
        parts.withUnsafeMutableBufferPointer { buffer in
            // Each iteration writes its own element of the buffer and no other.
            nonisolated(unsafe) let slots = buffer
            DispatchQueue.concurrentPerform(iterations: chunks) { index in
                slots[index] = (index * chunk..<Swift.min(count, (index + 1) * chunk)).map(element)
            }
        }
        self = Array(parts.joined())
    }

    /// Maps over all cores; the order of the results is that of the elements.
    package func mapConcurrently<Result: Sendable>(_ transform: @Sendable (Element) -> Result) -> [Result] {
        [Result](concurrently: count) { transform(self[$0]) }
    }
}
