internal import Base
internal import Synchronization

/// The injected faults, in the order they were added.
final class FaultList: Sendable {
    private let isStopping = Atomic(false)
    private let state = Mutex((next: 1, entries: [Entry]()))

    private struct Entry {
        let id: Int
        let fault: Fault
        var seen = 0
        var hits = 0
    }

    /// Adds a fault and returns its number.
    func add(_ fault: Fault) -> Int {
        state.withLock { state in
            defer { state.next += 1 }
            state.entries.append(Entry(id: state.next, fault: fault))
            return state.next
        }
    }

    /// Removes all faults.
    func clear() {
        state.withLock { $0.entries = [] }
    }

    /// Counts a request and returns the fault that hits it.
    func meet(method: String, path: String) -> Fault.Effect? {
        state.withLock { state in
            var met: Fault.Effect?
            for index in state.entries.indices
            where state.entries[index].hits == 0 && state.entries[index].fault.covers(method, path) {
                state.entries[index].seen += 1
                if met == nil, state.entries[index].seen >= state.entries[index].fault.nth {
                    state.entries[index].hits = 1
                    met = state.entries[index].fault.effect
                }
            }
            return met
        }
    }

    /// Holds a response for some real time, or until the server stops.
    func hold(for seconds: Double) async {
        let end = ContinuousClock.now.advanced(by: .seconds(seconds))
        while ContinuousClock.now < end, !isStopping.load(ordering: .relaxed), !Task.isCancelled {
            try? await Task.sleep(until: min(end, .now.advanced(by: .milliseconds(20))))
        }
    }

    /// Releases all held responses.
    func stop() {
        isStopping.store(true, ordering: .relaxed)
    }

    /// All faults with the number of requests seen and whether they have struck.
    var json: JSONValue {
        state.withLock { state in
            .array(
                state.entries.map { entry in
                    var json = entry.fault.json
                    json["id"] = .integer(Int64(entry.id))
                    json["seen"] = .integer(Int64(entry.seen))
                    json["hits"] = .integer(Int64(entry.hits))
                    return json
                })
        }
    }
}

/// An injected fault and the request it applies to.
struct Fault: Hashable, Sendable {
    /// The HTTP method; `*` is any.
    let method: String
    /// The prefix of the path; `*` is any.
    let path: String
    /// The matching request to hit, counted from when the fault was added; 1 is the next.
    let nth: Int
    /// The effect of the fault.
    let effect: Effect

    /// The kinds of fault.
    enum Effect: Hashable, Sendable {
        /// The request is carried out, and the connection is closed without a response.
        case dropResponse
        /// The request is carried out, and the response is delayed by this many seconds of real time.
        case delay(Double)
        /// The request is carried out, and the response has this status.
        case status(Int)
        /// The connection is closed before the request is carried out.
        case close
        /// The request is carried out, and the connection is reset (TCP RST) without a response.
        case reset
    }

    /// Parses `{"method","path","nth","fault","value"}`.
    ///
    /// - Throws: ``APIError`` with code 1 for an invalid fault.
    init(_ members: JSONObject) throws(APIError) {
        method = members["method"]?.string?.uppercased() ?? "*"
        path = members["path"]?.string ?? "*"
        let nth = members["nth"] ?? 1
        let value = members["value"]?.double
        guard let count = nth.integer, (1...1_000_000).contains(count) else {
            throw APIError(400, 1, "'nth' is a whole number from 1.")
        }
        self.nth = Int(count)
        switch (members["fault"]?.string, value) {
        case ("drop-response", _): effect = .dropResponse
        case ("close", _): effect = .close
        case ("reset", _): effect = .reset
        case ("delay", let seconds?) where (0...600).contains(seconds): effect = .delay(seconds)
        case ("status", let status?) where (200...599).contains(status): effect = .status(Int(status))
        default:
            throw APIError(
                400, 1,
                "'fault' is drop-response, close, reset, delay with a value of 0 to 600 seconds, or status with a "
                    + "value of 200 to 599.")
        }
    }

    /// True if the fault applies to a request.
    func covers(_ method: String, _ path: String) -> Bool {
        (self.method == "*" || self.method == method) && (self.path == "*" || path.hasPrefix(self.path))
    }

    /// The fault in its JSON form.
    var json: JSONValue {
        var members: JSONValue = ["method": .string(method), "path": .string(path), "nth": .integer(Int64(nth))]
        switch effect {
        case .dropResponse: members["fault"] = "drop-response"
        case .close: members["fault"] = "close"
        case .reset: members["fault"] = "reset"
        case .delay(let seconds):
            members["fault"] = "delay"
            members["value"] = .number(seconds)
        case .status(let status):
            members["fault"] = "status"
            members["value"] = .integer(Int64(status))
        }
        return members
    }
}
