/// A refusal as Apple words it, with its HTTP status.
///
/// Source: apns.md, A7 and A9.
package struct APNsReason: Hashable, Sendable {
    /// The HTTP status.
    package let status: Int
    /// The word.
    package let name: String

    /// Any pair, also one that Apple does not use.
    package init(status: Int, name: String) {
        self.status = status
        self.name = name
    }

    package static let badCollapseId = bad("BadCollapseId")
    package static let badDeviceToken = bad("BadDeviceToken")
    package static let badExpirationDate = bad("BadExpirationDate")
    package static let badMessageId = bad("BadMessageId")
    package static let badPriority = bad("BadPriority")
    package static let badTopic = bad("BadTopic")
    package static let deviceTokenNotForTopic = bad("DeviceTokenNotForTopic")
    package static let duplicateHeaders = bad("DuplicateHeaders")
    package static let idleTimeout = bad("IdleTimeout")
    package static let invalidPushType = bad("InvalidPushType")
    package static let missingDeviceToken = bad("MissingDeviceToken")
    package static let missingTopic = bad("MissingTopic")
    package static let payloadEmpty = bad("PayloadEmpty")
    package static let topicDisallowed = bad("TopicDisallowed")

    package static let badCertificate = forbidden("BadCertificate")
    package static let badCertificateEnvironment = forbidden("BadCertificateEnvironment")
    package static let badEnvironmentKeyIdInToken = forbidden("BadEnvironmentKeyIdInToken")
    package static let expiredProviderToken = forbidden("ExpiredProviderToken")
    package static let forbidden = forbidden("Forbidden")
    package static let invalidProviderToken = forbidden("InvalidProviderToken")
    package static let missingProviderToken = forbidden("MissingProviderToken")
    package static let unrelatedKeyIdInToken = forbidden("UnrelatedKeyIdInToken")

    package static let badPath = APNsReason(status: 404, name: "BadPath")
    package static let methodNotAllowed = APNsReason(status: 405, name: "MethodNotAllowed")
    package static let expiredToken = APNsReason(status: 410, name: "ExpiredToken")
    package static let unregistered = APNsReason(status: 410, name: "Unregistered")
    package static let payloadTooLarge = APNsReason(status: 413, name: "PayloadTooLarge")
    package static let tooManyProviderTokenUpdates = APNsReason(status: 429, name: "TooManyProviderTokenUpdates")
    package static let tooManyRequests = APNsReason(status: 429, name: "TooManyRequests")
    package static let internalServerError = APNsReason(status: 500, name: "InternalServerError")
    package static let serviceUnavailable = APNsReason(status: 503, name: "ServiceUnavailable")
    package static let shutdown = APNsReason(status: 503, name: "Shutdown")

    package static let badChannelId = bad("BadChannelId")
    package static let badRequestParams = bad("BadRequestParams")
    package static let badRequestPayload = bad("BadRequestPayload")
    package static let cannotCreateChannelConfig = bad("CannotCreateChannelConfig")
    package static let channelNotRegistered = bad("ChannelNotRegistered")
    package static let featureNotEnabled = bad("FeatureNotEnabled")
    package static let missingChannelId = bad("MissingChannelId")
    package static let missingPushType = bad("MissingPushType")
    package static let topicMismatch = forbidden("TopicMismatch")

    /// Every reason that Apple documents for `/3/device`.
    package static let ofDevices: [APNsReason] = [
        badCollapseId, badDeviceToken, badExpirationDate, badMessageId, badPriority, badTopic, deviceTokenNotForTopic,
        duplicateHeaders, idleTimeout, invalidPushType, missingDeviceToken, missingTopic, payloadEmpty, topicDisallowed,
        badCertificate, badCertificateEnvironment, badEnvironmentKeyIdInToken, expiredProviderToken, forbidden,
        invalidProviderToken, missingProviderToken, unrelatedKeyIdInToken, badPath, methodNotAllowed, expiredToken,
        unregistered, payloadTooLarge, tooManyProviderTokenUpdates, tooManyRequests, internalServerError,
        serviceUnavailable, shutdown,
    ]

    private static func bad(_ name: String) -> APNsReason { .init(status: 400, name: name) }
    private static func forbidden(_ name: String) -> APNsReason { .init(status: 403, name: name) }
}

/// A request is refused.
struct Refusal: Error, Hashable {
    let reason: APNsReason
    /// With 410: since when the token is dead, in milliseconds of UNIX time.
    var timestamp: Int64?

    init(_ reason: APNsReason, timestamp: Int64? = nil) {
        self.reason = reason
        self.timestamp = timestamp
    }
}
