package import Base
package import Push

/// Builds the orders for pushes straight to Apple, and reports what Apple would refuse.
///
/// The request is not one of Apple's own: it is the order from which a delivery is carried out and resumed, device by
/// device.
package struct APNsEncoder: RequestEncoding {
    /// Creates an encoder.
    package init() {}

    package let version = 2

    package func encode(_ draft: PushDraft) -> EncodedPush {
        encode(OrderEncoder(draft: draft))
    }

    /// Same as ``encode(_:)``, but skips encoding messages that are far below the limit.
    package func findings(_ draft: PushDraft) -> [Diagnostic] {
        let encoding = OrderEncoder(draft: draft)
        // The id of the delivery takes less than 100 bytes.
        let spare = draft.campaign.events == nil ? 0 : 100
        let mayBeTooLarge = draft.campaign.messages.contains {
            $0.encodedBytesBound(copies: 1) + spare > encoding.payloadLimit
        }
        // What FCM gets says everything twice.
        return mayBeTooLarge || !encoding.androidRoutes.isEmpty ? encode(encoding).findings : encoding.findings
    }

    private func encode(_ encoding: OrderEncoder) -> EncodedPush {
        let draft = encoding.draft
        let order = encoding.order
        var (bytes, limit) = (order.payloadBytes, encoding.payloadLimit)
        var findings = encoding.findings
        if let size = order.fcmBytes {
            if size > FCMMessage.limit {
                findings.append(
                    PayloadSize.finding(
                        bytes: size, limit: FCMMessage.limit, body: order.others[.fcm]?.own ?? [:],
                        what: "the message to FCM", of: draft.campaign))
            }
            if !encoding.reachesApple { (bytes, limit) = (size, FCMMessage.limit) }
        }
        if encoding.reachesApple, bytes > limit {
            findings.append(
                PayloadSize.finding(
                    bytes: bytes, limit: limit, body: order.payload, what: "the payload",
                    of: draft.campaign))
        }
        return EncodedPush(request: order.request, bytes: bytes, limit: limit, findings: findings)
    }
}

struct OrderEncoder {
    let draft: PushDraft
    let content: MessageContent
    let type: PushType

    init(draft: PushDraft) {
        self.draft = draft
        content = draft.campaign.message.content(for: .ios)
        type = content.effectivePushType
    }

    var campaign: Campaign { draft.campaign }

    /// True when Apple devices can be among its audience.
    var reachesApple: Bool {
        let isAndroids = campaign.audience.deviceProfile != nil && draft.profiles.contains { $0.vendor != .apns }
        return draft.platforms.contains(.ios) && !isAndroids
    }

    /// True when it goes to an Apple broadcast channel.
    var isBroadcast: Bool { !draft.broadcasts.isEmpty }

    /// Apple's limit on the payload, in bytes.
    var payloadLimit: Int { isBroadcast ? PushType.broadcastLimit : type.payloadLimit }

    /// All findings except about the size, in no particular order.
    var findings: [Diagnostic] {
        guard reachesApple || androidRoutes.isEmpty else { return untakenFindings + androidFindings }
        return audienceFindings + routeFindings + contentFindings + expirationFindings + untakenFindings
            + androidFindings
            + (isBroadcast ? broadcastFindings : [])
    }

    /// The order to carry out, assuming there are no findings.
    var order: DeliveryOrder {
        var order = DeliveryOrder(
            payload: payload(content), countsBadge: countsBadge,
            pushType: type, priority: content.effectivePriority, collapseID: content.collapseId,
            expiration: expiration, environment: campaign.environment,
            routes: (reachesApple || androidRoutes.isEmpty ? routes.map(route) : []) + androidRoutes.map(androidRoute),
            target: target,
            throttle: isBroadcast ? nil : campaign.throttlePerSecond,
            resendsDoubtful: campaign.inDoubt == .resend && content.collapseId != nil && !isBroadcast,
            timing: timing,
            languages: DeliveryOrder.Languages(
                field: campaign.languageField ?? "",
                payloads: zip(campaign.message.languages, forms).map { language, content in
                    DeliveryOrder.LanguagePayload(name: language.name, payload: payload(content))
                }), isPersonal: isPersonal, eventsKept: eventsKept)
        guard !isBroadcast else { return order }
        if campaign.variantTest != nil {
            order.variants = campaign.messages.map { $0.forms(for: .ios).map(payload) }
        }
        for vendor in Set(androidRoutes.map(\.vendor)) { order.others[vendor] = messages(of: vendor) }
        order.holdout = campaign.holdout.map { Holdout(share: $0.share, salt: $0.salt) }
        order.frequency = campaign.frequency.map { FrequencyRule(most: $0.most, per: $0.per) }
        return order
    }

