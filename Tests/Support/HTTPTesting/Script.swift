package import NIOHTTP2
internal import Synchronization

/// A request as a test server saw it.
package struct Seen: Sendable {
    package var method = ""
    package var path = ""
    package var headers: [String: String] = [:]
    package var body: [UInt8] = []
    /// Which request of its connection, from 1.
    package var place = 0
    /// Which connection, from 1.
    package var connection = 0
}

/// A test server's reaction to a request.
package enum Reply: Sendable {
    /// Answers.
    case answer(Int, headers: [(String, String)] = [], body: [UInt8] = [])
    /// Says nothing and keeps the connection.
    case hold
    /// Closes the connection without an answer.
    case close
    /// Sends the head and this much of the body, then closes the connection.
    case cut(headers: [(String, String)], body: [UInt8])
    /// Sends GOAWAY naming this stream as the last, then closes the connection (HTTP/2).
    case goAway(lastStream: Int)
    /// Sends GOAWAY naming this stream as the last and keeps the connection (HTTP/2).
    case leave(lastStream: Int)
    /// Ends the stream (HTTP/2).
    case reset(HTTP2ErrorCode)
    /// Sends GOAWAY that names every stream as taken, then ends this one, and keeps the connection (HTTP/2).
    case leaveAndReset(HTTP2ErrorCode)
    /// Answers without a body, then ends the stream (HTTP/2).
    case answerAndReset(Int, headers: [(String, String)])
}

/// The instructions of a test server, and its record of requests.
package final class Script: Sendable {
    private struct State {
        var seen: [Seen] = []
        var connections = 0
        var closed = 0
        var waiters: [(isMet: (State) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []

        mutating func changed() -> [CheckedContinuation<Void, Never>] {
            let all = waiters
            waiters = all.filter { !$0.isMet(self) }
            return all.filter { $0.isMet(self) }.map(\.continuation)
        }
    }

    /// True if the reply is chosen once the head has arrived, without waiting for the body.
    package let repliesAtHead: Bool
    private let choose: @Sendable (Seen) -> Reply
    private let state = Mutex(State())

    package init(repliesAtHead: Bool = false, _ choose: @escaping @Sendable (Seen) -> Reply) {
        self.repliesAtHead = repliesAtHead
        self.choose = choose
    }

    /// Every request seen, in order.
    package var seen: [Seen] { state.withLock { $0.seen } }
    /// The number of accepted connections.
    package var connections: Int { state.withLock { $0.connections } }

    /// Notes a request and chooses the reply.
    package func reply(to request: Seen) -> Reply {
        change { $0.seen.append(request) }
        return choose(request)
    }

    /// Notes a new connection.
    package func opened() { change { $0.connections += 1 } }

    /// Notes the end of a connection.
    package func closed() { change { $0.closed += 1 } }

    /// Returns when this many requests have been seen.
    package func requests(_ count: Int) async { await wait { $0.seen.count >= count } }

    /// Returns when this many connections have been accepted.
    package func accepted(_ count: Int) async { await wait { $0.connections >= count } }

    /// Returns when this many connections have ended.
    package func ended(_ count: Int) async { await wait { $0.closed >= count } }

    private func change(_ body: (inout State) -> Void) {
        let met = state.withLock { state in
            body(&state)
            return state.changed()
        }
        for continuation in met { continuation.resume() }
    }

    private func wait(until isMet: @escaping @Sendable (State) -> Bool) async {
        await withCheckedContinuation { continuation in
            change { $0.waiters.append((isMet, continuation)) }
        }
    }
}
