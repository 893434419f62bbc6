import Testing

@testable import Push

@Suite struct TimetableTests {
    /// A rule from words: `week mon,thu 09:00 Asia/Shanghai`.
    static func rule(_ words: String, change: (inout Recurrence) -> Void = { _ in }) throws -> Recurrence {
        let parts = words.split(separator: " ").map(String.init)
        var rule = Recurrence()
        rule.every = try #require(Recurrence.Unit(rawValue: parts[0]))
        if parts.count == 4 {
            rule.on = try parts[1].split(separator: ",").map { try #require(Recurrence.Day(String($0))) }
        }
        let time = parts[parts.count - 2].split(separator: ":").compactMap { Int($0) }
        rule.minute = time[0] * 60 + time[1]
        rule.timeZone = parts[parts.count - 1]
        change(&rule)
        return rule
    }

    static func day(_ text: String) throws -> CivilDate { try #require(CivilDate(text)) }

    static func timetable(_ words: String, change: (inout Recurrence) -> Void = { _ in }) throws -> Timetable {
        try #require(Timetable(try rule(words, change: change)))
    }

    private static func dates(_ table: Timetable, _ limit: Int, from start: String) throws -> [String] {
        table.next(limit, from: try #require(Instant(start))).map(\.date.text)
    }

    @Test func aWeekHasItsDays() throws {
        let table = try Self.timetable("week mon,thu 09:00 Asia/Shanghai") {
            $0.from = try? Self.day("2026-12-01")
            $0.until = try? Self.day("2026-12-14")
        }
        #expect(
            try Self.dates(table, 9, from: "2026-01-01T00:00:00Z") == [
                "2026-12-03", "2026-12-07", "2026-12-10", "2026-12-14",
            ])
        #expect(table.first(from: try #require(Instant("2026-12-03T01:00:00Z")))?.date.text == "2026-12-03")
        #expect(table.first(from: try #require(Instant("2026-12-03T01:00:01Z")))?.date.text == "2026-12-07")
        #expect(table.first(from: try #require(Instant("2026-12-14T01:00:01Z"))) == nil)
    }

    /// A saved plan names it.
    @Test func theLastDayOfTheLongestRuleIsReadBack() throws {
        let table = try Self.timetable("month 31 09:00 Asia/Shanghai") {
            $0.from = try? Self.day("2199-12-31")
            $0.count = 5000
        }
        let last = try #require(table.lastDay)
        #expect(last.year > 2900 && CivilDate(last.text) == last)
    }

    @Test func aMonthWithoutTheDayHasNoOccurrenceAndTheLastDayHas() throws {
        let table = try Self.timetable("month 30,last 09:00 UTC") {
            $0.from = try? Self.day("2027-01-01")
            $0.until = try? Self.day("2027-04-30")
        }
        #expect(
            try Self.dates(table, 9, from: "2027-01-01T00:00:00Z") == [
                "2027-01-30", "2027-01-31", "2027-02-28", "2027-03-30", "2027-03-31", "2027-04-30",
            ])
        #expect(
            table.absentDays(from: try Self.day("2027-01-30"), through: try Self.day("2027-04-30")) == ["2027-02-30"])
    }

    @Test func theLastDayIsTheTwentyNinthInALeapYear() throws {
        let table = try Self.timetable("month last 09:00 UTC")
        #expect(try Self.dates(table, 2, from: "2028-02-01T00:00:00Z") == ["2028-02-29", "2028-03-31"])
    }

