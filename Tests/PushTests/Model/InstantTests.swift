import Push
import Testing

@Suite struct InstantTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", Int64(0)), ("2026-11-20T12:00:00Z", 1_795_176_000_000),
        ("2026-11-20T20:00:00+08:00", 1_795_176_000_000), ("2026-11-20t12:00:00.5z", 1_795_176_000_500),
        ("2026-11-20 12:00:00.123456Z", 1_795_176_000_123), ("2026-11-20T06:30:00-05:30", 1_795_176_000_000),
        ("2024-02-29T00:00:00Z", 1_709_164_800_000), ("1969-12-31T23:59:59Z", -1000),
        ("2016-12-31T23:59:60Z", 1_483_228_800_000),
    ])
    func anInstantIsRead(text: String, milliseconds: Int64) {
        #expect(Instant(text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        "", "2026-11-20", "2026-11-20T12:00:00", "2026-11-20T12:00Z", "2026-11-20T12:00:00+8:00",
        "2026-11-20T12:00:00+0800", "2026-13-20T12:00:00Z", "2026-00-20T12:00:00Z", "2026-11-31T12:00:00Z",
        "2026-02-29T12:00:00Z", "1900-02-29T12:00:00Z", "2026-11-20T24:00:00Z", "2026-11-20T12:60:00Z",
        "2026-11-20T12:00:61Z", "2026-11-20T12:00:00.Z", "2026-11-20T12:00:00Z ", " 2026-11-20T12:00:00Z",
        "2026-11-20T12:00:00+24:00", "20261120T120000Z", "２０２６-11-20T12:00:00Z", "9999-12-31T23:59:59-08:00",
        "9999-12-31T23:59:60Z", "0000-01-01T00:00:00+00:01",
    ])
    func anythingElseIsNoInstant(text: String) {
        #expect(Instant(text) == nil)
    }

    @Test func aTextIsReadBackAsWritten() throws {
        let value = try #require(OffsetInstant("2026-11-27T20:00:00+08:00"))
        #expect(value.text == "2026-11-27T20:00:00+08:00")
        #expect(value.displayText == "2026-11-27 20:00 +08:00")
        #expect(value.instant.text == "2026-11-27T12:00:00Z")
        #expect(OffsetInstant("2026-11-27T20:00:05-03:30")?.displayText == "2026-11-27 20:00:05 -03:30")
    }

    @Test func everyDayOfFourCenturiesIsReadBack() {
        let wrong = (Int64(-80_000)...80_000).map { Instant(seconds: $0 * 86_400 + 43_200) }
            .first { Instant($0.text) != $0 }
        #expect(wrong == nil)
    }

    @Test func millisecondsAreWrittenWithThreeDigits() {
        #expect(Instant(milliseconds: 1_795_176_000_005).isoText == "2026-11-20T12:00:00.005Z")
        #expect(Instant(milliseconds: -1).isoText == "1969-12-31T23:59:59.999Z")
        #expect(Instant(milliseconds: -1).seconds == -1)
    }

    /// Some write the last day of all for never, and a window or an expiration comes on top.
    @Test func noInstantIsTooLateToBeReadBack() throws {
        let last = try #require(Instant("9999-12-31T23:59:59Z"))
        let end = last + .seconds(7 * 86_400)
        #expect(end > last)
        #expect(Instant(end.isoText) == end)
        #expect(Instant(end.exactText) == end)
        #expect(last + .seconds(-60) == last - .seconds(60))
    }

    @Test func noInstantIsTooEarlyToBeReadBack() throws {
        let first = try #require(Instant("0000-01-01T00:00:00Z"))
        #expect(first - .seconds(1) == first && first + .seconds(-1) == first)
        #expect(Instant((first - .seconds(86_400)).isoText) == first)
    }

    /// A clock east of UTC shows the year 10000 before it is over, and one west of it the year before 0.
    @Test(arguments: [("9999-12-31T23:30:00+08:00", Int64(3600)), ("0000-01-01T00:30:00-08:00", -3600)])
    func aTimeWhoseYearNoTextHasIsWrittenInUTC(text: String, seconds: Int64) throws {
        let at = try #require(OffsetInstant(text))
        #expect(at.text == text)
        let other = OffsetInstant(at.instant + .seconds(seconds), offset: at.offset)
        #expect(OffsetInstant(other.exactText) == OffsetInstant(other.instant))
        let odd = OffsetInstant(other.instant + .milliseconds(5), offset: at.offset)
        #expect(OffsetInstant(odd.exactText) == OffsetInstant(odd.instant))
    }

    @Test(arguments: ["9999-12-31T23:00:00", "0000-01-01T09:00:00"])
    func everyWaveOfADayByLocalTimeIsReadBack(text: String) throws {
        let schedule = LocalSchedule(at: try #require(LocalTime(text)), otherwise: "America/New_York")
        for wave in [schedule.first.instant, schedule.fallback, schedule.last] {
            #expect(Instant(wave.isoText) == wave)
            #expect(OffsetInstant(schedule.reading(of: wave).exactText) != nil)
        }
    }

    @Test func arithmeticIsInMilliseconds() {
        let instant = Instant(milliseconds: 1000)
        #expect(instant + .milliseconds(5) == Instant(milliseconds: 1005))
        #expect(instant - .seconds(2) == Instant(milliseconds: -1000))
        #expect(Instant(milliseconds: 1005) - instant == .milliseconds(5))
        #expect(instant < Instant(milliseconds: 1001))
    }
}

