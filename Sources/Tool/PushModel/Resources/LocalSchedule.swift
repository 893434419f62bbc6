/// A time at which each device's own clock decides when it is sent to.
package struct LocalSchedule: Hashable, Sendable {
    /// The time that the devices' clocks show.
    package var at: LocalTime
    /// The zone of devices that report none, or an unknown one.
    package var otherwise: ZoneClock

    package init(at: LocalTime, otherwise: ZoneClock) {
        self.at = at
        self.otherwise = otherwise
    }

    /// The largest distance of a zone's clocks from UTC, in seconds: UTC+14 and UTC−12, and an hour for a future rule.
    private static let reach: (east: Int64, west: Int64) = (15 * 3600, 13 * 3600)

    /// The instant before which no device's clock shows the time.
    package var earliest: Instant { Instant(seconds: at.seconds - Self.reach.east) }

    /// The instant after which no device's clock shows the time for the first time, unless it skips it.
    package var latest: Instant { Instant(seconds: at.seconds + Self.reach.west) }
}