    private func payload(_ content: MessageContent) -> JSONValue {
        APNsPayload.body(content, deliveryID: draft.notificationID, isReported: eventsKept != nil)
    }

    /// The retention of its events; nil for what no app gets, and for a broadcast, whose devices nobody knows.
    var eventsKept: Duration? { type.reachesTheApp && !isBroadcast ? campaign.events?.keep : nil }

    private var forms: ArraySlice<MessageContent> { campaign.message.forms(for: .ios).dropFirst() }

    /// True when something else is said to each device.
    var isPersonal: Bool {
        content.isPersonal
            || campaign.messages.contains { message in
                message.forms(for: .ios).contains(where: \.isPersonal)
                    || !androidRoutes.isEmpty && message.forms(for: .android).contains(where: \.isPersonal)
            }
    }

    private var timing: DeliveryOrder.Timing {
        if isBroadcast { return .together }
        return campaign.waves.map(DeliveryOrder.Timing.localTime)
            ?? campaign.stages.map(DeliveryOrder.Timing.stages)
            ?? campaign.variantTest.map(DeliveryOrder.Timing.variants) ?? .together
    }

    private var countsBadge: Bool { content.badge == .increment && type.carries(.badge) }

    private var target: DeliveryOrder.Target {
        if let channel = draft.broadcasts.first {
            return .broadcast(channel: channel.name, topic: channel.broadcast?.topic ?? "")
        }
        if !draft.listedDevices.isEmpty {
            // Android devices are named by their installations, as to LeanCloud; Apple's by their tokens, known or not.
            guard !reachesApple else { return .devices(draft.listedDevices) }
            return .condition(["installationId": ["$in": .array(draft.listedDevices.map { .string($0) })]])
        }
        return .condition(draft.condition ?? [:])
    }

    /// A broadcast cannot be stored without limit: its channel keeps one message for 8 hours, or none
    /// (docs/background/apple/broadcasts.md#channels).
    private var expiration: Expiration {
        switch campaign.expiration {
        case .after(let duration): .after(duration)
        case .at(let end): .at(OffsetInstant(end.instant))
        case .never, nil:
            if !isBroadcast {
                .never
            } else if draft.broadcasts.first?.broadcast?.storage == .mostRecent {
                .after(DeliveryOrder.broadcastStorage)
            } else {
                .after(.zero)
            }
        }
    }

    private func route(_ profile: DeviceProfile) -> DeliveryOrder.Route {
        let bundleID = type.bundleID(of: profile.topic)
        return DeliveryOrder.Route(
            profile: profile.name, installations: profile.installations, topic: bundleID,
            apnsTopic: isBroadcast ? bundleID : type.apnsTopic(of: profile.topic),
            isDefault: isDefault(profile))
    }

    /// A finding about the campaign, as a list of one: most rules have one or none.
    func finding(
        _ severity: Severity, _ code: DiagnosticCode, _ path: [FieldPathElement], _ message: String,
        help: String? = nil, related: [RelatedPlace] = []
    ) -> [Diagnostic] {
        [Diagnostic(severity, code, message, at: campaign.origin.range(of: path), help: help, related: related)]
    }

    /// The path of a field, under the platform that sets it for iOS.
    func path(_ field: ContentField) -> [FieldPathElement] { campaign.message.path(field, for: .ios) }
}

// MARK: - Routes

