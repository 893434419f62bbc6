extension FieldType {
    /// The expected form of a value, in words that follow "… must be".
    var expectation: String {
        switch self {
        case .constant(let text): "'\(text)'"
        case .name, .text, .timeZone, .url, .endpoint, .path, .workspacePath, .glob: "a string"
        case .boolean: "true or false"
        case .onlyTrue: "true"
        case .integer: "an integer"
        case .oneOfIntegers(let values): values.map(String.init).alternatives
        case .number: "a number"
        case .choice(let values): values.alternatives
        case .duration: "a duration such as 90s, 15m, 36h, 7d or 2w"
        case .instant: "an instant such as 2026-11-27T20:00:00+08:00"
        case .sendTime: Self.instant.expectation
        case .date: "a date such as 2026-12-01"
        case .recurrenceDay: "mon to sun, 1 to 31 or last"
        case .percentage: "a percentage such as 20%"
        case .timeOfDay: "a time of day such as 22:00"
        case .secret: "{env: NAME} or {file: PATH}"
        case .reference(let type): "\(type.expectation) or {env: NAME}"
        case .condition, .object, .map, .entries: "a mapping"
        case .list: "a list"
        case .either(let types): types.map(\.expectation).alternatives
        }
    }

    /// True when the value is written as a YAML string.
    var isWrittenAsString: Bool {
        switch self {
        case .constant, .name, .text, .choice, .duration, .instant, .sendTime, .date, .recurrenceDay, .percentage,
            .timeOfDay, .timeZone, .url,
            .endpoint, .path, .workspacePath, .glob:
            true
        case .boolean, .onlyTrue, .integer, .oneOfIntegers, .number, .secret, .condition, .object, .list, .map,
            .entries:
            false
        case .reference(let type): type.isWrittenAsString
        case .either(let types): types.contains(where: \.isWrittenAsString)
        }
    }
}

extension [String] {
    /// `a`, `a or b`, `a, b or c`.
    var alternatives: String {
        guard let last else { return "" }
        return count == 1 ? last : dropLast().joined(separator: ", ") + " or " + last
    }
}
