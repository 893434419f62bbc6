internal import Base
internal import YAML

/// Reads a condition in LeanCloud's query language: checks it and returns the JSON to send.
struct ConditionReader {
    let context: ReadingContext
    /// The subject whose fields the condition tests.
    var subject = ConditionSubject.installations

    /// Reads a condition; faulty parts are reported and left out.
    func condition(_ node: Node, _ label: Label) -> JSONValue? {
        guard node.kind == .mapping else {
            context.wrongType(node, .condition(on: subject), label)
            return nil
        }
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
        let label = Label(key)
        guard entry.value.kind == .sequence else {
            context.wrongType(entry.value, expected: "a list of conditions", label)
            return nil
        }
        if entry.value.count == 0 { context.report(.invalidCondition, "'\(key)' must not be empty", at: entry.value) }
        return .array(entry.value.elements.compactMap { condition($0, label.element) })
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
    /// Reads the constraint on one field.
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
        context.diagnostics.append(
            Diagnostic(
                .warning, .invalidCondition, "\(quoted(name)) is a field of an object here, not an operator",
                at: key.range, help: "write \(quoted("$" + name)) to compare"))
    }

    /// Warns of a text such as `> 18`, which is equal to no number.
    private func warnOfWrittenComparison(_ node: Node, on name: String) {
        guard let text = node.string,
            let (sign, meant) = Mistakes.comparisons.first(where: { text.hasPrefix($0.key) })
        else { return }
        let rest = text.dropFirst(sign.count).drop { $0 == " " }
        guard !rest.isEmpty, rest.utf8.count <= 60 else { return }
        context.diagnostics.append(
            Diagnostic(
                .warning, .invalidCondition, "\(quoted(text)) is a text to be equal to, not a comparison",
                at: node.range, help: "write \(name): {\(meant): \(rest)}"))
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
