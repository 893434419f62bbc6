/// The documented codes with which LeanCloud refuses a push without acting on it.
///
/// 124 (timed out) and 502 to 511 are not among them: the service may have acted before it failed.
/// Source: docs/background/leancloud/push.md#refusals, docs/background/leancloud/errors.md#codes.
package enum LeanCloudReason: Int64, Hashable, Sendable, CaseIterable {
    /// A parameter is wrong, or the certificate cannot be used; with a 4xx status only.
    case parameter = 1
    /// The class or object does not exist.
    case notFound = 101
    /// The class name is not valid.
    case className = 103
    /// An `objectId` is missing.
    case objectID = 104
    /// A key's name is not valid.
    case keyName = 105
    /// A pointer is not valid.
    case pointer = 106
    /// The body is not a JSON object.
    case malformed = 107
    /// A field has the wrong type.
    case incorrectType = 111
    /// A channel's name is not valid.
    case channelName = 112
    /// A device token is not valid.
    case deviceToken = 114
    /// The object is too large.
    case objectTooLarge = 116
    /// A key is read-only.
    case readOnly = 117
    /// The operation is not allowed for clients.
    case notAllowed = 119
    /// The app's quota is used up.
    case quota = 140
    /// A threshold of the app is exceeded.
    case threshold = 154
    /// The account's balance is used up.
    case balance = 160
    /// The query is not valid.
    case query = 300
    /// A position is not valid.
    case position = 302
    /// The app's id or key is wrong.
    case unauthorized = 401
    /// The request is forbidden.
    case forbidden = 403
    /// The body is too large.
    case payloadTooLarge = 413
    /// Too many requests were made in this minute.
    case tooManyRequests = 429
    /// The query names keys that do not exist.
    case queryKeys = 700
}
