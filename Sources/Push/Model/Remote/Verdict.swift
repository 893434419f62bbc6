package import Base

/// The outcome of a request that sends.
///
/// A failure without a ``Proof`` is ``unknown(_:)``: it is looked up or counted as in doubt, never repeated as if
/// nothing had happened. When to retry is a separate question: ``Remedy``.
package enum Verdict: Hashable, Sendable {
    case accepted
    /// The service answered that it refused the request.
    case refused(Proof)
    /// The service cannot have acted on the request.
    case notSent(Proof)
    /// It is unknown whether the service acted on the request; the value says why.
    case unknown(String)
}

/// The evidence that a request did nothing.
///
/// The list is closed, and every case carries its evidence: a status without a documented word, a broken connection and
/// an unfamiliar response have no case here.
package enum Proof: Hashable, Sendable {
    /// No byte of the body was handed over; the value says why.
    case noBodyGiven(String)
    /// The server refused the stream, or named an earlier one as the last it acts on: HTTP/2 then guarantees that it
    /// did nothing (RFC 9113, 6.8 and 8.7).
    case streamRefused
    /// A documented reason from a push service; with Apple's 410, the time since when the token is dead, in milliseconds of
    /// UNIX time.
    case service(ServiceReason, since: Int64?)
    /// A documented code from LeanCloud, and its message.
    case leanCloud(LeanCloudReason, String)
    /// A documented refusal in LeanCloud's record of the push.
    case record(RecordedRefusal)
}

/// The remedy for a request that was not accepted; it says nothing about the request's outcome.
package enum Remedy: Hashable, Sendable {
    /// Nothing that a program could do.
    case none
    /// Retry, after this long if the service said so.
    case again(after: Duration?)
    case slowDown(Duration)
    case credentials
}

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
    case badPriority = "BadPriority"
    case badTopic = "BadTopic"
    /// The token belongs to another app.
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    /// A header is repeated.
    case duplicateHeaders = "DuplicateHeaders"
    /// The connection was idle too long.
    case idleTimeout = "IdleTimeout"
    case invalidPushType = "InvalidPushType"
    /// The path has no token.
    case missingDeviceToken = "MissingDeviceToken"
    /// The certificate has several topics, and the request names none.
    case missingTopic = "MissingTopic"
    case payloadEmpty = "PayloadEmpty"
    /// Pushing to the topic is not allowed.
    case topicDisallowed = "TopicDisallowed"
    case badCertificate = "BadCertificate"
    /// The certificate is for the other environment.
    case badCertificateEnvironment = "BadCertificateEnvironment"
    /// The provider token is more than an hour old.
    case expiredProviderToken = "ExpiredProviderToken"
    case forbidden = "Forbidden"
    case invalidProviderToken = "InvalidProviderToken"
    /// The request has neither a certificate nor a provider token.
    case missingProviderToken = "MissingProviderToken"
    /// The key is unrelated to the connection's first.
    case unrelatedKeyIdInToken = "UnrelatedKeyIdInToken"
    /// The key is for the other environment.
    case badEnvironmentKeyIdInToken = "BadEnvironmentKeyIdInToken"
    /// Another spelling of ``badEnvironmentKeyIdInToken``, which a library has seen.
    case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
    case badPath = "BadPath"
    /// The method is not POST.
    case methodNotAllowed = "MethodNotAllowed"
    case expiredToken = "ExpiredToken"
    /// The token is no longer active for the topic.
    case unregistered = "Unregistered"
    case payloadTooLarge = "PayloadTooLarge"
    /// Another provider token was sent within 20 minutes.
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    /// Too many notifications were sent to one device.
    case tooManyRequests = "TooManyRequests"
    case internalServerError = "InternalServerError"
    /// Apple's service is not available.
    case serviceUnavailable = "ServiceUnavailable"
    /// The server is going away.
    case shutdown = "Shutdown"

    // MARK: Broadcasts and channels only
    /// Broadcasts are not enabled for the app.
    case featureNotEnabled = "FeatureNotEnabled"
    case missingChannelId = "MissingChannelId"
    case badChannelId = "BadChannelId"
    case channelNotRegistered = "ChannelNotRegistered"
    case badRequestParams = "BadRequestParams"
    case badRequestPayload = "BadRequestPayload"
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
    case forbidden = 403
    case payloadTooLarge = 413
    /// Too many requests were made in this minute.
    case tooManyRequests = 429
    /// The query names keys that do not exist.
    case queryKeys = 700
}

