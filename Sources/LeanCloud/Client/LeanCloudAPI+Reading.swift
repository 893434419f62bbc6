internal import HTTP
package import Base
package import Push

/// The result of a read, with the server's time.
package struct ReadAnswer: Sendable {
    /// The body; nil when the class or object does not exist.
    package var value: JSONValue?
    /// The server's time when it answered.
    package var date: Instant?
}

extension LeanCloudAPI {
    /// Reads, and retries when the connection or the service fails.
    ///
    /// - Throws: `RemoteError` when all attempts fail, or the answer is a refusal or not JSON.
    package func read(_ path: String, query: [(String, String)] = []) async throws(RemoteError) -> ReadAnswer {
        let call = APICall(.get, path, query: query)
        return try await repeating(call) { result in
            switch result {
            case .success(let answer): return self.verdict(call, answer)
            case .failure(let error): return self.notSent(error)
            }
        }
    }

    private func verdict(_ call: APICall, _ answer: APIAnswer) -> CallVerdict<ReadAnswer> {
        if answer.isAbsent { return .settled(ReadAnswer(value: nil, date: answer.date)) }
        if answer.isRateLimit { return rateLimited(call, answer) }
        if answer.isUnauthorized || answer.status == 401 { return .failed(unauthorized(call, answer)) }
        if answer.isServerFailure {
            let error = failure(.unavailable, call, answer, "run it again later")
            return .again(error, after: answer.retryAfter)
        }
        if answer.fault != nil {
            return .failed(failure(.refused, call, answer, "check the request"))
        }
        guard answer.isSuccess, let value = answer.json else {
            return .failed(failure(.unexpectedAnswer, call, answer, "check that the url is that of the service"))
        }
        return .settled(ReadAnswer(value: value, date: answer.date))
    }

    /// The error for refused credentials.
    package func unauthorized(_ call: APICall, _ answer: APIAnswer) -> RemoteError {
        let source = connection.masterKeySource.map { ", which comes from \($0)" } ?? ""
        return failure(.credentials, call, answer, "check appId and masterKey\(source)")
    }
}
