/// The documented reasons for which Apple refuses a push, a broadcast or a channel request.
///
/// Source: docs/background/apple/reasons.md#reasons, docs/background/apple/broadcasts.md#reasons. The raw value is
/// Apple's word; an answer with any other word proves nothing, see ``Verdict``.
package enum APNsReason: String, Hashable, Sendable, CaseIterable {
    // MARK: Pushes
    /// The collapse id is too long.
    case badCollapseId = "BadCollapseId"
    /// The token is not valid, or belongs to the other environment.
    case badDeviceToken = "BadDeviceToken"
    /// The expiration is not valid; for a channel that stores nothing it must be 0.
    case badExpirationDate = "BadExpirationDate"
    /// The apns-id is not a UUID.
    case badMessageId = "BadMessageId"
    /// The priority is not valid.
    case badPriority = "BadPriority"
    /// The topic is not valid.
    case badTopic = "BadTopic"
    /// The token belongs to another app.
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    /// A header is repeated.
    case duplicateHeaders = "DuplicateHeaders"
    /// The connection was idle too long.
    case idleTimeout = "IdleTimeout"
    /// The push type is not valid.
    case invalidPushType = "InvalidPushType"
    /// The path has no token.
    case missingDeviceToken = "MissingDeviceToken"
    /// The certificate has several topics, and the request names none.
    case missingTopic = "MissingTopic"
    /// The payload is empty.
    case payloadEmpty = "PayloadEmpty"
    /// Pushing to the topic is not allowed.
    case topicDisallowed = "TopicDisallowed"
    /// The certificate is not valid.
    case badCertificate = "BadCertificate"
    /// The certificate is for the other environment.
    case badCertificateEnvironment = "BadCertificateEnvironment"
    /// The provider token is more than an hour old.
    case expiredProviderToken = "ExpiredProviderToken"
    /// The action is not allowed.
    case forbidden = "Forbidden"
    /// The provider token is not valid.
    case invalidProviderToken = "InvalidProviderToken"
    /// The request has neither a certificate nor a provider token.
    case missingProviderToken = "MissingProviderToken"
    /// The key is unrelated to the connection's first.
    case unrelatedKeyIdInToken = "UnrelatedKeyIdInToken"
    /// The key is for the other environment.
    case badEnvironmentKeyIdInToken = "BadEnvironmentKeyIdInToken"
    /// Another spelling of ``badEnvironmentKeyIdInToken``, which a library has seen.
    case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
    /// The path is not valid.
    case badPath = "BadPath"
    /// The method is not POST.
    case methodNotAllowed = "MethodNotAllowed"
    /// The token has expired.
    case expiredToken = "ExpiredToken"
    /// The token is no longer active for the topic.
    case unregistered = "Unregistered"
    /// The payload is too large.
    case payloadTooLarge = "PayloadTooLarge"
    /// Another provider token was sent within 20 minutes.
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    /// Too many notifications were sent to one device.
    case tooManyRequests = "TooManyRequests"
    /// An internal error of Apple's server.
    case internalServerError = "InternalServerError"
    /// Apple's service is not available.
    case serviceUnavailable = "ServiceUnavailable"
    /// The server is going away.
    case shutdown = "Shutdown"

    // MARK: Broadcasts and channels only
    /// Broadcasts are not enabled for the app.
    case featureNotEnabled = "FeatureNotEnabled"
    /// The channel id is missing.
    case missingChannelId = "MissingChannelId"
    /// The channel id is not valid.
    case badChannelId = "BadChannelId"
    /// The channel does not exist.
    case channelNotRegistered = "ChannelNotRegistered"
    /// A parameter is not valid.
    case badRequestParams = "BadRequestParams"
    /// The body is not valid.
    case badRequestPayload = "BadRequestPayload"
    /// The push type is missing.
    case missingPushType = "MissingPushType"
    /// The app has 10,000 channels already.
    case cannotCreateChannelConfig = "CannotCreateChannelConfig"
    /// The credential is for another app.
    case topicMismatch = "TopicMismatch"
    /// ``serviceUnavailable`` as the broadcast API's page prints it, with a space.
    case serviceUnavailableSpaced = "Service Unavailable"

    private static let byWord = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

    /// The reason for Apple's word, compared byte by byte; nil for an undocumented word.
    package init?(word: String) {
        guard let reason = Self.byWord[word] else { return nil }
        self = reason
    }
}
