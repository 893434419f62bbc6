import Base
import DeviceRegistry
import Push
import Testing

@testable import Delivery

@Suite struct ReasonTableTests {
    /// One row of docs/background/apple/reasons.md#reasons, docs/background/apple/broadcasts.md#reasons.
    struct Row: Sendable, CustomTestStringConvertible {
        let status: Int
        let reason: String
        let decision: ReasonDecision

        init(_ status: Int, _ reason: String, _ decision: ReasonDecision) {
            self.status = status
            self.reason = reason
            self.decision = decision
        }

        var testDescription: String { "\(status) \(reason)" }
    }

    static let pushes = [
        Row(400, "BadCollapseId", .giveUp(.request)),
        Row(400, "BadDeviceToken", .dropTokenIfEnvironmentIsRight),
        Row(400, "BadExpirationDate", .giveUp(.request)),
        Row(400, "BadMessageId", .giveUp(.request)),
        Row(400, "BadPriority", .giveUp(.request)),
        Row(400, "BadTopic", .giveUp(.topic)),
        Row(400, "DeviceTokenNotForTopic", .refuseToken),
        Row(400, "DuplicateHeaders", .giveUp(.request)),
        Row(400, "IdleTimeout", .reconnect),
        Row(400, "InvalidPushType", .giveUp(.request)),
        Row(400, "MissingDeviceToken", .refuseToken),
        Row(400, "MissingTopic", .giveUp(.topic)),
        Row(400, "PayloadEmpty", .giveUp(.payload)),
        Row(400, "TopicDisallowed", .giveUp(.topic)),
        Row(403, "BadCertificate", .giveUp(.credential)),
        Row(403, "BadCertificateEnvironment", .giveUp(.credential)),
        Row(403, "ExpiredProviderToken", .renew),
        Row(403, "Forbidden", .giveUp(.credential)),
        Row(403, "InvalidProviderToken", .giveUp(.credential)),
        Row(403, "MissingProviderToken", .giveUp(.credential)),
        Row(403, "UnrelatedKeyIdInToken", .reconnect),
        Row(403, "BadEnvironmentKeyIdInToken", .giveUp(.credential)),
        Row(403, "BadEnvironmentKeyInToken", .giveUp(.credential)),
        Row(404, "BadPath", .giveUp(.request)),
        Row(405, "MethodNotAllowed", .giveUp(.request)),
        Row(410, "ExpiredToken", .dropToken),
        Row(410, "Unregistered", .dropToken),
        Row(413, "PayloadTooLarge", .giveUp(.payload)),
        Row(429, "TooManyProviderTokenUpdates", .wait(.tooManyTokens)),
        Row(429, "TooManyRequests", .retry(.tooManyRequests)),
        Row(500, "InternalServerError", .retry(.serverError)),
        Row(503, "ServiceUnavailable", .retry(.serverError)),
        Row(503, "Shutdown", .reconnect),
    ]

    static let broadcasts = [
        Row(400, "FeatureNotEnabled", .giveUp(.channel)),
        Row(400, "MissingChannelId", .giveUp(.channel)),
        Row(400, "BadChannelId", .giveUp(.channel)),
        Row(400, "ChannelNotRegistered", .giveUp(.channel)),
        Row(400, "BadRequestParams", .giveUp(.request)),
        Row(400, "BadRequestPayload", .giveUp(.payload)),
        Row(400, "MissingPushType", .giveUp(.request)),
        Row(400, "CannotCreateChannelConfig", .giveUp(.channel)),
        Row(403, "TopicMismatch", .giveUp(.topic)),
        Row(503, "Service Unavailable", .retry(.serverError)),
    ]

