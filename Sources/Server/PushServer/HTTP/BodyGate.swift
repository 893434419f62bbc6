internal import Basics

/// Limits the number of large bodies in memory; others wait in order of arrival.
final class BodyGate: Sendable {
    private let places: Pool<Void>

    /// Creates a gate with `places` places.
    init(places: Int) {
        self.places = Pool(places: places)
    }

    /// Takes a place, waiting until one is free.
    ///
    /// - Returns: nil when none became free in time.
    func enter(within patience: Duration) async -> Place? {
        await places.take(within: patience).map { Place(places) }
    }

    /// A place in the gate, freed when this object is deallocated.
    final class Place: Sendable {
        private let places: Pool<Void>

        fileprivate init(_ places: Pool<Void>) {
            self.places = places
        }

        deinit { places.giveBack(()) }
    }
}
