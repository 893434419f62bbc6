extension FieldType {
    /// The form of a string of this type, as a regular expression in ECMA-262's dialect with the `u` flag; nil when no
    /// pattern can express it.
    ///
    /// The pattern matches everything the readers accept and rejects, of what they refuse, all that a pattern can.
    var pattern: String? {
        switch self {
        case .name(let rule): rule.pattern
        case .duration(let range): Self.durationPattern(range)
        case .instant: Self.instantPattern
        case .sendTime: "(\(Self.instantPattern))|(\(Self.timePattern))|(\(LocalTime.pattern))"
        case .date: "^(19[7-9][0-9]|2[01][0-9]{2})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"
        case .percentage: "^(?=.{1,13}$)[0-9]+(\\.[0-9]+)?%$"
        case .timeOfDay: Self.timePattern
        // That there is such a place only its look-up tells.
        case .timeZone: "^(UTC|(?!Etc/)[A-Za-z]+(/[A-Za-z0-9_+-]+)+)$"
        // The version is part of each request.
        case .url: "^(?!.*/1\\.1/*$)\(Self.addressPattern)$"
        case .endpoint: "^([Hh][Tt][Tt][Pp][Ss]://)?\(Self.secureAuthority)/*$"
        // Neither absolute nor leading out at once; other ways out are found by following the path.
        case .workspacePath: "^(?!/)(?!(\\./+)*\\.\\.(/|$))[^\\u0000]+$"
        case .constant, .text, .boolean, .onlyTrue, .integer, .oneOfIntegers, .number, .choice, .recurrenceDay,
            .path, .glob,
            .secret, .reference, .condition, .object, .list, .map, .entries, .either:
            nil
        }
    }

    private static let timePattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$"

    private static let instantPattern =
        "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt ]([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)"
        + "(\\.[0-9]+)?([Zz]|[+\\-]([01][0-9]|2[0-3]):[0-5][0-9])$"

    private static func durationPattern(_ range: ClosedRange<Int64>) -> String {
        guard range != anyDuration else { return "^[0-9]+[smhdw]$" }
        let units: [(name: String, seconds: Int64)] = [
            ("s", 1), ("m", 60), ("h", 3600), ("d", 86_400), ("w", 604_800),
        ]
        let parts = units.compactMap { unit -> String? in
            let least = range.lowerBound / unit.seconds + (range.lowerBound % unit.seconds == 0 ? 0 : 1)
            let greatest = range.upperBound / unit.seconds
            guard least <= greatest else { return nil }
            return "(\(DecimalPattern.alternatives(least, greatest).joined(separator: "|")))\(unit.name)"
        }
        return "^0*(\(parts.joined(separator: "|")))$"
    }
}

/// The addresses that ``WebAddress`` accepts.
extension FieldType {
    private static let addressPattern =
        "([Hh][Tt][Tt][Pp][Ss]://\(secureAuthority)|[Hh][Tt][Tt][Pp]://\(loopbackAuthority))\(pathPattern)"
    private static let secureAuthority =
        "([A-Za-z0-9_\\-]+(\\.[A-Za-z0-9_\\-]+)*|\\[[0-9A-Fa-f:.]{2,}\\])\(portPattern)"
    private static let loopbackAuthority =
        "([Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt]|127(\\.0*(\(byteAlternatives))){3}|\\[::1\\])\(portPattern)"
    private static let byteAlternatives = DecimalPattern.alternatives(0, 255).joined(separator: "|")
    private static let portPattern =
        "(:0*(\(DecimalPattern.alternatives(1, 65_535).joined(separator: "|"))))?"
    private static let pathPattern = "(/[!\"$->@-\\[\\]-~]*)?"
}

/// Regular expressions for the numbers of a range.
enum DecimalPattern {
    /// Expressions that each match some of the numbers from `least` to `greatest`, written without leading zeros.
    static func alternatives(_ least: Int64, _ greatest: Int64) -> [String] {
        guard least <= greatest else { return [] }
        let (low, high) = (String(least), String(greatest))
        guard low.count == high.count else {
            let border = powerOfTen(low.count)
            return alternatives(least, border - 1) + alternatives(border, greatest)
        }
        return sameLength(Array(low), Array(high))
    }

    private static func powerOfTen(_ exponent: Int) -> Int64 { (0..<exponent).reduce(1) { power, _ in power * 10 } }

    private static func sameLength(_ low: [Character], _ high: [Character]) -> [String] {
        guard let first = low.first, let last = high.first else { return [""] }
        let rest = low.count - 1
        if first == last { return sameLength(Array(low[1...]), Array(high[1...])).map { String(first) + $0 } }
        guard let from = first.wholeNumberValue, let to = last.wholeNumberValue else { return [] }
        let isWholeLow = low[1...].allSatisfy { $0 == "0" }
        let isWholeHigh = high[1...].allSatisfy { $0 == "9" }
        var result: [String] = []
        if !isWholeLow {
            let nines = Array(repeating: Character("9"), count: rest)
            result += sameLength(Array(low[1...]), nines).map { String(first) + $0 }
        }
        let (start, end) = (isWholeLow ? from : from + 1, isWholeHigh ? to : to - 1)
        if start <= end { result.append(digits(start, end) + (rest > 1 ? "[0-9]{\(rest)}" : rest == 1 ? "[0-9]" : "")) }
        if !isWholeHigh {
            let zeros = Array(repeating: Character("0"), count: rest)
            result += sameLength(zeros, Array(high[1...])).map { String(last) + $0 }
        }
        return result
    }

    private static func digits(_ from: Int, _ to: Int) -> String { from == to ? "\(from)" : "[\(from)-\(to)]" }
}
