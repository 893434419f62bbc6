internal import Base

/// Computes local times where the devices are, and reports oddities.
struct LocalTimePlanner {
    private let input: PlanInput
    private let quietClock: ZoneClock?
    private var table = ZoneTable()
    private var oddQuietDays: Set<Int64> = []
    /// The diagnostics about the times so far.
    private(set) var diagnostics: [PlanDiagnostic] = []

    /// The maximum number of time zones per audience.
    private static let zones = 3

    init(_ input: PlanInput) {
        self.input = input
        quietClock = input.desired.policy.quietHours.flatMap { ZoneClock($0.timeZone) }
    }

    /// Returns the local times of a delivery: in the largest zones of its audience, and in the zone of the quiet hours.
    mutating func localTimes(of occasion: Occasion) -> [PlanCalendar.LocalTime] {
        var found: [(clock: ZoneClock, devices: Int?)] = largestZones(of: occasion.review.explanation)
        if let quietClock, !found.contains(where: { $0.clock.name == quietClock.name }) {
            found.append((quietClock, nil))
        }
        guard !found.isEmpty else { return [] }
        var isMisread = false
        return found.map { clock, devices in
            let reading = table.reading(clock, at: occasion.entry.at.instant)
            if !isMisread { isMisread = checkOffset(occasion, clock, reading) }
            if clock.name == quietClock?.name, let change = reading.change { checkQuietHours(change) }
            return PlanCalendar.LocalTime(
                timeZone: clock.name, devices: devices, at: reading.at,
                remark: .joined(remarks(reading, clock, at: occasion.entry.at.instant)))
        }
    }

    private mutating func largestZones(of explanation: AudienceCount?) -> [(clock: ZoneClock, devices: Int?)] {
        guard let explanation else { return [] }
        let sorted = explanation.timeZones.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        var found: [(clock: ZoneClock, devices: Int?)] = []
        for (name, devices) in sorted where devices > 0 && found.count < Self.zones {
            // In a sample the order of the zones is meaningful, the numbers are not.
            guard let clock = table.clock(name) else { continue }
            found.append((clock, explanation.timeZoneSample == nil ? devices : nil))
        }
        return found
    }

    private mutating func remarks(_ reading: ZoneTable.Reading, _ clock: ZoneClock, at instant: Instant) -> [Reason] {
        var remarks: [Reason] = []
        if let change = reading.change { remarks.append(change.reason) }
        if let quiet = input.desired.policy.quietHours, quiet.timeZone == clock.name, quiet.contain(instant) {
            remarks.append(Reason(.inQuietHours))
        } else if reading.at.minuteOfDay >= 22 * 60 || reading.at.minuteOfDay < 8 * 60 {
            remarks.append(Reason(.atNight))
        }
        return remarks
    }

    /// Reports a time written with today's offset rather than that of its day.
    ///
    /// - Returns: true if it was reported. `Z` is taken literally: it is how UTC is written.
    private mutating func checkOffset(_ occasion: Occasion, _ clock: ZoneClock, _ reading: ZoneTable.Reading) -> Bool {
        guard let campaign = occasion.campaign, let written = campaign.scheduledAt, occasion.entry.action != nil,
            written.instant == occasion.entry.at.instant, written.offset != 0, written.offset != reading.at.offset,
            table.reading(clock, at: input.now).at.offset == written.offset,
            let change = clock.lastChange(before: written.instant, after: input.now)
        else { return false }
        let meant = OffsetInstant(
            written.instant + .seconds(written.offset - reading.at.offset), offset: reading.at.offset)
        diagnostics.append(
            PlanDiagnostic(
                .warning, .daylightSaving,
                Reason(.misreadTime, .time(written), .time(reading.at), .text(clock.name), .reason(change.reason)),
                at: campaign.timeRange,
                help: Reason(
                    .writeForClocks, .text(meant.text), .text(clock.name),
                    .text(String(written.displayText.dropLast(7))))))
        return true
    }

    /// Reports quiet hours that begin or end at a time that a day skips or has twice.
    private mutating func checkQuietHours(_ change: ClockChange) {
        guard let quiet = input.desired.policy.quietHours, quiet.from != quiet.to,
            oddQuietDays.insert(change.at.seconds).inserted
        else { return }
        let isSkipped = change.after > change.before
        let ends: [(Int, Reason.Note)] = [
            (quiet.from, isSkipped ? .quietBeginsSkipped : .quietBeginsTwice),
            (quiet.to, isSkipped ? .quietEndsSkipped : .quietEndsTwice),
        ]
        for (minute, note) in ends where change.affects(minute: minute) {
            diagnostics.append(
                PlanDiagnostic(
                    .note, .daylightSaving,
                    Reason(
                        note, .text(QuietHours.timeOfDay(minute)), .text(quiet.timeZone),
                        .day(OffsetInstant(change.at, offset: change.before).date)),
                    at: input.desired.origin.range(of: ["policy", "quietHours"])))
        }
    }
}

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
