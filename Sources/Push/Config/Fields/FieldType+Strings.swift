internal import Base

/// A problem with a string.
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
}

extension FieldType {
    /// The problem that keeps a string from being a value of this type; nil when there is none.
    func problem(with text: String, _ label: Label) -> StringProblem? {
        switch self {
        case .constant(let wanted): text == wanted ? nil : notAsExpected(text, [wanted], label)
        case .name(let rule): rule.problem(with: text, label)
        case .text(let range): Self.lengthProblem(text.utf8.count, range, label)
        case .choice(let values): values.contains(text) ? nil : notAsExpected(text, values, label)
        case .date: CivilDate(text) == nil ? dateProblem(text, label) : nil
        case .recurrenceDay: Recurrence.Day(text) == nil ? notAsExpected(text, Self.dayWords, label) : nil
        case .percentage: Self.fraction(text) == nil ? notAsExpected(text, [], label) : nil
        case .timeOfDay: Self.minutes(text) == nil ? timeProblem(text, label) : nil
        case .timeZone: TimeZoneRule.problem(with: text)
        case .url:
            WebAddress.problem(with: text).map { problem in
                StringProblem(
                    .invalidValue, "\(label.text) \(problem)", help: WebAddress.meant(by: text).map { "write \($0)" })
            }
        case .endpoint: WebAddress.endpointProblem(with: text).map { Self.addressProblem($0, label) }
        case .path, .workspacePath: text.isEmpty ? Self.empty(label) : nil
        case .glob: text.isEmpty ? Self.empty(label) : nil
        case .reference(let type): type.problem(with: text, label)
        case .either(let types): problem(with: text, label, among: types)
        // Types with a reader of their own are checked while they are read.
        case .boolean, .onlyTrue, .integer, .oneOfIntegers, .number, .duration, .instant, .sendTime, .secret,
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
        let ending =
            meant.map { "; did you mean \(quoted($0))?" } ?? Suggestion.ending(for: text, among: values)
        let message = "\(label.text) must be \(expectation), but found \(quoted(text))\(ending)"
        var problem = StringProblem(.invalidValue, message, advice: advice)
        problem.mend = problem.mend ?? meant ?? Suggestion.only(to: text, among: values)
        return problem
    }

    private static let dayWords = Recurrence.Day.weekdays + ["last"]

    private func dateProblem(_ text: String, _ label: Label) -> StringProblem {
        let isDate = text.utf8.count == 10 && text.utf8.allSatisfy { $0.isDigit || $0 == .dash }
        let meant = CivilDate(String(text.prefix(10)).replacing("/", with: "-")).map { Advice.write($0.text) }
        return notAsExpected(
            text, [], label, advice: meant ?? (isDate ? Advice("there is no day \(text)") : nil))
    }

    private func timeProblem(_ text: String, _ label: Label) -> StringProblem {
        if Self.minutes("0" + text) != nil { return notAsExpected(text, ["0" + text], label) }
        return notAsExpected(text, [], label, advice: Self.timeMeant(by: text).map { .write("\"\($0)\"") })
    }

    /// True for a text that is a time of day, or means one.
    static func isMeantAsTime(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ":") } || timeMeant(by: text) != nil
    }

    /// The time of day meant by `9am`, `9:30 PM`, `24:00` or `21:00:00`.
    private static func timeMeant(by text: String) -> String? {
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
        return QuietHours.timeOfDay(hour % 24 * 60 + (numbers.dropFirst().first ?? 0))
    }

    private static func addressProblem(_ problem: String, _ label: Label) -> StringProblem {
        StringProblem(.invalidValue, "\(label.text) \(problem)")
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
        case .deviceProfile: meant = Self.joined(text)
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
