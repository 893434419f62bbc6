package import Diagnostics
package import JSONValue
package import PushModel
package import PushPlan

/// How one campaign looks on devices, and the exact bytes that would be sent.
package struct PreviewReport: Hashable, Sendable {
    /// The workspace, shown as the app's name.
    package var workspace: String
    /// The remote whose request it is.
    package var remote: RemoteDescription
    /// The campaign.
    package var campaign: String
    /// Its revision.
    package var revision: Int
    /// The id that its delivery has at this revision.
    package var delivery: DeliveryID
    /// Whom it reaches, in words.
    package var audience: String
    /// When it is sent; nil: as soon as it is applied.
    package var at: OffsetInstant?
    /// Whether the campaign is deployed to this remote at all.
    package var isMeant: Bool
    /// What it looks like, with the texts of a `strings` file where one was given.
    package var looks: [NotificationLook]
    /// The request, with device tokens replaced by their number and hash.
    package var request: PushRequest
    /// What every device gets; nil where the service makes it of the request.
    package var payload: JSONValue?
    /// The bytes that count, and the limit.
    package var size: PlannedPayload
    /// What the remote's encoder says to this campaign.
    package var diagnostics: [Diagnostic]

    /// Joins them.
    package init(
        workspace: String, remote: RemoteDescription, campaign: String, revision: Int, delivery: DeliveryID,
        audience: String, at: OffsetInstant?, isMeant: Bool = true, looks: [NotificationLook], request: PushRequest,
        payload: JSONValue?, size: PlannedPayload, diagnostics: [Diagnostic]
    ) {
        self.workspace = workspace
        self.remote = remote
        self.campaign = campaign
        self.revision = revision
        self.delivery = delivery
        self.audience = audience
        self.at = at
        self.isMeant = isMeant
        self.looks = looks
        self.request = request
        self.payload = payload
        self.size = size
        self.diagnostics = diagnostics.sortedForPrinting()
    }

    /// The fields that use most of the bytes that count, the largest first; at most five.
    var largestFields: [PayloadSize.Field] {
        Array(PayloadSize.fields(of: payload ?? request.body).prefix(5))
    }
}
