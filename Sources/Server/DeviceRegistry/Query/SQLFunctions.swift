internal import Foundation
internal import GRDB
internal import JSONValue
internal import Synchronization

/// Functions that SQL lacks.
enum SQLFunctions {
    /// The error message of a query that ran out of time.
    static let timeoutMessage = "bugle: out of time"
    /// The maximum length of a regular expression in characters.
    static let longestPattern = 256
    /// The time limit for regular expressions in a query.
    static let longestQuery = Registry.queryTimeLimit

    /// Returns the deadline of a query that starts now, for ``regularExpression``.
    static func deadline(after time: Duration = longestQuery) -> Int64 { monotonicMilliseconds + milliseconds(time) }

    /// `bugle_regexp(pattern, options, deadline, text)`: true if the pattern matches somewhere in the text.
    static let regularExpression = DatabaseFunction("bugle_regexp", argumentCount: 4) { values in
        guard let pattern = String.fromDatabaseValue(values[0]), let options = String.fromDatabaseValue(values[1]),
            let deadline = Int64.fromDatabaseValue(values[2]), let text = String.fromDatabaseValue(values[3])
        else { return false }
        return try search(try compiled(pattern, options), in: text, until: deadline)
    }

    /// `bugle_distance(latitude, longitude, latitude, longitude)`: radians on the great circle, by the haversine formula.
    static let distance = DatabaseFunction("bugle_distance", argumentCount: 4, pure: true) { values in
        let degrees = values.compactMap { Double.fromDatabaseValue($0) }
        guard degrees.count == 4 else { return nil }
        let radians = degrees.map { $0 * .pi / 180 }
        let latitude = sin((radians[2] - radians[0]) / 2)
        let longitude = sin((radians[3] - radians[1]) / 2)
        let chord = latitude * latitude + cos(radians[0]) * cos(radians[2]) * longitude * longitude
        return 2 * asin(min(1, chord.squareRoot()))
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

    private static func search(_ expression: NSRegularExpression, in text: String, until deadline: Int64) throws -> Bool
    {
        guard monotonicMilliseconds < deadline else { throw DatabaseError(message: timeoutMessage) }
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
        if isLate { throw DatabaseError(message: timeoutMessage) }
        return isFound
    }

    private static var monotonicMilliseconds: Int64 { milliseconds(ContinuousClock.now - start) }

    private static func milliseconds(_ time: Duration) -> Int64 {
        time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
    }

    private static let start = ContinuousClock.now
}

extension SQLFunctions {
    /// A list of strings as one bound parameter for `json_each`.
    static func jsonList(_ texts: [String]) -> String {
        JSONValue.array(texts.map { .string($0) }).canonicalText
    }
}
