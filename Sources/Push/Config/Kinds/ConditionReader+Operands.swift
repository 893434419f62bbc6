internal import Base
internal import YAML

extension ConditionReader {
    /// Reads the operand of an operator under a field.
    func operand(_ known: ConditionOperator, _ entry: Node.Entry) -> JSONValue? {
        let label = Label(known.rawValue)
        let node = entry.value
        guard !node.isInvalid else { return nil }
        switch known.operand {
        case .value: return value(node, label)
        case .ordered: return ordered(node, label)
        case .values: return values(node, label)
        case .boolean: return context.flag(node, .boolean, label).map(JSONValue.bool)
        case .count:
            return context.integer(node, .integer(FieldType.anyCount), label).map { .integer(Int64($0)) }
        case .text: return context.string(node, .text, label).map(JSONValue.string)
        case .regexOptions: return regexOptions(node, label)
        case .point: return point(node, entry.key, label)
        case .distance: return distance(node, label)
        case .box: return box(entry, label)
        case .query: return query(entry, label)
        case .selection: return selection(entry, label)
        case .conditions, .relation:
            context.report(
                .invalidCondition, "'\(known.rawValue)' must be next to fields, not under one", at: entry.key)
            return nil
        }
    }

    private func ordered(_ node: Node, _ label: Label) -> JSONValue? {
        switch node.scalar {
        case .integer, .hugeInteger, .float, .string: return node.json(reportingTo: &context.diagnostics)
        case .null, .bool, .invalid, nil: break
        }
        if let type = node["__type"], type.hasText("Date") { return typed(node, type, label) }
        context.wrongType(node, expected: "a number, a string or a Date", label)
        return nil
    }

    private func values(_ node: Node, _ label: Label) -> JSONValue? {
        guard node.kind == .sequence else {
            context.wrongType(node, expected: "a list", label)
            return nil
        }
        if node.count == 0 { context.report(.invalidCondition, "\(label.text) must not be empty", at: node) }
        return .array(node.elements.compactMap { value($0, label.element) })
    }

    private func regexOptions(_ node: Node, _ label: Label) -> JSONValue? {
        guard let text = context.string(node, .text, label) else { return nil }
        if !text.allSatisfy({ "imxs".contains($0) }) || Set(text).count != text.count {
            context.report(.invalidCondition, "'$options' must be letters of 'imxs', each once", at: node)
        }
        return .string(text)
    }

    private func distance(_ node: Node, _ label: Label) -> JSONValue? {
        guard let number = context.number(node, .number(0...Double.greatestFiniteMagnitude), label) else { return nil }
        return Int64(exactly: number).map(JSONValue.integer) ?? .number(number)
    }

    private func box(_ entry: Node.Entry, _ label: Label) -> JSONValue? {
        guard let map = MapReader(entry.value, holder: entry.key, label: label, .within, in: context),
            let corners = map.elements("$box")
        else { return nil }
        if corners.count == 1 {
            context.report(.invalidCondition, "'$box' needs two corners", at: map.key("$box"))
        }
        let points = corners.compactMap { point($0, map.key("$box"), Label("$box").element) }
        return ["$box": .array(points)]
    }

    private func query(_ entry: Node.Entry, _ label: Label) -> JSONValue? {
        var inner = self
        inner.subject = .otherClass
        let node = entry.value
        guard node.entry(named: "where") != nil || node.entry(named: "className") != nil else {
            return inner.condition(node, label)
        }
        return MapReader(node, holder: entry.key, label: label, .inQuery, in: context).flatMap(inner.query)
    }

    private func query(_ map: MapReader) -> JSONValue? {
        let name = map.string("className")
        guard let node = map["where"], let condition = condition(node, Label("where")), let name else { return nil }
        return ["className": .string(name), "where": condition]
    }

    private func selection(_ entry: Node.Entry, _ label: Label) -> JSONValue? {
        var inner = self
        inner.subject = .otherClass
        guard let map = MapReader(entry.value, holder: entry.key, label: label, .select, in: context) else {
            return nil
        }
        let key = map.string("key")
        guard let query = map.map("query").flatMap(inner.query), let key else { return nil }
        return ["query": query, "key": .string(key)]
    }
}

extension ConditionReader {
    private static let typeNames = ["Date", "GeoPoint", "Pointer"]

    /// Reads a value whose type `__type` names.
    func typed(_ node: Node, _ type: Node, _ label: Label) -> JSONValue? {
        if type.hasText("Date") { return date(node, type, label) }
        if type.hasText("GeoPoint") { return point(node, type, label) }
        if type.hasText("Pointer") { return pointer(node, type) }
        let name = type.text ?? ""
        let ending = Suggestion.ending(for: name, among: Self.typeNames)
        let help = ending.isEmpty ? "the types are \(Self.typeNames.joined(separator: ", "))" : nil
        context.report(.invalidCondition, "unknown type \(quoted(name))\(ending)", at: type, help: help)
        return nil
    }

    private func date(_ node: Node, _ holder: Node, _ label: Label) -> JSONValue? {
        guard let map = MapReader(node, holder: holder, label: label, .date, in: context),
            let iso = map["iso"], let value = context.instant(iso, .instant, Label("iso"))
        else { return nil }
        // LeanCloud reads times in UTC with milliseconds.
        return ["__type": "Date", "iso": .string(value.instant.isoText)]
    }

    private func point(_ node: Node, _ holder: Node, _ label: Label) -> JSONValue? {
        guard node.kind == .mapping, node["__type"]?.hasText("GeoPoint") == true else {
            context.wrongType(node, expected: "{__type: GeoPoint, latitude: …, longitude: …}", label)
            return nil
        }
        guard let map = MapReader(node, holder: holder, label: label, .geoPoint, in: context) else { return nil }
        let latitude = map.number("latitude")
        guard let longitude = map.number("longitude"), let latitude else { return nil }
        return ["__type": "GeoPoint", "latitude": .number(latitude), "longitude": .number(longitude)]
    }

    /// Reads a pointer to an object, which includes its id.
    func pointer(_ node: Node, _ holder: Node) -> JSONValue? {
        guard let map = MapReader(node, holder: holder, label: Label("Pointer"), .pointer, in: context) else {
            return nil
        }
        if map.has("__type") { _ = map.string("__type") }
        let name = map.string("className")
        guard let id = map.string("objectId"), let name else { return nil }
        return ["__type": "Pointer", "className": .string(name), "objectId": .string(id)]
    }
}
