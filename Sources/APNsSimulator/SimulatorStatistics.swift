internal import Synchronization

/// Counts of a simulator's activity.
package struct SimulatorStatistics: Sendable, Hashable {
    /// Connections accepted, with TLS established.
    package var connections = 0
    /// Connections open now.
    package var openConnections = 0
    /// TLS handshakes that failed.
    package var failedHandshakes = 0
    /// Complete requests that arrived.
    package var requests = 0
    /// Notifications that reached an inbox or a channel.
    package var processed = 0
    /// Responses written with status 200, 201 or 204.
    package var accepted = 0
    /// Other responses written, by reason.
    package var refused: [String: Int] = [:]
    /// Streams refused with RST_STREAM(REFUSED_STREAM).
    package var refusedStreams = 0
    /// Requests that a fault left unanswered.
    package var unanswered = 0
    /// The most streams open at a time on one connection.
    package var mostStreams = 0
    /// The number of different provider tokens accepted.
    package var providerTokens = 0
    /// PING frames received.
    package var pings = 0

    /// The total of refused requests.
    package var refusals: Int { refused.values.reduce(0, +) }
}

/// Counts events and wakes the tasks that wait for a count.
final class StatisticsBook: Sendable {
    private struct State {
        var counts = SimulatorStatistics()
        var waiters:
            [(isMet: @Sendable (SimulatorStatistics) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var counts: SimulatorStatistics { state.withLock { $0.counts } }

    func change(_ body: (inout SimulatorStatistics) -> Void) {
        let met: [CheckedContinuation<Void, Never>] = state.withLock { state in
            body(&state.counts)
            guard !state.waiters.isEmpty else { return [] }
            let ready = state.waiters.filter { $0.isMet(state.counts) }
            if !ready.isEmpty { state.waiters.removeAll { $0.isMet(state.counts) } }
            return ready.map(\.continuation)
        }
        for continuation in met { continuation.resume() }
    }

    func wait(until isMet: @escaping @Sendable (SimulatorStatistics) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMetAlready = state.withLock { state in
                if isMet(state.counts) { return true }
                state.waiters.append((isMet, continuation))
                return false
            }
            if isMetAlready { continuation.resume() }
        }
    }
}
