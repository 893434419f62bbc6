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

    /// Who waits for each thing that somebody has.
    private let waiting = Mutex<[Thing: [CheckedContinuation<Void, Never>]]>([:])

    /// Waits until nobody else has a thing; each turn is ended with ``giveBack(_:)``.
    func take(_ thing: Thing) async {
        await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting in
                guard waiting[thing] != nil else {
                    waiting[thing] = []
                    return true
                }
                waiting[thing]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Ends a turn.
    func giveBack(_ thing: Thing) {
        let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
            guard waiting[thing]?.isEmpty == false else {
                waiting[thing] = nil
                return nil
            }
            return waiting[thing]?.removeFirst()
        }
        next?.resume()
    }
}
