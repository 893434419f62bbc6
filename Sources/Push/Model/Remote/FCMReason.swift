internal import Base

/// The documented reasons for which Firebase Cloud Messaging refuses a push; the raw value is Google's word, or ours where
/// one of its words has two meanings.
///
/// 500, 502 and 503 are not among them: Google says to send again, not that nothing was sent.
/// Source: docs/background/android.md#fcm-answers.
package enum FCMReason: String, Hashable, Sendable, CaseIterable {
    /// The app was removed, or the token has expired.
    case unregistered = "UNREGISTERED"
    /// `INVALID_ARGUMENT` for the token.
    case invalidToken = "INVALID_ARGUMENT(token)"
    /// `INVALID_ARGUMENT` for anything else, or without saying for what.
    case invalidArgument = "INVALID_ARGUMENT"
    /// The token is another project's.
    case senderIDMismatch = "SENDER_ID_MISMATCH"
    /// The service account may not send, or the API is not enabled.
    case permissionDenied = "PERMISSION_DENIED"
    /// The project does not exist: a 404 that names no token.
    case notFound = "NOT_FOUND"
    /// The access token is missing or has expired.
    case unauthenticated = "UNAUTHENTICATED"
    /// The project's key for Apple or web push is wrong.
    case thirdPartyAuthError = "THIRD_PARTY_AUTH_ERROR"
    /// Too many messages in a minute, of the project or to one device.
    case quotaExceeded = "QUOTA_EXCEEDED"
    /// With the values of its device, the message is larger than FCM takes; nothing was sent.
    case messageTooLarge = "MESSAGE_TOO_LARGE"

    /// The row of this reason.
    package var row: ReasonRow {
        switch self {
        case .unregistered:
            ReasonRow(
                404, .dropTokenIfEnvironmentIsRight,
                "the app was removed from the device, or its token has expired")
        case .invalidToken: ReasonRow(400, .dropTokenIfEnvironmentIsRight, "FCM does not know the token")
        case .invalidArgument:
            ReasonRow(400, .giveUp(.payload), "FCM rejects the message; shorten it, and check message.vendors.fcm")
        case .senderIDMismatch:
            ReasonRow(403, .refuseToken, "the token belongs to another project; check the profile's serviceAccount")
        case .permissionDenied:
            ReasonRow(
                403, .giveUp(.credential),
                "the service account may not send; give it the role Firebase Cloud Messaging API Admin, and enable the API"
            )
        case .notFound:
            ReasonRow(404, .giveUp(.credential), "FCM does not know the project; check the profile's serviceAccount")
        case .unauthenticated:
            ReasonRow(
                401, .renew,
                "the access token has expired and is renewed; if the new one is refused too, the key was revoked")
        case .thirdPartyAuthError:
            ReasonRow(401, .giveUp(.credential), "the project's own credential for another service is wrong")
        case .quotaExceeded:
            ReasonRow(429, .wait(.tooManyRequests), "too many messages in a minute; they are sent later")
        case .messageTooLarge:
            ReasonRow(
                413, .refuseToken, "with the device's values the message is larger than the 4,096 bytes that FCM takes")
        }
    }
}
