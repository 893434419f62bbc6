import Base
import HTTP
import Synchronization

/// Apple's management of channels, in memory, with what a test scripts.
final class FakeHTTP: HTTPExchanging {
    /// What becomes of the next request.
    enum Script: Sendable {
        case refuseConnection
        /// It never arrives, and nobody knows.
        case loseRequest
        /// It is carried out, and the answer lost.
        case loseAnswer
        case answer(Int, String)
    }

    struct State: Sendable {
        /// Channels by app: id and storage policy.
        var channels: [String: [String: Int64]] = [:]
        var scripts: [Script] = []
        /// Which calls the scripts are for; the others go through.
        var scripted: HTTPRequest.Method = .post
        var calls: [String] = []
        var made = 0
    }

    private let state = Mutex(State())

    func with<Value: Sendable>(_ body: (inout State) -> Value) -> Value { state.withLock { body(&$0) } }

    func exchange(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let script: Script? = with { state in
            state.calls.append("\(request.method) \(request.url)")
            guard request.method == state.scripted, !state.scripts.isEmpty else { return nil }
            return state.scripts.removeFirst()
        }
        switch script {
        case .refuseConnection:
            throw TransportError(.couldNotConnect, sent: .nothing, request: "r", detail: "nobody is there")
        case .loseRequest: throw TransportError(.timedOut, sent: .possibly, request: "r", detail: "")
        case .loseAnswer:
            _ = carryOut(request)
            throw TransportError(.connectionLost, sent: .possibly, request: "r", detail: "")
        case .answer(let status, let reason):
            return HTTPResponse(status: status, headers: [:], body: Array(#"{"reason":"\#(reason)"}"#.utf8))
        case nil: return carryOut(request)
        }
    }

    private func carryOut(_ request: HTTPRequest) -> HTTPResponse {
        let path = request.url.split(separator: "/").dropFirst(2).map(String.init)
        let channel = request.headers.first { $0.0 == "apns-channel-id" }?.1 ?? ""
        return with { state in
            switch request.method {
            case .get:
                let ids = state.channels[path[2]]?.keys.sorted() ?? []
                return HTTPResponse(
                    status: 200, headers: [:],
                    body: (["channels": .array(ids.map { .string($0) })] as JSONValue).canonicalBytes)
            case .post:
                state.made += 1
                let id = "channel\(state.made)=="
                let body = request.body.flatMap { try? JSONValue(parsing: $0) }
                state.channels[path[2], default: [:]][id] = body?["message-storage-policy"]?.integer ?? -1
                return HTTPResponse(status: 201, headers: ["apns-channel-id": id], body: [])
            case .delete:
                guard state.channels[path[2]]?.removeValue(forKey: channel) != nil else {
                    return HTTPResponse(
                        status: 400, headers: [:], body: Array(#"{"reason":"ChannelNotRegistered"}"#.utf8))
                }
                return HTTPResponse(status: 204, headers: [:], body: [])
            case .put: return HTTPResponse(status: 405, headers: [:], body: [])
            }
        }
    }
}

/// A service that keeps what it is asked, and answers each request, by its number from 0.
final class Peer: HTTPExchanging {
    private let answer: @Sendable (HTTPRequest, Int) throws(TransportError) -> HTTPResponse
    private let seen = Mutex<[HTTPRequest]>([])

    init(_ answer: @escaping @Sendable (HTTPRequest, Int) throws(TransportError) -> HTTPResponse) {
        self.answer = answer
    }

    /// Answers requests in order.
    convenience init(_ answers: [Result<HTTPResponse, TransportError>]) {
        self.init { _, number throws(TransportError) in try answers[number].get() }
    }

    var requests: [HTTPRequest] { seen.withLock { $0 } }

    func exchange(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        await Task.yield()
        let number = seen.withLock { seen in
            seen.append(request)
            return seen.count - 1
        }
        return try answer(request, number)
    }
}
