/// The rule of a recurring campaign, as its file says it.
///
/// A value without meaning for any clock: ``Timetable`` tells the days and instants.
package struct Recurrence: Hashable, Sendable {
    /// The length after which the rule repeats.
    package var every = Unit.day
    /// The days of each week or month; empty for every day.
    package var on: [Day] = []
    /// The time of day, in minutes after midnight.
    package var minute = 0
    /// The IANA name of the time zone whose days and clock count.
    package var timeZone = ""
    /// The first day on which it may occur; nil: no first day.
    package var from: CivilDate?
    /// The last day on which it may occur; nil when ``count`` ends it.
    package var until: CivilDate?
    /// The number of days from ``from`` on, one of ``countable``, those of ``except`` included; nil when ``until`` ends
    /// it.
    package var count: Int?
    /// Days of the rule on which it does not occur.
    package var except: [CivilDate] = []

    /// The numbers of days that a rule may have.
    static let countable = 1...5000

    /// The lengths after which a rule repeats.
    package enum Unit: String, Hashable, Sendable, CaseIterable {
        case day
        /// Every week, on some of its days.
        case week
        /// Every month, on some of its days.
        case month
    }

    /// A day of a week or of a month.
    package enum Day: Hashable, Sendable {
        /// A day of the week, from 0 for Monday.
        case weekday(Int)
        /// A day of the month, from 1 to 31; a month without it has no such day.
        case dayOfMonth(Int)
        /// The last day of the month, whichever it is.
        case last

        /// The words for the days of the week, Monday first.
        package static let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

        /// Parses `mon` to `sun`, `1` to `31`, or `last`; nil when it is anything else.
        package init?(_ text: String) {
            if text == "last" {
                self = .last
            } else if let weekday = Self.weekdays.firstIndex(of: text) {
                self = .weekday(weekday)
            } else if let number = Int(text), (1...31).contains(number), String(number) == text {
                self = .dayOfMonth(number)
            } else {
                return nil
            }
        }

        /// The day as ``init(_:)`` reads it.
        package var text: String {
            switch self {
            case .weekday(let number): Self.weekdays[number]
            case .dayOfMonth(let number): String(number)
            case .last: "last"
            }
        }

        /// The unit that has such days.
        package var unit: Unit {
            switch self {
            case .weekday: .week
            case .dayOfMonth, .last: .month
            }
        }
    }

    /// Writes the rule for hashing.
    package func hash(to writer: inout ContentWriter) {
        writer.group("recurrence") { inner in
            inner.write("every", every.rawValue)
            inner.write("on", on.map(\.text))
            inner.write("at", minute)
            inner.write("timeZone", timeZone)
            inner.write("from", from?.text)
            inner.write("until", until?.text)
            inner.write("times", count)
            inner.write("except", except.map(\.text))
        }
    }
}

// MARK: - Days

extension Recurrence {
    /// The first day on or after `date` that the rule's unit and days name, whatever its bounds.
    func namedDay(onOrAfter date: CivilDate) -> CivilDate {
        switch every {
        case .day: date
        case .week: date.adding(days: weekdays.map { ($0 - date.weekday + 7) % 7 }.min() ?? 0)
        case .month: dayOfMonth(onOrAfter: date)
        }
    }

    /// The rule's days in a month, in order.
    func days(inMonth month: Int, of year: Int) -> [Int] {
        let length = CivilDate.daysInMonth(year: year, month: month)
        let days = on.compactMap { day -> Int? in
            switch day {
            case .weekday: nil
            case .dayOfMonth(let number): number <= length ? number : nil
            case .last: length
            }
        }
        return Set(days).sorted()
    }

    private var weekdays: [Int] { on.compactMap { if case .weekday(let number) = $0 { number } else { nil } } }

    private func dayOfMonth(onOrAfter date: CivilDate) -> CivilDate {
        var (year, month, first) = (date.year, date.month, date.day)
        // Of two months in a row, at least one has every day there is.
        for _ in 0..<3 {
            if let day = days(inMonth: month, of: year).first(where: { $0 >= first }) {
                return CivilDate(year: year, month: month, day: day)
            }
            (year, month, first) = month == 12 ? (year + 1, 1, 1) : (year, month + 1, 1)
        }
        return date
    }

    /// The fewest days between two of its days; more than 31 count as 31.
    package var shortestInterval: Int {
        // Four years have every length of months.
        var last = namedDay(onOrAfter: CivilDate(year: 2024, month: 1, day: 1))
        let end = CivilDate(year: 2028, month: 2, day: 1)
        var shortest = 31
        while last < end, shortest > 1 {
            let next = namedDay(onOrAfter: last.adding(days: 1))
            shortest = min(shortest, next.daysSince1970 - last.daysSince1970)
            last = next
        }
        return shortest
    }
}

