internal import Base

struct StringProblem {
    var code: DiagnosticCode
    var message: String
    var help: String?
    /// The text that may be written instead; nil when a person must decide.
    var mend: String?
    /// True if the text may be meant as a time zone with a similar name.
    var mayBeMisspelt = false

    init(_ code: DiagnosticCode, _ message: String, help: String? = nil) {
        self.code = code
        self.message = message
        self.help = help
    }

    init(_ code: DiagnosticCode, _ message: String, advice: Advice?) {
        self.init(code, message, help: advice?.sentence)
        mend = advice?.text
    }

    /// The same for a person to mend, who alone knows which of the declared names is meant.
    var withoutMend: StringProblem {
        var problem = self
        problem.mend = nil
        return problem
    }
}

extension FieldType {
    /// The problem that keeps a string from being a value of this type; nil when there is none.
    func problem(with text: String, _ label: Label) -> StringProblem? {
        switch self {
        case .constant(let wanted): text == wanted ? nil : notAsExpected(text, [wanted], label)
        case .name(let rule): rule.problem(with: text, label).map { label.name == "name" ? $0 : $0.withoutMend }
        case .text(let range): Self.lengthProblem(text.utf8.count, range, label)
        case .choice(let values): values.contains(text) ? nil : notAsExpected(text, values, label)
        case .date: Self.day(text) == nil ? dateProblem(text, label) : nil
        case .recurrenceDay: Recurrence.Day(text) == nil ? notAsExpected(text, Self.dayWords, label) : nil
        case .percentage: Self.fraction(text) == nil ? notAsExpected(text, [], label) : nil
        case .timeOfDay: Self.minutes(text) == nil ? timeProblem(text, label) : nil
        case .timeZone: TimeZoneRule.problem(with: text)
        case .url:
            WebAddress.problem(with: text).map { problem in
                StringProblem(
                    .invalidValue, "\(label.text) \(problem)", help: WebAddress.meant(by: text).map { "write \($0)" })
            }
        case .endpoint:
            WebAddress.endpointProblem(with: text).map { StringProblem(.invalidValue, "\(label.text) \($0)") }
        case .path, .workspacePath, .glob: text.isEmpty ? Self.empty(label) : nil
        case .reference(let type): type.problem(with: text, label)
        case .either(let types): problem(with: text, label, among: types)
        // Types with a reader of their own are checked while they are read.
        case .boolean, .onlyTrue, .integer, .oneOfIntegers, .number, .scalar, .duration, .instant, .sendTime, .secret,
            .condition,
            .object, .list, .map, .entries:
            nil
        }
    }

    private func problem(with text: String, _ label: Label, among types: [FieldType]) -> StringProblem? {
        guard let type = types.first(where: \.isWrittenAsString) else { return nil }
        if case .constant(let word) = types.last, text == word { return nil }
        guard case .constant(let wanted) = type, text != wanted else { return type.problem(with: text, label) }
        return notAsExpected(
            text, [wanted], label, advice: Int(text) == nil ? nil : Advice("remove the quotes", writing: text))
    }

    private func notAsExpected(
        _ text: String, _ values: [String], _ label: Label, advice: Advice? = nil
    ) -> StringProblem {
        let meant = Mistakes.values.first { $0.key == text.lowercased() && values.contains($0.value) }?.value
        let ending = meant.map { "; did you mean \(quoted($0))?" } ?? Suggestion.ending(for: text, among: values)
        let message = "\(label.text) must be \(expectation), but found \(quoted(text))\(ending)"
        var problem = StringProblem(.invalidValue, message, advice: advice)
        problem.mend = problem.mend ?? meant ?? Suggestion.only(to: text, among: values)
        return problem
    }

    private static let dayWords = Recurrence.Day.weekdays + ["last"]

    /// The day that a text of a file names.
    private static func day(_ text: String) -> CivilDate? {
        CivilDate(text).flatMap { $0.year <= CivilDate.lastYearOfFiles ? $0 : nil }
    }

    private func dateProblem(_ text: String, _ label: Label) -> StringProblem {
        let isDate = text.utf8.count == 10 && text.utf8.allSatisfy { $0.isDigit || $0 == .dash }
        let meant = Self.day(String(text.prefix(10)).replacing("/", with: "-")).map { Advice.write($0.text) }
        return notAsExpected(text, [], label, advice: meant ?? (isDate ? Advice("there is no day \(text)") : nil))
    }

    private func timeProblem(_ text: String, _ label: Label) -> StringProblem {
        if Self.minutes("0" + text) != nil { return notAsExpected(text, ["0" + text], label) }
        // Of the next day: then the days on which to send change, too, or it is quiet all day, and a person must decide.
        let advice = Self.timeMeant(by: text).map { time, isNextDay in
            isNextDay ? Advice("write \"\(time)\" of the next day") : .write("\"\(time)\"")
        }
        return notAsExpected(text, [], label, advice: advice)
    }

