internal import Base
internal import YAML

/// The state of reading one file: everything it collects besides resources.
final class ReadingContext {
    let file: String
    let bytes: [UInt8]
    /// The column, by line, of a `#` that begins a comment but looks like part of the text before it: `We are #1`.
    private(set) lazy var hashes = Self.hashes(in: bytes)
    /// The workspace's folder, which decides whether a path stays inside it.
    let folder: WorkspaceFolder
    /// Finds the time zone that a text may mean.
    lazy var zoneSuggestions = NameSuggestions(ZoneClock.names)
    /// The problems found in the file.
    var diagnostics: [Diagnostic] = []
    /// The mappings of the current document with diagnostics, by the names of their tables.
    var faultyMappings: Set<String> = []
    /// The environment variables that hold a secret.
    var secretVariables: Set<String> = []
    /// The environment variables that fields refer to, with their positions.
    var references: [VariableReference] = []

    init(folder: WorkspaceFolder, file: String, bytes: [UInt8]) {
        self.folder = folder
        self.file = file
        self.bytes = bytes
    }

    private static func hashes(in bytes: [UInt8]) -> [Int: Int] {
        let (hash, space, newline) = (UInt8(ascii: "#"), UInt8(ascii: " "), UInt8(ascii: "\n"))
        var found: [Int: Int] = [:]
        var (line, counted) = (1, 0)
        for index in bytes.indices.dropFirst().dropLast()
        where bytes[index] == hash && bytes[index - 1] == space && bytes[index + 1] > space && bytes[index + 1] != hash
        {
            line += bytes[counted..<index].count { $0 == newline }
            counted = index
            let before = bytes[((bytes[..<index].lastIndex(of: newline) ?? -1) + 1)..<index]
            guard found[line] == nil, before.contains(where: { $0 != space }) else { continue }
            found[line] = 1 + before.count { $0 & 0xC0 != 0x80 }
        }
        return found
    }

    /// Adds an error; `mend` is what may be written instead of the node.
    func report(_ code: DiagnosticCode, _ message: String, at node: Node, help: String? = nil, mend: String? = nil) {
        let mend = mend.flatMap { Mend($0, at: node.range) }
        diagnostics.append(Diagnostic(.error, code, message, at: node.range, help: help, mend: mend))
    }

    /// Adds a warning.
    func warn(_ code: DiagnosticCode, _ message: String, at range: SourceRange, help: String? = nil) {
        diagnostics.append(Diagnostic(.warning, code, message, at: range, help: help))
    }

    /// Warns of a name that may be meant as a part of the text after it: `&Giants won` says "won".
    func warn(of anchor: Document.UnusedAnchor) {
        let written = quoted("&" + anchor.name)
        warn(
            .invalidValue, "\(written) names the text after it, and is no part of it", at: anchor.range,
            help: "put the text in quotes if \(written) is part of it")
    }

    /// Adds an error with what to do about it.
    func report(_ code: DiagnosticCode, _ message: String, at node: Node, advice: Advice?) {
        report(code, message, at: node, help: advice?.sentence, mend: advice?.text)
    }
}

struct VariableReference: Hashable, Sendable {
    var variable: String
    var field: String
    var range: SourceRange
}

/// The name of a value in messages.
struct Label {
    /// The key of the value.
    let name: String
    /// True for one of several values under that key.
    let isElement: Bool

    init(_ name: String, isElement: Bool = false) { (self.name, self.isElement) = (name, isElement) }

    var element: Label { Label(name, isElement: true) }

    var text: String { isElement ? "an element of \(quoted(name))" : quoted(name) }
}

extension ReadingContext {
    /// Reports a value of the wrong type; an invalid one has been reported before.
    func wrongType(_ node: Node, _ type: FieldType, _ label: Label) {
        wrongType(node, expected: type.expectation, label, advice: advice(on: node, type))
    }

    /// Reports a value of the wrong type in words.
    func wrongType(_ node: Node, expected: String, _ label: Label, advice: Advice? = nil) {
        guard !node.isInvalid else { return }
        report(
            .wrongType, "\(label.text) must be \(expected), but found \(node.typeDescription)", at: node,
            advice: advice)
    }

    /// Reports a value of the wrong type, which gives nothing.
    func mismatch<Value>(_ node: Node, _ type: FieldType, _ label: Label) -> Value? {
        wrongType(node, type, label)
        return nil
    }