extension OrderEncoder {
    /// The profiles to push with: the one that the audience names, otherwise all that may push this type.
    ///
    /// A profile whose topic is for another push type is not used.
    var routes: [DeviceProfile] {
        let fitting = appleProfiles.filter { type.fits(topic: $0.topic) }
        guard let topic = draft.broadcasts.first?.broadcast?.topic else { return fitting }
        return Array(fitting.filter { type.bundleID(of: $0.topic) == topic }.prefix(1))
    }

    private var appleProfiles: [DeviceProfile] { draft.profiles.filter { $0.vendor == .apns } }

    /// True when this profile also reaches installations that name no profile: it is the default, or the only one that
    /// can.
    func isDefault(_ profile: DeviceProfile) -> Bool { isDefault(profile, among: routes) }

    func isDefault(_ profile: DeviceProfile, among routes: [DeviceProfile]) -> Bool {
        let rivals = draft.profiles.filter { $0.vendor == profile.vendor }
        return profile.isDefault || routes.count == 1 && !rivals.contains(where: \.isDefault)
    }

    /// The findings about the profiles to push with.
    var routeFindings: [Diagnostic] {
        let routes = self.routes
        if routes.isEmpty, !androidRoutes.isEmpty { return withoutApple }
        if routes.isEmpty { return missingRoute }
        var findings = routes.flatMap(findings(of:))
        if !isBroadcast, !routes.contains(where: isDefault) {
            findings += finding(
                .warning, .notSupported, ["audience"],
                "no DeviceProfile of \(campaign.environment.rawValue) that can push it is marked as the default: "
                    + "devices that name no profile are left out",
                help: "set 'default: true' in one of \(routes.map(\.name).joined(separator: ", "))")
        }
        return findings
    }

    /// The finding that only Android devices are reached: nobody said that iOS devices are not meant.
    private var withoutApple: [Diagnostic] {
        finding(
            .warning, .notSupported, ["audience"],
            "no DeviceProfile of \(campaign.environment.rawValue) pushes it to iOS devices: they are left out",
            help:
                "declare a DeviceProfile with the app's topic and its certificate or key, or set platforms: [android]"
        )
    }

    private var missingRoute: [Diagnostic] {
        if let topic = draft.broadcasts.first?.broadcast?.topic, !appleProfiles.isEmpty {
            return finding(
                .error, .notSupported, ["audience", "channels"],
                "no DeviceProfile of environment \(campaign.environment.rawValue) has the broadcast channel's topic "
                    + quoted(topic),
                help: "declare a DeviceProfile with that topic")
        }
        guard let other = appleProfiles.first else {
            return finding(
                .error, .notSupported, campaign.audience.deviceProfile == nil ? ["environment"] : ["audience"],
                "no DeviceProfile of environment \(campaign.environment.rawValue) is in the files: Apple needs one",
                help: "declare a DeviceProfile with the app's topic and its certificate or key")
        }
        let fit = PushType(ofTopic: other.topic)?.rawValue ?? ""
        return finding(
            .error, .pushType,
            campaign.audience.deviceProfile == nil ? ["environment"] : ["audience", "deviceProfile"],
            "topic \(quoted(other.topic)) fits push type \(fit) only, not \(type.rawValue)")
    }

    private func findings(of profile: DeviceProfile) -> [Diagnostic] {
        switch profile.credential {
        case .token, .serviceAccount, .vendor: return []
        case .certificate: break
        }
        let place = RelatedPlace("the profile", at: profile.origin.range(of: ["certificate"]))
        if type == .location {
            return finding(
                .error, .notSupported, path(.pushType),
                "device profile \(quoted(profile.name)) has a certificate, and Apple accepts "
                    + "location pushes with a key only",
                help: "add a 'token' to the profile", related: [place])
        }
        let topic = isBroadcast ? type.bundleID(of: profile.topic) : type.apnsTopic(of: profile.topic)
        guard let topics = profile.facts?.topics, !topics.isEmpty, !topics.contains(topic) else { return [] }
        return finding(
            .error, .certificate, path(.pushType),
            "the certificate of device profile \(quoted(profile.name)) is not for topic \(topic), "
                + "which push type \(type.rawValue) needs, but for \(topics.joined(separator: ", "))",
            help: "use a certificate with that topic, or a 'token', which covers all topics", related: [place])
    }
}

