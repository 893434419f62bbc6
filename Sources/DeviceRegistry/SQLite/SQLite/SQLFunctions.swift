internal import Foundation
internal import GRDB
internal import Base

/// Functions that SQL lacks.
enum SQLFunctions {
    /// `bugle_regexp(pattern, options, deadline, text)`: true if the pattern matches somewhere in the text.
    static let regularExpression = DatabaseFunction("bugle_regexp", argumentCount: 4) { values in
        guard let pattern = String.fromDatabaseValue(values[0]), let options = String.fromDatabaseValue(values[1]),
            let deadline = Int64.fromDatabaseValue(values[2]), let text = String.fromDatabaseValue(values[3])
        else { return false }
        return try RegularExpression.matches(pattern, options, in: text, until: deadline)
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
}

extension SQLFunctions {
    /// A list of strings as one bound parameter for `json_each`.
    static func jsonList(_ texts: [String]) -> String {
        JSONValue.array(texts.map { .string($0) }).canonicalText
    }
}
