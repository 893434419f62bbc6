internal import FoundationEssentials
// Named time zones are looked up at run time in this module's data.
internal import FoundationInternationalization

/// The clock of a time zone in the IANA database.
package struct ZoneClock: Hashable, Sendable {
    /// The zone's name, such as `Asia/Shanghai`.
    package let name: String
    private let zone: TimeZone

    /// Finds a zone; nil when there is none of this name, or the name cannot be a zone's.
    package init?(_ name: String) {
        // Devices report any text as their zone: only names that a zone could have are looked up.
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "+"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isName, (1...64).contains(name.utf8.count), let zone = TimeZone(identifier: name) else { return nil }
        self.name = name
        self.zone = zone
    }

    /// The zone's offset from UTC at an instant, in seconds.
    package func offset(at instant: Instant) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant.seconds)))
    }

    /// The zone's local time at an instant.
    package func reading(at instant: Instant) -> OffsetInstant {
        OffsetInstant(instant, offset: offset(at: instant))
    }

    /// The clock change after `start` and not after `end` that ends the offset of `start`; nil when both have the same
    /// offset.
    package func change(after start: Instant, until end: Instant) -> ClockChange? {
        let before = offset(at: start)
        guard start < end, offset(at: end) != before else { return nil }
        var (low, high) = (start.seconds, end.seconds)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offset(at: Instant(seconds: middle)) == before { low = middle } else { high = middle }
        }
        let at = Instant(seconds: high)
        return ClockChange(at: at, before: before, after: offset(at: at))
    }

    /// The first instant at which the zone's clock shows a time of a day, in minutes after midnight, or a later one.
    ///
    /// When clocks skip the time, that is the first moment after the gap; when they show it twice, the first of the two.
    package func firstInstant(showing date: CivilDate, minute: Int) -> Instant {
        firstInstant(showing: LocalTime(seconds: Int64(date.daysSince1970) * 86_400 + Int64(minute) * 60))
    }

    /// The first instant at which the zone's clock shows a local time, or a later one.
    package func firstInstant(showing local: LocalTime) -> Instant {
        let reading = Instant(seconds: local.seconds)
        // Offsets are between -12 and +14 hours, and no zone changes its clocks twice in such a time.
        let (early, late) = (reading - .seconds(15 * 3600), reading + .seconds(13 * 3600))
        let first = reading - .seconds(offset(at: early))
        guard let change = change(after: early, until: late), first >= change.at else { return first }
        return max(change.at, reading - .seconds(change.after))
    }

    /// The names of all zones, for suggestions.
    package static var names: [String] { TimeZone.knownTimeZoneIdentifiers }

    /// The last clock change before an instant, within nine months and after `start`; nil when there is none.
    package func lastChange(before instant: Instant, after start: Instant) -> ClockChange? {
        // No period between two changes is shorter than these steps.
        for months in 1...9 {
            let earlier = max(start, instant - .seconds(Int64(months) * 30 * 86_400))
            if let change = change(after: earlier, until: instant) { return change }
        }
        return nil
    }
}

/// A clock change in a time zone.
package struct ClockChange: Hashable, Sendable {
    /// The first instant with the new offset.
    package var at: Instant
    /// The offset from UTC before the change, in seconds.
    package var before: Int
    /// The offset from UTC after the change, in seconds.
    package var after: Int

    package init(at: Instant, before: Int, after: Int) {
        self.at = at
        self.before = before
        self.after = after
    }

    /// The amount by which the clocks go forward; negative when they go back.
    package var step: Duration { .seconds(after - before) }

    /// The day of the change by the clock before it, such as `2026-03-29`.
    package var day: String { CivilTime(at, offset: before).date }

    /// True when a time of that day, in minutes after midnight, is skipped or occurs twice.
    package func affects(minute: Int) -> Bool {
        let (first, last) = (min(before, after), max(before, after))
        let start = CivilTime(at, offset: first).minuteOfDay
        // Minutes wrap around at midnight.
        return (minute - start + 1440) % 1440 < (last - first) / 60
    }
}

extension OffsetInstant {
    /// The day, as written.
    package var date: CivilDate { CivilTime(instant, offset: offset).day }

    /// Minutes after midnight, as written.
    package var minuteOfDay: Int { CivilTime(instant, offset: offset).minuteOfDay }
}