    @Test(arguments: pushes + broadcasts)
    func everyReasonLeadsToItsDecision(_ row: Row) {
        let refusal = Refusal(status: row.status, reason: row.reason, timestamp: row.status == 410 ? 1 : nil)
        #expect(refusal.knownReason?.row.decision == row.decision)
        #expect(refusal.knownReason?.rawValue == row.reason)
        let proof = refusal.knownReason.map { Proof.service(.apple($0), since: refusal.timestamp) }
        #expect(refusal.verdict == proof.map { .refused($0) })
        #expect(refusal.explanation.hasPrefix("\(row.reason): "))
        #expect(!refusal.explanation.hasSuffix("."))
    }

    @Test func theTableHoldsEveryReasonAndNoOther() {
        let written = (Self.pushes + Self.broadcasts).map(\.reason)
        #expect(written.count == Set(written).count)
        #expect(Set(written) == Set(APNsReason.allCases.map(\.rawValue)))
    }

    @Test(
        arguments: [400, 401, 403, 404, 408, 409, 410, 413, 418, 429, 500, 502, 503, 504, 599, 301, 200, 0],
        ["NewWord", "", "baddevicetoken", "Bad Gateway"])
    func anAnswerWithoutADocumentedReasonProvesNothing(status: Int, word: String) {
        let refusal = Refusal(status: status, reason: word, timestamp: 1)
        #expect(refusal.knownReason == nil)
        #expect(refusal.verdict == .unknown(refusal.explanation))
        #expect(refusal.explanation.contains(word) && refusal.explanation.contains("\(status)"))
    }

    @Test func aReasonWithAnotherStatusThanItsOwnProvesNothing() {
        for reason in APNsReason.allCases {
            for status in [200, 400, 403, 404, 405, 410, 413, 429, 500, 503] where status != reason.row.status {
                guard case .unknown = Refusal(status: status, reason: reason.rawValue, timestamp: 1).verdict else {
                    Issue.record("\(status) \(reason)")
                    continue
                }
            }
        }
    }

    @Test func aReasonIsTheTokensWhereItsDeviceAloneIsLeftOut() {
        let ofTokens = APNsReason.allCases.filter { ServiceReason.apple($0).isOfTheToken }
        #expect(
            Set(ofTokens) == [
                .badDeviceToken, .deviceTokenNotForTopic, .missingDeviceToken, .expiredToken, .unregistered,
            ])
    }

    @Test func whatGrowsTooLargeWithADevicesValuesIsNotTheTokens() throws {
        let tooLong = try #require(VendorReason(.mi, VendorReason.tooLong))
        #expect(!ServiceReason.vendor(tooLong).isOfTheToken && !ServiceReason.fcm(.messageTooLarge).isOfTheToken)
        #expect(ServiceReason.fcm(.senderIDMismatch).isOfTheToken)
        // A rollout counts it as any other refusal.
        let answers = StageVerdict.Answers(
            JournalFigures(targets: 9, accepted: 4, refused: [tooLong.word: 3, "UNREGISTERED": 2]))
        #expect(answers.refused == 3 && answers.deadTokens == 2)
    }

    @Test func whatAServerSaysCannotSteerATerminal() {
        let refusal = Refusal(status: 400, reason: "\u{1B}[2J\u{202E}字" + String(repeating: "x", count: 500))
        #expect(refusal.explanation.unicodeScalars.allSatisfy { (" "..."~").contains($0) })
        #expect(refusal.explanation.count < 200)
    }

    @Test func delaysGrowAndEnd() {
        let server = Backoff.serverError
        #expect((1...6).map { server.pause(after: $0).components.seconds / 60 } == [15, 30, 60, 120, 240, 240])
        #expect(server.pause(after: 0) == .seconds(900))
        #expect(server.pause(after: .max) == .seconds(4 * 3600))
        #expect(
            (1...5).map { Backoff.tooManyRequests.pause(after: $0).components.seconds } == [
                60, 120, 240, 480, 900,
            ])
        #expect(Backoff.tooManyTokens.pause(after: 1) == .seconds(60))
        #expect(Backoff.tooManyTokens.pause(after: 9) == .seconds(1200))
    }
}
