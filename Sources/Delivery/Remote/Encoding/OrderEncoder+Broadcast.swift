internal import Base
internal import Push

extension OrderEncoder {
    /// The findings about a campaign to an Apple broadcast channel.
    ///
    /// Source: docs/background/apple/broadcasts.md#sending: Live Activities only, one channel per request, and only
    /// Apple knows the
    /// subscribers.
    var broadcastFindings: [Diagnostic] {
        // The campaign must be split into two first: the rules for each are not known yet.
        if campaign.audience.channels.count > draft.broadcasts.count { return channelFindings }
        return channelFindings + partFindings + wordFindings + ruleFindings + activityFindings + storageFindings
    }

    private var partFindings: [Diagnostic] {
        guard campaign.isDivided else { return [] }
        return [
            finding(
                .error, .notSupported,
                campaign.rollout != nil
                    ? ["rollout"] : campaign.variants.isEmpty ? ["schedule", "zone"] : ["variants"],
                "Apple sends a broadcast to every subscriber of the channel at once: it cannot be divided")
        ]
    }

    private var wordFindings: [Diagnostic] {
        let path = campaign.message.languages.isEmpty ? campaign.message.personalPath : ["message", "languages"]
        guard let path else { return [] }
        return [
            finding(
                .error, .notSupported, path,
                "Apple sends the same to every subscriber of the channel: it cannot differ from device to device")
        ]
    }

    /// A broadcast reaches those who must get nothing, too.
    private var ruleFindings: [Diagnostic] {
        let rules = [campaign.holdout.map { _ in "holdout" }, campaign.frequency.isEmpty ? nil : "frequency"]
        return rules.compactMap(\.self).map { rule in
            finding(
                .error, .notSupported, ["audience", "channels"],
                "Apple sends a broadcast to every subscriber of the channel: policy.\(rule) cannot leave out any of them",
                help: "give the campaign the labels of policy.\(rule).exempt if it may reach everybody")
        }
    }

    private var channelFindings: [Diagnostic] {
        let audience = campaign.audience
        if audience.channels.count > draft.broadcasts.count {
            return [
                finding(
                    .error, .notSupported, ["audience", "channels"],
                    "a campaign cannot mix Apple broadcast channels with other channels",
                    help:
                        "split it into two campaigns: \(draft.broadcasts.map(\.name).joined(separator: ", ")) in a separate one"
                )
            ]
        }
        if draft.broadcasts.count > 1 {
            return [
                finding(
                    .error, .notSupported, ["audience", "channels"],
                    "a broadcast goes to one channel, and the audience has \(draft.broadcasts.count)",
                    help: "use one campaign per channel")
            ]
        }
        let narrowing = audience.condition != nil ? "where" : audience.segments.isEmpty ? nil : "segments"
        guard let narrowing else { return [] }
        return [
            finding(
                .error, .notSupported, ["audience", .key(narrowing)],
                "Apple sends a broadcast to every subscriber of the channel: 'audience.\(narrowing)' cannot narrow it")
        ]
    }

    private var activityFindings: [Diagnostic] {
        guard type == .liveactivity else {
            return [
                finding(
                    .error, .pushType, path(.pushType),
                    "an Apple broadcast channel takes Live Activities only, not \(type.rawValue)",
                    help: "add what happens to the Live Activity: liveActivity: {event: update, contentState: {…}}")
            ]
        }
        guard content.liveActivity?.event == .start else { return [] }
        return [
            finding(
                .error, .pushType, path(.liveActivity), "a broadcast cannot start a Live Activity",
                help: "start it with a campaign to devices, or in the app; broadcasts update and end it")
        ]
    }

    private var storageFindings: [Diagnostic] {
        guard let broadcast = draft.broadcasts.first?.broadcast else { return [] }
        switch (broadcast.storage, campaign.expiration) {
        case (.none, .after(let duration)) where duration > .zero: return [storesNothing]
        case (.none, .at), (.none, .never): return [storesNothing]
        case (.none, .after), (.none, nil): return []
        case (.mostRecent, .never), (.mostRecent, nil):
            return [
                finding(
                    .note, .adjusted, ["expiration"],
                    "Apple keeps the most recent message of a broadcast channel for 8 hours at most")
            ]
        case (.mostRecent, .after), (.mostRecent, .at): return []
        }
    }

    private var storesNothing: Diagnostic {
        finding(
            .error, .notSupported, ["expiration"], "the broadcast channel stores nothing, so Apple tries only once",
            help: "set expiration: {after: 0s}, or give the channel 'storage: mostRecent'")
    }
}
