package import Basics
package import CurlHTTP
internal import JSONValue
package import PushModel

/// Signs, sends and repeats the calls that reader and writer make.
package struct LeanCloudAPI: Sendable {
    /// Where and as whom.
    package let connection: LeanCloudConnection
    /// What sends.
    package let http: any HTTPExchanging
    /// What waits.
    package let pausing: any Pausing
    /// The server's clock.
    package let clock: ServerClock

    /// Puts them together.
    package init(
        _ connection: LeanCloudConnection, http: any HTTPExchanging, pausing: any Pausing,
        clock: ServerClock = ServerClock()
    ) {
        self.connection = connection
        self.http = http
        self.pausing = pausing
        self.clock = clock
    }

    /// Makes a call once, whatever comes of it.
    ///
    /// - Parameter notAfter: when it is too late to write it; nil: never.
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
            clock.note(reachesAppleOnly: answer.reachesAppleOnly)
            return .success(answer)
        } catch {
            return .failure(error)
        }
    }

    /// Makes a call until its answer is judged to settle it, or there were enough tries.
    ///
    /// - Throws: `RemoteError` as the judgement says.
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
                try await pause(for: wait ?? pausing.backoff(attempt))
                attempt += 1
            }
        }
    }

    /// What a call comes to whose repetition does no harm.
    package func notSent<Value>(_ error: TransportError) -> CallVerdict<Value> {
        error.isTransient ? .again(failure(error), after: nil) : .failed(failure(error))
    }

    /// What a call comes to when there were too many.
    package func rateLimited<Value>(_ call: APICall, _ answer: APIAnswer) -> CallVerdict<Value> {
        .again(failure(.rateLimited, call, answer, "run it again in some minutes"), after: answer.rateLimitPause)
    }

    /// Waits before the next try.
    ///
    /// - Throws: `RemoteError` with `unavailable` when the task was cancelled.
    package func pause(for duration: Duration) async throws(RemoteError) {
        do throws(CancellationError) {
            try await pausing.pause(for: duration)
        } catch {
            throw RemoteError(.unavailable, "stopped while waiting for the service")
        }
    }

    /// A failure of the connection as the remote's error.
    package func failure(_ error: TransportError) -> RemoteError {
        RemoteError(.unavailable, error.description.shortened())
    }

    /// A failure that an answer tells as the remote's error.
    package func failure(_ kind: RemoteError.Kind, _ call: APICall, _ answer: APIAnswer, _ advice: String)
        -> RemoteError
    {
        RemoteError(kind, "\(call.name): \(host) answered \(answer.summary); \(advice)".shortened())
    }

    private var host: String { LeanCloudConnection.host(of: connection.url) }
}

/// What an answer, or none, means for a call.
package enum CallVerdict<Value: Sendable>: Sendable {
    /// It is done.
    case settled(Value)
    /// Another try would end no better.
    case failed(RemoteError)
    /// Another try may end better, after so long.
    case again(RemoteError, after: Duration?)
}

extension TransportError {
    /// Whether another try could end otherwise.
    package var isTransient: Bool {
        code != .refusedURL && code != .refusedHeader && code != .responseTooLarge && code != .cancelled
    }
}
