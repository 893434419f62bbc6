internal import Base
internal import Push

/// Builds the order of one draft.
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

    /// True when it goes to an Apple broadcast channel.
    var isBroadcast: Bool { !draft.broadcasts.isEmpty }

    /// Apple's limit on the payload, in bytes.
    var payloadLimit: Int { isBroadcast ? PushType.broadcastLimit : type.payloadLimit }

    /// All findings except about the size, in no particular order.
    var findings: [Diagnostic] {
        audienceFindings + routeFindings + contentFindings + expirationFindings + (isBroadcast ? broadcastFindings : [])
    }

    /// The order to carry out, assuming there are no findings.
    var order: DeliveryOrder {
        var order = DeliveryOrder(
            payload: payload(content), countsBadge: countsBadge,
            pushType: type, priority: content.effectivePriority, collapseID: content.collapseId,
            expiration: expiration, environment: campaign.environment, routes: routes.map(route), target: target,
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
        order.holdout = campaign.holdout.map { Holdout(share: $0.share, salt: $0.salt) }
        order.frequency = campaign.frequency.map { FrequencyRule(most: $0.most, per: $0.per) }
        return order
    }

    private func payload(_ content: MessageContent) -> JSONValue {
        APNsPayload.body(content, deliveryID: draft.notificationID, isReported: eventsKept != nil)
    }

    /// The retention of its events; nil for what no app gets, and for a broadcast, whose devices nobody knows.
    private var eventsKept: Duration? { type.reachesTheApp && !isBroadcast ? campaign.events?.keep : nil }

    /// The contents in the message's languages.
    private var forms: ArraySlice<MessageContent> { campaign.message.forms(for: .ios).dropFirst() }

    /// True when something else is said to each device.
    var isPersonal: Bool {
        content.isPersonal || campaign.messages.contains { $0.forms(for: .ios).contains(where: \.isPersonal) }
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
        if !campaign.audience.devices.isEmpty { return .devices(campaign.audience.devices) }
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
            profile: profile.name, topic: bundleID,
            apnsTopic: isBroadcast ? bundleID : type.apnsTopic(of: profile.topic),
            isDefault: isDefault(profile))
    }

    func finding(
        _ severity: Severity, _ code: DiagnosticCode, _ path: [FieldPathElement], _ message: String,
        help: String? = nil, related: [RelatedPlace] = []
    ) -> Diagnostic {
        Diagnostic(
            severity, code, message, at: campaign.origin.range(of: path), help: help, related: related)
    }

    /// The path of a field, under the platform that sets it for iOS.
    func path(_ field: ContentField) -> [FieldPathElement] { campaign.message.path(field, for: .ios) }
}