    /// Reports a value of the wrong type in words, which gives nothing.
    func mismatch<Value>(_ node: Node, expected: String, _ label: Label, advice: Advice? = nil) -> Value? {
        wrongType(node, expected: expected, label, advice: advice)
        return nil
    }

    private func advice(on node: Node, _ type: FieldType) -> Advice? {
        guard node.kind == .scalar, let scalar = node.scalar else { return nil }
        switch (scalar, type) {
        case (.integer(let seconds), .duration):
            guard let meant = Duration.meant(by: "\(seconds)")?.configurationText else { return nil }
            if seconds < 60 { return Advice("add the unit: \(seconds)s, \(seconds)m, \(seconds)h or \(seconds)d") }
            return meant == "\(seconds)s"
                ? .write(meant) : Advice("write \(seconds)s or \(meant)", writing: meant)
        case (.integer, .sendTime):
            return Advice(
                "write the date, the time and the offset from UTC, or a time of day such as \"09:00\" with 'every'")
        case (.integer, .instant): return Advice("write the date, the time and the offset from UTC")
        case (.integer(0), .boolean): return .write("false")
        case (.integer(1), .boolean): return .write("true")
        case (.integer(let number), .percentage): return (0...100).contains(number) ? .write("\(number)%") : nil
        case (.float(let number), .percentage):
            // 0.5 may be meant as half a percent.
            return (0...1).contains(number)
                ? Advice("write \((number * 10_000).rounded() / 100)%".replacing(".0%", with: "%")) : nil
        case (.float(let number), .integer): return Int(exactly: number).map { .write("\($0)") }
        case (.bool, _), (.integer, _), (.hugeInteger, _), (.float, _):
            return type.isWrittenAsString
                ? Advice("quote it to make it a string", writing: node.text.map { "\"\($0)\"" }) : nil
        case (.string(let text), .boolean), (.string(let text), .onlyTrue):
            let isTrue = ["yes", "on", "y", "true"].contains(text.lowercased())
            guard isTrue || ["no", "off", "n", "false"].contains(text.lowercased()) else { return nil }
            return Advice("a boolean is written true or false, without quotes", writing: isTrue ? "true" : "false")
        case (.string(let text), .integer), (.string(let text), .number), (.string(let text), .oneOfIntegers):
            if Double(text) != nil { return Advice("remove the quotes", writing: text) }
            return Int.meant(by: text).map { .write("\($0)") }
        case (.string, .condition): return Advice("compare fields with values, for example {age: {$gte: 18}}")
        case (.null, .map), (.null, .condition): return Advice("indent its fields under it")
        case (.null, _), (.string, _), (.invalid, _): return nil
        }
    }
}

extension Int {
    /// The number that somebody meant by `100k`, `100,000` or `10万`.
    fileprivate static func meant(by text: String) -> Int? {
        let units: [Character: Int] = ["k": 1_000, "m": 1_000_000, "w": 10_000, "万": 10_000, "亿": 100_000_000]
        let digits = text.lowercased().filter { !", _'，".contains($0) }
        guard let last = digits.last, let unit = units[last] else { return Int(digits) }
        guard let number = Int(digits.dropLast()), number > 0 else { return nil }
        let product = number.multipliedReportingOverflow(by: unit)
        return product.overflow ? nil : product.partialValue
    }
}

// MARK: - Values

extension ReadingContext {
    /// A string that fits its type; one that does not is reported and given back all the same.
    func string(_ node: Node, _ type: FieldType, _ label: Label) -> String? {
        guard let text = written(node, type) else { return mismatch(node, type, label) }
        if var problem = type.problem(with: text, label) {
            if problem.mayBeMisspelt {
                let ending = zoneSuggestions.ending(for: text)
                problem.message += ending
                if !ending.isEmpty { problem.help = nil }
            }
            report(problem.code, problem.message, at: node, help: problem.help, mend: problem.mend)
        }
        return text
    }

    /// The text of a string; of a day, its number too.
    private func written(_ node: Node, _ type: FieldType) -> String? {
        if case .recurrenceDay = type, case .integer(let day) = node.scalar { return String(day) }
        return node.string
    }

    /// A truth value that fits its type.
    func flag(_ node: Node, _ type: FieldType, _ label: Label) -> Bool? {
        guard case .bool(let value) = node.scalar else { return mismatch(node, type, label) }
        if case .onlyTrue = type, !value {
            report(.invalidValue, "\(label.text) can only be true", at: node, help: "leave it out")
        }
        return value
    }

