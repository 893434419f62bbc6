/// What one field of a mapping is: the one place from which parsing, diagnostics, schema and reference come.
package final class FieldSpec: Sendable {
    /// The key in the file.
    package let name: String
    /// What its value may be.
    package let type: FieldType
    /// Whether it must be there, and what holds when it is not.
    package let presence: Presence
    /// What it is for, in one sentence without a final stop.
    package let documentation: String
    /// The same in Chinese.
    package let chinese: String

    /// Whether a field must be there.
    package enum Presence: Hashable, Sendable {
        /// Its absence is an error.
        case required
        /// It may be left out.
        case optional
        /// It may be left out, and this holds then, as it would be written.
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

/// The fields of one mapping with a place in the configuration, found by their names without making strings.
package final class MapDescription: Sendable {
    /// Where it stands, such as `Campaign` or `Campaign.audience`.
    package let name: String
    /// What it is for, in one sentence without a final stop.
    package let documentation: String
    /// The same in Chinese.
    package let chinese: String
    /// Its fields, in the order of the reference; at most 64.
    package let fields: [FieldSpec]
    /// What its fields mean for each other.
    package let rules: [FieldRule]
    /// The places in ``fields`` of those that must be there.
    package let required: [Int]
    /// Fields of which exactly one must be there.
    package let alternatives: [[Int]]
    /// Fields that people look for here, with the end of the sentence that says where they are.
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

    /// The place in ``fields`` of the one with this name, compared byte for byte.
    package func place(of bytes: ArraySlice<UInt8>) -> Int? {
        for place in lengths.indices where lengths[place] == bytes.count {
            if names[place].elementsEqual(bytes) { return place }
        }
        return nil
    }
}
