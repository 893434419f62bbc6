internal import Base
internal import YAML

/// Reads a condition in LeanCloud's query language: checks it and returns the JSON to send.
struct ConditionReader {
    let context: ReadingContext
    var subject = ConditionSubject.installations

    /// Reads a condition; faulty parts are reported and left out.
    func condition(_ node: Node, _ label: Label) -> JSONValue? {
        guard node.kind == .mapping else { return context.mismatch(node, .condition(on: subject), label) }
        if node.count == 0 {
            context.report(
                .invalidCondition, "\(label.text) must name at least one field", at: node,
                help: "an empty condition would reach everyone")
        }
        var members: JSONObject = [:]
        for entry in node.entries {
            let key = entry.key.text ?? ""
            if key.utf8.first == UInt8(ascii: "$") {
                members[key] = beside(key, entry)
            } else {
                checkName(key, entry.key)
                members[key] = constraint(entry.value, on: key)
            }
        }
        return .object(members)
    }

    /// Reads an operator that is written beside fields.
    private func beside(_ key: String, _ entry: Node.Entry) -> JSONValue? {
        guard let known = recognised(key, entry.key) else { return nil }
        guard known.isTopLevel else {
            context.report(
                .invalidCondition, "'\(key)' must be under a field", at: entry.key,
                help: "for example: level: {\(key): …}")
            return nil
        }
        if known == .relatedTo { return relation(entry) }
        return list(entry.value, expected: "a list of conditions", Label(key), of: condition)
    }

    /// A list of at least one element.
    private func list(
        _ node: Node, expected: String, _ label: Label, of element: (Node, Label) -> JSONValue?
    ) -> JSONValue? {
        guard node.kind == .sequence else { return context.mismatch(node, expected: expected, label) }
        if node.count == 0 { context.report(.invalidCondition, "\(label.text) must not be empty", at: node) }
        return .array(node.elements.compactMap { element($0, label.element) })
    }

    private func relation(_ entry: Node.Entry) -> JSONValue? {
        let label = Label("$relatedTo")
        guard let map = MapReader(entry.value, holder: entry.key, label: label, .relatedTo, in: context),
            let key = map.string("key"), let object = map["object"], let pointer = pointer(object, map.key("object"))
        else { return nil }
        return ["object": pointer, "key": .string(key)]
    }

    /// The operator of this name; an unknown one is reported.
    private func recognised(_ name: String, _ key: Node) -> ConditionOperator? {
        if let known = ConditionOperator(rawValue: name) { return known }
        let isForeign = Mistakes.operators[name] != nil
        let ending = isForeign ? "" : Suggestion.ending(for: name, among: ConditionOperator.allCases.map(\.rawValue))
        let help = Mistakes.operators[name] ?? (ending.isEmpty ? Mistakes.commonOperators : nil)
        context.report(.invalidCondition, "unknown operator \(quoted(name))\(ending)", at: key, help: help)
        return nil
    }

    private func checkName(_ name: String, _ key: Node) {
        var previous = UInt8(ascii: ".")
        var isName = name.utf8.first?.isDigit == false
        for byte in name.utf8 {
            let isDot = byte == UInt8(ascii: ".")
            if isDot ? previous == byte : !byte.isLetterOrDigit && byte != .underscore { isName = false }
            previous = byte
        }
        guard !isName || previous == UInt8(ascii: ".") else { return }
        context.report(
            .invalidCondition, "\(quoted(name)) is not the name of a field", at: key,
            help: "use letters, digits and '_', and '.' for fields of objects")
    }
}

extension ConditionReader {
    private func constraint(_ node: Node, on name: String) -> JSONValue? {
        if subject == .installations, name == "deviceProfile" { return profile(node) }
        guard node.kind == .mapping, node.entries.contains(where: { Self.isOperator($0.key) }) else {
            warnOfBareOperators(node)
            warnOfWrittenComparison(node, on: name)
            return value(node, Label(name))
        }
        var members: JSONObject = [:]
        for entry in node.entries {
            let key = entry.key.text ?? ""
            guard Self.isOperator(entry.key) else {
                context.report(.invalidCondition, "\(quoted(key)) cannot be next to operators", at: entry.key)
                continue
            }
            guard let known = recognised(key, entry.key) else { continue }
            if let companion = known.companion, node.entry(named: companion.rawValue) == nil {
                context.report(.invalidCondition, "'\(key)' needs '\(companion.rawValue)' beside it", at: entry.key)
            }
            members[key] = operand(known, entry)
        }
        return .object(members)
    }

    /// Warns of operators without `$`: `{gte: 18}` is valid, but equal to no number.
    private func warnOfBareOperators(_ node: Node) {
        guard node.kind == .mapping, let key = node.entries.first(where: { _ in true })?.key, let name = key.text,
            ConditionOperator(rawValue: "$" + name) != nil
        else { return }
        context.warn(
            .invalidCondition, "\(quoted(name)) is a field of an object here, not an operator", at: key.range,
            help: "write \(quoted("$" + name)) to compare")
    }

    /// Warns of a text such as `> 18`, which is equal to no number.
    private func warnOfWrittenComparison(_ node: Node, on name: String) {
        guard let text = node.string,
            let (sign, meant) = Mistakes.comparisons.first(where: { text.hasPrefix($0.key) })
        else { return }
        let rest = text.dropFirst(sign.count).drop { $0 == " " }
        guard !rest.isEmpty, rest.utf8.count <= 60 else { return }
        context.warn(
            .invalidCondition, "\(quoted(text)) is a text to be equal to, not a comparison", at: node.range,
            help: "write \(name): {\(meant): \(rest)}")
    }

    private static func isOperator(_ key: Node) -> Bool { key.utf8?.first == UInt8(ascii: "$") }

    /// Reads the constraint on `deviceProfile`, for which LeanCloud accepts only equality.
    private func profile(_ node: Node) -> JSONValue? {
        guard node.kind == .scalar else {
            context.report(
                .invalidCondition, "'deviceProfile' supports equality only", at: node,
                help: "write deviceProfile: NAME; for several profiles write one campaign each")
            return nil
        }
        return context.string(node, .text, Label("deviceProfile")).map(JSONValue.string)
    }

    /// Reads a value to compare with: anything but null.
    func value(_ node: Node, _ label: Label) -> JSONValue? {
        switch node.kind {
        case .scalar:
            guard !node.isInvalid else { return nil }
            if node.isNull {
                context.report(
                    .invalidCondition, "\(label.text) has no value to compare with", at: node,
                    help: "{$exists: false} matches devices without the field")
                return nil
            }
            return node.json(reportingTo: &context.diagnostics)
        case .sequence: return .array(node.elements.compactMap { value($0, label.element) })
        case .mapping:
            if let type = node["__type"] { return typed(node, type, label) }
            if node.count == 0 {
                context.report(.invalidCondition, "\(label.text) has no value to compare with", at: node)
            }
            return node.json(reportingTo: &context.diagnostics)
        }
    }
}

// MARK: - Operands

extension ConditionReader {
    func operand(_ known: ConditionOperator, _ entry: Node.Entry) -> JSONValue? {
        let label = Label(known.rawValue)
        let node = entry.value
        guard !node.isInvalid else { return nil }
        switch known.operand {
        case .value: return value(node, label)
        case .ordered: return ordered(node, label)
        case .values: return list(node, expected: "a list", label, of: value)
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
        return context.mismatch(node, expected: "a number, a string or a Date", label)
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
            return context.mismatch(node, expected: "{__type: GeoPoint, latitude: …, longitude: …}", label)
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
