internal import Base
internal import Synchronization

/// The faults in force.
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

    /// Draws the faults for the next push to a token.
    func draw(for token: DeviceToken) -> FaultDraw {
        state.withLock { state in
            var draw = FaultDraw()
            guard !state.entries.isEmpty else { return draw }
            let tries = state.tries[token, default: 0]
            state.tries[token] = tries &+ 1
            for index in state.entries.indices {
                let entry = state.entries[index]
                if let limit = entry.fault.limit, entry.hits >= limit { continue }
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