// MARK: - Content

extension OrderEncoder {
    /// The findings about platforms that Apple does not reach.
    var audienceFindings: [Diagnostic] {
        if !draft.platforms.contains(.ios) {
            return finding(
                .error, .notSupported, ["audience", "platforms"],
                "Apple reaches iOS devices only, and the audience has none",
                help: "declare a DeviceProfile with vendor: fcm, restrict the campaign with 'remotes', or include ios")
        }
        guard campaign.audience.platforms.contains(.android), androidRoutes.isEmpty else { return [] }
        return finding(
            .warning, .notSupported, ["audience", "platforms"],
            "Apple reaches iOS devices only: Android devices are left out")
    }

    /// The findings about fields that the push type does not support, or requires.
    ///
    /// Source: docs/background/apple/payloads.md#push-types, docs/background/apple/payloads.md#payload. Errors that
    /// apply to every remote were reported when the files were read.
    var contentFindings: [Diagnostic] {
        switch type {
        case .alert, .voip, .complication, .fileprovider, .location: []
        case .background, .liveactivity, .widgets, .controls: misplaced
        case .mdm: misplaced + pushMagic
        case .pushtotalk: pushToTalk
        }
    }

    private var misplaced: [Diagnostic] {
        content.payloadFields.filter { !type.carries($0) }.flatMap { field -> [Diagnostic] in
            guard field.payloadRole == .perceived else {
                return finding(
                    .warning, .adjusted, path(field),
                    "a \(type.rawValue) push has no '\(field.rawValue)': it is left out")
            }
            // Reported when the files were read.
            if type == .background { return [] }
            return finding(
                .error, .pushType, path(field), "a \(type.rawValue) push has no '\(field.rawValue)'",
                help: "remove it, or use a separate campaign")
        }
    }

    private var pushMagic: [Diagnostic] {
        guard content.data?["mdm"]?.string?.isEmpty ?? true else { return [] }
        return finding(
            .error, .pushType, path(.data), "an mdm push needs the device's PushMagic",
            help: "set data: {mdm: THE-PUSH-MAGIC}, with audience.devices")
    }

    private var pushToTalk: [Diagnostic] {
        var findings: [Diagnostic] = []
        if content.effectivePriority != 10 {
            findings += finding(
                .warning, .pushType, path(.priority),
                "Apple requires priority 10 for pushtotalk, not \(content.effectivePriority)")
        }
        if campaign.expiration != .after(.zero) {
            findings += finding(
                .warning, .pushType, ["expiration"],
                "Apple requires a single attempt for pushtotalk: a late one is useless",
                help: "set expiration: {after: 0s}")
        }
        return findings
    }

    /// The findings about an expiration longer than Apple's storage.
    var expirationFindings: [Diagnostic] {
        let length: Duration? =
            switch campaign.expiration {
            case .after(let duration): duration
            case .at(let end): draft.scheduledAt.map { end.instant - $0 }
            case .never, nil: nil
            }
        guard let length, length > Self.longestStorage else { return [] }
        return finding(
            .error, .notSupported, ["expiration"], "Apple stores a notification for at most 30 days",
            help: "set {after: 30d} or less, or never")
    }

    /// The longest time for which Apple stores a notification (docs/background/apple/service.md#storage).
    private static let longestStorage = Duration.seconds(30 * 86_400)
}

// MARK: - Broadcast

extension OrderEncoder {
    /// The findings about a campaign to an Apple broadcast channel.
    ///
    /// Source: docs/background/apple/broadcasts.md#sending: Live Activities only, one channel per request, and only
    /// Apple knows the subscribers.
    var broadcastFindings: [Diagnostic] {
        // The campaign must be split into two first: the rules for each are not known yet.
        if campaign.audience.channels.count > draft.broadcasts.count { return channelFindings }
        return channelFindings + partFindings + wordFindings + ruleFindings + activityFindings + storageFindings
    }

