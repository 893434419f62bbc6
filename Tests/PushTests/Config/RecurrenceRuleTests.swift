import Testing

@testable import Push

/// What the schedule of a recurring campaign may be; each text stands behind `schedule: `, in line 5.
@Suite struct RecurrenceRuleTests {
    static func campaign(_ schedule: String, more: String = "") -> String {
        CampaignRuleTests.head + "schedule: {\(schedule)}\n" + more
    }

    /// What a rule needs besides the fields in question.
    private static let usual = "timeZone: Asia/Shanghai, until: 2027-03-01"

    static let broken: [Rule] = [
        Rule("every: day, \(usual)", "5:1: error: missing key 'at' [missing-key]"),
        Rule("every: day, at: \"09:00\", until: 2027-03-01", "5:1: error: missing key 'timeZone' [missing-key]"),
        Rule(
            "every: day, at: \"09:00\", timeZone: Asia/Shanghai",
            "5:1: error: one of 'until' and 'count' is needed [missing-key]"),
        Rule(
            "every: day, at: \"09:00\", from: 2026-12-01, count: 3, \(usual)",
            "5:55: error: 'until' and 'count' exclude each other [conflicting-keys]"),
        Rule(
            "every: day, at: \"09:00\", timeZone: Asia/Shanghai, count: 3",
            "5:62: error: 'count' needs 'from' [conflicting-keys]"),
        Rule(
            "every: day, at: \"09:00\", timeZone: Asia/Shanghai, from: 2026-12-01, count: 0",
            "5:87: error: 'count' must be at least 1 [invalid-value]"),
        Rule(
            "every: day, at: \"09:00\", timeZone: Asia/Shanghai, from: 2026-12-01, count: 5001",
            "5:87: error: 'count' must be at most 5000 [invalid-value]"),
        Rule(
            "every: day, at: \"09:00\", timeZone: Asia/Shanghai, from: 2026-12-01, count: 9000000000000000000",
            "5:87: error: 'count' must be at most 5000 [invalid-value]"),
        Rule(
            "every: day, at: 2026-11-27T20:00:00+08:00, \(usual)",
            "5:28: error: 'at' is one instant, and 'every' needs a time of day [conflicting-keys]"),
        Rule("every: day, at: 9, \(usual)", "5:28: error: 'at' must be \(anInstant) an integer [wrong-type]"),
        Rule(
            "every: day, at: 9:00, \(usual)",
            "5:28: error: 'at' must be a time of day such as 22:00, but found '9:00'; did you mean '09:00'? [invalid-value]"
        ),
        Rule("at: \"09:00\"", "5:16: error: 'at' must be \(anInstant) '09:00' [invalid-value]"),
        Rule("on: [mon]", "5:12: error: 'on' needs 'every' [conflicting-keys]"),
        Rule(
            "at: 2026-11-27T20:00:00+08:00, from: 2026-11-01, except: [2026-11-02]",
            "5:43: error: 'from' needs 'every' [conflicting-keys]",
            "5:61: error: 'except' needs 'every' [conflicting-keys]"),
        Rule(
            "every: hour, at: \"09:00\", \(usual)",
            "5:19: error: 'every' must be day, week or month, but found 'hour' [invalid-value]"),
        Rule(
            "every: day, on: [mon], at: \"09:00\", \(usual)",
            "5:24: error: 'on' cannot be combined with 'every: day' [conflicting-keys]"),
        Rule("every: week, at: \"09:00\", \(usual)", "5:1: error: missing key 'on' [missing-key]"),
        Rule(
            "every: day, at: \"09:00\", timeZone: Asia/Shanghai, until: 2200-01-01",
            "5:69: error: 'until' must be a date such as 2026-12-01, but found '2200-01-01' [invalid-value]"),
        Rule(
            "every: week, on: [mon, 15, last], at: \"09:00\", \(usual)",
            "5:35: error: '15' is no day of a week [conflicting-keys]",
            "5:39: error: 'last' is no day of a week [conflicting-keys]"),
        Rule(
            "every: month, on: [mon], at: \"09:00\", \(usual)",
            "5:31: error: 'mon' is no day of a month [conflicting-keys]"),
        Rule(
            "every: month, on: [32], at: \"09:00\", \(usual)",
            "5:31: error: an element of 'on' must be mon to sun, 1 to 31 or last, but found '32' [invalid-value]"),
        Rule(
            "every: week, on: [monday], at: \"09:00\", \(usual)",
            "5:30: error: an element of 'on' must be mon to sun, 1 to 31 or last, but found 'monday'; "
                + "did you mean 'mon'? [invalid-value]"),
        Rule(
            "every: week, on: mon, at: \"09:00\", \(usual)",
            "5:29: error: 'on' must be a list, but found a string [wrong-type]"),
        Rule(
            "every: week, on: [mon, mon], at: \"09:00\", \(usual)",
            "5:35: error: 'mon' is listed twice in 'on' [invalid-value]"),
        Rule(
            "every: day, at: \"09:00\", timeZone: Asia/Shangai, until: 2027-03-01",
            "5:47: error: unknown time zone 'Asia/Shangai'; did you mean 'Asia/Shanghai'? [invalid-value]"),
        Rule(
            "every: day, at: \"09:00\", timeZone: Asia/Shanghai, until: 2027-02-29",
            "5:69: error: 'until' must be a date such as 2026-12-01, but found '2027-02-29' [invalid-value]"),
        Rule(
            "every: day, at: \"09:00\", timeZone: Asia/Shanghai, until: 2027-3-1",
            "5:69: error: 'until' must be a date such as 2026-12-01, but found '2027-3-1' [invalid-value]"),
        Rule(
            "every: day, at: \"09:00\", from: 2027-03-02, \(usual)",
            "5:87: error: 'until' is before 'from' [conflicting-keys]"),
        Rule(
            "every: month, on: [31], at: \"09:00\", from: 2027-02-01, timeZone: UTC, until: 2027-03-01",
            "5:12: error: there is no day on which it would be sent [conflicting-keys]"),
        Rule(
            "every: day, at: \"09:00\", from: 2027-03-01, except: [2027-03-01], \(usual)",
            "5:12: error: there is no day on which it would be sent [conflicting-keys]"),
        Rule(
            "every: day, at: \"09:00\", window: 1d, \(usual)",
            "5:45: error: 'window' must be shorter than the day between two sends [conflicting-keys]"),
        Rule(
            "every: week, on: [mon, thu], at: \"09:00\", window: 72h, \(usual)",
            "5:62: error: 'window' must be shorter than the 3 days between two sends [conflicting-keys]"),
        Rule(
            "repeat: day, at: \"09:00\", \(usual)",
            "5:12: error: unknown key 'repeat'; did you mean 'every'? [unknown-key]",
            "5:29: error: 'at' must be \(anInstant) '09:00' [invalid-value]",
            "5:38: error: 'timeZone' needs 'every' [conflicting-keys]",
            "5:63: error: 'until' needs 'every' [conflicting-keys]"),
    ]

