internal import HTTP
internal import Base
internal import Push
internal import Apply

extension SendAnswer {
    /// The outcome of a push from its answer: decided on `code` in the body, then on the status.
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

    /// The outcome of a push without a complete answer.
    init(_ error: TransportError) {
        let reason = error.summary.shortened()
        switch error.sent {
        case .possibly: self.init(.unknown(reason), reason: reason)
        case .nothing: self.init(notSent: reason, remedy: error.isTransient ? .again(after: nil) : .none)
        }
    }

    /// The outcome when no byte of the request was sent.
    init(notSent reason: String, remedy: Remedy) {
        self.init(.notSent(.noBodyGiven(reason)), reason: reason, remedy: remedy)
    }
}

extension APIAnswer {
    /// The code with which the service refused a send request; nil: it may have acted on the request.
    fileprivate var refusal: LeanCloudReason? {
        guard let code = fault?.code, let reason = LeanCloudReason(rawValue: code), json?["objectId"] == nil else {
            return nil
        }
        return switch status {
        // With these statuses, it is unknown what the service did before.
        case 408: nil
        case 429: reason == .tooManyRequests ? reason : nil
        case 400..<500: reason
        // With a success status, too, it is unknown what the service did.
        default: nil
        }
    }

    fileprivate func remedy(_ reason: LeanCloudReason) -> Remedy {
        if reason == .tooManyRequests { return .slowDown(rateLimitPause) }
        return reason == .unauthorized || status == 401 ? .credentials : .none
    }
}
