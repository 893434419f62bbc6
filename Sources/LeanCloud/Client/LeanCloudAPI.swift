package import Base
package import HTTP
package import Push

/// Signs, sends and retries the calls of the reader and the writer.
package struct LeanCloudAPI: Sendable {
    /// The address and credentials of the app.
    package let connection: LeanCloudConnection
    /// The HTTP client.
    package let http: any HTTPExchanging
    /// The implementation of pauses between attempts.
    package let pausing: any Pausing
    /// The server's clock.
    package let clock: ServerFacts

    package init(
        _ connection: LeanCloudConnection, http: any HTTPExchanging, pausing: any Pausing,
        clock: ServerFacts = ServerFacts()
    ) {
        self.connection = connection
        self.http = http
        self.pausing = pausing
        self.clock = clock
    }

    /// Makes a call once and returns its result, whatever it is.
    ///
    /// It is not written after `notAfter`; nil: no limit.
    package func exchange(
        _ call: APICall, notAfter: ContinuousClock.Instant? = nil
    ) async -> Result<APIAnswer, TransportError> {
        let signature = RequestSignature(masterKey: connection.masterKey, at: clock.local.time())
        var headers = [
            ("X-LC-Id", connection.appId), ("X-LC-Sign", signature.headerValue), ("Accept", "application/json"),
        ]
        if call.body != nil { headers.append(("Content-Type", "application/json")) }
        var request = HTTPRequest(
            call.method, connection.url + call.target, headers: headers, body: call.body?.canonicalBytes,
            timeout: connection.timeout, repetition: call.method == .get ? .repeatable : .once)
        request.notAfter = notAfter
        do throws(TransportError) {
            let answer = APIAnswer(try await http.exchange(request))
            if let date = answer.date { clock.note(date) }
            clock.note(reachesAppleOnly: answer.reachesAppleOnly, isBugleServer: answer.isBugleServer)
            return .success(answer)
        } catch {
            return .failure(error)
        }
    }

    /// Repeats a call until its answer settles it or the retries are used up.
    ///
    /// - Throws: the `RemoteError` of the last verdict.
    package func repeating<Value: Sendable>(
        _ call: APICall, _ judge: (Result<APIAnswer, TransportError>) -> CallVerdict<Value>
    ) async throws(RemoteError) -> Value {
        var attempt = 0
        while true {
            switch judge(await exchange(call)) {
            case .settled(let value): return value
            case .failed(let error): throw error
            case .again(let error, let wait):
                guard attempt < connection.retries else { throw error }
                let wait = wait ?? pausing.backoff(attempt)
                connection.onRetry(error, wait)
                try await pause(for: wait)
                attempt += 1
            }
        }
    }

    /// The verdict on a failed call that is safe to repeat.
    package func notSent<Value>(_ error: TransportError) -> CallVerdict<Value> {
        // A server of this machine that has not answered yet is not running; one that has may be starting again.
        if error.code == .couldNotConnect, clock.estimate == nil, HTTPRequest.staysOnThisMachine(connection.url) {
            return .failed(
                RemoteError(
                    .unavailable, "nothing answers at \(host): is bugle-server running? (bugle-server demo)"))
        }
        return error.isTransient ? .again(failure(error), after: nil) : .failed(failure(error))
    }

    /// The verdict on a rate-limited call.
    package func rateLimited<Value>(_ call: APICall, _ answer: APIAnswer) -> CallVerdict<Value> {
        .again(failure(.rateLimited, call, answer, "run it again in a few minutes"), after: answer.rateLimitPause)
    }

    /// Waits before the next attempt.
    ///
    /// - Throws: `RemoteError` with `unavailable` when the task was cancelled.
    package func pause(for duration: Duration) async throws(RemoteError) {
        do throws(CancellationError) {
            try await pausing.pause(for: duration)
        } catch {
            throw RemoteError(.unavailable, "stopped while waiting for the service")
        }
    }

    /// Converts a transport error to the remote's error.
    package func failure(_ error: TransportError) -> RemoteError {
        RemoteError(.unavailable, error.description.shortened())
    }

    /// Converts an error answer to the remote's error.
    package func failure(_ kind: RemoteError.Kind, _ call: APICall, _ answer: APIAnswer, _ advice: String)
        -> RemoteError
    {
        RemoteError(kind, "\(call.name): \(host) answered \(answer.summary); \(advice)".shortened())
    }

    private var host: String { LeanCloudConnection.host(of: connection.url) }
}

/// The verdict on a call's result.
package enum CallVerdict<Value: Sendable>: Sendable {
    /// The call is done.
    case settled(Value)
    /// The call failed, and a retry would end no better.
    case failed(RemoteError)
    /// A retry may succeed, after this wait if given.
    case again(RemoteError, after: Duration?)
}

extension TransportError {
    /// True when a retry could succeed.
    package var isTransient: Bool {
        code != .refusedURL && code != .refusedHeader && code != .responseTooLarge && code != .cancelled
    }
}
