/// What the value of a field may be; parsing, messages, schema and reference read the same case.
package enum FieldType: Sendable {
    /// This string and no other.
    case constant(String)
    /// A name that keeps to a rule.
    case name(NameRule)
    /// A string of so many bytes of UTF-8.
    case text(ClosedRange<Int>)
    /// `true` or `false`.
    case boolean
    /// `true`; the field is left out otherwise.
    case onlyTrue
    /// A whole number in a range.
    case integer(ClosedRange<Int>)
    /// One of these whole numbers.
    case oneOfIntegers([Int])
    /// A number in a range.
    case number(ClosedRange<Double>)
    /// One of these strings.
    case choice([String])
    /// A length of time such as `90s`, in a range of seconds.
    case duration(ClosedRange<Int64>)
    /// RFC 3339 with an offset.
    case instant
    /// A share such as `20%`.
    case percentage
    /// A time of day such as `22:00`.
    case timeOfDay
    /// An IANA time zone such as `Asia/Shanghai`.
    case timeZone
    /// An `https` address, or `http` to this machine.
    case url
    /// An address, or only its host and port.
    case endpoint
    /// A path, from the workspace's folder when it is relative.
    case path
    /// A relative path that stays, links resolved, inside the workspace.
    case workspacePath
    /// A pattern of paths: `*`, `**`, `?`.
    case glob
    /// `{env: NAME}`, `{file: PATH}` or `{file: {env: NAME}}`; never the value itself.
    case secret
    /// A value, or `{env: NAME}`.
    indirect case reference(FieldType)
    /// A condition in LeanCloud's query language.
    case condition(on: ConditionSubject)
    /// A mapping of any keys and values, whose keys keep to a rule.
    case object(keys: NameRule)
    /// A list of values of one type.
    indirect case list(of: FieldType, ListRule)
    /// A mapping of known fields.
    case map(MapDescription)
    /// A mapping of free keys to values of one type.
    indirect case entries(of: FieldType, keys: NameRule)
    /// One of several types.
    case either([FieldType])
}

/// What a condition asks about.
package enum ConditionSubject: Sendable {
    /// Devices: `deviceProfile` supports equality only.
    case installations
    /// Objects of another class.
    case otherClass
}

extension FieldType {
    /// A list of values of one type: at least one, none twice.
    static func list(of type: FieldType) -> FieldType { .list(of: type, ListRule()) }

    /// A string of at least one byte.
    static let text = FieldType.text(1...Int.max)

    /// What a value must be, in words that end "… must be".
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
        case .percentage: "a percentage such as 20%"
        case .timeOfDay: "a time of day such as 22:00"
        case .secret: "{env: NAME} or {file: PATH}"
        case .reference(let type): "\(type.expectation) or {env: NAME}"
        case .condition, .object, .map, .entries: "a mapping"
        case .list: "a list"
        case .either(let types): types.map(\.expectation).alternatives
        }
    }

    /// Whether the value is written as a YAML string.
    var isWrittenAsString: Bool {
        switch self {
        case .constant, .name, .text, .choice, .duration, .instant, .percentage, .timeOfDay, .timeZone, .url,
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
