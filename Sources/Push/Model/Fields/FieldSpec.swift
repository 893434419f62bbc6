/// A field of a mapping: the single source for parsing, diagnostics, schema and reference.
package final class FieldSpec: Sendable {
    /// The key in the file.
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
        /// The field is required: its absence is an error.
        case required
        /// The field may be omitted.
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
