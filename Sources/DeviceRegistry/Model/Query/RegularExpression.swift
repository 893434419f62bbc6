internal import Foundation
internal import Synchronization

/// The regular expressions of `$regex`, each search with a deadline.
package enum RegularExpression {
    /// The maximum length of a regular expression in characters.
    static let longestPattern = 256

    /// Returns the deadline of a query that starts now.
    static func deadline(after time: Duration) -> Int64 { monotonicMilliseconds + milliseconds(time) }

    /// True if a pattern matches somewhere in a text.
    ///
    /// - Throws: ``RegistryError`` with code 102 when the pattern is too long or invalid, 124 after the deadline.
    package static func matches(
        _ pattern: String, _ options: String, in text: String, until deadline: Int64
    ) throws(RegistryError) -> Bool {
        try search(try compiled(pattern, options), in: text, until: deadline)
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
        let key = options + "/" + pattern
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

    private static let expressions = Mutex<[String: NSRegularExpression]>([:])

    private static func search(_ expression: NSRegularExpression, in text: String, until deadline: Int64)
        throws(RegistryError) -> Bool
    {
        guard monotonicMilliseconds < deadline else { throw .late }
        var isFound = false
        var isLate = false
        let whole = NSRange(location: 0, length: text.utf16.count)
        // A pattern such as `(a+)+$` can take for ever on a single text: the engine reports its progress and can be
        // stopped.
        expression.enumerateMatches(in: text, options: [.reportProgress], range: whole) { match, flags, stop in
            if match != nil {
                isFound = true
                stop.pointee = true
            } else if flags.contains(.progress), monotonicMilliseconds >= deadline {
                isLate = true
                stop.pointee = true
            }
        }
        if isLate { throw .late }
        return isFound
    }

    private static var monotonicMilliseconds: Int64 { milliseconds(ContinuousClock.now - start) }

    private static func milliseconds(_ time: Duration) -> Int64 {
        time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
    }

    private static let start = ContinuousClock.now
}
