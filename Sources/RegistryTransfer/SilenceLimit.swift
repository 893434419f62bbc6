internal import CurlHTTP
internal import PushRemote
internal import Synchronization

/// Gives up on a server that says nothing: its requests are tried again and again, but not for ever.
final class SilenceLimit: HTTPExchanging, Pausing {
    /// How long nothing may be heard.
    let limit: Duration
    private let http: any HTTPExchanging
    private let pausing: any Pausing
    private let now: @Sendable () -> ContinuousClock.Instant
    /// When something was last heard, or first asked.
    private let lastHeard = Mutex<ContinuousClock.Instant?>(nil)

    /// Watches an exchange and the pauses between its tries.
    init(
        _ limit: Duration, http: any HTTPExchanging, pausing: any Pausing,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.limit = limit
        self.http = http
        self.pausing = pausing
        self.now = now
    }

    /// Whether it has been silent for so long.
    var isOver: Bool { lastHeard.withLock { $0 }.map { now() - $0 >= limit } ?? false }

    func exchange(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let start = now()
        lastHeard.withLock { $0 = $0 ?? start }
        let answer = try await http.exchange(request)
        let end = now()
        lastHeard.withLock { $0 = end }
        return answer
    }

    func pause(for duration: Duration) async throws(CancellationError) {
        guard !isOver else { throw CancellationError() }
        try await pausing.pause(for: duration)
    }

    func backoff(_ tries: Int) -> Duration { pausing.backoff(tries) }
}
