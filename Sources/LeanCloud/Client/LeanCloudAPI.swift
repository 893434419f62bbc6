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
            clock.note(ways: answer.ways, isBugleServer: answer.isBugleServer)
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
    case settled(Value)
    /// The call failed, and a retry would end no better.
    case failed(RemoteError)
    /// A retry may succeed, after this wait if given.
    case again(RemoteError, after: Duration?)
}

/// One call to LeanCloud's API.
package struct APICall: Sendable {
    package var method: HTTPRequest.Method
    /// The path after the version, percent-encoded, such as `/classes/BugleLock`.
    package var path: String
    /// The names and values of the query, not yet encoded.
    package var query: [(String, String)] = []
    /// The body; sent as its canonical bytes.
    package var body: JSONValue?

    package init(_ method: HTTPRequest.Method, _ path: String, query: [(String, String)] = [], body: JSONValue? = nil) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
    }

    /// The path and query as part of the address.
    package var target: String {
        let pairs = query.map { "\($0.0)=\($0.1.percentEncoded)" }
        return "/1.1" + path + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
    }

    /// The call in a message: `GET /1.1/classes/BugleLock`.
    package var name: String { "\(method.rawValue) /1.1\(path)" }
}

/// One complete answer of the service, not yet validated.
package struct APIAnswer: Sendable {
    /// The HTTP status.
    package let status: Int
    /// The body; nil when it is empty or not JSON.
    package let json: JSONValue?
    /// The server's time, from the `Date` header.
    package let date: Instant?
    /// True when the answer is from a bugle-server that reaches devices only through Apple.
    package let ways: Set<String>?
    /// True when the answer is from a bugle-server.
    package let isBugleServer: Bool
    /// The wait that `Retry-After` asks for; LeanCloud never sends it, a proxy may.
    package let retryAfter: Duration?
    /// The service's error; nil when the body has no `error`.
    package let fault: ServiceFault?

    /// Reads an answer.
    package init(_ response: HTTPResponse) {
        status = response.status
        json = try? JSONValue(parsing: response.body, limits: .anyMemory)
        date = response.headers["Date"].flatMap { Instant(httpDate: $0) }
        ways = response.headers["X-Bugle-Devices"].flatMap { header in
            let names = header.split(separator: ",").map { $0.filter { $0 != " " } }
            return names == ["simulated"] ? nil : Set(names)
        }
        isBugleServer = response.headers["X-Bugle-Registry"] != nil || response.headers["X-Bugle-Devices"] != nil
        retryAfter = response.headers["Retry-After"].flatMap { Int64($0) }.flatMap {
            (0...300).contains($0) ? .seconds($0) : nil
        }
        fault = json.flatMap(ServiceFault.init)
    }

    /// True for a success status.
    package var isSuccess: Bool { (200..<300).contains(status) }

    /// True when the service asks to slow down.
    package var isRateLimit: Bool { fault?.code == 429 || status == 429 && fault?.code != 124 }

    /// True when the credentials are refused.
    package var isUnauthorized: Bool { fault.map { $0.code == 401 || status == 401 && $0.code != 124 } ?? false }

    /// True when the class or object does not exist.
    package var isAbsent: Bool { fault?.code == 101 && !isServerFailure }

    /// True when a condition matched no object.
    package var isConditionFailure: Bool { fault?.code == 305 && !isServerFailure }

    /// True when the service failed rather than refused, so that it may have acted or not.
    package var isServerFailure: Bool {
        if status >= 500 || status == 408 { return true }
        return switch fault?.code {
        case 124, 502, 503, 504, 511: true
        default: false
        }
    }

    /// The time for which the service will go on refusing: until its minute is over.
    ///
    /// > Within 1 minute the cloud keeps answering 429; after a minute it works again.
    /// Source: LeanCloud, "推送 REST API 使用指南", 限制.
    package var rateLimitPause: Duration {
        if let retryAfter { return retryAfter }
        guard let date else { return .seconds(61) }
        return .seconds(61 - (date.seconds % 60 + 60) % 60)
    }

    /// The answer in a message: `400, code 1: text`.
    package var summary: String {
        guard let fault else { return json == nil ? "\(status) without a JSON body" : "\(status)" }
        return "\(status), \(fault.code.map { "code \($0): " } ?? "")\(fault.text.shortened(to: 200))"
    }
}

/// An error reported by the service.
package struct ServiceFault: Hashable, Sendable {
    /// LeanCloud's error code; nil when there is none.
    package let code: Int64?
    /// The service's words, unchecked.
    package let text: String

    /// Finds the error in a body; nil when there is no `error`.
    package init?(_ body: JSONValue) {
        guard let error = body["error"], !error.isNull else { return nil }
        code = body["code"]?.integer
        text = error.string ?? error.canonicalText
    }
}

// MARK: - Reading

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

// MARK: - Writing

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