    /// A whole number that fits its type.
    func integer(_ node: Node, _ type: FieldType, _ label: Label) -> Int? {
        guard case .integer(let value) = node.scalar else {
            guard case .hugeInteger = node.scalar else { return mismatch(node, type, label) }
            report(.invalidValue, "\(label.text) does not fit 64 bits", at: node)
            return nil
        }
        let number = Int(value)
        switch type {
        case .integer(let range): check(number, range, label, node)
        case .oneOfIntegers(let values) where !values.contains(number):
            report(.invalidValue, "\(label.text) must be \(type.expectation)", at: node)
        case .either(let types):
            if case .integer(let range) = types.first { check(number, range, label, node) }
        default: break
        }
        return number
    }

    func number(_ node: Node, _ type: FieldType, _ label: Label) -> Double? {
        let number: Double
        switch node.scalar {
        case .integer(let value): number = Double(value)
        case .float(let value): number = value
        default: return mismatch(node, type, label)
        }
        if case .number(let range) = type, !range.contains(number) {
            let bounds = "\(Self.shortest(range.lowerBound)) to \(Self.shortest(range.upperBound))"
            report(.invalidValue, "\(label.text) must be from \(bounds)", at: node)
        }
        return number
    }

    /// A string, a number or a truth value.
    func scalar(_ node: Node, _ type: FieldType, _ label: Label) -> JSONValue? {
        guard node.kind == .scalar, !node.isNull else { return mismatch(node, expected: type.expectation, label) }
        return node.json(reportingTo: &diagnostics)
    }

    /// Reports a percentage that is no share, or none that fits: devices are told apart by ten-thousandths.
    func checkShare(_ node: Node, _ range: String, _ fits: (Share) -> Bool) {
        guard let text = node.string, FieldType.fraction(text) != nil, !(Share(text).map(fits) ?? false) else { return }
        report(.invalidValue, "\(quoted(text)) is not a share \(range) with at most two decimal places", at: node)
    }

    private func check(_ number: Int, _ range: ClosedRange<Int>, _ label: Label, _ node: Node) {
        if number < range.lowerBound {
            report(.invalidValue, "\(label.text) must be at least \(range.lowerBound)", at: node)
        } else if number > range.upperBound {
            report(.invalidValue, "\(label.text) must be at most \(range.upperBound)", at: node)
        }
    }

    private static func shortest(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? String(number)
    }
}

extension ReadingContext {
    /// A length of time that fits its type.
    func duration(_ node: Node, _ type: FieldType, _ label: Label) -> Duration? {
        guard let text = node.string else { return mismatch(node, type, label) }
        guard let value = Duration(configurationText: text) else {
            let message = "\(label.text) must be \(type.expectation), but found \(quoted(text))"
            let advice = Duration.meant(by: text).map { Advice.write($0.configurationText) }
            report(.invalidValue, message, at: node, advice: advice)
            return nil
        }
        let form = if case .either(let types) = type { types.first ?? type } else { type }
        guard case .duration(let range) = form else { return value }
        if value.wholeSeconds > range.upperBound {
            let limit = range.upperBound == 60 ? "60s" : Duration.seconds(range.upperBound).configurationText
            report(.invalidValue, "\(label.text) must be at most \(limit)", at: node)
        } else if value.wholeSeconds < range.lowerBound {
            let limit = Duration.seconds(range.lowerBound).configurationText
            report(.invalidValue, "\(label.text) must be at least \(limit)", at: node)
        }
        return value
    }

    func instant(_ node: Node, _ type: FieldType, _ label: Label) -> OffsetInstant? {
        guard let text = node.string else { return mismatch(node, type, label) }
        guard let value = OffsetInstant(text) else {
            let message = "\(label.text) must be \(FieldType.instant.expectation), but found \(quoted(text))"
            report(.invalidValue, message, at: node, advice: OffsetInstant.advice(on: text))
            return nil
        }
        return value
    }

    /// The elements of a list: at least one and not too many.
    func elements(_ node: Node, _ type: FieldType, _ label: Label) -> [Node]? {
        guard node.kind == .sequence else {
            return mismatch(node, expected: type.expectation, label, advice: node.string.map(Self.list))
        }
        if node.count == 0 { report(.invalidValue, "\(label.text) must not be empty", at: node) }
        if case .list(_, let rule) = type, let maximum = rule.maximum, node.count > maximum {
            report(
                .invalidValue, "\(label.text) must have at most \(maximum) elements, but has \(node.count)", at: node)
        }
        return Array(node.elements)
    }

