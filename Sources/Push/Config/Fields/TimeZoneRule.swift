internal import Base

/// The names of time zones in files: `UTC`, or an Area/City of the IANA list.
///
/// An abbreviation means different times in different places, and the sign of `Etc/GMT+8` is the opposite of what it
/// looks like. What devices report is not held to this.
enum TimeZoneRule {
    /// The problem that keeps a text from naming a time zone; nil when there is none.
    static func problem(with text: String) -> StringProblem? {
        if text == "UTC" { return nil }
        let city = text.split(separator: "/").last.map { $0.lowercased() } ?? ""
        if isChinese.contains(city) {
            return StringProblem(
                .invalidValue, "unknown time zone \(quoted(text)): the IANA list names China's time after Shanghai",
                help: "write Asia/Shanghai")
        }
        if ["utc", "etc/utc", "gmt", "etc/gmt", "z", "zulu"].contains(text.lowercased()) {
            return StringProblem(.invalidValue, "\(quoted(text)) is written UTC", help: "write UTC")
        }
        let known = ZoneClock(text)
        if let known, text.lowercased().hasPrefix("etc/") {
            return StringProblem(
                .invalidValue,
                "\(quoted(text)) is UTC\(known.reading(at: Instant(seconds: 0)).displayText.suffix(6)): the signs of Etc/ are "
                    + "the opposite of what they look like", help: anyCity)
        }
        if known != nil, text.contains("/") { return nil }
        if let places = places[text.uppercased()] {
            return StringProblem(
                .invalidValue, "\(quoted(text)) is no Area/City: \(places.why)", help: "write \(places.meant)")
        }
        if known != nil {
            return StringProblem(
                .invalidValue,
                "\(quoted(text)) is no Area/City: abbreviations and offsets do not say which place's clocks count",
                help: anyCity)
        }
        var problem = StringProblem(
            .invalidValue, "unknown time zone \(quoted(text))", help: "for example Asia/Shanghai")
        problem.mayBeMisspelt = true
        return problem
    }

    private static let anyCity = "write UTC or an Area/City of the IANA list, such as Asia/Shanghai"

    /// Cities, and names of the country, that people write for China's time and the IANA list does not have.
    private static let isChinese: Set<String> = [
        "beijing", "peking", "china", "prc", "guangzhou", "canton", "shenzhen", "hangzhou", "nanjing", "wuhan",
        "chengdu",
        "tianjin", "suzhou", "xian", "xi'an", "qingdao", "xiamen", "changsha",
    ]

    /// Abbreviations with more than one meaning, or that stand still when the clocks of their place change.
    private static let places: [String: (why: String, meant: String)] = [
        "CST": ("CST is China's, America's and Cuba's time", "Asia/Shanghai, America/Chicago or America/Havana"),
        "IST": ("IST is India's, Israel's and Ireland's time", "Asia/Kolkata, Asia/Jerusalem or Europe/Dublin"),
        "BST": ("BST is Britain's and Bangladesh's time", "Europe/London or Asia/Dhaka"),
        "EST": ("EST does not follow America's clocks in summer", "America/New_York"),
        "EDT": ("EDT does not follow America's clocks in winter", "America/New_York"),
        "MST": ("MST does not follow America's clocks in summer", "America/Denver or America/Phoenix"),
        "PST": ("PST is America's and the Philippines' time", "America/Los_Angeles or Asia/Manila"),
        "PDT": ("PDT does not follow America's clocks in winter", "America/Los_Angeles"),
        "JST": ("it is an abbreviation", "Asia/Tokyo"),
        "KST": ("it is an abbreviation", "Asia/Seoul"),
        "HKT": ("it is an abbreviation", "Asia/Hong_Kong"),
        "SGT": ("it is an abbreviation", "Asia/Singapore"),
        "CET": ("it names no place, whose clocks may change their rule", "Europe/Berlin or Europe/Paris"),
    ]
}
