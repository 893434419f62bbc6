internal import Base

/// A refusal reason in Apple's wording, with its HTTP status.
///
/// Source: docs/background/apple/reasons.md#reasons, docs/background/apple/broadcasts.md#reasons.
package struct APNsReason: Hashable, Sendable {
    /// The HTTP status.
    package let status: Int
    package let name: String

    /// 400 BadCollapseId.
    package static let badCollapseId = bad("BadCollapseId")
    /// 400 BadDeviceToken.
    package static let badDeviceToken = bad("BadDeviceToken")
    /// 400 BadExpirationDate.
    package static let badExpirationDate = bad("BadExpirationDate")
    /// 400 BadMessageId.
    package static let badMessageId = bad("BadMessageId")
    /// 400 BadPriority.
    package static let badPriority = bad("BadPriority")
    /// 400 BadTopic.
    package static let badTopic = bad("BadTopic")
    /// 400 DeviceTokenNotForTopic.
    package static let deviceTokenNotForTopic = bad("DeviceTokenNotForTopic")
    /// 400 DuplicateHeaders.
    package static let duplicateHeaders = bad("DuplicateHeaders")
    /// 400 IdleTimeout.
    package static let idleTimeout = bad("IdleTimeout")
    /// 400 InvalidPushType.
    package static let invalidPushType = bad("InvalidPushType")
    /// 400 MissingDeviceToken.
    package static let missingDeviceToken = bad("MissingDeviceToken")
    /// 400 MissingTopic.
    package static let missingTopic = bad("MissingTopic")
    /// 400 PayloadEmpty.
    package static let payloadEmpty = bad("PayloadEmpty")
    /// 400 TopicDisallowed.
    package static let topicDisallowed = bad("TopicDisallowed")

    /// 403 BadCertificate.
    package static let badCertificate = forbidden("BadCertificate")
    /// 403 BadCertificateEnvironment.
    package static let badCertificateEnvironment = forbidden("BadCertificateEnvironment")
    /// 403 BadEnvironmentKeyIdInToken.
    package static let badEnvironmentKeyIdInToken = forbidden("BadEnvironmentKeyIdInToken")
    /// 403 ExpiredProviderToken.
    package static let expiredProviderToken = forbidden("ExpiredProviderToken")
    /// 403 Forbidden.
    package static let forbidden = forbidden("Forbidden")
    /// 403 InvalidProviderToken.
    package static let invalidProviderToken = forbidden("InvalidProviderToken")
    /// 403 MissingProviderToken.
    package static let missingProviderToken = forbidden("MissingProviderToken")
    /// 403 UnrelatedKeyIdInToken.
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

    /// 400 BadChannelId.
    package static let badChannelId = bad("BadChannelId")
    /// 400 BadRequestParams.
    package static let badRequestParams = bad("BadRequestParams")
    /// 400 BadRequestPayload.
    package static let badRequestPayload = bad("BadRequestPayload")
    /// 400 CannotCreateChannelConfig.
    package static let cannotCreateChannelConfig = bad("CannotCreateChannelConfig")
    /// 400 ChannelNotRegistered.
    package static let channelNotRegistered = bad("ChannelNotRegistered")
    /// 400 FeatureNotEnabled.
    package static let featureNotEnabled = bad("FeatureNotEnabled")
    /// 400 MissingChannelId.
    package static let missingChannelId = bad("MissingChannelId")
    /// 400 MissingPushType.
    package static let missingPushType = bad("MissingPushType")
    /// 403 TopicMismatch.
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

struct Refusal: Error, Hashable {
    let reason: APNsReason
    /// For 410, the time the token died, in milliseconds of UNIX time.
    var timestamp: Int64?

    init(_ reason: APNsReason, timestamp: Int64? = nil) {
        self.reason = reason
        self.timestamp = timestamp
    }
}

/// UUIDs as Apple's headers write them: lower case, 8-4-4-4-12.
enum APNsUUID {
    /// Generates a random UUID (version 4).
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        let high = generator.next() & ~0xF000 | 0x4000
        let low = generator.next() & ~(0b11 << 62) | 0b10 << 62
        var text: [UInt8] = []
        text.append(uuid: high, low)
        return String(decoding: text, as: UTF8.self)
    }

    static func isValid(_ text: String) -> Bool {
        var place = 0
        for byte in text.utf8 {
            let isDash = place == 8 || place == 13 || place == 18 || place == 23
            switch byte {
            case UInt8(ascii: "-"): if !isDash { return false }
            case 0x30...0x39, 0x61...0x66: if isDash { return false }
            default: return false
            }
            place += 1
        }
        return place == 36
    }
}
