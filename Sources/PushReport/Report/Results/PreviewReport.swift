package import Base
package import Push

/// The preview of one campaign: its look on devices, and the exact bytes that would be sent.
package struct PreviewReport: Hashable, Sendable {
    /// The workspace.
    package var workspace: String
    /// The app in pictures.
    package var app: ShownApp
    /// The remote that the request is for.
    package var remote: RemoteDescription
    /// The campaign.
    package var campaign: String
    /// Its revision.
    package var revision: Int
    /// The id of its delivery at this revision.
    package var delivery: DeliveryID
    /// The audience.
    package var audience: Reason
    /// The time of sending; nil to send when applied.
    package var at: OffsetInstant?
    /// The parts of its delivery; nil when it goes to everybody at once.
    package var division: Division?
    /// True if the campaign is deployed to this remote.
    package var isMeant: Bool
    /// Its look on devices, with texts from a `strings` file if one was given.
    package var looks: [NotificationLook]
    /// The request, with device tokens replaced by their number and hash.
    package var request: PushRequest
    /// The payload for every device; nil when the service builds it from the request.
    package var payload: JSONValue?
    /// The size that counts, and the limit.
    package var size: PlannedPayload
    /// The encoder's diagnostics about this campaign.
    package var diagnostics: [Diagnostic]

    package init(
        workspace: String, app: ShownApp? = nil, remote: RemoteDescription, campaign: String, revision: Int,
        delivery: DeliveryID,
        audience: Reason, at: OffsetInstant?, division: Division? = nil, isMeant: Bool = true,
        looks: [NotificationLook], request: PushRequest, payload: JSONValue?, size: PlannedPayload,
        diagnostics: [Diagnostic]
    ) {
        self.workspace = workspace
        self.app = app ?? ShownApp(name: workspace)
        self.remote = remote
        self.campaign = campaign
        self.revision = revision
        self.delivery = delivery
        self.audience = audience
        self.at = at
        self.division = division
        self.isMeant = isMeant
        self.looks = looks
        self.request = request
        self.payload = payload
        self.size = size
        self.diagnostics = diagnostics.sortedForPrinting()
    }

    /// The parts that a delivery is divided into, as far as the files tell them.
    package enum Division: Hashable, Sendable {
        /// Waves by the devices' own clocks.
        case waves(LocalSchedule)
        /// Stages that are judged.
        case stages(Rollout)
        /// Variants, and the rest, which gets one of them.
        case variants(VariantTest)
    }

    /// The fields that take most of the bytes that count, the largest first; at most five.
    var largestFields: [PayloadSize.Field] {
        Array(PayloadSize.fields(of: payload ?? request.body).prefix(5))
    }
}
