internal import Base
internal import Push

/// The features of a campaign that LeanCloud does not support, or handles differently.
///
/// A finding is an error only if the message would mean something else or reach nobody.
struct LeanCloudLimits {
    let draft: PushDraft

    /// The lowest rate limit in devices a second; lower values count as this.
    ///
    /// Source: LeanCloud, "推送 REST API 使用指南", `flow_control`.
    static let slowestThrottle = 1000

    private var campaign: Campaign { draft.campaign }
    private var message: Message { campaign.message }

    /// All findings, in no particular order.
    var findings: [Diagnostic] {
        var findings = timing + parts + rules + broadcasts
        if draft.reachesApple { findings += apple }
        if draft.reachesAndroid { findings += android }
        return findings
    }

    private var broadcasts: [Diagnostic] {
        draft.broadcasts.map(\.name).map { name in
            finding(
                .error, .notSupported, ["audience", "channels"],
                "\(name) is an Apple broadcast channel, which LeanCloud does not reach",
                help: "restrict the campaign with 'remotes', or name a channel that devices subscribe to")
        }
    }

    /// What differs from device to device needs a journal of every device, which LeanCloud does not keep.
    private var parts: [Diagnostic] {
        var parts: [(path: [FieldPathElement], what: String)] = []
        if campaign.localSchedule != nil {
            parts.append((["schedule", "zone"], "it cannot deliver by each device's clock"))
        }
        if campaign.rollout != nil { parts.append((["rollout"], "it cannot deliver in stages")) }
        if !campaign.variants.isEmpty { parts.append((["variants"], "it cannot test variants")) }
        if !message.languages.isEmpty {
            parts.append((["message", "languages"], "it has one message for all languages"))
        }
        if let path = message.personalPath { parts.append((path, "it cannot put a device's own values into a text")) }
        return parts.map { path, what in
            finding(
                .error, .notSupported, path, "LeanCloud sends the same to everybody at once: \(what)",
                help:
                    "name a remote of 'type: apns' with the same devices as its 'registry' in the campaign's 'remotes'")
        }
    }

    /// Rules that leave out single devices, at their place in the policy.
    private var rules: [Diagnostic] {
        let rules = [campaign.holdout.map { _ in "holdout" }, campaign.frequency.isEmpty ? nil : "frequency"]
        return rules.compactMap(\.self).map { rule in
            Diagnostic(
                .error, .notSupported,
                "LeanCloud chooses the devices itself: it cannot keep policy.\(rule)",
                at: (draft.workspaceOrigin ?? campaign.origin).range(of: ["policy", .key(rule)]),
                help:
                    "deploy to a remote of 'type: apns' with the same devices as its 'registry', or give the campaigns the "
                    + "labels of policy.\(rule).exempt")
        }
    }

    private var timing: [Diagnostic] {
        var findings: [Diagnostic] = []
        if case .after(let duration) = campaign.expiration, duration <= .zero {
            findings.append(
                finding(
                    .error, .notSupported, ["expiration", "after"], "LeanCloud cannot limit a delivery to one attempt",
                    help: "set an expiration, such as {after: 1h}"))
        }
        if let throttle = campaign.throttlePerSecond, throttle < Self.slowestThrottle {
            findings.append(
                finding(
                    .note, .adjusted, ["throttle", "perSecond"],
                    "LeanCloud sends to at least 1,000 devices a second: \(throttle) counts as 1,000"))
        }
        return findings
    }

    // MARK: - iOS

    private var apple: [Diagnostic] {
        let content = message.content(for: .ios)
        var findings = pushType(content)
        if content.effectivePriority == 1 {
            findings.append(
                finding(
                    .error, .notSupported, message.path(.priority, for: .ios),
                    "LeanCloud supports the priorities 10 and 5 only",
                    help: "use 5, or leave it out"))
        }
        for field in content.undocumentedFields {
            findings.append(
                finding(
                    .warning, .undocumentedOnLeanCloud, message.path(field, for: .ios),
                    "LeanCloud does not document '\(field.rawValue)': it is sent in the raw form {\"aps\": …}",
                    help: "send it to one device first: bugle test \(campaign.name) --device TOKEN"))
        }
        if content.needsRawForm { findings += rawForm(content) }
        return findings
    }

    private func pushType(_ content: MessageContent) -> [Diagnostic] {
        let type = content.effectivePushType
        switch type {
        case .alert, .background, .voip, .complication, .fileprovider, .mdm: return []
        case .location, .liveactivity, .pushtotalk, .widgets, .controls:
            return [
                finding(
                    .error, .notSupported, message.path(.pushType, for: .ios),
                    "LeanCloud does not support the push type '\(type.rawValue)'",
                    help: "restrict the campaign with 'remotes' to an apns remote")
            ]
        }
    }

    /// The fields that the raw form cannot carry.
    private func rawForm(_ content: MessageContent) -> [Diagnostic] {
        let fields = "interruptionLevel, relevanceScore and filterCriteria need"
        let cause =
            "cannot be combined with LeanCloud's raw form {\"aps\": …}, which "
            + (!content.undocumentedFields.isEmpty ? fields : "this push type needs")
        var findings: [Diagnostic] = []
        if content.badge == .increment {
            findings.append(
                finding(
                    .error, .notSupported, message.path(.badge, for: .ios), "'badge: increment' \(cause)",
                    help: "give a number, or leave one of them out"))
        }
        let others = [("android", message.android != nil), ("vendors", !message.vendors.isEmpty)]
        for (name, isUsed) in others where isUsed {
            findings.append(
                finding(
                    .error, .notSupported, ["message", .key(name)], "'\(name)' \(cause)",
                    help: "split it into two campaigns, one per platform"))
        }
        if draft.reachesAndroid, findings.isEmpty {
            findings.append(
                finding(
                    .warning, .notSupported, ["audience"],
                    "Android devices of this audience show nothing: the raw form {\"aps\": …} has no text for them",
                    help: "set 'platforms: [ios]'"))
        }
        return findings
    }

    // MARK: - Android

    private var android: [Diagnostic] {
        let content = message.content(for: .android)
        var findings: [Diagnostic] = []
        if let body = content.body, body.string == nil {
            findings.append(
                finding(
                    draft.reachesApple ? .warning : .error, .notSupported, message.path(.body, for: .android),
                    "Android devices have no text for a 'body' that is localized in the app: they show nothing",
                    help: "add a text for Android with 'android: {body: …}', or set 'platforms: [ios]'"))
        }
        if let title = content.title, title.string == nil {
            findings.append(
                finding(
                    .warning, .notSupported, message.path(.title, for: .android),
                    "Android devices show no 'title' that is localized in the app",
                    help: "add a text for Android with 'android: {title: …}', or set 'platforms: [ios]'"))
        }
        if content.subtitle != nil {
            findings.append(
                finding(
                    .note, .notSupported, message.path(.subtitle, for: .android), "Android devices show no 'subtitle'"))
        }
        return findings
    }

    private func finding(
        _ severity: Severity, _ code: DiagnosticCode, _ path: [FieldPathElement], _ message: String,
        help: String? = nil
    ) -> Diagnostic {
        Diagnostic(severity, code, message, at: campaign.origin.range(of: path), help: help)
    }
}
