internal import FoundationEssentials
// Named time zones are looked up at run time in this module's data.
internal import FoundationInternationalization

/// The clocks of a time zone of the IANA database.
package struct ZoneClock: Hashable, Sendable {
    /// The zone's name, such as `Asia/Shanghai`.
    package let name: String
    private let zone: TimeZone

    /// Finds a zone; nil when there is none of this name, or when the name is none that a zone could have.
    package init?(_ name: String) {
        // Devices tell any text as their zone: only what a name can be made of is looked up.
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

    /// The offset from UTC in seconds that clocks there have at an instant.
    package func offset(at instant: Instant) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant.seconds)))
    }

    /// What clocks there show at an instant.
    package func reading(at instant: Instant) -> OffsetInstant {
        OffsetInstant(instant, offset: offset(at: instant))
    }

    /// A change of the clocks after `start` and not after `end`, the one that ends the offset of `start`; nil when both
    /// have the same offset.
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

    /// The last change of the clocks before an instant, of those that were within nine months and after `start`; nil
    /// when there is none.
    package func lastChange(before instant: Instant, after start: Instant) -> ClockChange? {
        // No period between two changes is shorter than these steps.
        for months in 1...9 {
            let earlier = max(start, instant - .seconds(Int64(months) * 30 * 86_400))
            if let change = change(after: earlier, until: instant) { return change }
        }
        return nil
    }
}

/// A moment at which the clocks of a time zone are changed.
package struct ClockChange: Hashable, Sendable {
    /// The first instant with the new offset.
    package var at: Instant
    /// The offset from UTC before it, in seconds.
    package var before: Int
    /// The offset from UTC from then on, in seconds.
    package var after: Int

    /// Joins them.
    package init(at: Instant, before: Int, after: Int) {
        self.at = at
        self.before = before
        self.after = after
    }

    /// How far the clocks go forward; negative: back.
    package var step: Duration { .seconds(after - before) }

    /// The day on which clocks are changed, as they show it until then, such as `2026-03-29`.
    package var day: String { CivilTime(at, offset: before).date }

    /// Whether a time of that day, in minutes after midnight, is left out or comes twice.
    package func affects(minute: Int) -> Bool {
        let (first, last) = (min(before, after), max(before, after))
        let start = CivilTime(at, offset: first).minuteOfDay
        // Across midnight the minutes begin anew.
        return (minute - start + 1440) % 1440 < (last - first) / 60
    }
}

extension OffsetInstant {
    /// Minutes after midnight, as written.
    package var minuteOfDay: Int { CivilTime(instant, offset: offset).minuteOfDay }
}
