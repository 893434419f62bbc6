internal import Base
internal import YAML

/// One mapping read by the table of its fields: unknown and missing keys are reported, values are fetched by name.
struct MapReader {
    let context: ReadingContext
    let node: Node
    /// The place to report missing things: the key that holds the mapping, or a document's first key.
    let holder: Node
    let map: MapDescription
    /// The places of fields that unknown keys probably mean, a bit for each.
    private var misspelt: UInt64 = 0

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
        self.misspelt = misspelt
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
    func requireExactlyOne(of names: [String]) {
        let places = names.compactMap { name in map.fields.firstIndex { $0.name == name } }
        if places.contains(where: isMeant) { return }
        requireExactlyOne(of: places, present: places.filter { has(map.fields[$0].name) })
    }

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

    /// Reports a field that must be there, unless it is, or another key was meant for it.
    func require(_ name: String, help: String? = nil) {
        guard !has(name), let place = map.fields.firstIndex(where: { $0.name == name }), !isMeant(place) else { return }
        context.report(.missingKey, "missing key '\(name)'", at: holder, help: help)
    }

    /// True if an unknown key probably means the field.
    private func isMeant(_ place: Int) -> Bool { misspelt & 1 << UInt64(place) != 0 }

    /// True if the field is present, right or wrong.
    func has(_ name: String) -> Bool { node.entry(named: name) != nil }

    /// The field's value, when it is there and valid YAML.
    subscript(name: String) -> Node? {
        guard let value = node[name], !value.isInvalid else { return nil }
        return value
    }

    /// The field's key; what holds the mapping when the field is not there.
    func key(_ name: String) -> Node { node.entry(named: name)?.key ?? holder }

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
    func integer(_ name: String) -> Int? { self[name].flatMap { context.integer($0, type(name), Label(name)) } }

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

// MARK: - Fields

extension ReadingContext {
    /// The values of a mapping's fields, each at its place in the table; nil when it is no mapping, which is reported.
    func fields(_ node: Node, holder: Node, _ label: Label, _ map: MapDescription) -> [FieldValue?]? {
        var values = [FieldValue?](repeating: nil, count: map.fields.count)
        let reader = MapReader(node, holder: holder, label: label, map, in: self) { place, entry in
            let field = map.fields[place]
            values[place] = value(entry.value, holder: entry.key, field.type, Label(field.name))
        }
        return reader == nil ? nil : values
    }

    /// Returns a field's value, checked by its type; nil when it says nothing that can be read, which is reported.
    /// `holder` is the field's key.
    func value(_ node: Node, holder: Node, _ type: FieldType, _ label: Label) -> FieldValue? {
        guard !node.isInvalid else { return nil }
        switch type {
        case .constant, .name, .text, .choice, .date, .recurrenceDay, .percentage, .timeOfDay, .timeZone, .url,
            .endpoint, .path,
            .workspacePath, .glob:
            return string(node, type, label).map(FieldValue.text)
        case .boolean, .onlyTrue: return flag(node, type, label).map(FieldValue.flag)
        case .integer, .oneOfIntegers: return integer(node, type, label).map(FieldValue.integer)
        case .number: return number(node, type, label).map(FieldValue.number)
        case .scalar: return scalar(node, type, label).map(FieldValue.json)
        case .duration: return duration(node, type, label).map(FieldValue.duration)
        case .instant: return instant(node, type, label).map(FieldValue.instant)
        case .sendTime:
            if node.string.map(FieldType.isMeantAsTime) == true {
                return string(node, .timeOfDay, label).map(FieldValue.text)
            }
            // Whether it may stand without an offset is up to the schedule.
            if let text = node.string, LocalTime(text) != nil { return .text(text) }
            return instant(node, type, label).map(FieldValue.instant)
        case .condition(let subject):
            return ConditionReader(context: self, subject: subject).condition(node, label).map(FieldValue.json)
        case .object(let rule): return .json(.object(object(node, keys: rule, type, label)))
        case .list(let element, let rule):
            guard let nodes = elements(node, type, label) else { return nil }
            if case .map(let map) = element {
                return .maps(nodes.compactMap { mapping($0, holder: $0, label.element, map)?.fields })
            }
            if !rule.allowsRepeats { return .list(uniqueStrings(nodes, element, label)) }
            return .list(nodes.compactMap { string($0, element, label.element) })
        case .map(let map): return mapping(node, holder: holder, label, map)
        case .entries(let inner, let rule): return entries(node, of: inner, keys: rule, type, label)
        case .either(let types): return either(node, holder: holder, types, type, label)
        // These are read where they are needed, because they tell a secret from what is sent.
        case .secret, .reference: return nil
        }
    }

