/// A cache of local times: each zone and day is looked up once.
struct ZoneTable {
    private var clocks: [String: ZoneClock?] = [:]
    private var calm: [Day: Int?] = [:]

    private struct Day: Hashable {
        let zone: String
        let number: Int64
    }

    /// A local time, and the clock change within 24 hours before or after, if there is one.
    struct Reading {
        let at: OffsetInstant
        let change: ClockChange?
    }

    /// Returns the clock of a zone; nil when there is no such zone.
    mutating func clock(_ name: String) -> ZoneClock? {
        if let known = clocks[name] { return known }
        let clock = ZoneClock(name)
        clocks[name] = .some(clock)
        return clock
    }

    /// Returns the local time of an instant.
    mutating func reading(_ clock: ZoneClock, at instant: Instant) -> Reading {
        let (quotient, remainder) = instant.seconds.quotientAndRemainder(dividingBy: 86_400)
        let number = remainder < 0 ? quotient - 1 : quotient
        let day = Day(zone: clock.name, number: number)
        let offset = calm[day] ?? Self.calmOffset(clock, number)
        calm[day] = .some(offset)
        if let offset { return Reading(at: OffsetInstant(instant, offset: offset), change: nil) }
        let (before, after) = (instant - .seconds(86_400), instant + .seconds(86_400))
        let change = clock.change(after: before, until: instant) ?? clock.change(after: instant, until: after)
        return Reading(at: clock.reading(at: instant), change: change)
    }

    /// Returns the offset of a UTC day if no clock changes from the day before to the day after it.
    private static func calmOffset(_ clock: ZoneClock, _ number: Int64) -> Int? {
        let offsets = (-1...2).map { clock.offset(at: Instant(seconds: (number + $0) * 86_400)) }
        return offsets.allSatisfy { $0 == offsets[0] } ? offsets[0] : nil
    }
}

extension ClockChange {
    /// The change in words: `clocks there go back 1h at 2026-10-25 03:00 +02:00`.
    var reason: Reason {
        Reason(
            step < .zero ? .clocksBack : .clocksForward, .duration(step < .zero ? .zero - step : step),
            .time(OffsetInstant(at, offset: before)))
    }
}
