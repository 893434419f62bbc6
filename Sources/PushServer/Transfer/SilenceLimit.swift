internal import Base
internal import HTTP
internal import Push
internal import Synchronization

/// Gives up on a server that does not respond, or only with errors: requests are retried, but not forever.
final class SilenceLimit: HTTPExchanging, Pausing {
    /// The longest time without a useful response.
    let limit: Duration
    private let http: any HTTPExchanging
    private let pausing: any Pausing
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    private struct State {
        /// The start of the first request since the last useful response.
        var since: ContinuousClock.Instant?
        var lastStatus: Int?
        var isOver = false
        /// The reason the server's certificate or TLS was not accepted: trying again does not change that.
        var mistrust: String?
    }

    /// Creates a limit on an exchange and on the pauses between its tries.
    init(
        _ limit: Duration, http: any HTTPExchanging, pausing: any Pausing,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.limit = limit
        self.http = http
        self.pausing = pausing
        self.now = now
    }

    /// Starts anew, after a limit that was reached.
    func begin() { state.withLock { $0 = State() } }

    /// True once the limit was reached.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// The status of the last error response; nil when there was none.
    var lastStatus: Int? { state.withLock { $0.lastStatus } }

    /// The reason the server's certificate or TLS was not accepted; nil when it was.
    var mistrust: String? { state.withLock { $0.mistrust } }

    func exchange(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let start = now()
        let since = state.withLock { state in
            state.since = state.since ?? start
            return state.since ?? start
        }
        var request = request
        request.timeout = min(request.timeout, max(limit - (start - since), .milliseconds(1)))
        let answer: HTTPResponse
        do throws(TransportError) {
            answer = try await http.exchange(request)
        } catch {
            if error.code == .tls { state.withLock { $0.mistrust = error.description } }
            throw error
        }
        let isFailure = answer.status >= 500 || answer.status == 408
        state.withLock { state in
            state.lastStatus = isFailure ? answer.status : nil
            if !isFailure { state.since = nil }
        }
        return answer
    }

    func pause(for duration: Duration) async throws(CancellationError) {
        if mistrust != nil {
            state.withLock { $0.isOver = true }
            throw CancellationError()
        }
        guard let since = state.withLock({ $0.since }) else { return try await pausing.pause(for: duration) }
        let left = limit - (now() - since)
        if left > .zero { try await pausing.pause(for: min(duration, left)) }
        guard duration < left else {
            state.withLock { $0.isOver = true }
            throw CancellationError()
        }
    }

    func backoff(_ tries: Int) -> Duration { pausing.backoff(tries) }
}
