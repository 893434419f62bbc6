internal import Base

/// Drafts the requests and ledger entries of campaigns.
struct CampaignDrafter: Sendable {
    let workspace: String
    let workspaceOrigin: Origin
    let segments: [String: Segment]
    let profiles: [String: DeviceProfile]
    let allProfiles: [DeviceProfile]
    let broadcastChannels: [String: Channel]
    let encoder: any RequestEncoding
    private let contents: [String: Digest]

    /// Creates drafts for a workspace. `contents` are the content hashes of the campaigns, in order; with an empty
    /// array they are computed when needed.
    init(_ desired: Workspace, encoder: any RequestEncoding, contents: [Digest] = []) {
        workspace = desired.identityName
        workspaceOrigin = desired.origin
        segments = desired.segmentsByName
        profiles = desired.profilesByName
        allProfiles = desired.deviceProfiles
        broadcastChannels = Dictionary(
            desired.channels.lazy.filter { $0.broadcast != nil }.map { ($0.name, $0) }
        ) { first, _ in first }
        self.encoder = encoder
        self.contents = Dictionary(zip(desired.campaigns.lazy.map(\.name), contents)) { first, _ in first }
    }

    /// A drafted delivery: its ledger entry, the condition that is counted, and the encoder's result.
    struct Drafted {
        let entry: LedgerEntry
        let condition: JSONValue?
        let encoded: EncodedPush
    }

    func draft(
        _ declared: Campaign, scheduledAt: Instant?, generation: Int, replaced: LedgerEntry?, now: Instant
    ) -> Drafted {
        var campaign = declared
        // A winner belongs to a test that has ended.
        campaign.winner = nil
        // A delivery that was started under another of the campaign's names keeps that name's ids.
        let name = replaced?.identityName ?? campaign.identityName
        func id(_ generation: Int) -> DeliveryID {
            DeliveryID(
                workspace: workspace, campaign: name, revision: campaign.revision, occurrence: campaign.occurrence,
                generation: generation)
        }
        let (delivery, notification) = (id(0), id(generation))
        let condition = campaign.joinedCondition(segments: segments, profiles: profiles)
        let encoded = encode(campaign, condition: condition, scheduledAt: scheduledAt, notificationID: notification)
        let canonical =
            generation == 0
            ? encoded
            : encode(campaign, condition: condition, scheduledAt: scheduledAt, notificationID: delivery)
        var entry = LedgerEntry(
            delivery: delivery, generation: generation, notificationID: notification, workspace: workspace,
            campaign: campaign.name, revision: campaign.revision, occurrence: campaign.occurrence, state: .sending,
            request: encoded.request,
            fingerprint: Self.fingerprint(canonical.request),
            content: content(of: campaign), document: campaign.documentDigest, encoder: encoder.version,
            intendedAt: now, scheduledAt: scheduledAt, window: campaign.startWindow,
            expiresAt: campaign.end(startingAt: scheduledAt ?? now), fence: 0, provenance: Provenance())
        entry.dueAt = scheduledAt == nil ? campaign.scheduledAt?.instant : nil
        entry.formerly = campaign.formerly + (replaced?.formerly ?? []).filter { !campaign.names.contains($0) }
        entry.told = replaced?.told
        entry.holdout = campaign.holdout.map { Holdout(share: $0.share, salt: $0.salt) }
        return Drafted(entry: entry, condition: condition, encoded: encoded)
    }

    /// Returns the encoder's findings about a campaign as it would first be sent.
    func findings(_ declared: Campaign) -> [Diagnostic] {
        let campaign = declared.example
        return encoder.findings(
            push(
                campaign, condition: campaign.joinedCondition(segments: segments, profiles: profiles),
                scheduledAt: campaign.audience.devices.isEmpty ? campaign.scheduledAt?.instant : nil,
                notificationID: Self.anyID))
    }

    /// Returns the request as it would first be made.
    func request(of declared: Campaign, notification: DeliveryID? = nil) -> EncodedPush {
        let campaign = declared.example
        return encode(
            campaign, condition: campaign.joinedCondition(segments: segments, profiles: profiles),
            scheduledAt: campaign.scheduledAt?.instant, notificationID: notification ?? Self.anyID)
    }

    /// All ids have the same length, and no finding depends on the id.
    private static let anyID = DeliveryID(workspace: "", campaign: "", revision: 1)

    private func encode(
        _ campaign: Campaign, condition: JSONValue?, scheduledAt: Instant?, notificationID: DeliveryID
    ) -> EncodedPush {
        encoder.encode(push(campaign, condition: condition, scheduledAt: scheduledAt, notificationID: notificationID))
    }

    private func push(
        _ campaign: Campaign, condition: JSONValue?, scheduledAt: Instant?, notificationID: DeliveryID
    ) -> PushDraft {
        let broadcasts = campaign.audience.channels.compactMap { broadcastChannels[$0] }
        return PushDraft(
            campaign: campaign, condition: condition,
            platforms: campaign.audience.possiblePlatforms(segments: segments),
            profile: campaign.pushingProfile(profiles), scheduledAt: scheduledAt, notificationID: notificationID,
            profiles: reachableProfiles(campaign), broadcasts: broadcasts, workspaceOrigin: workspaceOrigin)
    }

    /// Returns the profiles that a push may use: the one in the audience, else all of the campaign's environment, since
    /// a device uses the profile it has.
    private func reachableProfiles(_ campaign: Campaign) -> [DeviceProfile] {
        if let name = campaign.audience.deviceProfile { return profiles[name].map { [$0] } ?? [] }
        return allProfiles.filter { $0.environment == campaign.environment }
    }

    /// Returns the hash of what a campaign, or one of its occurrences, delivers.
    func content(of campaign: Campaign) -> Digest {
        (campaign.occurrence == .once ? contents[campaign.name] : nil)
            ?? campaign.contentDigest(segments: segments, profiles: profiles)
    }

    /// True if a delivery would differ from the recorded one.
    ///
    /// An equal content hash means that nothing changed. Otherwise the final requests are compared, unless another
    /// version of the encoder made the recorded one.
    func isChanged(_ campaign: Campaign, since entry: LedgerEntry?) -> Bool {
        guard let entry else { return true }
        if entry.content == content(of: campaign) { return false }
        guard entry.encoder == encoder.version else { return true }
        let drafted = draft(
            campaign, scheduledAt: entry.scheduledAt == nil ? nil : campaign.scheduledAt?.instant, generation: 0,
            replaced: entry, now: entry.intendedAt)
        return drafted.entry.fingerprint != entry.fingerprint
    }

    /// True if the campaign's own document has changed since it was delivered.
    ///
    /// An entry of an older version has no document hash: there any change to the delivery counts.
    func isEdited(_ campaign: Campaign, since entry: LedgerEntry?) -> Bool {
        isChanged(campaign, since: entry) && entry?.document != campaign.documentDigest
    }

    /// Returns the profiles whose certificates or keys may push a campaign: those of the platforms of its devices.
    func pushingProfiles(_ campaign: Campaign) -> [DeviceProfile] {
        let platforms = campaign.audience.possiblePlatforms(segments: segments)
        return reachableProfiles(campaign).filter { platforms.contains($0.vendor == .apns ? .ios : .android) }
    }

    /// Returns the hash of a request without the ids of this one push.
    private static func fingerprint(_ request: PushRequest) -> Digest {
        var body = request.body
        body["notification_id"] = nil
        body["req_id"] = nil
        return Digest(of: [.string(request.endpoint.rawValue), body])
    }
}
