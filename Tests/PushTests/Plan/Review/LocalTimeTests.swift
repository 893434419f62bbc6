import Base
import Push
import RemoteTesting
import Testing

/// What clocks show where the devices are.
@Suite struct LocalTimeTests {
    /// The plan of one campaign whose audience is in these zones.
    private static func plan(
        at text: String? = nil, now: String = "2026-10-20T12:00:00Z", zones: [String: Int] = [:],
        quiet: QuietHours? = nil
    ) throws -> Plan {
        let campaign = Sample.campaign("score") { $0.scheduledAt = text.flatMap { OffsetInstant($0) } }
        let workspace = Sample.workspace([campaign]) { $0.policy.quietHours = quiet }
        let now = try #require(Instant(now))
        var input = Ledger.answered(Sample.input(workspace, RemoteState(now: now, ledgerStarted: true)))
        let condition = try #require(campaign.audience.joinedCondition(segments: [:]))
        input.state.explanations[Digest(of: condition)] = AudienceCount(devices: 9, timeZones: zones)
        return Planner.plan(input).plan
    }

    private static func times(_ plan: Plan) -> [PlanCalendar.LocalTime] { plan.calendar.entries[0].localTimes }

    @Test func theThreeLargestZonesAreShownTheLargestFirst() throws {
        let plan = try Self.plan(
            zones: ["Asia/Tokyo": 5, "Asia/Shanghai": 9, "Europe/Berlin": 5, "Africa/Lagos": 1, "": 100])
        #expect(Self.times(plan).map(\.timeZone) == ["Asia/Shanghai", "Asia/Tokyo", "Europe/Berlin"])
        #expect(Self.times(plan).map(\.devices) == [9, 5, 5])
        #expect(Self.times(plan).map(\.at.text).first == "2026-10-20T20:00:00+08:00")
    }

    @Test func theZoneOfTheQuietHoursIsShownOnceAndLast() throws {
        let quiet = try #require(QuietHours(from: 22 * 60, to: 8 * 60, timeZone: "Asia/Shanghai"))
        let alone = try Self.plan(quiet: quiet)
        #expect(Self.times(alone).map(\.devices) == [nil])
        let both = try Self.plan(zones: ["Asia/Tokyo": 5], quiet: quiet)
        #expect(Self.times(both).map(\.timeZone) == ["Asia/Tokyo", "Asia/Shanghai"])
        let same = try Self.plan(zones: ["Asia/Shanghai": 5], quiet: quiet)
        #expect(Self.times(same).map(\.devices) == [5])
    }

    @Test func namesThatAreNoZonesArePassedOver() throws {
        let plan = try Self.plan(zones: [
            "Mars/Olympus": 100, "<script>": 99, "a\n::error::x": 98, String(repeating: "x", count: 500): 97,
            "Asia/Tokyo": 1, "Asia/Seoul": 0,
        ])
        #expect(Self.times(plan).map(\.timeZone) == ["Asia/Tokyo"])
    }

    @Test(arguments: [
        ("2026-10-21T21:59:59+09:00", nil), ("2026-10-21T22:00:00+09:00", "at night there"),
        ("2026-10-22T07:59:59+09:00", "at night there"), ("2026-10-22T08:00:00+09:00", nil),
    ])
    func theNightIsRemarkedOn(_ at: String, _ remark: String?) throws {
        let plan = try Self.plan(at: at, zones: ["Asia/Tokyo": 5])
        #expect(Self.times(plan).map(\.remark?.text) == [remark])
        #expect(!plan.isBlocked && !plan.diagnostics.contains { $0.code == .daylightSaving })
    }

    @Test func quietHoursAreRemarkedOnWhereTheyHold() throws {
        let quiet = try #require(QuietHours(from: 12 * 60, to: 13 * 60, timeZone: "Asia/Tokyo"))
        let plan = try Self.plan(at: "2026-10-21T12:30:00+09:00", zones: ["Asia/Seoul": 5], quiet: quiet)
        #expect(Self.times(plan).map(\.remark?.text) == [nil, "in quiet hours"])
    }

