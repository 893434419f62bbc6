internal import Foundation
internal import Push
internal import Synchronization

/// The regular expressions of `$regex`, each search with a deadline.
package enum RegularExpression {
    /// The maximum length of a regular expression in characters.
    static let longestPattern = 256

    /// Returns the deadline of a query that starts now.
    static func deadline(after time: Duration) -> Int64 { monotonicMilliseconds + time.milliseconds }

    /// True if a pattern matches somewhere in a text.
    ///
    /// - Throws: ``RegistryError`` with code 102 when the pattern is too long or invalid, 124 after the deadline.
    package static func matches(
        _ pattern: String, _ options: String, in text: String, until deadline: Int64
    ) throws(RegistryError) -> Bool {
        let expression = try compiled(pattern, options)
        guard monotonicMilliseconds < deadline else { throw .late }
        var (isFound, isLate) = (false, false)
        let whole = NSRange(location: 0, length: text.utf16.count)
        // A pattern such as `(a+)+$` can take for ever on a single text: the engine reports its progress and can be
        // stopped.
        unsafe expression.enumerateMatches(in: text, options: [.reportProgress], range: whole) { match, flags, stop in
            if match != nil {
                isFound = true
                unsafe stop.pointee = true
            } else if flags.contains(.progress), monotonicMilliseconds >= deadline {
                isLate = true
                unsafe stop.pointee = true
            }
        }
        if isLate { throw .late }
        return isFound
    }

    /// Compiles a pattern.
    ///
    /// - Throws: ``RegistryError`` with code 102 when it is too long or invalid.
    static func compiled(_ pattern: String, _ options: String) throws(RegistryError) -> NSRegularExpression {
        // Unicode scalars rather than characters: one letter may have any number of combining marks.
        guard pattern.unicodeScalars.count <= longestPattern else {
            throw RegistryError(.invalidQuery, "$regex may have \(longestPattern) characters at most.")
        }
        guard options.utf8.count <= 16 else {
            throw RegistryError(.invalidQuery, "$options has the letters i, m, x and s only, each once.")
        }
        // By their bytes: a letter with its accent apart is the same text, and matches another.
        let key = Array((options + "/" + pattern).utf8)
        if let known = expressions.withLock({ $0[key] }) { return known }
        var flags: NSRegularExpression.Options = []
        for letter in options {
            switch letter {
            case "i": flags.insert(.caseInsensitive)
            case "m": flags.insert(.anchorsMatchLines)
            case "x": flags.insert(.allowCommentsAndWhitespace)
            case "s": flags.insert(.dotMatchesLineSeparators)
            default: throw RegistryError(.invalidQuery, "$options has the letters i, m, x and s only.")
            }
        }
        guard let expression = try? NSRegularExpression(pattern: pattern, options: flags) else {
            throw RegistryError(.invalidQuery, "$regex is not a regular expression.")
        }
        expressions.withLock { cache in
            if cache.count >= 64 { cache.removeAll() }
            cache[key] = expression
        }
        return expression
    }

    private static let expressions = Mutex<[[UInt8]: NSRegularExpression]>([:])

    private static var monotonicMilliseconds: Int64 { (ContinuousClock.now - start).milliseconds }

    private static let start = ContinuousClock.now
}

/// A regular expression translated for PostgreSQL, matching exactly the same strings as the server's own engine.
///
/// Patterns have been validated by the server's engine before. Features that PostgreSQL lacks or interprets differently
/// are rejected: back references, lookaround, possessive quantifiers, atomic and named groups, inline options,
/// character properties, and nested sets. Case-insensitivity beyond ASCII, and the characters of `\w` and `\d` beyond
/// it, depend on the database's collation.
struct PostgresPattern {
    /// The translated expression, which declares itself an advanced one.
    private(set) var text: String

    private var rest: Substring.UnicodeScalarView
    private let isMultiline: Bool
    private let ignoresSpace: Bool
    private let dotIsAll: Bool

    /// The line ends of the server's engine.
    private static let lineEnds = "\\n\\v\\f\\r\\u0085\\u2028\\u2029"

    /// Translates a pattern that ``SQLFunctions/compiled(_:_:)`` accepts.
    ///
    /// - Throws: ``RegistryError`` with code 102.
    init(_ pattern: String, options: String) throws(RegistryError) {
        text = options.contains("i") ? "***:(?i)" : "***:"
        rest = pattern.unicodeScalars[...]
        isMultiline = options.contains("m")
        ignoresSpace = options.contains("x")
        dotIsAll = options.contains("s")
        while let scalar = rest.popFirst() { try read(scalar) }
    }

