/// What one field of a mapping is: the one place from which parsing, diagnostics, schema and reference come.
package struct FieldSpec: Sendable {
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

    init(_ name: String, _ type: FieldType, _ presence: Presence, _ documentation: String, _ chinese: String) {
        self.name = name
        self.type = type
        self.presence = presence
        self.documentation = documentation
        self.chinese = chinese
    }

    init(_ name: String, _ type: FieldType, _ documentation: String, _ chinese: String) {
        self.init(name, type, .optional, documentation, chinese)
    }
}

/// The fields of one mapping with a place in the configuration.
package struct MapDescription: Sendable {
    /// Where it stands, such as `Campaign` or `Campaign.audience`.
    package let name: String
    /// What it is for, in one sentence without a final stop.
    package let documentation: String
    /// The same in Chinese.
    package let chinese: String
    /// Its fields, in the order of the reference.
    package let fields: [FieldSpec]
    /// What its fields mean for each other.
    package let rules: [FieldRule]
}

/// The fields of one mapping as a closed list: a new one does not compile until it is described.
///
/// The raw values count from 0 without a gap.
package protocol FieldKey: CaseIterable, Hashable, RawRepresentable, Sendable where RawValue == Int {
    /// What the field is.
    var spec: FieldSpec { get }
    /// All fields of the mapping, made once.
    static var table: FieldTable<Self> { get }
}

/// The fields of one mapping, found by their names without making strings.
package struct FieldTable<Field: FieldKey>: Sendable {
    /// What each field is, by raw value.
    package let specs: [FieldSpec]
    /// The mapping as the schema and the reference show it.
    package let description: MapDescription
    private let names: [PackedName]
    private let fields: [Field]
    /// The fields that must be there.
    let required: [Field]
    /// Fields of which exactly one must be there.
    let alternatives: [[Field]]

    init(_ name: String, _ documentation: String, _ chinese: String, rules: [FieldRule] = []) {
        fields = Array(Field.allCases)
        specs = fields.map(\.spec)
        names = specs.map { PackedName($0.name.utf8) ?? PackedName() }
        required = fields.filter { $0.spec.presence == .required }
        description = MapDescription(
            name: name, documentation: documentation, chinese: chinese, fields: specs, rules: rules)
        let (specs, fields) = (specs, fields)
        alternatives = rules.compactMap { rule in
            guard case .exactlyOne(let names) = rule else { return nil }
            return fields.filter { names.contains(specs[$0.rawValue].name) }
        }
    }

    /// The field with this name, compared byte for byte.
    func field(named bytes: some Collection<UInt8>) -> Field? {
        guard let name = PackedName(bytes) else { return nil }
        for index in names.indices where names[index] == name { return fields[index] }
        return nil
    }
}

/// A name of at most 24 bytes in three words, so that comparing names is comparing numbers.
struct PackedName: Hashable {
    private var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
    private var count = 0

    /// The most bytes that a name may have.
    static let maximum = 24

    /// An empty name.
    init() {}

    /// Packs a name; nil when it is longer than ``maximum``.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count <= Self.maximum else { return nil }
        for byte in bytes {
            switch count >> 3 {
            case 0: words.0 = words.0 << 8 | UInt64(byte)
            case 1: words.1 = words.1 << 8 | UInt64(byte)
            default: words.2 = words.2 << 8 | UInt64(byte)
            }
            count += 1
        }
    }

    static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.count == rhs.count && lhs.words == rhs.words
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
    }
}
