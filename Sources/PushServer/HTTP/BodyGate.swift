internal import Basics

/// Lets a few large bodies into memory at once; the others wait in the order they came.
final class BodyGate: Sendable {
    private let places: Pool<Void>

    /// A gate with so many places.
    init(places: Int) {
        self.places = Pool(places: places)
    }

    /// Takes a place, and waits for one when none is free.
    ///
    /// - Returns: nil when none became free in time.
    func enter(within patience: Duration) async -> Place? {
        await places.take(within: patience).map { Place(places) }
    }

    /// A place, which is free again when nobody holds it.
    final class Place: Sendable {
        private let places: Pool<Void>

        fileprivate init(_ places: Pool<Void>) {
            self.places = places
        }

        deinit { places.giveBack(()) }
    }
}
