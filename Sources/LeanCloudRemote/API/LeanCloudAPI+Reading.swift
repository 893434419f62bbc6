internal import CurlHTTP
internal import JSONValue
internal import PushModel
internal import PushRemote

/// What a read found, and the server's clock.
struct ReadAnswer: Sendable {
    /// The body; nil when the class or object does not exist.
    var value: JSONValue?
    /// The server's clock when it answered.
    var date: Instant?
}

extension LeanCloudAPI {
    private enum Verdict {
        case found(ReadAnswer)
        case failed(RemoteError)
        case again(RemoteError, after: Duration?)
    }

    /// Reads, and tries again when the connection or the service fails.
    ///
    /// - Throws: `RemoteError` when there is no answer in the end, or it is a refusal or no JSON.
    func read(_ path: String, query: [(String, String)] = []) async throws(RemoteError) -> ReadAnswer {
        let call = APICall(.get, path, query: query)
        var attempt = 0
        while true {
            let verdict: Verdict
            switch await exchange(call) {
            case .success(let answer): verdict = self.verdict(call, answer)
            case .failure(let error):
                verdict = error.isTransient ? .again(failure(error), after: nil) : .failed(failure(error))
            }
            switch verdict {
            case .found(let answer): return answer
            case .failed(let error): throw error
            case .again(let error, let wait):
                guard attempt < connection.retries else { throw error }
                try await pause(for: wait ?? pausing.backoff(attempt))
                attempt += 1
            }
        }
    }

    private func verdict(_ call: APICall, _ answer: APIAnswer) -> Verdict {
        if answer.isAbsent { return .found(ReadAnswer(value: nil, date: answer.date)) }
        if answer.isRateLimit {
            let error = failure(.rateLimited, call, answer, "run it again in some minutes")
            return .again(error, after: answer.rateLimitPause)
        }
        if answer.isUnauthorized || answer.status == 401 { return .failed(unauthorized(call, answer)) }
        if answer.isServerFailure {
            let error = failure(.unavailable, call, answer, "run it again later")
            return .again(error, after: answer.retryAfter)
        }
        if answer.fault != nil {
            return .failed(failure(.refused, call, answer, "check what was asked for"))
        }
        guard answer.isSuccess, let value = answer.json else {
            return .failed(failure(.unexpectedAnswer, call, answer, "check that the url is that of the service"))
        }
        return .found(ReadAnswer(value: value, date: answer.date))
    }

    /// The error for credentials that are refused.
    func unauthorized(_ call: APICall, _ answer: APIAnswer) -> RemoteError {
        failure(.credentials, call, answer, "check appId and masterKey")
    }
}
