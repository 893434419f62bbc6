internal import Base
internal import YAML

extension ReadingContext {
    /// A string that fits its type; one that does not is reported and given back all the same.
    func string(_ node: Node, _ type: FieldType, _ label: Label) -> String? {
        guard let text = written(node, type) else {
            wrongType(node, type, label)
            return nil
        }
        if var problem = type.problem(with: text, label) {
            if problem.mayBeMisspelt {
                let ending = zoneSuggestions.ending(for: text)
                problem.message += ending
                if !ending.isEmpty { problem.help = nil }
            }
            report(problem.code, problem.message, at: node, help: problem.help, mend: problem.mend)
        }
        return text
    }

    /// The text of a string; of a day, its number too.
    private func written(_ node: Node, _ type: FieldType) -> String? {
        if case .recurrenceDay = type, case .integer(let day) = node.scalar { return String(day) }
        return node.string
    }

    /// A truth value that fits its type.
    func flag(_ node: Node, _ type: FieldType, _ label: Label) -> Bool? {
        guard case .bool(let value) = node.scalar else {
            wrongType(node, type, label)
            return nil
        }
        if case .onlyTrue = type, !value {
            report(
                .invalidValue, "\(label.text) can only be true", at: node, help: "leave it out to narrow the audience")
        }
        return value
    }

    /// A whole number that fits its type.
    func integer(_ node: Node, _ type: FieldType, _ label: Label) -> Int? {
        guard case .integer(let value) = node.scalar else {
            if case .hugeInteger = node.scalar {
                report(.invalidValue, "\(label.text) does not fit 64 bits", at: node)
            } else {
                wrongType(node, type, label)
            }
            return nil
        }
        let number = Int(value)
        switch type {
        case .integer(let range): check(number, range, label, node)
        case .oneOfIntegers(let values) where !values.contains(number):
            report(.invalidValue, "\(label.text) must be \(type.expectation)", at: node)
        case .either(let types):
            if case .integer(let range) = types.first { check(number, range, label, node) }
        default: break
        }
        return number
    }

    /// A number that fits its type.
    func number(_ node: Node, _ type: FieldType, _ label: Label) -> Double? {
        let number: Double
        switch node.scalar {
        case .integer(let value): number = Double(value)
        case .float(let value): number = value
        default:
            wrongType(node, type, label)
            return nil
        }
        if case .number(let range) = type, !range.contains(number) {
            let bounds = "\(Self.shortest(range.lowerBound)) to \(Self.shortest(range.upperBound))"
            report(.invalidValue, "\(label.text) must be from \(bounds)", at: node)
        }
        return number
    }

    private func check(_ number: Int, _ range: ClosedRange<Int>, _ label: Label, _ node: Node) {
        if number < range.lowerBound {
            report(.invalidValue, "\(label.text) must be at least \(range.lowerBound)", at: node)
        } else if number > range.upperBound {
            report(.invalidValue, "\(label.text) must be at most \(range.upperBound)", at: node)
        }
    }

    private static func shortest(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? String(number)
    }
}

extension ReadingContext {
    /// A length of time that fits its type.
    func duration(_ node: Node, _ type: FieldType, _ label: Label) -> Duration? {
        guard let text = node.string else {
            wrongType(node, type, label)
            return nil
        }
        guard let value = Duration(configurationText: text) else {
            let message = "\(label.text) must be \(type.expectation), but found \(quoted(text))"
            let advice = Duration.meant(by: text).map { Advice.write($0.configurationText) }
            report(.invalidValue, message, at: node, advice: advice)
            return nil
        }
        let form = if case .either(let types) = type { types.first ?? type } else { type }
        guard case .duration(let range) = form else { return value }
        if value.wholeSeconds > range.upperBound {
            let limit = range.upperBound == 60 ? "60s" : Duration.seconds(range.upperBound).configurationText
            report(.invalidValue, "\(label.text) must be at most \(limit)", at: node)
        } else if value.wholeSeconds < range.lowerBound {
            let limit = Duration.seconds(range.lowerBound).configurationText
            report(.invalidValue, "\(label.text) must be at least \(limit)", at: node)
        }
        return value
    }

    /// An instant with its offset.
    func instant(_ node: Node, _ type: FieldType, _ label: Label) -> OffsetInstant? {
        guard let text = node.string else {
            wrongType(node, type, label)
            return nil
        }
        guard let value = OffsetInstant(text) else {
            let message = "\(label.text) must be \(FieldType.instant.expectation), but found \(quoted(text))"
            report(.invalidValue, message, at: node, advice: OffsetInstant.advice(on: text))
            return nil
        }
        return value
    }

    /// The elements of a list: at least one and not too many.
    func elements(_ node: Node, _ type: FieldType, _ label: Label) -> [Node]? {
        guard node.kind == .sequence else {
            wrongType(node, type, label, listOfOne: node)
            return nil
        }
        if node.count == 0 { report(.invalidValue, "\(label.text) must not be empty", at: node) }
        if case .list(_, let rule) = type, let maximum = rule.maximum, node.count > maximum {
            report(
                .invalidValue, "\(label.text) must have at most \(maximum) elements, but has \(node.count)", at: node)
        }
        return Array(node.elements)
    }

    /// Returns the strings of a list, each once; a second one is reported. Strings with an equal `identity` mean the
    /// same; by default it is the string itself.
    func uniqueStrings(
        _ nodes: [Node], _ type: FieldType, _ label: Label, by identity: (String) -> String = { $0 }
    ) -> [String] {
        var strings: [String] = []
        strings.reserveCapacity(nodes.count)
        var seen: Set<String> = []
        for node in nodes where !node.isInvalid {
            guard let text = string(node, type, label.element) else { continue }
            let isNew = nodes.count < 2 || seen.insert(identity(text)).inserted
            if isNew {
                strings.append(text)
            } else {
                // A device's token stands in no message.
                let name = label.text == Label("devices").text ? "a device" : quoted(text)
                report(.invalidValue, "\(name) is listed twice in \(label.text)", at: node)
            }
        }
        return strings
    }

    private func wrongType(_ node: Node, _ type: FieldType, _ label: Label, listOfOne: Node) {
        wrongType(node, expected: type.expectation, label, advice: listOfOne.string.map(Self.list))
    }

    /// A text as a list.
    private static func list(of text: String) -> Advice {
        let parts = text.split { ",，、".contains($0) }.map { String($0.drop { $0 == " " }) }
        let list = "[\(parts.joined(separator: ", "))]"
        let isPlain = parts.allSatisfy {
            !$0.isEmpty && $0.utf8.allSatisfy { $0.isUnreserved } && $0.utf8.first != .dash
        }
        if parts.count > 1 { return Advice("a list is written \(list)", writing: isPlain ? list : nil) }
        if text.hasPrefix("-") { return Advice("put a space after '-'") }
        return Advice("a list of one is written [\(quoted(text))]", writing: isPlain ? list : nil)
    }
}