    /// True for a text that is a time of day, or means one.
    static func isMeantAsTime(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ":") } || timeMeant(by: text) != nil
    }

    /// The time of day meant by `9am`, `9:30 PM` or `21:00:00`; by `24:00` that of the next day.
    private static func timeMeant(by text: String) -> (time: String, isNextDay: Bool)? {
        var rest = text.lowercased().filter { $0 != " " && $0 != "." }
        let half = ["am", "pm"].first { rest.hasSuffix($0) }
        if half != nil { rest.removeLast(2) }
        let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.utf8.count <= 2 ? Int($0) : nil }
        guard numbers.count == parts.count, half != nil ? numbers.count <= 2 : (2...3).contains(numbers.count),
            var hour = numbers.first, numbers.dropFirst().allSatisfy((0..<60).contains)
        else { return nil }
        guard (half == nil ? 0...24 : 1...12).contains(hour) else { return nil }
        if half != nil { hour = hour % 12 + (half == "pm" ? 12 : 0) }
        return (QuietHours.timeOfDay(hour % 24 * 60 + (numbers.dropFirst().first ?? 0)), hour == 24)
    }

    private static func empty(_ label: Label) -> StringProblem {
        StringProblem(.invalidValue, "\(label.text) must not be empty")
    }

    private static func lengthProblem(_ count: Int, _ range: ClosedRange<Int>, _ label: Label) -> StringProblem? {
        if count < range.lowerBound { return empty(label) }
        guard count > range.upperBound else { return nil }
        return StringProblem(
            .invalidValue, "\(label.text) must have at most \(range.upperBound) bytes, but has \(count)")
    }
}

extension NameRule {
    /// The problem that keeps a text from being a name of this rule; nil when there is none.
    func problem(with text: String, _ label: Label) -> StringProblem? {
        guard !accepts(text) else { return nil }
        if self == .customKey { return keyProblem(text) }
        return StringProblem(
            .invalidName, "\(quoted(text)) is not a valid \(subject)",
            advice: advice(on: text) ?? Advice("use \(words)"))
    }

    /// The name that a text means; nil when nobody can tell.
    private func advice(on text: String) -> Advice? {
        if text.contains(where: { "，、".contains($0) }) { return Advice("put ', ' between two names") }
        let bare = text.filter { !"“”‘’「」".contains($0) }
        if bare != text, accepts(bare) { return Advice("write \(bare), or put it between \" and \"") }
        if let help = Mistakes.invisible(in: text) { return Advice(help) }
        let meant: String
        switch self {
        case .resource, .remote: meant = Self.joined(text.lowercased())
        case .deviceProfile, .value: meant = Self.joined(text)
        case .language: meant = text.replacing("_", with: "-")
        case .channel, .label, .environmentVariable, .bundleIdentifier, .appleIdentifier, .customKey, .anyKey,
            .installationField:
            return nil
        }
        return accepts(meant) ? .write(meant) : nil
    }

    /// The ASCII words of a text, with '-' between them; a text with other letters stays as it is.
    private static func joined(_ text: String) -> String {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        return text.split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
    }

    /// The problem that keeps a text from being a custom key.
    private func keyProblem(_ text: String) -> StringProblem {
        if text.isEmpty { return StringProblem(.invalidName, "a custom key must not be empty") }
        if text.utf8.first == .underscore {
            return StringProblem(.reservedKey, "\(quoted(text)) is reserved: custom keys do not begin with '_'")
        }
        return StringProblem(.reservedKey, "\(quoted(text)) is reserved and cannot be a custom key")
    }
}

extension NameRule {
    /// The rule as a regular expression in ECMA-262's dialect with the `u` flag, for searching in the name.
    package var pattern: String {
        switch self {
        case .resource: "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"
        case .deviceProfile, .value: "^[A-Za-z][A-Za-z0-9_-]{0,63}$"
        case .channel: "^[A-Za-z0-9_=\\-\\p{Unified_Ideograph}]{1,64}$"
        case .remote: "^[a-z0-9-]{1,32}$"
        case .label: "^[^=/]+$"
        case .environmentVariable: "^[A-Za-z_][A-Za-z0-9_]*$"
        case .bundleIdentifier: "^(?=.{1,255}$)[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)+$"
        case .appleIdentifier: "^[A-Z0-9]{10}$"
        case .customKey: "^(?!_)(?!(\(Self.reservedKeys.joined(separator: "|")))$)[\\s\\S]"
        case .anyKey: "[\\s\\S]"
        case .language: "^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$"
        case .installationField: "^[A-Za-z][A-Za-z0-9_]{0,127}$"
        }
    }

