extension APNsReason {
    /// The status and the action that belong to one of Apple's reasons.
    package struct Row: Hashable, Sendable {
        /// The HTTP status that the reason comes with.
        package let status: Int
        /// The action to take.
        package let decision: ReasonDecision
        /// One sentence without a full stop: what is wrong and what to do.
        package let explanation: String

        fileprivate init(_ status: Int, _ decision: ReasonDecision, _ explanation: String) {
            self.status = status
            self.decision = decision
            self.explanation = explanation
        }
    }

    /// The row of this reason.
    ///
    /// Source: docs/background/apple/reasons.md#reasons, docs/background/apple/broadcasts.md#reasons: the status, and
    /// Apple's advice on repeating.
    package var row: Row {
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

extension APNsReason {
    /// The problem and what to do, in one sentence without a full stop, with Apple's word in it.
    package var explanation: String { "\(rawValue): \(row.explanation)" }
}

extension Proof {
    /// The problem and what to do, in one sentence without a full stop.
    package var explanation: String {
        switch self {
        case .noBodyGiven(let why): why
        case .streamRefused: "the server refused the stream"
        case .apple(let reason, _): reason.explanation
        case .leanCloud(_, let text): text
        case .record(let refusal): refusal.rawValue
        }
    }
}
