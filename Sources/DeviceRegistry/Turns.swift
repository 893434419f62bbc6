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

    /// The tasks that wait for each held thing.
    private let waiting = Mutex<[Thing: [CheckedContinuation<Void, Never>]]>([:])

    /// Waits until nobody else holds a thing; each turn is ended with ``giveBack(_:)``.
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