    /// Returns the strings of a list, each once; a second one is reported. Strings with an equal `identity` mean the
    /// same; by default it is the string itself.
    func uniqueStrings(
        _ nodes: [Node], _ type: FieldType, _ label: Label, by identity: (String) -> String = { $0 }
    ) -> [String] {
        var strings: [String] = []
        strings.reserveCapacity(nodes.count)
        var seen: Set<String> = []
        for node in nodes where !node.isInvalid {
            guard let text = string(node, type, label.element) else { continue }
            let isNew = nodes.count < 2 || seen.insert(identity(text)).inserted
            if isNew {
                strings.append(text)
            } else {
                // A device's token stands in no message.
                let name = label.text == Label("devices").text ? "a device" : quoted(text)
                report(.invalidValue, "\(name) is listed twice in \(label.text)", at: node)
            }
        }
        return strings
    }

    private static func list(of text: String) -> Advice {
        let parts = text.split { ",，、".contains($0) }.map { String($0.drop { $0 == " " }) }
        let list = "[\(parts.joined(separator: ", "))]"
        let isPlain = parts.allSatisfy {
            !$0.isEmpty && $0.utf8.allSatisfy { $0.isUnreserved } && $0.utf8.first != .dash
        }
        if parts.count > 1 { return Advice("a list is written \(list)", writing: isPlain ? list : nil) }
        if text.hasPrefix("-") { return Advice("put a space after '-'") }
        return Advice("a list of one is written [\(quoted(text))]", writing: isPlain ? list : nil)
    }
}

// MARK: - Secrets

extension ReadingContext {
    /// Reads the location of a secret; a plain value in its place is an error that does not repeat it.
    func secret(_ node: Node, holder: Node, _ label: Label) -> SecretSource? {
        guard node.kind == .mapping else {
            if node.kind != .scalar || !node.isNull {
                report(
                    .plainSecret, "\(label.text) is a secret and must not be written in a file", at: node,
                    help: "name its source: {env: NAME} or {file: PATH}")
            } else {
                wrongType(node, .secret, label)
            }
            return nil
        }
        guard let map = MapReader(node, holder: holder, label: label, .secret, in: self) else { return nil }
        if map.has("env") {
            guard let value = map["env"] else { return nil }
            guard let variable = value.string, NameRule.environmentVariable.accepts(variable) else {
                report(
                    .plainSecret, "\(label.text) must name an environment variable", at: value,
                    help: "write {env: NAME} with a name of letters, digits and '_'")
                return nil
            }
            secretVariables.insert(variable)
            return .environment(variable)
        }
        guard let value = map["file"] else { return nil }
        return file(value, holder: map.key("file"), Label("file")).map(SecretSource.file)
    }

    /// A path inside the workspace, or the variable that holds a path.
    func file(_ node: Node, holder: Node, _ label: Label) -> FileSource? {
        if node.kind == .mapping { return variable(node, holder: holder, label).map(FileSource.environment) }
        guard let path = node.string else { return mismatch(node, expected: "a path or {env: NAME}", label) }
        if let problem = folder.problem(withPath: path) {
            report(.fileOutside, "\(label.text) \(problem)", at: node)
            return nil
        }
        return .path(path)
    }

    /// The name in `{env: NAME}`.
    func variable(_ node: Node, holder: Node, _ label: Label) -> String? {
        MapReader(node, holder: holder, label: label, .reference, in: self)?.string("env")
    }

    /// A value, or the variable that holds it.
    func reference(_ node: Node, holder: Node, _ type: FieldType, _ label: Label) -> TextReference? {
        guard node.kind == .mapping else { return string(node, type, label).map(TextReference.literal) }
        guard let name = variable(node, holder: holder, label) else { return nil }
        references.append(VariableReference(variable: name, field: label.name, range: node.range))
        return .environment(name)
    }
}

extension MapReader {
    /// The secret under a field.
    func secret(_ name: String) -> SecretSource? {
        self[name].flatMap { context.secret($0, holder: key(name), Label(name)) }
    }

    /// The value or reference under a field.
    func reference(_ name: String) -> TextReference? {
        self[name].flatMap { context.reference($0, holder: key(name), type(name), Label(name)) }
    }

    /// The path under a field that stays inside the workspace, or the variable that holds a path.
    func file(_ name: String) -> FileSource? {
        self[name].flatMap { context.file($0, holder: key(name), Label(name)) }
    }
}
