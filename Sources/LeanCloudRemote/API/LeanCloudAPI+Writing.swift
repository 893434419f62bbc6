internal import CurlHTTP
internal import JSONValue
internal import PushModel
internal import PushRemote

/// What became of a write.
enum WriteOutcome: Sendable {
    /// It was done; the body of the answer.
    case done(JSONValue)
    /// Its condition fitted no object.
    case conditionFailed
    /// The object or its class does not exist.
    case absent
    /// It may have been done or not.
    case unknown(RemoteError)
}

extension LeanCloudAPI {
    private enum Verdict {
        case settled(WriteOutcome)
        case failed(RemoteError)
        case again(RemoteError, after: Duration?)
    }

    /// Writes, and tries again only while it is certain that nothing was written.
    ///
    /// - Throws: `RemoteError` when it is certain that nothing was written.
    func write(_ call: APICall) async throws(RemoteError) -> WriteOutcome {
        var attempt = 0
        while true {
            switch verdict(call, await exchange(call)) {
            case .settled(let outcome): return outcome
            case .failed(let error): throw error
            case .again(let error, let wait):
                guard attempt < connection.retries else { throw error }
                try await pause(for: wait ?? pausing.backoff(attempt))
                attempt += 1
            }
        }
    }

    private func verdict(_ call: APICall, _ result: Result<APIAnswer, TransportError>) -> Verdict {
        switch result {
        case .success(let answer): return verdict(call, answer)
        case .failure(let error):
            switch error.sent {
            case .nothing:
                return error.isTransient ? .again(failure(error), after: nil) : .failed(failure(error))
            case .possibly:
                return .settled(.unknown(RemoteError(.unknownOutcome, error.description.shortened())))
            }
        }
    }

    private func verdict(_ call: APICall, _ answer: APIAnswer) -> Verdict {
        if answer.isConditionFailure { return .settled(.conditionFailed) }
        if answer.isAbsent { return .settled(.absent) }
        if answer.isRateLimit {
            let error = failure(.rateLimited, call, answer, "run it again in some minutes")
            return .again(error, after: answer.rateLimitPause)
        }
        if answer.isUnauthorized { return .failed(unauthorized(call, answer)) }
        if !answer.isServerFailure {
            if answer.fault != nil { return .failed(failure(.refused, call, answer, "nothing was written")) }
            if answer.isSuccess, let value = answer.json, value.object != nil { return .settled(.done(value)) }
        }
        return .settled(
            .unknown(failure(.unknownOutcome, call, answer, "it may have been written: look before writing again")))
    }
}
