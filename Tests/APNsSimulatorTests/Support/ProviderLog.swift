internal import NIOHPACK
internal import NIOHTTP2

@testable internal import APNsSimulator

/// How a stream ended.
enum StreamEnd: Equatable {
    case answer(Reply)
    case reset(HTTP2ErrorCode)
    /// The connection ended first.
    case lost
}

/// What a request was answered.
struct Reply: Equatable {
    var status = 0
    var headers: [String: String] = [:]
    var body = ""
}

/// What a client saw on its connection.
final class ProviderLog: Sendable {
    struct GoAway: Equatable {
        let last: Int
        let data: String
    }

    private struct State {
        var replies: [HTTP2StreamID: Reply] = [:]
        var ends: [HTTP2StreamID: StreamEnd] = [:]
        var streamLimits: [Int] = []
        var goAway: GoAway?
        var isClosed = false
    }

    private let state = Watched(State())

    /// The values of MAX_CONCURRENT_STREAMS, in order.
    var streamLimits: [Int] { state.value.streamLimits }

    func headers(_ id: HTTP2StreamID, _ headers: HPACKHeaders, isLast: Bool) {
        state.change { state in
            let status = headers.first(name: ":status").flatMap { Int($0) } ?? 0
            let fields = headers.filter { !$0.name.hasPrefix(":") }.map { ($0.name, $0.value) }
            state.replies[id] = Reply(status: status, headers: Dictionary(fields) { $1 })
            if isLast { state.ends[id] = .answer(state.replies[id] ?? Reply()) }
        }
    }

    func data(_ id: HTTP2StreamID, _ text: String, isLast: Bool) {
        state.change { state in
            state.replies[id, default: Reply()].body += text
            if isLast { state.ends[id] = .answer(state.replies[id] ?? Reply()) }
        }
    }

    func reset(_ id: HTTP2StreamID, _ code: HTTP2ErrorCode) {
        state.change { if $0.ends[id] == nil { $0.ends[id] = .reset(code) } }
    }

    func limit(_ value: Int) { state.change { $0.streamLimits.append(value) } }

    func goAway(_ last: Int, _ data: String) { state.change { $0.goAway = GoAway(last: last, data: data) } }

    func closed() { state.change { $0.isClosed = true } }

    /// How a stream ended, once it has.
    func end(of id: HTTP2StreamID) async -> StreamEnd {
        await state.wait { $0.ends[id] != nil || $0.isClosed }
        return state.value.ends[id] ?? .lost
    }

    /// The GOAWAY, once it has come.
    func goAway() async -> GoAway? {
        await state.wait { $0.goAway != nil || $0.isClosed }
        return state.value.goAway
    }

    /// Returns when this many limits were announced.
    func limits(_ count: Int) async -> [Int] {
        await state.wait { $0.streamLimits.count >= count || $0.isClosed }
        return streamLimits
    }

    /// Returns when the connection has ended.
    func end() async { await state.wait { $0.isClosed } }
}
