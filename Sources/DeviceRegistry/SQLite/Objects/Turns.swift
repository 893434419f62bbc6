internal import Base
internal import Synchronization

/// Serializes access to things, in order of arrival.
final class Turns: Sendable {
    /// A thing that only one task may hold.
    enum Thing: Hashable {
        /// An object.
        case object(ClassName, String)
        /// An identifier that a device sends for itself.
        case name(String)
    }

    /// The turns at what somebody has or wants, and how many do.
    private let wanted = Mutex<[Thing: (turns: Pool<Void>, count: Int)]>([:])

    /// Waits until nobody else holds a thing; each turn is ended with ``giveBack(_:)``.
    func take(_ thing: Thing) async {
        let turns = wanted.withLock { wanted in
            wanted[thing, default: (Pool(places: 1), 0)].count += 1
            return wanted[thing]?.turns
        }
        await turns?.take()
    }

    /// Ends a turn.
    func giveBack(_ thing: Thing) {
        let turns = wanted.withLock { wanted in
            wanted[thing]?.count -= 1
            defer { if wanted[thing]?.count == 0 { wanted[thing] = nil } }
            return wanted[thing]?.turns
        }
        turns?.giveBack(())
    }
}
