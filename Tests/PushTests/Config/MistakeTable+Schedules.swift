extension MistakeTableTests {
    private static let offset = "add the offset from UTC, for example 2026-11-27T20:00:00+08:00"
    private static let eitherTime =
        #"write the date, the time and the offset from UTC, or a time of day such as "09:00" with 'every'"#

    private static let repetition =
        #"write 'every', 'on' and 'at': schedule: {every: week, on: [mon], at: "09:00", timeZone: Asia/Shanghai, until: 2026-12-31}"#

    /// The schedule of what is sent again and again.
    private static func every(_ unit: String, in zone: String = "Asia/Shanghai", _ more: String = "") -> String {
        "schedule: {every: \(unit), at: \"09:00\", timeZone: \(zone), until: 2026-12-31\(more)}\n"
    }

    /// A time that is no instant.
    private static func at(_ written: String, found: String? = nil, _ advice: String) -> Mistake {
        let code = found == "an integer" ? "wrong-type" : "invalid-value"
        let said = "8:16 \(code): \(instant) \(found ?? "'\(written)'")"
        return Mistake("", "schedule: {at: \(written)}\n", said, advice)
    }

    /// Mistakes in names, schedules and variants of a campaign.
    static let schedules: [Mistake] = [
        .init(
            "Giants won", "{{firstName|you}}, hi", "6:9 yaml-syntax: a text that begins with '{{' must be quoted",
            "put the text in quotes"),
        .init(
            "Giants won", "{firstName}, hi", "6:9 yaml-syntax: a text that begins with '{' must be quoted",
            "put the text in quotes"),
        .init(
            "[Giants]", "[Giants]\n  where：{a: 1}", "5:3 unknown-key: unknown key 'where：{a'",
            "write ': ' instead of the full-width '：'"),
        .init(
            "  body: ", "  title: Hi\n  body：", "7:3 yaml-syntax: this line has no ': ' and continues nothing",
            "write ': ' instead of the full-width '：'"),
        .init(
            "  body", "  title：Hi\n  body", "6:3 yaml-syntax: this line has no ': ' and continues nothing",
            "write ': ' instead of the full-width '：'"),
        .init(
            "{after: 7d}", "{after：7d}", "7:14 unknown-key: unknown key 'after：7d'",
            "write ': ' instead of the full-width '：'"),
        .init(
            "", "schedule: {every: day, at: 9am, timeZone: Asia/Shanghai, until: 2026-12-31}\n",
            "8:28 invalid-value: 'at' must be a time of day such as 22:00, but found '9am'", #"write "09:00""#),
        .init(
            "", "schedule: {every: day, at: \"9:00 pm\", timeZone: Asia/Shanghai, until: 2026-12-31}\n",
            "8:28 invalid-value: 'at' must be a time of day such as 22:00, but found '9:00 pm'", #"write "21:00""#),
        .init(
            "", "schedule: {every: day, at: \"24:00\", timeZone: Asia/Shanghai, until: 2026-12-31}\n",
            "8:28 invalid-value: 'at' must be a time of day such as 22:00, but found '24:00'",
            #"write "00:00" of the next day"#),
        .init(
            "", "schedule: {every: day, at: \"8:00\", timeZone: Asia/Shanghai, until: 2026-12-31}\n",
            "8:28 invalid-value: 'at' must be a time of day such as 22:00, but found '8:00'; did you mean '08:00'?"),
        .init(
            "", "schedule: {every: day, at: 900, timeZone: Asia/Shanghai, until: 2026-12-31}\n",
            "8:28 wrong-type: \(instant) an integer",
            eitherTime),
        .init(
            "", "schedule: {every: day, at: 21, timeZone: Asia/Shanghai, until: 2026-12-31}\n",
            "8:28 wrong-type: \(instant) an integer",
            eitherTime),
        .init(
            "[Giants]", "[“Giants”]", "4:14 invalid-name: '“Giants”' is not a valid name of a channel",
            #"write Giants, or put it between " and ""#),
        .init(
            "score", "“score”", "2:7 invalid-name: '“score”' is not a valid name",
            #"write score, or put it between " and ""#),
        .init(
            "[Giants]", "[Giants，Dodgers]", "4:14 invalid-name: 'Giants，Dodgers' is not a valid name of a channel",
            "put ', ' between two names"),
        .init(
            "  body", "\u{A0} body", "6:1 yaml-syntax: U+00A0 cannot indent a line", "use spaces, two for each level"),
        .init(
            "name: ", "name:\u{A0}", "2:1 yaml-syntax: this line has no ': ' and continues nothing",
            "write a space after ':' instead of U+00A0"),
        .init(
            "name: ", "name: \u{A0}", "2:7 invalid-name: '\u{A0}score' is not a valid name",
            "remove the invisible character U+00A0"),
        .init(
            "[Giants]", "[Giants\u{A0}]", "4:14 invalid-name: 'Giants\u{A0}' is not a valid name of a channel",
            "remove the invisible character U+00A0"),
        .init(
            "name: ", "name:\u{3000}", "2:1 yaml-syntax: this line has no ': ' and continues nothing",
            "write a space after ':' instead of U+3000"),
        .init(
            "score", "sco\u{200B}re", #"2:7 invalid-name: 'sco\u200Bre' is not a valid name"#,
            "remove the invisible character U+200B"),
        .init(
            "[Giants]", "[Giants]\n  platforms: [iphone]",
            "5:15 invalid-value: an element of 'platforms' must be ios or android, but found 'iphone'; did you mean 'ios'?"
        ),
        .init(
            "[Giants]", "[Giants]\n  platforms: [iOS]",
            "5:15 invalid-value: an element of 'platforms' must be ios or android, but found 'iOS'; did you mean 'ios'?"
        ),
        .init(
            "[Giants]", "[Giants]\n  platforms: ios", "5:14 wrong-type: 'platforms' must be a list, but found a string",
            "a list of one is written ['ios']"),
        .init(
            "",
            "variants:\n  a: {weigth: 10%, message: {body: A}}\n  b: {weigth: 10%, message: {body: B}}\ndecideBy: 24h\notherwise: a\n",
            "9:7 unknown-key: unknown key 'weigth'; did you mean 'share'?",
            "10:7 unknown-key: unknown key 'weigth'; did you mean 'share'?"),
        .init(
            "",
            "variants:\n  a: {share: 10, message: {body: A}}\n  b: {share: 10, message: {body: B}}\ndecideBy: 24h\notherwise: a\n",
            "9:14 wrong-type: 'share' must be a percentage such as 20%, but found an integer", "write 10%",
            "10:14 wrong-type: 'share' must be a percentage such as 20%, but found an integer", "write 10%"),
        .init(
            "",
            "variants:\n  a: {share: 0.1, message: {body: A}}\n  b: {share: 0.1, message: {body: B}}\ndecideBy: 24h\notherwise: a\n",
            "9:14 wrong-type: 'share' must be a percentage such as 20%, but found a number", "write 10%",
            "10:14 wrong-type: 'share' must be a percentage such as 20%, but found a number", "write 10%"),
        .init(
            "", "variants:\n  a: {share: 10%, message: {body: A}}\ndecideBy: 24h\notherwise: a\n",
            "8:1 invalid-value: a test has two to ten variants"),
        .init(
            "", "variants:\n  - {name: a, share: 10%}\ndecideBy: 24h\notherwise: a\n",
            "9:3 wrong-type: 'variants' must be a mapping, but found a sequence"),
        .init(
            "",
            "variants:\n  a: {share: 10%, message: {body: A}}\n  b: {share: 10%, message: {body: B}}\ndecideBy: 24h\notherwise: c\n",
            "12:12 unknown-reference: variant 'c' is not declared"),
        .init(
            "",
            "variants:\n  a: {share: 10%, message: {body: A}}\n  b: {share: 10%, message: {body: B}}\notherwise: a\n",
            "8:1 missing-key: missing key 'decideBy'", "say by when somebody chooses, such as 24h"),
        .init("name: score", "nmae: score", "2:1 unknown-key: unknown key 'nmae'; did you mean 'name'?"),
        .init("audience", "auidence", "3:1 unknown-key: unknown key 'auidence'; did you mean 'audience'?"),
        .init("message", "mesage", "5:1 unknown-key: unknown key 'mesage'; did you mean 'message'?"),
        .init("channels", "chanels", "4:3 unknown-key: unknown key 'chanels'; did you mean 'channels'?"),
        .init("name:", "Name:", "2:1 unknown-key: unknown key 'Name'; did you mean 'name'?"),
        .init("kind:", "Kind:", "1:1 unknown-key: unknown key 'Kind'; did you mean 'kind'?"),
        .init(
            "kind: Campaign", "kind: campaign", "1:7 unknown-kind: unknown kind 'campaign'; did you mean 'Campaign'?"),
        .init("Campaign", "Campagin", "1:7 unknown-kind: unknown kind 'Campagin'; did you mean 'Campaign'?"),
        .init(
            "Campaign", "Push", "1:7 unknown-kind: unknown kind 'Push'",
            "the kinds are Workspace, DeviceProfile, Channel, Segment, Campaign, Part"),
        .init(
            "kind: Campaign\n", "",
            "1:1 unknown-kind: missing key 'kind': Workspace, DeviceProfile, Channel, Segment, Campaign or Part"),
        .init("score", "Hello World", "2:7 invalid-name: 'Hello World' is not a valid name", "write hello-world"),
        .init("score", "hello_world", "2:7 invalid-name: 'hello_world' is not a valid name", "write hello-world"),
        .init("score", "Score", "2:7 invalid-name: 'Score' is not a valid name", "write score"),
        .init(
            "score", "比分", "2:7 invalid-name: '比分' is not a valid name",
            "use 1 to 63 lower-case letters, digits and '-', with no '-' at either end"),
        .init(
            "score", "123", "2:7 wrong-type: 'name' must be a string, but found an integer",
            "quote it to make it a string"),
        .init(
            "score", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "2:7 invalid-name: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' is not a valid name",
            "use 1 to 63 lower-case letters, digits and '-', with no '-' at either end"),
        .init("score", "score-", "2:7 invalid-name: 'score-' is not a valid name", "write score"),
        .init("", "schedule: {cron: \"0 9 * * *\"}\n", "8:12 unknown-key: unknown key 'cron'", repetition),
        .init("", "cron: \"0 9 * * *\"\n", "8:1 unknown-key: unknown key 'cron'", repetition),
        .init("", "schedule: {rrule: FREQ=DAILY}\n", "8:12 unknown-key: unknown key 'rrule'", repetition),
        .init(
            "", "schedule: 2026-11-27T20:00:00+08:00\n",
            "8:11 wrong-type: 'schedule' must be a mapping, but found a string", "write {at: 2026-11-27T20:00:00+08:00}"
        ),
        .init(
            "", "schedule: \"0 9 * * *\"\n", "8:11 wrong-type: 'schedule' must be a mapping, but found a string",
            repetition),
        .init("", "schedule: daily\n", "8:11 wrong-type: 'schedule' must be a mapping, but found a string"),
        .init("", every("1d"), "8:19 invalid-value: 'every' must be day, week or month, but found '1d'"),
        .init(
            "", every("daily"),
            "8:19 invalid-value: 'every' must be day, week or month, but found 'daily'; did you mean 'day'?"),
        .init("", every("hour"), "8:19 invalid-value: 'every' must be day, week or month, but found 'hour'"),
        .init("", every("monday"), "8:19 invalid-value: 'every' must be day, week or month, but found 'monday'"),
        .init(
            "", every("week", ", on: monday"), "8:86 wrong-type: 'on' must be a list, but found a string",
            "a list of one is written ['monday']"),
        .init(
            "", every("week", ", on: [monday]"),
            "8:87 invalid-value: an element of 'on' must be mon to sun, 1 to 31 or last, but found 'monday'; did you mean 'mon'?"
        ),
        .init(
            "", every("week", ", on: mon"), "8:86 wrong-type: 'on' must be a list, but found a string",
            "a list of one is written ['mon']"),
        .init(
            "", every("month", ", on: [32]"),
            "8:88 invalid-value: an element of 'on' must be mon to sun, 1 to 31 or last, but found '32'"),
        .init(
            "", every("month", ", on: [0]"),
            "8:88 invalid-value: an element of 'on' must be mon to sun, 1 to 31 or last, but found '0'"),
        .init(
            "", every("week", ", on: [周一]"),
            "8:87 invalid-value: an element of 'on' must be mon to sun, 1 to 31 or last, but found '周一'"),
        .init(
            "", every("day", in: "Asia/Beijing"),
            "8:47 invalid-value: unknown time zone 'Asia/Beijing': the IANA list names China's time after Shanghai",
            "write Asia/Shanghai"),
        .init(
            "", every("day", in: "\"+08:00\""), "8:47 invalid-value: unknown time zone '+08:00'",
            "for example Asia/Shanghai"),
        .init(
            "", every("day", in: "UTC+8"),
            "8:47 invalid-value: 'UTC+8' is no Area/City: abbreviations and offsets do not say which place's clocks count",
            "write UTC or an Area/City of the IANA list, such as Asia/Shanghai"),
        .init(
            "", every("day", in: "CST"),
            "8:47 invalid-value: 'CST' is no Area/City: CST is China's, America's and Cuba's time",
            "write Asia/Shanghai, America/Chicago or America/Havana"),
        .init(
            "", every("day", in: "EST"),
            "8:47 invalid-value: 'EST' is no Area/City: EST does not follow America's clocks in summer",
            "write America/New_York"),
        .init(
            "", every("day", in: "Shanghai"),
            "8:47 invalid-value: unknown time zone 'Shanghai'; did you mean 'Asia/Shanghai'?"),
        .init(
            "", "schedule: {every: day, at: \"09:00\", timeZone: Asia/Shanghai}\n",
            "8:1 missing-key: one of 'until' and 'count' is needed", "what is sent again and again needs an end"),
        .init(
            "", "schedule: {every: day, at: \"09:00\", timeZone: Asia/Shanghai, until: 2026/12/31}\n",
            "8:69 invalid-value: 'until' must be a date such as 2026-12-01, but found '2026/12/31'", "write 2026-12-31"),
        .init(
            "", "schedule: {every: day, at: \"09:00\", timeZone: Asia/Shanghai, until: 2026-12-31T00:00:00+08:00}\n",
            "8:69 invalid-value: 'until' must be a date such as 2026-12-01, but found '2026-12-31T00:00:00+08:00'",
            "write 2026-12-31"),
        .init(
            "", "schedule: {every: day, at: \"09:00\", timeZone: Asia/Shanghai, count: 0}\n",
            "8:62 conflicting-keys: 'count' needs 'from'", "without the first day nobody can tell which is the last",
            "8:69 invalid-value: 'count' must be at least 1"),
        .init(
            "", "schedule: {every: day, at: 2026-11-27T20:00:00+08:00, timeZone: Asia/Shanghai, until: 2026-12-31}\n",
            "8:28 conflicting-keys: 'at' is one instant, and 'every' needs a time of day", #"write "20:00""#),
        at("\"09:00\"", found: "'09:00'", "a time of day needs 'every'"),
        at("2026-11-27", offset),
        at("2026-11-27 20:00", offset),
        at("2026-11-27T20:00:00+0800", "write 2026-11-27T20:00:00+08:00"),
        at("\"2026-11-27T20:00+08:00\"", found: "'2026-11-27T20:00+08:00'", "write 2026-11-27T20:00:00+08:00"),
        at("\"2026/11/27 20:00\"", found: "'2026/11/27 20:00'", offset),
        at("now", "leave out 'schedule' to send when it is applied"),
        at("tomorrow 9am", "write the date, the time and the offset from UTC"),
        at("1795780800", found: "an integer", eitherTime),
        at("1795780800000", found: "an integer", eitherTime),
        at("2026-11-27T25:00:00+08:00", "write the time as hours, minutes and seconds: 20:00:00"),
        at("2026-11-27T20:00:00 Asia/Shanghai", offset),
        at("2026-11-27T20:00:00 é中", offset),
        .init(
            "", "schedule: {at: 2026-11-27T20:00:00, zone: local}\n", "8:1 missing-key: missing key 'otherwise'",
            "name the zone of devices that report none, for example otherwise: Asia/Shanghai",
            "8:43 invalid-value: 'zone' must be device, but found 'local'"),
        .init(
            "  body", "  badge: \"1\"\n  body",
            "6:10 invalid-value: 'badge' must be an integer or 'increment', but found '1'", "remove the quotes"),
        .init("  body", "  badge: -1\n  body", "6:10 invalid-value: 'badge' must be at least 0"),
        .init(
            "  body", "  badge: Increment\n  body",
            "6:10 invalid-value: 'badge' must be an integer or 'increment', but found 'Increment'; did you mean 'increment'?"
        ),
    ]
}