    @Test(arguments: [
        ("2026-10-24T01:00:00Z", true), ("2026-10-24T00:59:59Z", false), ("2026-10-25T01:00:00Z", true),
        ("2026-10-26T00:59:59Z", true),
    ])
    func aChangeOfClocksWithinADayIsRemarkedOn(_ at: String, _ isNear: Bool) throws {
        // Now is after midnight there, so that only the change itself can be told.
        let plan = try Self.plan(at: at, now: "2026-10-20T12:00:00Z", zones: ["Europe/Berlin": 5])
        let remark = try #require(Self.times(plan).first)
        #expect(
            remark.remark?.text.hasPrefix("clocks there go back 1h at 2026-10-25 03:00 +02:00") == isNear
                || (!isNear && remark.remark?.text == "at night there"))
    }

    @Test func aTimeWithTodaysOffsetThatIsNotThatOfItsDayIsAWarning() throws {
        let plan = try Self.plan(at: "2026-11-05T20:00:00-04:00", zones: ["America/New_York": 5, "America/Toronto": 4])
        let warnings = plan.diagnostics.filter { $0.code == .daylightSaving }
        #expect(warnings.map(\.severity) == [.warning])
        #expect(
            warnings.map(\.message.text) == [
                "2026-11-05 20:00 -04:00 is 2026-11-05 19:00 -05:00 in America/New_York: "
                    + "clocks there go back 1h at 2026-11-01 02:00 -04:00"
            ])
        #expect(
            warnings.map(\.help?.text) == [
                "write 2026-11-05T20:00:00-05:00 if clocks in America/New_York are to show 2026-11-05 20:00 then"
            ])
        #expect(warnings.first?.range?.file == "campaigns/score.yaml")
        // They changed days before: the warning tells of it, the calendar does not.
        #expect(Self.times(plan).first?.remark == nil)
    }

    @Test(arguments: [
        // Written for its day; of another zone; before the change; in UTC, which is taken at its word.
        ("2026-11-05T20:00:00-05:00", "America/New_York"), ("2026-11-05T20:00:00+08:00", "America/New_York"),
        ("2026-10-30T20:00:00-04:00", "America/New_York"), ("2026-11-05T20:00:00-04:00", "America/Caracas"),
    ])
    func aTimeThatIsMeantAsItIsWrittenIsNone(_ at: String, _ zone: String) throws {
        let plan = try Self.plan(at: at, zones: [zone: 5])
        #expect(!plan.diagnostics.contains { $0.code == .daylightSaving })
    }

    @Test func aTimeInUTCIsTakenAtItsWord() throws {
        let plan = try Self.plan(at: "2026-11-05T20:00:00Z", now: "2026-02-01T00:00:00Z", zones: ["Europe/London": 5])
        #expect(!plan.diagnostics.contains { $0.code == .daylightSaving })
        let spring = try Self.plan(at: "2026-04-05T20:00:00Z", now: "2026-02-01T00:00:00Z", zones: ["Europe/London": 5])
        #expect(!spring.diagnostics.contains { $0.code == .daylightSaving })
        #expect(Self.times(spring).first?.remark == nil)
    }

    @Test(arguments: [
        (
            22 * 60, 150, "2026-03-29T12:00:00+02:00",
            ["quiet hours end at 02:30, which clocks in Europe/Berlin skip on 2026-03-29"]
        ),
        (
            120, 480, "2026-03-29T12:00:00+02:00",
            ["quiet hours begin at 02:00, which clocks in Europe/Berlin skip on 2026-03-29"]
        ),
        (
            22 * 60, 150, "2026-10-25T12:00:00+01:00",
            ["quiet hours end at 02:30, which occurs twice in Europe/Berlin on 2026-10-25"]
        ),
        (22 * 60, 480, "2026-03-29T12:00:00+02:00", []), (22 * 60, 180, "2026-03-29T12:00:00+02:00", []),
        (22 * 60, 150, "2026-03-31T12:00:00+02:00", []), (150, 150, "2026-03-29T12:00:00+02:00", []),
    ])
    func quietHoursThatMeetAChangeOfClocksAreANote(_ from: Int, _ to: Int, _ at: String, _ messages: [String]) throws {
        let quiet = try #require(QuietHours(from: from, to: to, timeZone: "Europe/Berlin"))
        let now = try #require(Instant(at)) - .seconds(3 * 86_400)
        let plan = try Self.plan(at: at, now: now.text, quiet: quiet)
        let found = plan.diagnostics.filter { $0.code == .daylightSaving && $0.severity == .note }
        #expect(found.map(\.message.text) == messages)
        #expect(found.allSatisfy { $0.range?.file == "bugle.yaml" })
    }
}
