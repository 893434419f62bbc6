internal import Diagnostics
internal import LocatedYAML

/// One mapping read by the table of its fields: unknown and missing keys are reported, values are fetched by field.
struct MapReader<Field: FieldKey> {
    let context: ReadingContext
    /// The mapping.
    let node: Node
    /// Where something that is not there is reported: the key that holds the mapping, or a document's first key.
    let holder: Node
    private var found: [Node.Entry?]

    /// Walks a mapping once; nil when the value is none, which is reported.
    ///
    /// - Parameters:
    ///   - holder: Where missing fields are reported.
    ///   - label: What messages call the mapping.
    ///   - misplaced: The end of the message for a field of the table that may not stand here; nil for one that may.
    init?(
        _ node: Node, holder: Node, label: Label, in context: ReadingContext,
        misplaced: (Field) -> String? = { _ in nil }
    ) {
        guard node.kind == .mapping else {
            let help = Shorthand.help(for: node, in: Field.table.description)
            context.wrongType(node, expected: "a mapping", label, help: help)
            return nil
        }
        self.context = context
        self.node = node
        self.holder = holder
        found = Array(repeating: nil, count: Field.table.specs.count)
        for entry in node.entries {
            let field = entry.key.withText { $0.flatMap { Field.table.field(named: $0) } }
            if let field, misplaced(field) == nil {
                found[field.rawValue] = entry
            } else {
                reportUnknown(entry.key, field.flatMap(misplaced), misplaced)
            }
        }
        for field in Field.table.required where found[field.rawValue] == nil {
            context.report(.missingKey, "missing key '\(Field.table.specs[field.rawValue].name)'", at: holder)
        }
        for fields in Field.table.alternatives { requireExactlyOne(of: fields) }
    }

    private func reportUnknown(_ key: Node, _ reason: String?, _ misplaced: (Field) -> String?) {
        let name = key.text ?? ""
        let names = Field.allCases.filter { misplaced($0) == nil }.map { Field.table.specs[$0.rawValue].name }
        let ending = reason ?? Mistakes.ending(for: name, in: Field.table.description.name, among: names)
        var help = Mistakes.help(for: name)
        if help == nil, ending.isEmpty, names.contains("data") { help = "custom keys belong in 'data'" }
        context.report(.unknownKey, "unknown key \(quoted(name))\(ending)", at: key, help: help)
    }

    /// Whether the field is there, right or wrong.
    func has(_ field: Field) -> Bool { found[field.rawValue] != nil }

    /// The field's value, when it is there and valid YAML.
    subscript(field: Field) -> Node? {
        guard let value = found[field.rawValue]?.value, !value.isInvalid else { return nil }
        return value
    }

    /// The field's key; what holds the mapping when the field is not there.
    func key(_ field: Field) -> Node { found[field.rawValue]?.key ?? holder }

    /// What the table says of the field.
    func type(_ field: Field) -> FieldType { Field.table.specs[field.rawValue].type }

    /// What messages call the field.
    func label(_ field: Field) -> Label { Label(Field.table.specs[field.rawValue].name) }

    /// Reports an error at the field's key.
    func report(
        _ code: DiagnosticCode, _ message: String, atKeyOf field: Field, help: String? = nil
    ) {
        context.report(code, message, at: key(field), help: help)
    }

    /// Reports fields of which exactly one must be there, unless it is so.
    private func requireExactlyOne(of fields: [Field]) {
        let present = fields.filter(has)
        if present.count == 1 { return }
        if present.isEmpty {
            let names = fields.map { quoted(label($0).name) }
            context.report(.missingKey, "one of \(names.joined(separator: " and ")) is needed", at: holder)
        } else {
            let pair = present.map { quoted(label($0).name) }.joined(separator: " and ")
            context.report(.conflictingKeys, "\(pair) exclude each other", at: key(present[1]))
        }
    }
}

extension MapReader {
    /// The mapping under a field.
    func map<Inner: FieldKey>(_ field: Field, of _: Inner.Type) -> MapReader<Inner>? {
        self[field].flatMap { MapReader<Inner>($0, holder: key(field), label: label(field), in: context) }
    }

    /// The string under a field, checked by its type.
    func string(_ field: Field) -> String? {
        self[field].flatMap { context.string($0, type(field), label(field)) }
    }

    /// The truth value under a field.
    func flag(_ field: Field) -> Bool? {
        self[field].flatMap { context.flag($0, type(field), label(field)) }
    }

    /// The whole number under a field, checked by its type.
    func integer(_ field: Field) -> Int? {
        self[field].flatMap { context.integer($0, type(field), label(field)) }
    }

    /// The number under a field, checked by its type.
    func number(_ field: Field) -> Double? {
        self[field].flatMap { context.number($0, type(field), label(field)) }
    }

    /// The case under a field, one of those that its type names.
    func choice<Value: RawRepresentable<String>>(_ field: Field, as _: Value.Type) -> Value? {
        self[field].flatMap { context.string($0, type(field), label(field)) }.flatMap(Value.init)
    }

    /// The length of time under a field, checked by its type.
    func duration(_ field: Field) -> Duration? {
        self[field].flatMap { context.duration($0, type(field), label(field)) }
    }

    /// The elements of the list under a field: at least one, none twice, not too many; nil when it is no list.
    func elements(_ field: Field) -> [Node]? {
        self[field].flatMap { context.elements($0, type(field), label(field)) }
    }

    /// The strings of the list under a field, checked by its type, each once.
    func strings(_ field: Field) -> [String]? {
        guard case .list(let element, _) = type(field), let nodes = elements(field) else { return nil }
        return context.uniqueStrings(nodes, element, label(field))
    }
}
