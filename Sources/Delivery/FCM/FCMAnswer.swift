internal import Base
internal import Push

/// Reads FCM's answers to `messages:send`.
///
/// `FcmError.errorCode` decides, then `status`, and each only with its own HTTP status: what is not listed may have been
/// sent. A token is called dead only where an answer names the token.
/// Source: docs/background/android.md#fcm-answers.
enum FCMAnswer {
    /// The verdict on a request that was answered like this.
    static func verdict(status: Int, body: [UInt8]) -> Verdict {
        let answer = try? JSONValue(parsing: body)
        if status == 200 {
            // A page from somewhere between is not FCM's.
            let isNamed = answer?["name"]?.string?.isEmpty == false
            return isNamed ? .accepted : .unknown("FCM answered 200 without a message's name")
        }
        guard let error = answer?["error"], let reason = reason(status, error), reason.row.status == status else {
            return .unknown(explanation(status, answer?["error"]))
        }
        return .refused(.service(.fcm(reason), since: nil))
    }

    private static func reason(_ status: Int, _ error: JSONValue) -> FCMReason? {
        let details = error["details"]?.array ?? []
        func detail(_ type: String) -> JSONValue? {
            details.first { $0["@type"]?.string?.hasSuffix("/" + type) ?? false }
        }
        let code = detail("google.firebase.fcm.v1.FcmError")?["errorCode"]?.string
        switch code ?? error["status"]?.string {
        case "UNREGISTERED" where code != nil: return .unregistered
        case "NOT_FOUND": return .notFound
        case "INVALID_ARGUMENT":
            let fields = (detail("google.rpc.BadRequest")?["fieldViolations"]?.array ?? []).map { $0["field"]?.string }
            let isOfTheToken = fields.isEmpty ? code != nil && namesToken(error) : fields == ["message.token"]
            return isOfTheToken ? .invalidToken : .invalidArgument
        case "SENDER_ID_MISMATCH": return .senderIDMismatch
        case "PERMISSION_DENIED": return .permissionDenied
        case "UNAUTHENTICATED": return .unauthenticated
        case "THIRD_PARTY_AUTH_ERROR": return .thirdPartyAuthError
        case "QUOTA_EXCEEDED", "RESOURCE_EXHAUSTED": return .quotaExceeded
        default: return nil
        }
    }

    private static func namesToken(_ error: JSONValue) -> Bool {
        error["message"]?.string?.contains("registration token") ?? false
    }

    private static func explanation(_ status: Int, _ error: JSONValue?) -> String {
        let word = error?["status"]?.string.map(Refusal.printable) ?? ""
        return word.isEmpty
            ? "FCM answered \(status) without a reason"
            : "FCM answered \(status) with \(word), which does not say that nothing was sent"
    }
}
