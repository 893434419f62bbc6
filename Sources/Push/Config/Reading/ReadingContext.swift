internal import Base
internal import YAML

/// The state of reading one file: everything it collects besides resources.
final class ReadingContext {
    /// The bytes of the file.
    var bytes: [UInt8] = []
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

    init(folder: WorkspaceFolder) { self.folder = folder }

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

    /// Warns of a name that may be meant as a part of the text after it: `&Giants won` says "won".
    func warn(of anchor: Document.UnusedAnchor) {
        let written = quoted("&" + anchor.name)
        diagnostics.append(
            Diagnostic(
                .warning, .invalidValue, "\(written) names the text after it, and is no part of it", at: anchor.range,
                help: "put the text in quotes if \(written) is part of it"))
    }

    /// Adds an error with what to do about it.
    func report(_ code: DiagnosticCode, _ message: String, at node: Node, advice: Advice?) {
        report(code, message, at: node, help: advice?.sentence, mend: advice?.text)
    }
}

/// A variable that a field refers to.
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
    var isElement = false

    init(_ name: String) { self.name = name }

    /// The label of an element of the list.
    var element: Label {
        var label = self
        label.isElement = true
        return label
    }

    /// The text for a message.
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