    private var partFindings: [Diagnostic] {
        guard campaign.isDivided else { return [] }
        return finding(
            .error, .notSupported,
            campaign.rollout != nil
                ? ["rollout"] : campaign.variants.isEmpty ? ["schedule", "zone"] : ["variants"],
            "Apple sends a broadcast to every subscriber of the channel at once: it cannot be divided")
    }

    private var wordFindings: [Diagnostic] {
        let path = campaign.message.languages.isEmpty ? campaign.message.personalPath : ["message", "languages"]
        guard let path else { return [] }
        return finding(
            .error, .notSupported, path,
            "Apple sends the same to every subscriber of the channel: it cannot differ from device to device")
    }

    /// A broadcast reaches those who must get nothing, too.
    private var ruleFindings: [Diagnostic] {
        let rules = [campaign.holdout.map { _ in "holdout" }, campaign.frequency.isEmpty ? nil : "frequency"]
        var findings = rules.compactMap(\.self).flatMap { rule in
            finding(
                .error, .notSupported, ["audience", "channels"],
                "Apple sends a broadcast to every subscriber of the channel: policy.\(rule) cannot leave out any of them",
                help: "give the campaign the labels of policy.\(rule).exempt if it may reach everybody")
        }
        if campaign.fence != nil {
            findings += finding(
                .error, .notSupported, ["audience", "channels"],
                "Apple sends a broadcast to every subscriber of the channel: the remote's audience cannot leave out any of them",
                help: "name the remotes without an audience in the campaign's 'remotes'")
        }
        return findings
    }

    private var channelFindings: [Diagnostic] {
        let audience = campaign.audience
        if audience.channels.count > draft.broadcasts.count {
            return finding(
                .error, .notSupported, ["audience", "channels"],
                "a campaign cannot mix Apple broadcast channels with other channels",
                help:
                    "split it into two campaigns: \(draft.broadcasts.map(\.name).joined(separator: ", ")) in a separate one"
            )
        }
        if draft.broadcasts.count > 1 {
            return finding(
                .error, .notSupported, ["audience", "channels"],
                "a broadcast goes to one channel, and the audience has \(draft.broadcasts.count)",
                help: "use one campaign per channel")
        }
        let narrowing = audience.condition != nil ? "where" : audience.segments.isEmpty ? nil : "segments"
        guard let narrowing else { return [] }
        return finding(
            .error, .notSupported, ["audience", .key(narrowing)],
            "Apple sends a broadcast to every subscriber of the channel: 'audience.\(narrowing)' cannot narrow it")
    }

    private var activityFindings: [Diagnostic] {
        guard type == .liveactivity else {
            return finding(
                .error, .pushType, path(.pushType),
                "an Apple broadcast channel takes Live Activities only, not \(type.rawValue)",
                help: "add what happens to the Live Activity: liveActivity: {event: update, contentState: {…}}")
        }
        guard content.liveActivity?.event == .start else { return [] }
        return finding(
            .error, .pushType, path(.liveActivity), "a broadcast cannot start a Live Activity",
            help: "start it with a campaign to devices, or in the app; broadcasts update and end it")
    }

    private var storageFindings: [Diagnostic] {
        guard let broadcast = draft.broadcasts.first?.broadcast else { return [] }
        switch (broadcast.storage, campaign.expiration) {
        case (.none, .after(let duration)) where duration > .zero: return storesNothing
        case (.none, .at), (.none, .never): return storesNothing
        case (.none, .after), (.none, nil): return []
        case (.mostRecent, .never), (.mostRecent, nil):
            return finding(
                .note, .adjusted, ["expiration"],
                "Apple keeps the most recent message of a broadcast channel for 8 hours at most")
        case (.mostRecent, .after), (.mostRecent, .at): return []
        }
    }

    private var storesNothing: [Diagnostic] {
        finding(
            .error, .notSupported, ["expiration"], "the broadcast channel stores nothing, so Apple tries only once",
            help: "set expiration: {after: 0s}, or give the channel 'storage: mostRecent'")
    }
}
