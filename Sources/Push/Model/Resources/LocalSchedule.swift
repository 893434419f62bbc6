/// A time at which each device's own clock decides when it is sent to.
package struct LocalSchedule: Hashable, Sendable {
    /// The time that the devices' clocks show.
    package var at: LocalTime
    /// The IANA name of the zone of devices that report none, or an unknown one.
    package var otherwise: String
    /// The delay within which each wave may still start.
    package var window: Duration

    package init(at: LocalTime, otherwise: String, window: Duration = .seconds(3600)) {
        self.at = at
        self.otherwise = otherwise
        self.window = window
    }

    /// The easternmost offset from UTC, in seconds: UTC+14.
    private static let east = 14 * 3600
    /// The westernmost offset from UTC, in seconds: UTC−12.
    private static let west = -12 * 3600

    /// The instant of the first wave, by the easternmost clocks.
    package var first: OffsetInstant {
        OffsetInstant(Instant(seconds: at.seconds - Int64(Self.east)), offset: Self.east)
    }

    /// The instant of the last wave, by the westernmost clocks.
    package var last: Instant { Instant(seconds: at.seconds - Int64(Self.west)) }

    /// The instant at which the clocks of a zone show the time; nil when there is no such zone.
    package func wave(in zone: String) -> Instant? { ZoneClock(zone)?.firstInstant(showing: at) }

    /// The instant of devices without a known zone.
    package var fallback: Instant { wave(in: otherwise) ?? last }

    /// A wave as the clocks show it that it belongs to.
    package func reading(of wave: Instant) -> OffsetInstant {
        OffsetInstant(wave, offset: Int(at.seconds - wave.seconds))
    }

    /// The name of a wave, by its clocks' offset from UTC in seconds: `UTC+09:00`, `UTC−08:00`.
    ///
    /// With a minus sign, since a hyphen before digits makes what trackers take for the key of an issue.
    package static func label(ofOffset offset: Int) -> String {
        "UTC\(offset < 0 ? "−" : "+")\(QuietHours.timeOfDay(abs(offset) / 60))"
    }

    /// Writes the schedule for hashing.
    package func hash(to writer: inout ContentWriter) {
        writer.write("localTime", at.text)
        writer.write("otherwise", otherwise)
    }

    /// For people: `2026-12-01T09:00:00 by each device's clock, otherwise Asia/Shanghai`.
    package var reason: Reason { Reason(.localTime, .text(at.text), .text(otherwise)) }
}

extension Campaign {
    /// True when its delivery has parts: waves, stages, or a test of variants.
    package var isDivided: Bool { localSchedule != nil || rollout != nil || !variants.isEmpty }

    /// The waves in which each device's own clock decides; nil when it is sent at one instant.
    package var waves: LocalSchedule? {
        var schedule = localSchedule
        schedule?.window = window
        return schedule
    }

    /// The stages in which it is sent; nil when it is sent to everybody at once.
    package var stages: Rollout? {
        var stages = rollout
        stages?.window = window
        return stages
    }

    /// The delay after its time within which the first request may be made: waves go on for as long as the clocks of the
    /// earth differ.
    package var startWindow: Duration {
        localSchedule.map { $0.last - $0.first.instant + window } ?? window
    }

    /// The time of its last expiration if it starts at an instant; nil when there is none.
    ///
    /// The expiration counts from each wave, stage or part of a test.
    package func end(startingAt start: Instant) -> Instant? {
        let afterTest = variantTest.map { start + window + $0.decideBy + window }
        let last = afterTest ?? localSchedule.map { $0.last + window } ?? (rollout == nil ? start : start + window)
        return expiration?.end(startingAt: last)
    }
}