/// The action to take on a refusal.
package enum ReasonDecision: Hashable, Sendable {
    /// The token is dead: mark it so in the registry, unless the app registered it again after the time in the refusal.
    case dropToken
    /// As ``dropToken``, but only where the environment is known to be right, see ``EnvironmentJudge``; otherwise the
    /// token is counted as refused, so that a mix-up of the environments wipes nothing.
    case dropTokenIfEnvironmentIsRight
    /// Count this token as refused and go on with the others.
    case refuseToken
    /// Send the same notification to this token again, later.
    case retry(Backoff)
    /// Pause everything that uses this credential, keep the current provider token, then send again.
    case wait(Backoff)
    /// Call this service no more until that hour of the day in China, where it is: what it takes in a day is used up, or
    /// it serves nobody at night.
    case stopUntil(hour: Int)
    /// Ask for another provider token (`ProviderTokenProviding/replacement(for:)`) and send the same again.
    case renew
    /// Close the connection and send the same again on a new one.
    case reconnect
    /// Stop the delivery: every device would get this answer.
    case giveUp(Cause)

    /// The part at fault when a delivery cannot go on.
    package enum Cause: String, Hashable, Sendable, CaseIterable {
        /// The certificate, the key, its team or its environment.
        case credential
        case topic
        case payload
        /// A header or the path.
        case request
        case channel
    }
}

extension Backoff {
    /// Errors of Apple's servers: 15 minutes at first (docs/background/apple/reasons.md#reasons), 4 hours at most.
    package static let serverError = Backoff(first: .seconds(15 * 60), longest: .seconds(4 * 3600))
    /// For too many requests to one device: a minute at first, at most 15; Apple only says "later".
    package static let tooManyRequests = Backoff(first: .seconds(60), longest: .seconds(15 * 60))
    /// For too many provider tokens: a minute at first, at most 20, the time during which Apple accepts no other token.
    package static let tooManyTokens = Backoff(first: .seconds(60), longest: .seconds(20 * 60))
}

/// A documented reason for which a push service refuses a push.
package enum ServiceReason: Hashable, Sendable {
    case apple(APNsReason)
    case fcm(FCMReason)
    case vendor(VendorReason)

    /// The reason for a service's word, as a journal keeps it; nil for an undocumented one.
    package init?(word: String) {
        let fcm = FCMReason(rawValue: word).map(Self.fcm)
        guard let reason = APNsReason(word: word).map(Self.apple) ?? fcm ?? VendorReason(word: word).map(Self.vendor)
        else { return nil }
        self = reason
    }

    /// The service's word.
    package var word: String {
        switch self {
        case .apple(let reason): reason.rawValue
        case .fcm(let reason): reason.rawValue
        case .vendor(let reason): reason.word
        }
    }

    /// The status and the action that belong to it.
    package var row: ReasonRow {
        switch self {
        case .apple(let reason): reason.row
        case .fcm(let reason): reason.row
        case .vendor(let reason): reason.row
        }
    }

    /// The problem and what to do, in one sentence without a full stop, with the service's word in it.
    package var explanation: String { "\(word): \(row.explanation)" }

    /// True when the service calls the token itself invalid.
    package var isOfTheToken: Bool {
        switch row.decision {
        case .dropToken, .dropTokenIfEnvironmentIsRight: true
        case .refuseToken:
            switch self {
            case .apple: true
            // What made the message too large are the device's values.
            case .fcm(let reason): reason != .messageTooLarge
            case .vendor(let reason): reason.code != VendorReason.tooLong
            }
        case .retry, .wait, .stopUntil, .renew, .reconnect, .giveUp: false
        }
    }
}

/// The status and the action that belong to one of a service's reasons.
package struct ReasonRow: Hashable, Sendable {
    /// The HTTP status that the reason comes with.
    package let status: Int
    /// The action to take.
    package let decision: ReasonDecision
    /// One sentence without a full stop: what is wrong and what to do.
    package let explanation: String

    init(_ status: Int, _ decision: ReasonDecision, _ explanation: String) {
        self.status = status
        self.decision = decision
        self.explanation = explanation
    }
}

extension APNsReason {
    private typealias Row = ReasonRow

