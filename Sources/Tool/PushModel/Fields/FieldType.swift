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
    package static func list(of type: FieldType) -> FieldType { .list(of: type, ListRule()) }

    /// A string of at least one byte.
    package static let text = FieldType.text(1...Int.max)
    /// Zero and up.
    package static let anyCount = 0...Int.max
    /// Zero seconds and up.
    package static let anyDuration: ClosedRange<Int64> = 0...Int64.max
}

extension FieldType {
    /// The fraction that `20%` or `12.5%` is.
    package static func fraction(_ text: String) -> Double? {
        guard text.utf8.last == UInt8(ascii: "%") else { return nil }
        let digits = text.dropLast()
        let parts = digits.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isDigit) }),
            digits.utf8.count <= 12
        else { return nil }
        return Double(digits).map { $0 / 100 }
    }

    /// The minutes after midnight that `22:00` is.
    package static func minutes(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":"), let hour = Int(text.prefix(2)),
            let minute = Int(text.suffix(2)), isDigit(bytes[0]), isDigit(bytes[3]), hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

/// What a name may look like.
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
    /// Custom keys of a message, beside those that are reserved.
    case customKey
    /// Any key that is not empty.
    case anyKey
}
