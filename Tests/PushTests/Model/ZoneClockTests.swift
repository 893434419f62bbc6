import Testing

@testable import Push

@Suite struct ZoneClockTests {
    private static func instant(_ text: String) throws -> Instant { try #require(Instant(text)) }

    @Test(arguments: [
        "", "Asia/Nowhere", "../../etc/passwd", "Europe/Berlin\n", "Europe/Berlin\u{0}", "Europe/Berlin::error::x",
        "<b>", "\u{202E}nilreB", String(repeating: "A", count: 65), String(repeating: "A/", count: 100_000),
    ])
    func whatIsNoZoneHasNoClock(_ name: String) {
        #expect(ZoneClock(name) == nil)
        #expect(QuietHours(from: 0, to: 1, timeZone: name) == nil)
    }

    /// Files are held to Area/City.
    @Test func theZonesThatDevicesReportAreReadAsTheyCome() throws {
        for name in ["PRC", "EST", "Etc/GMT-8", "GMT+8"] { #expect(ZoneClock(name) != nil, "\(name)") }
        let morning = LocalSchedule(at: try #require(LocalTime("2026-12-24T09:00:00")), otherwise: "UTC")
        #expect(try morning.wave(in: "Etc/GMT-8") == Self.instant("2026-12-24T01:00:00Z"))
    }

    @Test func aClockShowsTheOffsetOfItsDay() throws {
        let berlin = try #require(ZoneClock("Europe/Berlin"))
        #expect(berlin.reading(at: try Self.instant("2026-03-29T00:59:59Z")).text == "2026-03-29T01:59:59+01:00")
        #expect(berlin.reading(at: try Self.instant("2026-03-29T01:00:00Z")).text == "2026-03-29T03:00:00+02:00")
        let kathmandu = try #require(ZoneClock("Asia/Kathmandu"))
        #expect(kathmandu.reading(at: try Self.instant("2026-03-29T01:00:00Z")).minuteOfDay == 6 * 60 + 45)
    }

    @Test(arguments: [
        ("Europe/Berlin", "2026-03-01T00:00:00Z", "2026-06-01T00:00:00Z", "2026-03-29T01:00:00Z", 3600),
        ("Europe/Berlin", "2026-10-24T00:00:00Z", "2026-10-26T00:00:00Z", "2026-10-25T01:00:00Z", -3600),
        ("America/New_York", "2026-10-20T00:00:00Z", "2026-11-05T00:00:00Z", "2026-11-01T06:00:00Z", -3600),
        ("Australia/Lord_Howe", "2026-09-30T00:00:00Z", "2026-10-10T00:00:00Z", "2026-10-03T15:30:00Z", 1800),
    ])
    func aChangeIsFoundToTheSecond(_ zone: String, _ start: String, _ end: String, _ at: String, _ step: Int) throws {
        let clock = try #require(ZoneClock(zone))
        let change = try #require(clock.change(after: Self.instant(start), until: Self.instant(end)))
        #expect(change.at.text == at)
        #expect(change.step == .seconds(step))
        #expect(clock.change(after: change.at, until: try Self.instant(end)) == nil)
        #expect(clock.change(after: change.at - .seconds(1), until: change.at)?.at == change.at)
    }

    @Test(arguments: [
        ("2035-07-01T00:00:00Z", "2026-11-01T00:00:00Z", "2035-03-25T01:00:00Z"),
        ("2035-12-01T00:00:00Z", "2026-11-01T00:00:00Z", "2035-10-28T01:00:00Z"),
        ("2035-10-01T00:00:00Z", "2026-11-01T00:00:00Z", "2035-03-25T01:00:00Z"),
        ("2027-03-01T00:00:00Z", "2026-11-01T00:00:00Z", nil),
    ])
    func theLastChangeIsThatOfTheSeasonHoweverLongTheTime(_ end: String, _ start: String, _ at: String?) throws {
        let berlin = try #require(ZoneClock("Europe/Berlin"))
        #expect(berlin.lastChange(before: try Self.instant(end), after: try Self.instant(start))?.at.text == at)
    }

    @Test func aZoneWithoutSummerTimeHasNoChange() throws {
        let clock = try #require(ZoneClock("Asia/Shanghai"))
        #expect(
            clock.change(
                after: try Self.instant("2026-01-01T00:00:00Z"), until: try Self.instant("2026-08-01T00:00:00Z")) == nil
        )
        #expect(
            clock.change(
                after: try Self.instant("2026-08-01T00:00:00Z"), until: try Self.instant("2026-01-01T00:00:00Z")) == nil
        )
    }

    @Test func aChangeLeavesOutOrDoublesTheMinutesBetweenItsTwoReadings() throws {
        let clock = try #require(ZoneClock("Europe/Berlin"))
        let spring = try #require(
            clock.change(after: Self.instant("2026-03-28T00:00:00Z"), until: Self.instant("2026-03-30T00:00:00Z")))
        let autumn = try #require(
            clock.change(after: Self.instant("2026-10-24T00:00:00Z"), until: Self.instant("2026-10-26T00:00:00Z")))
        for change in [spring, autumn] {
            #expect([119, 120, 179, 180].map(change.affects) == [false, true, true, false])
        }
        #expect(spring.day == "2026-03-29" && autumn.day == "2026-10-25")
    }

    @Test func aChangeAtMidnightReachesIntoTheNextDay() {
        // From 00:00 back to 23:00, as in Lebanon: 23:00 to 23:59 come twice.
        let change = ClockChange(at: Instant(seconds: 75_600), before: 10_800, after: 7200)
        #expect([1379, 1380, 1439, 0].map(change.affects) == [false, true, true, false])
    }
}