    @Test(arguments: broken)
    func aBrokenRuleIsSaid(_ rule: Rule) async {
        #expect(await SampleFiles.lines(Self.campaign(rule.text)) == rule.lines)
    }

    @Test func anExpirationAtOneInstantIsRefused() async {
        let lines = await SampleFiles.lines(
            Self.campaign("every: day, at: \"09:00\", \(Self.usual)", more: "expiration: {at: 2027-01-01T00:00:00Z}\n"))
        #expect(
            lines == [
                "6:13: error: 'expiration.at' is one instant, and 'schedule.every' has many [conflicting-keys]"
            ])
    }

    static let valid = [
        "every: day, at: \"09:00\", \(usual)", "every: day, at: 09:00, window: 23h, \(usual)",
        "every: week, on: [mon, thu], at: \"09:00\", from: 2026-12-01, \(usual), except: [2026-12-07], window: 2d",
        "every: month, on: [1, 15, last], at: \"09:00\", from: 2026-12-01, count: 12, timeZone: UTC",
        "every: month, on: [30], at: \"00:00\", timeZone: America/Sao_Paulo, until: 2030-12-31",
    ]

    @Test(arguments: valid)
    func aRuleIsFine(_ text: String) async {
        #expect(await SampleFiles.lines(Self.campaign(text)) == [])
    }

    @Test func anExceptionThatTakesNothingAwayIsRemarkedOn() async {
        let text = "every: week, on: [mon], at: \"09:00\", \(Self.usual), except: [2026-12-07, 2026-12-08, 2028-01-03]"
        #expect(
            await SampleFiles.lines(Self.campaign(text)) == [
                "5:114: warning: 'except' names 2026-12-08, on which it would not be sent anyway [invalid-value]",
                "5:126: warning: 'except' names 2028-01-03, on which it would not be sent anyway [invalid-value]",
            ])
    }

    @Test func aRuleIsReadAndWrittenAsItWas() async throws {
        let text = """
            kind: Campaign
            name: score
            audience:
              channels: [Giants]
            message:
              body: Hello
            schedule:
              at: "09:00"
              every: month
              on: [1, last]
              timeZone: Asia/Shanghai
              from: 2026-12-01
              count: 12
              except: [2027-01-01]
              window: 2h

            """
        let campaign = try #require(await SampleFiles.load([text]).readable?.campaigns.first)
        var rule = Recurrence()
        (rule.every, rule.on, rule.minute) = (.month, [.dayOfMonth(1), .last], 540)
        (rule.timeZone, rule.from, rule.count) = ("Asia/Shanghai", CivilDate("2026-12-01"), 12)
        rule.except = [CivilDate(year: 2027, month: 1, day: 1)]
        #expect(campaign.recurrence == rule && campaign.scheduledAt == nil && campaign.window == .seconds(7200))
        let written = ConfigurationText.text(of: campaign)
        for line in ["at: \"09:00\"", "every: month", "from: 2026-12-01", "count: 12"] {
            #expect(written.contains("  \(line)\n"), "\(written)")
        }
        #expect(await SampleFiles.load([written]).readable?.campaigns.first?.recurrence == rule, "\(written)")
    }
}