    /// An excepted day is one of those counted: an exception never lengthens what was reviewed.
    @Test func anExceptionTakesOneAwayAndAddsNone() throws {
        func table(_ except: [String]) throws -> Timetable {
            try Self.timetable("day 09:00 UTC") {
                $0.from = try? Self.day("2026-12-01")
                $0.count = 4
                $0.except = except.compactMap { CivilDate($0) }
            }
        }
        #expect(
            try Self.dates(table([]), 9, from: "2026-01-01T00:00:00Z")
                == ["2026-12-01", "2026-12-02", "2026-12-03", "2026-12-04"])
        let shorter = try table(["2026-12-02"])
        #expect(
            try Self.dates(shorter, 9, from: "2026-01-01T00:00:00Z") == ["2026-12-01", "2026-12-03", "2026-12-04"])
        #expect(shorter.count(after: try Self.day("2026-12-01")) == 2)
        #expect(try shorter.names(Self.day("2026-12-02")) && !shorter.occurs(on: Self.day("2026-12-02")))
        #expect(try !shorter.names(Self.day("2026-12-05")))
        #expect(try table(["2026-12-01", "2026-12-02", "2026-12-03", "2026-12-04"]).isEmpty)
        #expect(try !table(["2026-12-01", "2026-12-02", "2026-12-03"]).isEmpty)
    }

    @Test func withoutAFirstDayItOccursUntilItsEnd() throws {
        let table = try Self.timetable("month 31 09:00 UTC") {
            $0.until = try? Self.day("2026-12-31")
            $0.except = ["2026-12-31", "2026-10-31"].compactMap { CivilDate($0) }
        }
        #expect(!table.isEmpty)
        #expect(try Self.dates(table, 9, from: "2026-07-01T00:00:00Z") == ["2026-07-31", "2026-08-31"])
    }

    @Test(arguments: [
        // Half an hour forward at 02:00, and back at 02:00.
        ("day 02:15 Australia/Lord_Howe", "2026-10-04", "2026-10-04T02:30:00+11:00"),
        ("day 01:45 Australia/Lord_Howe", "2027-04-04", "2027-04-04T01:45:00+11:00"),
        // An hour forward at midnight: the day begins at 01:00.
        ("day 00:00 Africa/Cairo", "2027-04-30", "2027-04-30T01:00:00+03:00"),
        // Two hours forward at 01:00, two back at 03:00.
        ("day 02:00 Antarctica/Troll", "2027-03-28", "2027-03-28T03:00:00+02:00"),
        ("day 02:00 Antarctica/Troll", "2027-10-31", "2027-10-31T02:00:00+02:00"),
        ("day 09:00 Asia/Shanghai", "2026-12-07", "2026-12-07T09:00:00+08:00"),
        // A day that never was: its occurrence keeps its day and is sent when the next day begins.
        ("day 09:00 Pacific/Apia", "2011-12-30", "2011-12-31T00:00:00+14:00"),
        ("day 09:00 Pacific/Apia", "2011-12-31", "2011-12-31T09:00:00+14:00"),
        ("day 09:00 Pacific/Apia", "2011-12-29", "2011-12-29T09:00:00-10:00"),
    ])
    func aGapGivesTheFirstMomentAfterItAndAFoldTheFirstOfTheTwo(_ words: String, _ date: String, _ at: String) throws {
        let entry = try Self.timetable(words).entry(on: Self.day(date))
        #expect(entry.date.text == date && entry.at.text == at)
    }

    @Test(arguments: [
        ("day 09:00 UTC", 1), ("week mon 09:00 UTC", 7), ("week mon,thu 09:00 UTC", 3), ("week sun,mon 09:00 UTC", 1),
        ("month 1 09:00 UTC", 28), ("month 1,15 09:00 UTC", 14), ("month 1,last 09:00 UTC", 1),
        ("month 31 09:00 UTC", 31), ("month 30,last 09:00 UTC", 1), ("month 28,last 09:00 UTC", 1),
    ])
    func theShortestIntervalIsThatOfTheNearestDays(_ words: String, _ days: Int) throws {
        #expect(try Self.rule(words).shortestInterval == days)
    }

    @Test func whatIsNoRuleHasNoTimetable() throws {
        #expect(Timetable(try Self.rule("day 09:00 Asia/Nowhere")) == nil)
        #expect(Timetable(try Self.rule("week 09:00 UTC")) == nil)
        #expect(Timetable(try Self.rule("day mon 09:00 UTC")) == nil)
        #expect(Timetable(try Self.rule("month mon 09:00 UTC")) == nil)
        #expect(Timetable(try Self.rule("week last 09:00 UTC")) == nil)
        let tooLong = try Self.rule("day 09:00 UTC") { ($0.from, $0.count) = (CivilDate("2026-12-01"), 5001) }
        #expect(Timetable(tooLong) == nil)
    }

    @Test func everyPartOfARuleIsHashed() throws {
        let base = try Self.rule("week mon 09:00 UTC")
        let changes: [(inout Recurrence) -> Void] = [
            { $0.every = .month }, { $0.on = [.weekday(1)] }, { $0.minute = 1 }, { $0.timeZone = "Asia/Shanghai" },
            { $0.from = CivilDate("2026-12-01") }, { $0.until = CivilDate("2026-12-01") }, { $0.count = 1 },
            { $0.except = [CivilDate(year: 2026, month: 12, day: 1)] },
        ]
        let rules =
            [base]
            + changes.map { change in
                var rule = base
                change(&rule)
                return rule
            }
        let digests = rules.map { rule in
            var writer = ContentWriter()
            rule.hash(to: &writer)
            return writer.digest
        }
        #expect(Set(digests).count == rules.count)
        #expect(changes.count == Mirror(reflecting: base).children.count)
    }
}