    /// The rule in words that follow "use …".
    package var words: String {
        switch self {
        case .resource: "1 to 63 lower-case letters, digits and '-', with no '-' at either end"
        case .deviceProfile, .value: "a letter, then at most 63 letters, digits, '_' and '-'"
        case .channel: "1 to 64 ASCII letters, digits, '_', '-', '=' and CJK ideographs"
        case .remote: "1 to 32 lower-case letters, digits and '-'"
        case .label: "a name without '=' and '/'"
        case .environmentVariable: "letters, digits and '_', with no digit at the beginning"
        case .bundleIdentifier: "letters, digits and '-' in parts that '.' joins, such as com.example.app"
        case .appleIdentifier: "10 upper-case letters and digits"
        case .customKey: "a key that is not reserved and does not begin with '_'"
        case .anyKey: "a key that is not empty"
        case .language: "a language as BCP 47 names it, such as en, pt-BR or zh-Hant"
        case .installationField: "a letter, then at most 127 letters, digits and '_'"
        }
    }

    /// ``words`` in Chinese.
    package var chinese: String {
        switch self {
        case .resource: "1 到 63 个小写字母、数字或 '-'，首尾不能是 '-'"
        case .deviceProfile, .value: "以字母开头，其后最多 63 个字母、数字、'_' 或 '-'"
        case .channel: "1 到 64 个 ASCII 字母、数字、'_'、'-'、'=' 或汉字"
        case .remote: "1 到 32 个小写字母、数字或 '-'"
        case .label: "不含 '=' 和 '/' 的名称"
        case .environmentVariable: "字母、数字或 '_'，不以数字开头"
        case .bundleIdentifier: "用 '.' 连接的若干段，每段为字母、数字或 '-'，如 com.example.app"
        case .appleIdentifier: "10 个大写字母或数字"
        case .customKey: "不是保留字段、也不以 '_' 开头的字段名"
        case .anyKey: "非空的字段名"
        case .language: "BCP 47 语言标签，如 en、pt-BR、zh-Hant"
        case .installationField: "以字母开头，其后最多 127 个字母、数字或 '_'"
        }
    }

    /// The thing that a name of this rule names, for "… is not a valid …".
    var subject: String {
        switch self {
        case .resource: "name"
        case .deviceProfile: "name of a device profile"
        case .channel: "name of a channel"
        case .remote: "name of a remote"
        case .label: "label"
        case .value: "name of a value"
        case .environmentVariable: "name of an environment variable"
        case .bundleIdentifier: "bundle id"
        case .appleIdentifier: "id of a team or key"
        case .customKey, .anyKey: "key"
        case .language: "language"
        case .installationField: "field of an installation"
        }
    }
}

extension NameRule {
    /// True when a name follows the rule.
    package func accepts(_ name: String) -> Bool {
        let bytes = name.utf8
        switch self {
        case .resource:
            return (1...63).contains(bytes.count) && bytes.allSatisfy { $0.isLowerOrDigit || $0 == .dash }
                && bytes.first != .dash && bytes.last != .dash
        case .deviceProfile, .value:
            return (1...64).contains(bytes.count) && bytes.first?.isLetter == true
                && bytes.allSatisfy { $0.isLetterOrDigit || $0 == .underscore || $0 == .dash }
        case .channel:
            return (1...64).contains(name.unicodeScalars.count) && name.unicodeScalars.allSatisfy(Self.isOfChannel)
        case .remote: return (1...32).contains(bytes.count) && bytes.allSatisfy { $0.isLowerOrDigit || $0 == .dash }
        case .label: return !name.isEmpty && !bytes.contains(UInt8(ascii: "=")) && !bytes.contains(UInt8(ascii: "/"))
        case .environmentVariable:
            return bytes.first.map { $0.isLetter || $0 == .underscore } == true
                && bytes.allSatisfy { $0.isLetterOrDigit || $0 == .underscore }
        case .bundleIdentifier:
            let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            return parts.count > 1 && bytes.count <= 255
                && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isLetterOrDigit || $0 == .dash } }
        case .appleIdentifier:
            return bytes.count == 10 && bytes.allSatisfy { $0.isLetterOrDigit && !(0x61...0x7A).contains($0) }
        case .customKey: return !name.isEmpty && bytes.first != .underscore && !Self.reservedKeys.contains(name)
        case .anyKey: return !name.isEmpty
        case .language: return LanguageTag.isName(name)
        case .installationField: return PersonalValue.isField(name)
        }
    }

    /// The custom keys that a service reserves; names that begin with `_` are reserved too.
    private static let reservedKeys = [
        "aps", "alert", "title", "badge", "sound", "category", "thread-id", "content-available", "mutable-content",
        "collapse-id", "apns-priority", "apns-push-type", "target-content-id", "url-args", "silent", "action", "ios",
        "android", "mi", "hms", "mz", "honor", "vivo", "oppo", "fcm", "wp",
    ]

    private static func isOfChannel(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.isASCII else { return scalar.properties.isUnifiedIdeograph }
        let byte = UInt8(truncatingIfNeeded: scalar.value)
        return byte.isLetterOrDigit || byte == .underscore || byte == .dash || byte == UInt8(ascii: "=")
    }
}

