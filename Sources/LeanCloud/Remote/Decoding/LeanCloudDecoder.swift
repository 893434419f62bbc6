internal import Base
package import Push

/// Turns requests of `POST /push` into campaigns: the inverse of ``LeanCloudEncoder``.
///
/// Source: LeanCloud, "推送 REST API 使用指南".
package struct LeanCloudDecoder {
    private let meaning: PushMeaning
    private let body: JSONObject

    /// Reads a request.
    ///
    /// - Throws: ``Inexpressible`` when the request contains something unknown, or that a campaign cannot express.
    package init(_ request: PushRequest) throws(Inexpressible) {
        meaning = try PushMeaning(request)
        body = request.body.object ?? [:]
    }

    /// The campaigns that may produce the same request, the best first.
    ///
    /// They differ in the way the audience is expressed. Which of them produces the request depends on the workspace's
    /// declarations: encode a campaign there and compare the two with ``differences(between:and:)``.
    package func campaigns(named name: String, origin: Origin) -> [Campaign] {
        audiences.map { audience in
            var campaign = Campaign(name: name, origin: origin, audience: audience, message: message)
            campaign.environment = meaning.isDevelopment ? .development : .production
            campaign.scheduledAt = meaning.pushTime.map { OffsetInstant($0) }
            campaign.expiration = meaning.expiration ?? .never
            campaign.throttlePerSecond = meaning.throttle
            return campaign
        }
    }

    /// True when the request sets an expiration.
    package var hasExpiration: Bool { meaning.expiration != nil }

    /// The differences in effect between two requests, in words; empty when they are equivalent.
    ///
    /// - Throws: ``Inexpressible`` when one of them contains something unknown.
    package static func differences(
        between first: PushRequest, and second: PushRequest
    ) throws(Inexpressible) -> [PushDifference] {
        try PushMeaning(first).differences(from: try PushMeaning(second))
    }

    private var message: Message {
        MessageDecoder(
            apple: meaning.apple, android: meaning.android, vendors: meaning.vendors, channel: meaning.channel
        ).message
    }

    // MARK: The audience

    private var audiences: [Audience] {
        let condition = body["where"]?.object ?? [:]
        var found: [Audience] = []
        for takesProfile in [false, true] {
            for takesChannels in [true, false] {
                let audience = Self.audience(condition, takesChannels: takesChannels, takesProfile: takesProfile)
                if !found.contains(audience) { found.append(audience) }
            }
        }
        return found
    }

    private static func audience(
        _ condition: JSONObject, takesChannels: Bool, takesProfile: Bool
    ) -> Audience {
        var rest = ConditionParts(condition)
        var audience = Audience(everyone: rest.parts.isEmpty)
        if takesChannels { audience.channels = rest.takeNames(of: "channels") ?? [] }
        if takesProfile { audience.deviceProfile = rest.takeNames(of: "deviceProfile") { $0.count == 1 }?.first }
        let narrows = rest.parts.count > 1 || audience != Audience()
        let platforms = rest.takeNames(of: "deviceType") { names in
            names.allSatisfy { Platform(rawValue: $0) != nil } && (narrows || Set(names).count == 1)
        }
        audience.platforms = Set(platforms ?? []).compactMap { Platform(rawValue: $0) }.sorted()
        audience.condition = rest.condition
        return audience
    }
}
