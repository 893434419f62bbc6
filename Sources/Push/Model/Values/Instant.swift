/// A point in time, to the millisecond, independent of any clock.
package struct Instant: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package var milliseconds: Int64

    /// Makes an instant from milliseconds since 1970.
    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Makes an instant from whole seconds since 1970.
    package init(seconds: Int64) { milliseconds = seconds * 1000 }

    /// Whole seconds since 1970, rounded down.
    package var seconds: Int64 { milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000 }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.milliseconds < rhs.milliseconds }

    package static func + (lhs: Self, rhs: Duration) -> Self {
        Instant(milliseconds: lhs.milliseconds + rhs.milliseconds)
    }

    package static func - (lhs: Self, rhs: Duration) -> Self {
        Instant(milliseconds: lhs.milliseconds - rhs.milliseconds)
    }

    package static func - (lhs: Self, rhs: Self) -> Duration {
        .milliseconds(lhs.milliseconds - rhs.milliseconds)
    }
}

extension Duration {
    /// The length in milliseconds, truncated.
    package var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }

    /// The length in seconds, truncated.
    package var wholeSeconds: Int64 { components.seconds }
}