    private func mapping(_ node: Node, holder: Node, _ label: Label, _ map: MapDescription) -> FieldValue? {
        let before = diagnostics.count
        let values = fields(node, holder: holder, label, map)
        if diagnostics.count > before { faultyMappings.insert(map.name) }
        return values.map(FieldValue.fields)
    }

    /// A mapping of free keys to any values.
    private func object(_ node: Node, keys rule: NameRule, _ type: FieldType, _ label: Label) -> JSONObject {
        var members: JSONObject = [:]
        each(node, keys: rule, type, label) { members[$0] = $1.value.json(reportingTo: &diagnostics) }
        return members
    }

    /// A mapping of free keys to values of one type.
    private func entries(
        _ node: Node, of inner: FieldType, keys rule: NameRule, _ type: FieldType, _ label: Label
    ) -> FieldValue {
        var entries: [(key: String, value: FieldValue)] = []
        each(node, keys: rule, type, label) { name, entry in
            if let value = value(entry.value, holder: entry.key, inner, Label(name)) { entries.append((name, value)) }
        }
        return .entries(entries)
    }

    private func each(
        _ node: Node, keys rule: NameRule, _ type: FieldType, _ label: Label, _ body: (String, Node.Entry) -> Void
    ) {
        guard node.kind == .mapping else { return wrongType(node, type, label) }
        for entry in node.entries {
            let name = entry.key.text ?? ""
            if let problem = rule.problem(with: name, label) {
                report(problem.code, problem.message, at: entry.key, help: problem.help, mend: problem.mend)
            }
            body(name, entry)
        }
    }
}

// MARK: One of several types

extension ReadingContext {
    private func either(
        _ node: Node, holder: Node, _ types: [FieldType], _ type: FieldType, _ label: Label
    ) -> FieldValue? {
        switch types.first {
        case .integer: return numberOrWord(node, type, label)
        case .timeZone: return string(node, type, label).map(FieldValue.text)
        case .map(let map): return mappingOrWord(node, holder: holder, map, types, label)
        default: break
        }
        guard case .map(let map) = types.last else { return nil }
        if node.kind == .mapping { return mapping(node, holder: holder, label, map) }
        let isCut = map === LocalizedKey.fields.description && isCutByComment(node)
        guard node.string != nil else {
            if isCut { reportCut(node, type, label) } else { wrongType(node, type, label) }
            return nil
        }
        if isCut {
            warn(
                .invalidValue, "\(label.text) ends where '#' begins a comment", at: node.range,
                help: "put the text in quotes if the rest of the line is part of it")
        }
        return string(node, .text, label).map(FieldValue.text)
    }

    private func numberOrWord(_ node: Node, _ type: FieldType, _ label: Label) -> FieldValue? {
        if node.string != nil { return string(node, type, label).map(FieldValue.text) }
        if node.text?.hasPrefix("+") == true {
            report(
                .invalidValue, "\(label.text) is set to a number, not raised by it", at: node,
                help: "write increment to add one, or the number without '+'")
        }
        return integer(node, type, label).map(FieldValue.integer)
    }

    private func mappingOrWord(
        _ node: Node, holder: Node, _ map: MapDescription, _ types: [FieldType], _ label: Label
    ) -> FieldValue? {
        if case .constant(let word) = types.last, node.hasText(word) { return .text(word) }
        guard node.kind == .mapping else {
            return mismatch(
                node, expected: "{after: 7d}, {at: INSTANT} or never", label,
                advice: Shorthand.advice(on: node, in: map))
        }
        return mapping(node, holder: holder, label, map)
    }

    /// Reports a value whose text is a comment, with the quotes that it needs.
    private func reportCut(_ node: Node, _ type: FieldType, _ label: Label) {
        wrongType(
            node, expected: type.expectation, label, advice: Advice("'#' begins a comment: put the text in quotes"))
        let line = node.range.start.line
        let text = SourceFiles(["": bytes]).line(line, of: "").map { Array($0.unicodeScalars) } ?? []
        diagnostics[diagnostics.count - 1].mend = TextQuoting.mend(
            Array(repeating: [], count: line - 1) + [text], at: line, file: node.range.file, comment: true)
    }

    /// True if an unquoted text is followed by what may be meant as its end: `We are #1`.
    private func isCutByComment(_ node: Node) -> Bool {
        guard let column = hashes[node.range.end.line], node.range.start.line == node.range.end.line,
            node.range.file == file
        else { return false }
        let end = node.range.start.column + (node.string?.unicodeScalars.count ?? 0)
        return column == end + 1
    }
}
