internal import Basics
internal import Synchronization

/// Lets those who want the same thing have it one after another, in the order of their coming.
final class Turns: Sendable {
    /// What only one may have.
    enum Thing: Hashable {
        /// An object.
        case object(ClassName, String)
        /// The device that says that it is known by this.
        case name(String)
    }

    /// The turns at what somebody has or wants, and how many do.
    private let wanted = Mutex<[Thing: (turns: Pool<Void>, count: Int)]>([:])

    /// Waits until nobody else has a thing; each turn is ended with ``giveBack(_:)``.
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
