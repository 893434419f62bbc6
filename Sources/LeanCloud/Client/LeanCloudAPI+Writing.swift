internal import HTTP
package import Base
package import Push

/// The outcome of a write.
package enum WriteOutcome: Sendable {
    /// The write was done; the answer's body.
    case done(JSONValue)
    /// The write's condition matched no object.
    case conditionFailed
    /// The object or its class does not exist.
    case absent
    /// The write may have been done or not.
    case unknown(RemoteError)
}

extension LeanCloudAPI {
    /// Writes, and retries only while it is certain that nothing was written.
    ///
    /// - Throws: `RemoteError` when it is certain that nothing was written.
    package func write(_ call: APICall) async throws(RemoteError) -> WriteOutcome {
        try await repeating(call) { result in
            switch result {
            case .success(let answer): return self.verdict(call, answer)
            case .failure(let error) where error.sent == .nothing: return self.notSent(error)
            case .failure(let error):
                return .settled(.unknown(RemoteError(.unknownOutcome, error.description.shortened())))
            }
        }
    }

    private func verdict(_ call: APICall, _ answer: APIAnswer) -> CallVerdict<WriteOutcome> {
        if answer.isConditionFailure { return .settled(.conditionFailed) }
        if answer.isAbsent { return .settled(.absent) }
        if answer.isRateLimit { return rateLimited(call, answer) }
        if answer.isUnauthorized { return .failed(unauthorized(call, answer)) }
        if !answer.isServerFailure {
            if answer.fault != nil { return .failed(failure(.refused, call, answer, "nothing was written")) }
            if answer.isSuccess, let value = answer.json, value.object != nil { return .settled(.done(value)) }
        }
        return .settled(
            .unknown(failure(.unknownOutcome, call, answer, "it may have been written: check before writing again")))
    }
}
