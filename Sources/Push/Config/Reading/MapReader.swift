internal import Base
internal import YAML

/// One mapping read by the table of its fields: unknown and missing keys are reported, values are fetched by name.
struct MapReader {
    let context: ReadingContext
    /// The mapping.
    let node: Node
    /// The place to report missing things: the key that holds the mapping, or a document's first key.
    let holder: Node
    /// The table of its fields.
    let map: MapDescription

    /// A mapping that was checked before.
    init(checked node: Node, holder: Node, _ map: MapDescription, in context: ReadingContext) {
        self.context = context
        self.node = node
        self.holder = holder
        self.map = map
    }

    /// Walks a mapping once and passes each known field to `visit`, by its place in the table; nil when the value is no
    /// mapping, which is reported. Missing fields are reported at `holder`, and messages call the mapping `label`.
    init?(
        _ node: Node, holder: Node, label: Label, _ map: MapDescription, in context: ReadingContext,
        visit: (Int, Node.Entry) -> Void = { _, _ in }
    ) {
        self.init(checked: node, holder: holder, map, in: context)
        guard node.kind == .mapping else {
            context.wrongType(node, expected: "a mapping", label, advice: Shorthand.advice(on: node, in: map))
            return nil
        }
        // A bit for each field that is there, right or wrong.
        var found: UInt64 = 0
        var misspelt: UInt64 = 0
        for entry in node.entries {
            if let place = entry.key.utf8.flatMap(map.place) {
                found |= 1 << UInt64(place)
                visit(place, entry)
            } else {
                // A field that was misspelt is not missing too.
                if let meant = reportUnknown(entry.key, beside: misspelt) { misspelt |= 1 << UInt64(meant) }
            }
        }
        for place in map.required where (found | misspelt) & 1 << UInt64(place) == 0 {
            context.report(.missingKey, "missing key '\(map.fields[place].name)'", at: holder)
        }
        for places in map.alternatives {
            let present = places.filter { found & 1 << UInt64($0) != 0 }
            if present.isEmpty, places.contains(where: { misspelt & 1 << UInt64($0) != 0 }) { continue }
            requireExactlyOne(of: places, present: present)
        }
    }

    /// Reports an unknown key; returns the place of the field that it probably means. `misspelt` has the bits of those that
    /// other keys mean.
    private func reportUnknown(_ key: Node, beside misspelt: UInt64) -> Int? {
        let name = key.text ?? ""
        let names = map.fields.map(\.name)
        let meaning = Mistakes.meaning(of: name, in: map.name, among: names)
        let ending = map.elsewhere[name] ?? meaning.ending
        var help = Mistakes.help(for: name, in: map.name)
        if help == nil, ending.isEmpty, names.contains("data") { help = "custom keys belong in 'data'" }
        let place = meaning.field.flatMap(names.firstIndex)
        let isFree = place.map { misspelt & 1 << UInt64($0) == 0 && !has(names[$0]) } ?? false
        context.report(
            .unknownKey, "unknown key \(quoted(name))\(ending)", at: key, help: help,
            mend: isFree && meaning.isSure ? meaning.field : nil)
        return place
    }

    /// Reports fields of which exactly one must be there, unless it is so.
    private func requireExactlyOne(of places: [Int], present: [Int]) {
        if present.count == 1 { return }
        if present.isEmpty {
            let names = places.map { quoted(map.fields[$0].name) }
            context.report(.missingKey, "one of \(names.joined(separator: " and ")) is needed", at: holder)
        } else {
            let pair = present.map { quoted(map.fields[$0].name) }.joined(separator: " and ")
            context.report(.conflictingKeys, "\(pair) exclude each other", at: key(map.fields[present[1]].name))
        }
    }

    /// True if the field is present, right or wrong.
    func has(_ name: String) -> Bool { node.entry(named: name) != nil }

    /// The field's value, when it is there and valid YAML.
    subscript(name: String) -> Node? {
        guard let value = node[name], !value.isInvalid else { return nil }
        return value
    }

    /// The field's key; what holds the mapping when the field is not there.
    func key(_ name: String) -> Node { node.entry(named: name)?.key ?? holder }

    /// The field's type, from the table.
    func type(_ name: String) -> FieldType {
        guard let spec = map.fields.first(where: { $0.name == name }) else {
            preconditionFailure("\(map.name) has no field \(name)")
        }
        return spec.type
    }

    /// Reports an error at the field's key.
    func report(_ code: DiagnosticCode, _ message: String, atKeyOf name: String, help: String? = nil) {
        context.report(code, message, at: key(name), help: help)
    }
}

extension MapReader {
    /// The mapping under a field.
    func map(_ name: String) -> MapReader? {
        guard let node = self[name], let map = type(name).maps.first else { return nil }
        return MapReader(node, holder: key(name), label: Label(name), map, in: context)
    }

    /// The mapping under a field whose values were read before.
    func inner(_ name: String) -> MapReader? {
        guard let node = self[name], node.kind == .mapping, let map = type(name).maps.first else { return nil }
        return MapReader(checked: node, holder: key(name), map, in: context)
    }

    /// The string under a field, checked by its type.
    func string(_ name: String) -> String? { self[name].flatMap { context.string($0, type(name), Label(name)) } }

    /// The truth value under a field.
    func flag(_ name: String) -> Bool? { self[name].flatMap { context.flag($0, type(name), Label(name)) } }

    /// The number under a field, checked by its type.
    func number(_ name: String) -> Double? { self[name].flatMap { context.number($0, type(name), Label(name)) } }

    /// The case under a field, one of those that its type names.
    func choice<Value: RawRepresentable<String>>(_ name: String, as _: Value.Type) -> Value? {
        string(name).flatMap(Value.init)
    }

    /// The length of time under a field, checked by its type.
    func duration(_ name: String) -> Duration? { self[name].flatMap { context.duration($0, type(name), Label(name)) } }

    /// The elements of the list under a field: at least one, none twice, not too many; nil when it is no list.
    func elements(_ name: String) -> [Node]? { self[name].flatMap { context.elements($0, type(name), Label(name)) } }

    /// The strings of the list under a field, checked by its type, each once.
    func strings(_ name: String) -> [String]? {
        guard case .list(let element, _) = type(name), let nodes = elements(name) else { return nil }
        return context.uniqueStrings(nodes, element, Label(name))
    }
}