@Suite struct DurationTextTests {
    @Test(arguments: [
        ("0s", Int64(0)), ("90s", 90), ("15m", 900), ("36h", 129_600), ("7d", 604_800), ("2w", 1_209_600),
    ])
    func aDurationIsRead(text: String, seconds: Int64) {
        #expect(Duration(configurationText: text) == .seconds(seconds))
    }

    @Test(arguments: [
        "", "s", "7", "-1d", "+1d", "1.5h", "7 d", "7D", "1y", "9223372036854775807w", "99999999999s", "٣d",
    ])
    func anythingElseIsNoDuration(text: String) {
        #expect(Duration(configurationText: text) == nil)
    }

    @Test(arguments: [("0s", "0s"), ("60s", "1m"), ("61s", "61s"), ("168h", "7d"), ("2w", "14d"), ("36h", "36h")])
    func theShortestExactFormIsWritten(text: String, written: String) {
        #expect(Duration(configurationText: text)?.configurationText == written)
    }

    @Test(arguments: [(119, "119 s"), (120, "2 min"), (7199, "119 min"), (7200, "2 h"), (172_800, "2 d")])
    func peopleReadAboutHowLong(seconds: Int, text: String) {
        #expect(Duration.seconds(seconds).roundedText == text)
    }
}

@Suite struct QuietHoursTests {
    private func contains(_ from: Int, _ to: Int, _ zone: String, _ text: String) throws -> Bool {
        let hours = try #require(QuietHours(from: from * 60, to: to * 60, timeZone: zone))
        return hours.contain(try #require(Instant(text)))
    }

    @Test(arguments: [
        ("2026-11-20T21:59:59+08:00", false), ("2026-11-20T22:00:00+08:00", true), ("2026-11-21T00:00:00+08:00", true),
        ("2026-11-21T07:59:59+08:00", true), ("2026-11-21T08:00:00+08:00", false),
    ])
    func aNightGoesOverMidnight(text: String, isQuiet: Bool) throws {
        #expect(try contains(22, 8, "Asia/Shanghai", text) == isQuiet)
    }

    @Test func aZoneFollowsItsSummerTime() throws {
        #expect(try contains(1, 2, "Europe/Berlin", "2026-01-15T00:30:00Z"))
        #expect(try contains(1, 2, "Europe/Berlin", "2026-07-15T23:30:00Z"))
        #expect(try !contains(1, 2, "Europe/Berlin", "2026-07-15T00:30:00Z"))
    }

    @Test func quietHoursByDeviceAreThoseOfNoInstant() throws {
        let hours = try #require(QuietHours(from: 22 * 60, to: 8 * 60, timeZone: "device"))
        #expect(hours.isByDevice && hours.text == "22:00–08:00 device")
        for hour in 0..<24 { #expect(!hours.contain(Instant(seconds: Int64(hour) * 3600))) }
        #expect((0..<1440).filter { hours.contain(minute: $0) } == Array(0..<480) + Array(1320..<1440))
        #expect(hours.begin(after: 9 * 60) == .seconds(13 * 3600) && hours.begin(after: 21 * 60 + 59) == .seconds(60))
        #expect(QuietHours(from: 5, to: 5, timeZone: "device")?.begin(after: 9) == nil)
        #expect(QuietHours(from: 60, to: 120, timeZone: "device")?.begin(after: 180) == .seconds(22 * 3600))
    }

    @Test func equalEndsAreNoQuietHours() throws {
        #expect(try !contains(8, 8, "UTC", "2026-11-20T08:00:00Z"))
    }

    @Test func aZoneThatDoesNotExistIsNone() {
        #expect(QuietHours(from: 0, to: 1, timeZone: "Mars/Olympus") == nil)
    }

    @Test func peopleReadClocks() {
        #expect(QuietHours(from: 1325, to: 480, timeZone: "UTC")?.text == "22:05–08:00 UTC")
    }
}
