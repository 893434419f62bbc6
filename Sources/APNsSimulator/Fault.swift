internal import Base
internal import Synchronization

/// An injected failure that hits some of the pushes.
package struct Fault: Hashable, Sendable {
    /// The kind of failure, and whether the notification reaches the device all the same.
    package enum Effect: Hashable, Sendable {
        /// The push is refused unprocessed; a 410 carries the current time.
        case refuse(APNsReason)
        /// The push is refused unprocessed as soon as its header has arrived, before its body.
        case refuseAtHead(APNsReason)
        /// The stream is reset with REFUSED_STREAM; the push is not processed.
        case refuseStream
        /// The stream is reset with INTERNAL_ERROR.
        case reset(processed: Bool)
        /// The TCP connection is reset, along with everything in flight on it.
        case disconnect(processed: Bool)
        /// GOAWAY with this reason, if any, and the previous stream as the last one; this push is not processed.
        case goAway(reason: String?)
        /// GOAWAY without an error and this stream as the last one; the push is processed, but the connection closes
        /// unanswered.
        case goAwayProcessed
        /// The push is never answered.
        case stall(processed: Bool)
        /// The response is delayed by this many milliseconds; other faults may hit the push as well.
        case delay(milliseconds: Int64)
    }

    /// The kind of failure.
    package var effect: Effect
    /// The share of pushes it hits, from 0 for none to 1 for all.
    package var rate: Double
    /// The seed of the draws, which also depend on the token and its number of tries: every run hits the same tokens.
    package var seed: UInt64
    /// The most pushes it hits; nil for no limit.
    package var limit: Int?
    /// The only service whose pushes it hits, `apple` or a vendor's name; nil for all.
    package var service: String?

    package init(_ effect: Effect, rate: Double = 1, seed: UInt64 = 1, limit: Int? = nil, service: String? = nil) {
        self.effect = effect
        self.rate = rate
        self.seed = seed
        self.limit = limit
        self.service = service
    }
}

/// The faults that apply to one push.
struct FaultDraw {
    /// The effect of the first fault that hit.
    var effect: Fault.Effect?
    /// The delay of the response, in milliseconds.
    var delay: Int64 = 0
}

final class FaultBook: Sendable {
    private struct Entry {
        let id: Int
        var fault: Fault
        var hits = 0
    }

    private struct State {
        var entries: [Entry] = []
        var lastID = 0
        /// The number of tries of each token while faults were in force.
        var tries: [DeviceToken: UInt32] = [:]
    }

    private let state = Mutex(State())

    /// Adds a fault after the existing ones and returns its id.
    func add(_ fault: Fault) -> Int {
        state.withLock { state in
            state.lastID += 1
            state.entries.append(Entry(id: state.lastID, fault: fault))
            return state.lastID
        }
    }

    func remove(_ id: Int) { state.withLock { $0.entries.removeAll { $0.id == id } } }

    func removeAll() {
        state.withLock { state in
            state.entries = []
            state.tries = [:]
        }
    }

    /// The faults in force, each with its id and the number of pushes it has hit.
    var all: [(id: Int, fault: Fault, hits: Int)] {
        state.withLock { $0.entries.map { ($0.id, $0.fault, $0.hits) } }
    }

    /// True while no fault is in force.
    var isEmpty: Bool { state.withLock { $0.entries.isEmpty } }

    /// Draws the faults for the next push of a service to a token.
    func draw(for token: DeviceToken, of service: String) -> FaultDraw {
        state.withLock { state in
            var draw = FaultDraw()
            guard !state.entries.isEmpty else { return draw }
            let tries = state.tries[token, default: 0]
            state.tries[token] = tries &+ 1
            for index in state.entries.indices {
                let entry = state.entries[index]
                if let limit = entry.fault.limit, entry.hits >= limit { continue }
                if let only = entry.fault.service, only != service { continue }
                guard Self.hits(entry.fault, id: UInt64(entry.id), token, tries) else { continue }
                switch entry.fault.effect {
                case .delay(let milliseconds): draw.delay += milliseconds
                case .refuse, .refuseAtHead, .refuseStream, .reset, .disconnect, .goAway, .goAwayProcessed, .stall:
                    guard draw.effect == nil else { continue }
                    draw.effect = entry.fault.effect
                }
                state.entries[index].hits += 1
            }
            return draw
        }
    }

    private static func hits(_ fault: Fault, id: UInt64, _ token: DeviceToken, _ tries: UInt32) -> Bool {
        if fault.rate >= 1 { return true }
        var seed = mix(fault.seed &+ id &* 0x9E37_79B9_7F4A_7C15)
        seed = mix(seed ^ token.mixed)
        seed = mix(seed &+ UInt64(tries))
        return Double(seed >> 11) * 0x1p-53 < fault.rate
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        var generator = SeededGenerator(seed: value)
        return generator.next()
    }
}
