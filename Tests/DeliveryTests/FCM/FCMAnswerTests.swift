import Base
import Push
import Testing

@testable import Delivery

/// FCM's answers, each row of docs/background/android.md, and what nobody documented.
@Suite struct FCMAnswerTests {
    private static func error(
        _ status: String, code: String? = nil, field: String? = nil, message: String = "", http: Int64 = 0
    ) -> [UInt8] {
        var details: [JSONValue] = []
        if let code {
            details.append(
                ["@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": .string(code)])
        }
        if let field {
            details.append([
                "@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [["field": .string(field)]],
            ])
        }
        var error: JSONValue = ["code": .integer(http), "message": .string(message), "status": .string(status)]
        if !details.isEmpty { error["details"] = .array(details) }
        return (["error": error] as JSONValue).canonicalBytes
    }

    private static func verdict(_ status: Int, _ body: [UInt8]) -> FCMReason? {
        guard case .refused(.service(.fcm(let reason), _)) = FCMAnswer.verdict(status: status, body: body) else {
            return nil
        }
        return reason
    }

    private static let refusals: [(Int, [UInt8], FCMReason)] = [
        (404, error("NOT_FOUND", code: "UNREGISTERED"), FCMReason.unregistered),
        (400, error("INVALID_ARGUMENT", code: "INVALID_ARGUMENT", field: "message.token"), .invalidToken),
        (400, error("INVALID_ARGUMENT", field: "message.token"), .invalidToken),
        (
            400,
            error(
                "INVALID_ARGUMENT", code: "INVALID_ARGUMENT",
                message: "The registration token is not a valid FCM registration token"), .invalidToken
        ),
        (400, error("INVALID_ARGUMENT", code: "INVALID_ARGUMENT", field: "message.android.ttl"), .invalidArgument),
        (400, error("INVALID_ARGUMENT"), .invalidArgument),
        // The message alone, without Google's own code, names no token.
        (400, error("INVALID_ARGUMENT", message: "registration token"), .invalidArgument),
        (403, error("PERMISSION_DENIED", code: "SENDER_ID_MISMATCH"), .senderIDMismatch),
        (403, error("PERMISSION_DENIED"), .permissionDenied),
        (404, error("NOT_FOUND"), .notFound),
        (401, error("UNAUTHENTICATED"), .unauthenticated),
        (401, error("UNAUTHENTICATED", code: "THIRD_PARTY_AUTH_ERROR"), .thirdPartyAuthError),
        (429, error("RESOURCE_EXHAUSTED", code: "QUOTA_EXCEEDED"), .quotaExceeded),
        (429, error("RESOURCE_EXHAUSTED"), .quotaExceeded),
    ]

    @Test(arguments: refusals)
    func aDocumentedRefusalIsOne(status: Int, body: [UInt8], reason: FCMReason) {
        #expect(Self.verdict(status, body) == reason)
    }

    private static let others: [(Int, [UInt8])] = [
        (500, error("INTERNAL")), (503, error("UNAVAILABLE", code: "UNAVAILABLE")), (502, Array("<html>".utf8)),
        (400, Array("{".utf8)), (404, Array()), (404, error("UNREGISTERED")), (410, error("NOT_FOUND")),
        (400, error("NOT_FOUND", code: "UNREGISTERED")), (403, error("UNAUTHENTICATED")),
        (429, error("SOMETHING_NEW", code: "SOMETHING_NEW")), (200, Array("<html>".utf8)), (200, Array("{}".utf8)),
        (200, Array(#"{"name":""}"#.utf8)), (204, Array()), (302, Array()),
    ]

    @Test(arguments: others)
    func everythingElseIsUnknown(status: Int, body: [UInt8]) {
        guard case .unknown = FCMAnswer.verdict(status: status, body: body) else {
            Issue.record("\(FCMAnswer.verdict(status: status, body: body))")
            return
        }
    }

    @Test func aNamedMessageIsAccepted() {
        let body = Array(#"{"name":"projects/p/messages/0:1"}"#.utf8)
        #expect(FCMAnswer.verdict(status: 200, body: body) == .accepted)
    }

    @Test func hostileWordsAreNotShownAsTheyAre() {
        let body = Self.error("\u{1B}[31mEVIL\n", code: nil)
        guard case .unknown(let text) = FCMAnswer.verdict(status: 400, body: body) else { return }
        #expect(!text.contains("\u{1B}") && !text.contains("\n"), "\(text)")
    }

    @Test func noReasonIsAlsoOneOfApples() {
        for reason in FCMReason.allCases {
            #expect(ServiceReason(word: reason.rawValue) == .fcm(reason))
        }
        for reason in APNsReason.allCases {
            #expect(ServiceReason(word: reason.rawValue) == .apple(reason))
        }
    }
}
