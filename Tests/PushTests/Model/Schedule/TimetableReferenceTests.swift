import Testing

@testable import Push

/// Generated rules against a slow, obvious reference: a walk through ten years, clock in hand.
@Suite struct TimetableReferenceTests {
    static let zones = [
        "Australia/Lord_Howe", "Pacific/Apia", "Africa/Cairo", "Africa/Casablanca", "Antarctica/Troll", "Asia/Amman",
        "America/Sao_Paulo", "Asia/Tehran", "Asia/Kathmandu", "Pacific/Chatham", "America/Caracas", "Asia/Pyongyang",
        "Europe/Istanbul", "Europe/Moscow", "Pacific/Fakaofo", "America/Havana", "Asia/Beirut", "Pacific/Kiritimati",
        "America/New_York", "Asia/Shanghai",
    ]

    /// 2008-01-01 to 2018-01-01, in quarters of an hour: every clock here changed on one.
    private static let (start, quarters) = (Instant(seconds: 1_199_145_600), 3653 * 96)

    /// The time that a zone's clock shows at each quarter of an hour, in minutes since 1970-01-01 00:00.
    private static func readings(_ clock: ZoneClock) -> [Int] {
        (0...quarters).map { (Int(start.seconds) + 900 * $0 + clock.offset(at: start + .seconds(900 * $0))) / 60 }
    }

    /// A generator that gives the same numbers for the same seed.
    private struct Dice {
        var state: UInt64

        mutating func roll(_ sides: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % sides
        }
    }

    private static func rule(_ zone: String, _ dice: inout Dice) -> Recurrence {
        var rule = Recurrence()
        rule.timeZone = zone
        // Often in the hours in which clocks change.
        rule.minute = dice.roll(2) == 0 ? 15 * dice.roll(16) : 15 * dice.roll(96)
        switch dice.roll(3) {
        case 0: rule.every = .day
        case 1:
            rule.every = .week
            rule.on = (0..<7).filter { _ in dice.roll(3) == 0 }.map(Recurrence.Day.weekday)
            if rule.on.isEmpty { rule.on = [.weekday(dice.roll(7))] }
        default:
            rule.every = .month
            rule.on = (1...31).filter { _ in dice.roll(8) == 0 }.map(Recurrence.Day.dayOfMonth)
            if rule.on.isEmpty || dice.roll(3) == 0 { rule.on.append(.last) }
        }
        let first = CivilDate(year: 2008, month: 2, day: 1).adding(days: dice.roll(1000))
        if dice.roll(3) > 0 { rule.from = first }
        if rule.from != nil, dice.roll(2) == 0 {
            rule.count = 1 + dice.roll(600)
        } else if dice.roll(4) > 0 {
            rule.until = first.adding(days: dice.roll(2400))
        }
        rule.except = (0..<dice.roll(6)).map { _ in first.adding(days: dice.roll(400)) }
        return rule
    }

    /// The days that a rule means, by looking at each day there is.
    private static func meant(_ rule: Recurrence) -> [CivilDate] {
        var left = rule.count ?? .max
        return (0..<3653 + 40).compactMap { offset -> CivilDate? in
            let day = CivilDate(year: 2007, month: 12, day: 15).adding(days: offset)
            if let from = rule.from, day < from { return nil }
            if let until = rule.until, day > until { return nil }
            let tomorrow = day.adding(days: 1)
            let isNamed =
                switch rule.every {
                case .day: true
                case .week: rule.on.contains(.weekday(day.weekday))
                case .month: rule.on.contains(.dayOfMonth(day.day)) || rule.on.contains(.last) && tomorrow.day == 1
                }
            guard isNamed, left > 0 else { return nil }
            left -= 1
            return rule.except.contains(day) ? nil : day
        }
    }

    @Test(arguments: zones)
    func generatedRulesOccurWhenAWalkThroughTenYearsSays(zone: String) throws {
        let clock = try #require(ZoneClock(zone))
        let readings = Self.readings(clock)
        var dice = Dice(state: zone.utf8.reduce(17) { $0 &* 31 &+ UInt64($1) })
        for _ in 0..<10 {
            let rule = Self.rule(zone, &dice)
            let meant = Self.meant(rule)
            var open = meant[...]
            var walked: [Timetable.Entry] = []
            for quarter in readings.indices {
                while let day = open.first, day.daysSince1970 * 1440 + rule.minute <= readings[quarter] {
                    open.removeFirst()
                    let at = Self.start + .seconds(900 * quarter)
                    if quarter > 0 { walked.append(Timetable.Entry(date: day, at: clock.reading(at: at))) }
                }
                if open.isEmpty { break }
            }
            let table = try #require(Timetable(rule))
            let found = table.occurrences(
                from: Self.start + .seconds(900), until: Self.start + .seconds(900 * Self.quarters + 1))
            #expect(found == walked, "\(rule)")
            #expect(Set(found.map(\.date)).count == found.count, "a day twice: \(rule)")
            let dates = Set(found.map(\.date))
            let days = (0...100).map { CivilDate(year: 2010, month: 3, day: 1).adding(days: $0) }
            #expect(days.allSatisfy { table.occurs(on: $0) == dates.contains($0) }, "\(rule)")
            if let first = found.first, let end = table.end, end.year < 2018 {
                #expect(table.count(after: first.date) == meant.count { $0 > first.date }, "\(rule)")
            }
        }
    }

    @Test func theDaysOfTenYearsAreReadAndCountedOneByOne() throws {
        var day = try #require(CivilDate("2019-12-30"))
        #expect(day.weekday == 0)
        for number in 0..<3653 {
            #expect(CivilDate(day.text) == day && day.weekday == number % 7)
            let next = day.adding(days: 1)
            #expect(day < next && next.daysSince1970 == day.daysSince1970 + 1)
            day = next
        }
        #expect(day.text == "2029-12-30")
    }
}