    private mutating func read(_ scalar: Unicode.Scalar) throws(RegistryError) {
        switch scalar {
        case "\\": try escape(inSet: false)
        case "[": try set()
        case "(": try group()
        case "*", "+", "?": try repetition(String(scalar))
        case "{":
            let bounds = String(String.UnicodeScalarView(rest.prefix { $0 != "}" }))
            guard bounds.split(separator: ",").allSatisfy({ Int($0).map { $0 <= 255 } ?? false }) else {
                throw Self.unknown("a repetition of more than 255 times")
            }
            rest = rest.dropFirst(bounds.unicodeScalars.count + 1)
            try repetition("{\(bounds)}")
        case ".": text += dotIsAll ? "." : "[^\(Self.lineEnds)]"
        case "^": text += isMultiline ? "(?:^|(?<=[\(Self.lineEnds)]))" : "^"
        case "$": text += isMultiline ? "(?:$|(?=[\(Self.lineEnds)]))" : "(?=(?:\\r\\n|[\(Self.lineEnds)])?$)"
        case ")", "|": text.unicodeScalars.append(scalar)
        case "]", "}": text += "\\" + String(scalar)
        case "#" where ignoresSpace: rest = rest.drop { $0 != "\n" }
        case _ where ignoresSpace && scalar.properties.isPatternWhitespace: break
        default: text.unicodeScalars.append(scalar)
        }
    }

    /// Translates a quantifier: greedy and lazy ones find the same matches, possessive ones do not.
    private mutating func repetition(_ sign: String) throws(RegistryError) {
        text += sign
        if rest.first == "?" { text.unicodeScalars.append(rest.removeFirst()) }
        if rest.first == "+" { throw Self.unknown("a repetition that never gives back (\(sign)+)") }
    }

    private mutating func group() throws(RegistryError) {
        guard rest.first == "?" else {
            // There are no back references, so no group needs to be captured.
            text += "(?:"
            return
        }
        guard rest.starts(with: "?:".unicodeScalars) else { throw Self.unknown("a group that begins with '(?'") }
        rest = rest.dropFirst(2)
        text += "(?:"
    }

    private mutating func escape(inSet: Bool) throws(RegistryError) {
        guard let scalar = rest.popFirst() else { throw Self.unknown("a '\\' at the end") }
        switch scalar {
        case "d", "s", "w", "n", "r", "t", "f", "e", "a": text += "\\" + String(scalar)
        case "D", "S", "W": try outsideSets(inSet, "\\" + String(scalar))
        case "b": try outsideSets(inSet, "\\y")
        case "B": try outsideSets(inSet, "\\Y")
        case "A": try outsideSets(inSet, "\\A")
        case "z": try outsideSets(inSet, "\\Z")
        case "u": try number(digits: 4)
        case "x": try number(digits: 2)
        case "Q": try outsideSets(inSet, quotation())
        default:
            guard scalar.isASCII, !("a"..."z").contains(scalar), !("A"..."Z").contains(scalar),
                !("0"..."9").contains(scalar)
            else { throw Self.unknown("'\\\(scalar)'") }
            text += "\\" + String(scalar)
        }
    }

    /// Translates literal text, which ends at `\\E` or with the pattern.
    private mutating func quotation() -> String {
        var quotation = ""
        while let scalar = rest.popFirst() {
            if scalar == "\\", rest.first == "E" {
                rest.removeFirst()
                break
            }
            let isPlain = !scalar.isASCII || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            quotation += (isPlain ? "" : "\\") + String(scalar)
        }
        return quotation
    }

    private mutating func outsideSets(_ inSet: Bool, _ escape: String) throws(RegistryError) {
        guard !inSet else { throw Self.unknown("'\(escape)' between brackets") }
        text += escape
    }

    /// Translates a character given by its number, which always gets four digits.
    private mutating func number(digits: Int) throws(RegistryError) {
        let taken = String(String.UnicodeScalarView(rest.prefix(digits)))
        guard taken.utf8.count == digits, let number = UInt32(taken, radix: 16), number > 0 else {
            throw Self.unknown("'\\x{…}' or a NUL")
        }
        rest = rest.dropFirst(digits)
        text += "\\u" + String(repeating: "0", count: 4 - digits) + taken
    }

    private mutating func set() throws(RegistryError) {
        text += "["
        if rest.first == "^" { text.unicodeScalars.append(rest.removeFirst()) }
        var isFirst = true
        while let scalar = rest.popFirst(), scalar != "]" || isFirst {
            switch scalar {
            case "\\": try escape(inSet: true)
            case "[", "]", "&", "^":
                if scalar == "[" || scalar == "&" && rest.first == "&" { throw Self.unknown("a set within a set") }
                text += "\\" + String(scalar)
            case "-" where rest.first == "-" || rest.first == "[": throw Self.unknown("a set without another")
            case _ where ignoresSpace && scalar.properties.isPatternWhitespace: break
            default: text.unicodeScalars.append(scalar)
            }
            isFirst = false
        }
        text += "]"
    }

    private static func unknown(_ what: String) -> RegistryError {
        RegistryError(.invalidQuery, "$regex has \(what), which a registry in PostgreSQL does not take.")
    }
}