    /// The row of this reason.
    ///
    /// Source: docs/background/apple/reasons.md#reasons, docs/background/apple/broadcasts.md#reasons: the status, and
    /// Apple's advice on repeating.
    package var row: ReasonRow {
        switch self {
        case .badCollapseId: Row(400, .giveUp(.request), "the collapse id has more than 64 bytes; shorten it")
        case .badDeviceToken:
            Row(
                400, .dropTokenIfEnvironmentIsRight,
                "Apple does not know the device token in this environment; "
                    + "compare the profile's environment with how the app was signed")
        case .badExpirationDate: Row(400, .giveUp(.request), "Apple rejects the expiration; correct it")
        case .badMessageId: Row(400, .giveUp(.request), "Apple rejects the apns-id; report it as a bug of bugle")
        case .badPriority: Row(400, .giveUp(.request), "the priority does not go with the push type; correct it")
        case .badTopic: Row(400, .giveUp(.topic), "the topic is not valid; correct the profile's topic")
        case .deviceTokenNotForTopic:
            Row(400, .refuseToken, "the device token belongs to another app; check the profile's topic")
        case .duplicateHeaders:
            Row(400, .giveUp(.request), "a header was sent twice; check any proxy between here and Apple")
        case .idleTimeout: Row(400, .reconnect, "the connection was idle too long; it is reopened")
        case .invalidPushType: Row(400, .giveUp(.request), "Apple rejects the push type here; correct pushType")
        case .missingDeviceToken: Row(400, .refuseToken, "the installation has no device token")
        case .missingTopic:
            Row(
                400, .giveUp(.topic),
                "the credential covers several topics and the push names none; set the profile's topic")
        case .payloadEmpty: Row(400, .giveUp(.payload), "the payload is empty; add content to the message")
        case .topicDisallowed:
            Row(
                400, .giveUp(.topic),
                "the credential may not push to this topic; check the profile's topic, and the key's topics and team")
        case .badCertificate:
            Row(403, .giveUp(.credential), "Apple rejects the certificate; make a new one and check its topic")
        case .badCertificateEnvironment:
            Row(403, .giveUp(.credential), "the certificate is for the other environment; use one for this environment")
        case .expiredProviderToken:
            Row(
                403, .renew,
                "the provider token has expired and is renewed; "
                    + "if the new one has expired too, this machine's clock is wrong")
        case .forbidden:
            Row(403, .giveUp(.credential), "Apple does not allow it; check the key or certificate, and the account")
        case .invalidProviderToken:
            Row(
                403, .giveUp(.credential),
                "Apple rejects the provider token; check teamId, keyId and key, and the clock")
        case .missingProviderToken:
            Row(
                403, .giveUp(.credential),
                "neither a certificate nor a provider token reached Apple; check the profile")
        case .unrelatedKeyIdInToken:
            Row(403, .reconnect, "another key was used on this connection; it is reopened for this key")
        case .badEnvironmentKeyIdInToken, .badEnvironmentKeyInToken:
            Row(403, .giveUp(.credential), "the key is for the other environment; use one for this environment")
        case .badPath: Row(404, .giveUp(.request), "Apple does not know the path; check 'hosts' of the remote")
        case .methodNotAllowed:
            Row(405, .giveUp(.request), "Apple rejects the method; check 'hosts' of the remote")
        case .expiredToken: Row(410, .dropToken, "the device token has expired; the app gets a new one when it runs")
        case .unregistered:
            Row(410, .dropToken, "the app was removed from the device, or no longer accepts notifications")
        case .payloadTooLarge: Row(413, .giveUp(.payload), "the payload is too large; shorten the message")
        case .tooManyProviderTokenUpdates:
            Row(429, .wait(.tooManyTokens), "provider tokens change too often; share one key between fewer programs")
        case .tooManyRequests:
            Row(
                429, .retry(.tooManyRequests),
                "too many notifications to one device in a short time; it is retried later")
        case .internalServerError: Row(500, .retry(.serverError), "an error in Apple's servers; it is retried later")
        case .serviceUnavailable:
            Row(503, .retry(.serverError), "Apple's service is not available; it is retried later")
        case .shutdown: Row(503, .reconnect, "the server is shutting down; the connection is reopened")
        case .featureNotEnabled:
            Row(400, .giveUp(.channel), "broadcasts are not enabled for the app; enable them on developer.apple.com")
        case .missingChannelId: Row(400, .giveUp(.channel), "the channel's id is missing; report it as a bug of bugle")
        case .badChannelId:
            Row(
                400, .giveUp(.channel),
                "the channel's id is not valid; it was created in another environment, or for another app")
        case .channelNotRegistered:
            Row(400, .giveUp(.channel), "the channel does not exist in this environment; it was deleted elsewhere")
        case .badRequestParams:
            Row(400, .giveUp(.request), "Apple rejects the request; report it as a bug of bugle")
        case .badRequestPayload: Row(400, .giveUp(.payload), "Apple rejects the payload; check the message")
        case .missingPushType: Row(400, .giveUp(.request), "the push type is missing; report it as a bug of bugle")
        case .cannotCreateChannelConfig:
            Row(400, .giveUp(.channel), "the app has 10,000 channels, the maximum; delete some")
        case .topicMismatch:
            Row(403, .giveUp(.topic), "the credential is for a different app than the channel; check broadcast.topic")
        case .serviceUnavailableSpaced:
            Row(503, .retry(.serverError), "Apple's service is not available; it is retried later")
        }
    }
}

extension Proof {
    /// The problem and what to do, in one sentence without a full stop.
    package var explanation: String {
        switch self {
        case .noBodyGiven(let why): why
        case .streamRefused: "the server refused the stream"
        case .service(let reason, _): reason.explanation
        case .leanCloud(_, let text): text
        case .record(let refusal): refusal.rawValue
        }
    }
}