/// The days and instants of a recurring campaign.
///
/// Source of its rules: docs/features/recurring.md#days-and-instants.
package struct Timetable: Sendable {
    package let rule: Recurrence
    /// The last day on which it may occur; nil: it never ends.
    package let end: CivilDate?
    private let clock: ZoneClock
    private let excepted: Set<CivilDate>

    /// One occurrence.
    package struct Entry: Hashable, Sendable {
        /// The day that the rule names: the occurrence's identity.
        package var date: CivilDate
        /// The time of sending, in the rule's time zone; on a day that clocks skip it lies on the next one.
        package var at: OffsetInstant
    }

    /// Reads a rule; nil when its time zone does not exist, its days do not belong to its unit, or it has too many.
    package init?(_ rule: Recurrence) {
        let fits = rule.every == .day ? rule.on.isEmpty : !rule.on.isEmpty
        guard let clock = ZoneClock(rule.timeZone), fits, rule.on.allSatisfy({ $0.unit == rule.every }),
            rule.count.map({ Recurrence.countable.contains($0) }) ?? true
        else { return nil }
        self.rule = rule
        self.clock = clock
        excepted = Set(rule.except)
        end = rule.count.flatMap { count in rule.from.map { Self.day(count, of: rule, from: $0) } } ?? rule.until
    }

    /// The day with this number, from 1, of those that a rule names.
    private static func day(_ number: Int, of rule: Recurrence, from first: CivilDate) -> CivilDate {
        var day = rule.namedDay(onOrAfter: first)
        for _ in 1..<number { day = rule.namedDay(onOrAfter: day.adding(days: 1)) }
        return day
    }

    // MARK: Days

    /// The first day of an occurrence on or after `date`; nil when there is none.
    package func day(onOrAfter date: CivilDate) -> CivilDate? {
        var day = rule.namedDay(onOrAfter: max(date, rule.from ?? date))
        while excepted.contains(day) { day = rule.namedDay(onOrAfter: day.adding(days: 1)) }
        if let end, day > end { return nil }
        return day
    }

    /// True when it occurs on this day.
    package func occurs(on date: CivilDate) -> Bool { names(date) && !excepted.contains(date) }

    /// True when the rule names this day, excepted or not.
    package func names(_ date: CivilDate) -> Bool {
        date >= rule.from ?? date && date <= end ?? date && rule.namedDay(onOrAfter: date) == date
    }

    /// True when it never occurs.
    package var isEmpty: Bool { end != nil && lastDay == nil }

    /// The day of the last occurrence; nil when there is none, or no last.
    package var lastDay: CivilDate? {
        guard var day = end else { return nil }
        // Three months have one of its days, and two more have another for each exception.
        let first = rule.from ?? day.adding(days: -92 - 62 * excepted.count)
        while day >= first {
            if occurs(on: day) { return day }
            day = day.adding(days: -1)
        }
        return nil
    }

    /// The number of occurrences after a day.
    package func count(after date: CivilDate) -> Int {
        guard end != nil else { return 0 }
        var number = 0
        var day = day(onOrAfter: date.adding(days: 1))
        while let last = day {
            number += 1
            day = self.day(onOrAfter: last.adding(days: 1))
        }
        return number
    }

    /// The days that the rule names but a month does not have, from the month of `start` to that of `end`: `2027-02-30`.
    package func absentDays(from start: CivilDate, through end: CivilDate) -> [String] {
        let numbers = rule.on.compactMap { if case .dayOfMonth(let number) = $0, number > 28 { number } else { nil } }
        var absent: [String] = []
        var first = CivilDate(year: start.year, month: start.month, day: 1)
        while !numbers.isEmpty, first <= end {
            let length = CivilDate.daysInMonth(year: first.year, month: first.month)
            absent += numbers.sorted().filter { $0 > length }.map { "\(first.text.prefix(8))\($0)" }
            first = first.adding(days: length)
        }
        return absent
    }

    // MARK: Instants

    /// The occurrence on a day, which need not be one of the rule.
    package func entry(on date: CivilDate) -> Entry {
        Entry(date: date, at: clock.reading(at: clock.firstInstant(showing: date, minute: rule.minute)))
    }

    /// The time that the rule's clock shows at an instant.
    package func reading(at instant: Instant) -> OffsetInstant { clock.reading(at: instant) }

    /// The first occurrence at or after an instant; nil when there is none.
    package func first(from start: Instant) -> Entry? {
        var day = day(onOrAfter: earliestDay(from: start))
        while let date = day {
            let entry = entry(on: date)
            if entry.at.instant >= start { return entry }
            day = self.day(onOrAfter: date.adding(days: 1))
        }
        return nil
    }

    /// The occurrences at or after an instant, at most `limit`.
    package func next(_ limit: Int, from start: Instant) -> [Entry] {
        guard let first = first(from: start) else { return [] }
        var entries = [first]
        while entries.count < limit, let day = day(onOrAfter: entries[entries.count - 1].date.adding(days: 1)) {
            entries.append(entry(on: day))
        }
        return entries
    }

    /// The occurrences from `start` until before `end`.
    package func occurrences(from start: Instant, until end: Instant) -> [Entry] {
        var entries: [Entry] = []
        var entry = first(from: start)
        while let found = entry, found.at.instant < end {
            entries.append(found)
            entry = day(onOrAfter: found.date.adding(days: 1)).map { self.entry(on: $0) }
        }
        return entries
    }

    /// A day before which no occurrence is at or after an instant.
    private func earliestDay(from start: Instant) -> CivilDate {
        // A day that clocks skip occurs on the next one.
        clock.reading(at: start).date.adding(days: -2)
    }
}
