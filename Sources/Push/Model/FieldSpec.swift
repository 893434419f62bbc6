package import Base

/// A field of a mapping: the single source for parsing, diagnostics, schema and reference.
package final class FieldSpec: Sendable {
    package let name: String
    /// The type of the field's value.
    package let type: FieldType
    /// The field's presence: required, optional or with a default.
    package let presence: Presence
    /// The purpose, in one sentence without a full stop.
    package let documentation: String
    /// The purpose in Chinese.
    package let chinese: String

    /// The presence of a field in its mapping.
    package enum Presence: Hashable, Sendable {
        case required
        case optional
        /// The field may be omitted; the associated value is its default, as written in a file or in words.
        case byDefault(String)
    }

    package init(_ name: String, _ type: FieldType, _ presence: Presence, _ documentation: String, _ chinese: String) {
        self.name = name
        self.type = type
        self.presence = presence
        self.documentation = documentation
        self.chinese = chinese
    }

    package convenience init(_ name: String, _ type: FieldType, _ documentation: String, _ chinese: String) {
        self.init(name, type, .optional, documentation, chinese)
    }
}

/// The fields of one mapping in the configuration, looked up by name without creating strings.
package final class MapDescription: Sendable {
    /// The mapping's place in the configuration, such as `Campaign` or `Campaign.audience`.
    package let name: String
    /// The purpose, in one sentence without a full stop.
    package let documentation: String
    /// The purpose in Chinese.
    package let chinese: String
    /// The fields, in the order of the reference; at most 64.
    package let fields: [FieldSpec]
    /// The constraints between the fields.
    package let rules: [FieldRule]
    /// The indices in ``fields`` of the required fields.
    package let required: [Int]
    /// Groups of indices in ``fields``; exactly one field of each group must be present.
    package let alternatives: [[Int]]
    /// Fields that belong elsewhere, each with the end of the message that says where.
    package let elsewhere: [String: String]
    private let names: [[UInt8]]
    private let lengths: [Int]

    package init(
        _ name: String, _ documentation: String, _ chinese: String, rules: [FieldRule] = [],
        elsewhere: [String: String] = [:], _ fields: [FieldSpec]
    ) {
        self.name = name
        self.documentation = documentation
        self.chinese = chinese
        self.fields = fields
        self.rules = rules
        self.elsewhere = elsewhere
        names = fields.map { Array($0.name.utf8) }
        lengths = names.map(\.count)
        required = fields.indices.filter { fields[$0].presence == .required }
        alternatives = rules.compactMap { rule in
            guard case .exactlyOne(let names) = rule else { return nil }
            return fields.indices.filter { names.contains(fields[$0].name) }
        }
    }

    /// The index in ``fields`` of the field with this name, compared byte by byte; nil when there is none.
    package func place(of bytes: ArraySlice<UInt8>) -> Int? {
        for place in lengths.indices where lengths[place] == bytes.count {
            if names[place].elementsEqual(bytes) { return place }
        }
        return nil
    }
}

/// The type of a field's value; parsing, messages, schema and reference all read the same case.
package enum FieldType: Sendable {
    case constant(String)
    case name(NameRule)
    /// A string whose length in bytes of UTF-8 is in the range.
    case text(ClosedRange<Int>)
    /// `true` or `false`.
    case boolean
    /// `true`; otherwise the field is omitted.
    case onlyTrue
    case integer(ClosedRange<Int>)
    case oneOfIntegers([Int])
    case number(ClosedRange<Double>)
    /// A string, a number, `true` or `false`.
    case scalar
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
    indirect case list(of: FieldType, ListRule)
    case map(MapDescription)
    /// A mapping with values of one type, whose keys follow a rule.
    indirect case entries(of: FieldType, keys: NameRule)
    case either([FieldType])
}

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
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isDigit) }),
            digits.utf8.count <= 12
        else { return nil }
        return Double(digits).map { $0 / 100 }
    }

    /// The minutes after midnight for a time such as `22:00`; nil when the text is anything else.
    package static func minutes(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":"), let hour = Int(text.prefix(2)),
            let minute = Int(text.suffix(2)), bytes[0].isDigit, bytes[3].isDigit, hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }
}

/// The rule that a name follows.
package enum NameRule: Sendable, CaseIterable {
    /// Workspaces, segments and campaigns.
    case resource
    /// Device profiles: LeanCloud's rule, and `-`.
    case deviceProfile
    /// Channels: LeanCloud's rule.
    case channel
    case remote
    case label
    /// What `${name}` stands for.
    case value
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

/// A constraint between the fields of a mapping, including those of mappings inside it.
///
/// Paths are field names, starting at the mapping.
package enum FieldRule: Sendable {
    case exactlyOne(of: [String])
    /// At least one field is present.
    case notEmpty
    case always(FieldTest)
    /// If the first test is true, the second is true as well.
    case when(FieldTest, FieldTest)
}

/// A test of a document's fields.
package indirect enum FieldTest: Sendable {
    /// The field is present, valid or not.
    case has([String])
    /// None of these fields is present in the mapping at the path.
    case lacks([String], below: [String])
    case equals([String], JSONValue)
    case matches([String], pattern: String)
    /// The number of the field's elements or entries is in the range.
    case count([String], ClosedRange<Int>)
    /// Every element of the field, if it is present, is a string that matches the pattern.
    case elements([String], pattern: String)
    case not(FieldTest)
    case allOf([FieldTest])
    case anyOf([FieldTest])

    /// At least one of these fields is present.
    package static func hasAny(_ fields: [String], below path: [String] = []) -> FieldTest {
        .anyOf(fields.map { .has(path + [$0]) })
    }

    /// None of these fields is present.
    package static func lacks(_ fields: [String]) -> FieldTest { .lacks(fields, below: []) }
}

/// The limits of a list: its length, and whether elements may repeat.
package struct ListRule: Hashable, Sendable {
    /// The minimum number of elements.
    package var minimum = 1
    /// The maximum number of elements; nil: no limit.
    package var maximum: Int?
    /// True when an element may occur more than once.
    package var allowsRepeats = false
}