extension UInt8 {
    static let dash = UInt8(ascii: "-")
    static let underscore = UInt8(ascii: "_")
}

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

/// The URLs that a remote may have.
package enum WebAddress {
    /// The problem that keeps a text from being a remote's URL, in words that follow the field's name; nil when there
    /// is none.
    ///
    /// The URL is `https`, or `http` to this machine by its literal address or as `localhost`, without user, query,
    /// fragment or the version with which requests begin. The text itself is not repeated: it may hold a password.
    package static func problem(with text: String) -> String? {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }) else {
            return "must be an address without spaces or non-ASCII characters"
        }
        let scheme = text.prefix { $0 != ":" }.lowercased()
        let rest = text.dropFirst(scheme.count)
        guard scheme == "https" || scheme == "http", rest.hasPrefix("://") else {
            return "must begin with https:// (or http:// for this machine)"
        }
        let address = rest.dropFirst(3)
        guard !address.contains("?"), !address.contains("#") else { return "must have no query and no fragment" }
        let authority = address.prefix { $0 != "/" }
        guard !authority.contains("@") else { return "must have no user and no password" }
        guard versionless(text) == text else { return "must end before the version: leave '/1.1' out" }
        guard let host = host(of: authority) else { return "must have a valid host, and a port from 1 to 65535 if any" }
        guard scheme == "https" || isLoopback(host) else {
            return "may be http only for 127.0.0.0/8, [::1] and localhost; use https"
        }
        return nil
    }

    /// The URL probably meant by one without a scheme or with a version; nil when it has other problems as well.
    package static func meant(by text: String) -> String? {
        let address = versionless(completed(text))
        return problem(with: address) == nil ? address : nil
    }

    /// A URL without the version of LeanCloud's API at its end.
    private static func versionless(_ text: String) -> String {
        var rest = Substring(text)
        while rest.last == "/" { rest.removeLast() }
        guard rest.hasSuffix("/1.1") else { return text }
        return String(rest.dropLast("/1.1".count))
    }

    /// Like ``problem(with:)``, for an endpoint reached by TLS at a host and port: a path would be lost.
    static func endpointProblem(with text: String) -> String? {
        let text = completed(text)
        if let problem = problem(with: text) { return problem }
        guard text.prefix(6).lowercased() == "https:" else { return "must be https: Apple's protocol always uses TLS" }
        let path = text.dropFirst("https://".count).drop { $0 != "/" }
        return path.allSatisfy { $0 == "/" } ? nil : "must be a host with an optional port and no path"
    }

    /// The URL itself, or an `https` URL for a bare host and port.
    package static func completed(_ text: String) -> String { text.contains("://") ? text : "https://" + text }

    private static func host(of authority: Substring) -> String? {
        // The colons in brackets begin no port.
        let end =
            authority.lastIndex(of: "]").map { authority.index(after: $0) } ?? authority.firstIndex(of: ":")
            ?? authority.endIndex
        let (host, rest) = (authority[..<end], authority[end...])
        let isName = host.last == "]" ? isAddress(host) : isHostName(host)
        guard isName, rest.isEmpty || isPort(rest) else { return nil }
        return host.lowercased()
    }

    private static func isAddress(_ host: Substring) -> Bool {
        host.first == "[" && host.utf8.count > 3
            && host.utf8.dropFirst().dropLast().allSatisfy { $0.isHexadecimal || ":.".utf8.contains($0) }
    }

    private static func isPort(_ rest: Substring) -> Bool {
        let digits = rest.dropFirst()
        return rest.first == ":" && digits.utf8.allSatisfy(\.isDigit) && (1...65_535).contains(Int(digits) ?? 0)
    }

    private static func isHostName(_ host: Substring) -> Bool {
        host.utf8.count <= 253
            && host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
                !$0.isEmpty && $0.allSatisfy { $0.isLetterOrDigit || $0 == .dash || $0 == .underscore }
            }
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy { $0.utf8.allSatisfy(\.isDigit) && UInt8($0) != nil }
    }
}
