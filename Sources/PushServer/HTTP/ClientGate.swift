internal import Base
internal import Synchronization

/// A limited number of places for requests; others wait in order of arrival.
///
/// One address has at most its share of the places, so that it cannot shut out the others.
final class ClientGate: Sendable {
    /// The places of one address, kept while it has or waits for some.
    private struct Line {
        let places: Pool<Void>
        var users = 0
    }

    private let places: Pool<Void>
    private let share: Int
    private let lines = Mutex<[String: Line]>([:])

    /// Creates a gate with `places` places, of which one address has at most `share`.
    init(places: Int, share: Int) {
        self.places = Pool(places: places)
        self.share = max(1, share)
    }

    /// Takes a place, waiting until one is free; a cancelled task stops waiting.
    ///
    /// - Parameters:
    ///   - address: the address that has a share; nil for one that stands for many clients.
    ///   - patience: the longest wait.
    /// - Returns: nil when none became free in time, or the task was cancelled.
    func enter(from address: String?, within patience: Duration) async -> Place? {
        let end = ContinuousClock.now + patience
        // Whoever waits for a share holds no place.
        guard let own = await shared(address, until: end),
            await places.takeUnlessCancelled(within: end - ContinuousClock.now) != nil
        else { return nil }
        return Place(places, own)
    }

    /// Takes one of the places of an address; nil when none became free in time.
    private func shared(_ address: String?, until end: ContinuousClock.Instant) async -> Share? {
        guard let address else { return Share {} }
        let line = lines.withLock { lines in
            lines[address, default: Line(places: Pool(places: share))].users += 1
            return lines[address]?.places
        }
        let hasOne = await line?.takeUnlessCancelled(within: end - ContinuousClock.now) != nil
        let taken = Share { [self] in
            if hasOne { line?.giveBack(()) }
            lines.withLock { lines in
                lines[address]?.users -= 1
                if lines[address]?.users == 0 { lines[address] = nil }
            }
        }
        return hasOne ? taken : nil
    }

    /// A part of an address's share, given back when this object is deallocated.
    fileprivate final class Share: Sendable {
        private let giveBack: @Sendable () -> Void

        init(_ giveBack: @escaping @Sendable () -> Void) {
            self.giveBack = giveBack
        }

        deinit { giveBack() }
    }

    /// A place in the gate, freed when this object is deallocated.
    final class Place: Sendable {
        private let places: Pool<Void>
        private let own: Share

        fileprivate init(_ places: Pool<Void>, _ own: Share) {
            self.places = places
            self.own = own
        }

        deinit { places.giveBack(()) }
    }
}
