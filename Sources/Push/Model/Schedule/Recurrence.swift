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
    /// The number of days from ``from`` on, those of ``except`` included; nil when ``until`` ends it.
    package var count: Int?
    /// Days of the rule on which it does not occur.
    package var except: [CivilDate] = []

    /// Makes a rule that repeats daily at midnight; its time zone and end are still to be set.
    package init() {}

    /// The lengths after which a rule repeats.
    package enum Unit: String, Hashable, Sendable, CaseIterable {
        /// Every day.
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
