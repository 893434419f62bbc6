/// The type of a field's value; parsing, messages, schema and reference all read the same case.
package enum FieldType: Sendable {
    /// Exactly this string.
    case constant(String)
    /// A name that follows a rule.
    case name(NameRule)
    /// A string whose length in bytes of UTF-8 is in the range.
    case text(ClosedRange<Int>)
    /// `true` or `false`.
    case boolean
    /// `true`; otherwise the field is omitted.
    case onlyTrue
    /// An integer in a range.
    case integer(ClosedRange<Int>)
    /// One of these integers.
    case oneOfIntegers([Int])
    /// A number in a range.
    case number(ClosedRange<Double>)
    /// One of these strings.
    case choice([String])
    /// A duration such as `90s`, in a range of seconds.
    case duration(ClosedRange<Int64>)
    /// An RFC 3339 time with an offset.
    case instant
    /// An RFC 3339 time with an offset, or a time of day such as `09:00`.
    case sendTime
    /// A day such as `2026-12-01`.
    case date
    /// A day of a week or month: `mon`, `15`, `last`.
    case recurrenceDay
    /// A percentage such as `20%`.
    case percentage
    /// A time of day such as `22:00`.
    case timeOfDay
    /// An IANA time zone such as `Asia/Shanghai`.
    case timeZone
    /// An `https` URL, or an `http` URL of this machine.
    case url
    /// A URL, or only its host and port.
    case endpoint
    /// A path; a relative one starts at the workspace's folder.
    case path
    /// A relative path that stays inside the workspace after links are resolved.
    case workspacePath
    /// A path pattern: `*`, `**`, `?`.
    case glob
    /// `{env: NAME}`, `{file: PATH}` or `{file: {env: NAME}}`; never the value itself.
    case secret
    /// A value, or `{env: NAME}`.
    indirect case reference(FieldType)
    /// A condition in LeanCloud's query language.
    case condition(on: ConditionSubject)
    /// A mapping with arbitrary values, whose keys follow a rule.
    case object(keys: NameRule)
    /// A list of values of one type.
    indirect case list(of: FieldType, ListRule)
    /// A mapping with known fields.
    case map(MapDescription)
    /// A mapping with values of one type, whose keys follow a rule.
    indirect case entries(of: FieldType, keys: NameRule)
    /// One of several types.
    case either([FieldType])
}

/// The subject of a condition.
package enum ConditionSubject: Sendable {
    /// Devices: `deviceProfile` supports equality only.
    case installations
    /// Objects of another class.
    case otherClass
}

extension FieldType {
    /// A list of values of one type: at least one, without repeats.
    package static func list(of type: FieldType) -> FieldType { .list(of: type, ListRule()) }

    /// A string of at least one byte.
    package static let text = FieldType.text(1...Int.max)
    /// Zero or more.
    package static let anyCount = 0...Int.max
    /// Zero seconds or more.
    package static let anyDuration: ClosedRange<Int64> = 0...Int64.max
}

extension FieldType {
    /// The fraction for a percentage such as `20%` or `12.5%`; nil when the text is anything else.
    package static func fraction(_ text: String) -> Double? {
        guard text.utf8.last == UInt8(ascii: "%") else { return nil }
        let digits = text.dropLast()
        let parts = digits.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isDigit) }),
            digits.utf8.count <= 12
        else { return nil }
        return Double(digits).map { $0 / 100 }
    }

    /// The minutes after midnight for a time such as `22:00`; nil when the text is anything else.
    package static func minutes(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":"), let hour = Int(text.prefix(2)),
            let minute = Int(text.suffix(2)), isDigit(bytes[0]), isDigit(bytes[3]), hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

/// The rule that a name follows.
package enum NameRule: Sendable, CaseIterable {
    /// Workspaces, segments and campaigns.
    case resource
    /// Device profiles: LeanCloud's rule, and `-`.
    case deviceProfile
    /// Channels: LeanCloud's rule.
    case channel
    /// Remotes.
    case remote
    /// Labels.
    case label
    /// Environment variables.
    case environmentVariable
    /// Apple's bundle ids.
    case bundleIdentifier
    /// Apple's team and key ids.
    case appleIdentifier
    /// Custom keys of a message, except the reserved ones.
    case customKey
    /// Any nonempty key.
    case anyKey
    /// Languages by their BCP 47 tags, such as `zh-Hant`.
    case language
    /// Top-level fields of installations.
    case installationField
}
