internal import CurlHTTP
internal import JSONValue
internal import LeanCloudClient
internal import PushModel

extension SendAnswer {
    /// What became of a push, from the answer to it: decided on `code` in the body, then on the status.
    init(_ answer: APIAnswer) {
        let reason = "LeanCloud answered \(answer.summary)".shortened()
        if let refusal = answer.refusal, let text = answer.fault?.text {
            self.init(
                .refused(.leanCloud(refusal, text.shortened())), reason: reason, remedy: answer.remedy(refusal))
        } else if answer.isSuccess, answer.fault == nil, let id = answer.json?["objectId"]?.string,
            (1...128).contains(id.utf8.count)
        {
            self.init(.accepted, objectID: id)
        } else {
            self.init(.unknown(reason), reason: reason)
        }
    }

    /// What became of a push that got no whole answer.
    init(_ error: TransportError) {
        let reason = error.summary.shortened()
        switch error.sent {
        case .possibly: self.init(.unknown(reason), reason: reason)
        case .nothing: self.init(notSent: reason, remedy: error.isTransient ? .again(after: nil) : .none)
        }
    }

    /// No byte of it was given away.
    init(notSent reason: String, remedy: Remedy) {
        self.init(.notSent(.noBodyGiven(reason)), reason: reason, remedy: remedy)
    }
}

extension APIAnswer {
    /// The code with which the service refused a request that sends; nil: nothing shows that it did not act on it.
    fileprivate var refusal: LeanCloudReason? {
        guard let code = fault?.code, let reason = LeanCloudReason(rawValue: code), json?["objectId"] == nil else {
            return nil
        }
        return switch status {
        // Nobody says what the service did before these.
        case 408: nil
        case 429: reason == .tooManyRequests ? reason : nil
        case 400..<500: reason
        // Under a success, too, nobody says what the service did.
        default: nil
        }
    }

    fileprivate func remedy(_ reason: LeanCloudReason) -> Remedy {
        if reason == .tooManyRequests { return .slowDown(rateLimitPause) }
        return reason == .unauthorized || status == 401 ? .credentials : .none
    }
}
