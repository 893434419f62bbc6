internal import Base

extension FieldType {
    /// The type as members of a schema.
    var schema: [(String, OrderedJSON)] {
        switch self {
        case .constant(let text): return [("const", .string(text))]
        case .name, .duration, .instant, .sendTime, .date, .percentage, .timeOfDay, .timeZone, .url, .endpoint,
            .workspacePath:
            return [("type", .string("string"))] + (pattern.map { [("pattern", .string($0))] } ?? [])
        case .text(let range): return Self.textSchema(range)
        case .path, .glob: return Self.textSchema(1...Int.max)
        case .boolean: return [("type", .string("boolean"))]
        case .onlyTrue: return [("const", .value(true))]
        case .integer(let range): return Self.integerSchema(range)
        case .oneOfIntegers(let values): return [("enum", .array(values.map { .integer($0) }))]
        case .number(let range):
            return [
                ("type", .string("number")), ("minimum", .value(.number(range.lowerBound))),
                ("maximum", .value(.number(range.upperBound))),
            ]
        case .recurrenceDay:
            let words = (Recurrence.Day.weekdays + ["last"]).map { OrderedJSON.string($0) }
            return [("enum", .array(words + (1...31).map { .integer($0) }))]
        case .choice(let values): return [("enum", .array(values.map { .string($0) }))]
        case .secret: return Self.reference(MapDescription.secret.name)
        case .reference(let type):
            return [("anyOf", [.object(type.schema), .object(Self.reference(MapDescription.reference.name))])]
        case .condition(let subject): return Self.reference(subject.definition)
        case .object(let keys): return Self.mapSchema(keys) + []
        case .list(let type, let rule): return Self.listSchema(type, rule)
        case .map(let map): return Self.reference(map.name)
        case .entries(let type, let keys):
            return Self.mapSchema(keys) + [("additionalProperties", .object(type.schema))]
        case .either(let types): return [("anyOf", .array(types.map { .object($0.schema) }))]
        }
    }

    /// A reference to a definition of the schema.
    static func reference(_ name: String) -> [(String, OrderedJSON)] {
        [("$ref", .string("#/$defs/" + definitionName(name)))]
    }

    /// The name of a mapping's definition; characters that a URI would have to escape are replaced.
    static func definitionName(_ name: String) -> String { name.replacing("<name>", with: "*") }

    private static func textSchema(_ range: ClosedRange<Int>) -> [(String, OrderedJSON)] {
        var members: [(String, OrderedJSON)] = [("type", .string("string"))]
        if range.lowerBound > 0 { members.append(("minLength", .integer(range.lowerBound))) }
        // A character has at least one byte.
        if range.upperBound < Int.max { members.append(("maxLength", .integer(range.upperBound))) }
        return members
    }

    private static func integerSchema(_ range: ClosedRange<Int>) -> [(String, OrderedJSON)] {
        var members: [(String, OrderedJSON)] = [
            ("type", .string("integer")), ("minimum", .integer(range.lowerBound)),
        ]
        if range.upperBound < Int.max { members.append(("maximum", .integer(range.upperBound))) }
        return members
    }

    private static func mapSchema(_ keys: NameRule) -> [(String, OrderedJSON)] {
        [("type", .string("object")), ("propertyNames", ["pattern": .string(keys.pattern)])]
    }

    private static func listSchema(_ type: FieldType, _ rule: ListRule) -> [(String, OrderedJSON)] {
        var members: [(String, OrderedJSON)] = [
            ("type", .string("array")), ("items", .object(type.schema)), ("minItems", .integer(rule.minimum)),
        ]
        if let maximum = rule.maximum { members.append(("maxItems", .integer(maximum))) }
        if !rule.allowsRepeats { members.append(("uniqueItems", .value(true))) }
        return members
    }
}

extension FieldSpec {
    /// The field as a schema that explains it.
    var schema: OrderedJSON {
        var explanation = documentation + "."
        var fallback: OrderedJSON?
        if case .byDefault(let text) = presence {
            fallback = type.value(written: text).map(OrderedJSON.value)
            if fallback == nil { explanation += " Default: \(text)." }
        }
        if let form = type.form { explanation += " Written as \(form)." }
        return .object(
            [("description", .string(explanation))] + type.schema + (fallback.map { [("default", $0)] } ?? []))
    }
}

extension FieldType {
    /// The written form of a value, for types that a pattern alone would not explain.
    fileprivate var form: String? {
        switch self {
        case .duration, .instant, .date, .recurrenceDay, .percentage, .timeOfDay, .secret: expectation
        case .sendTime: expectation + ", or \(Self.timeOfDay.expectation)"
        case .list(let type, _), .reference(let type): type.form
        case .timeZone: "UTC, or an Area/City of the IANA list such as Asia/Shanghai"
        case .constant, .name, .text, .boolean, .onlyTrue, .integer, .oneOfIntegers, .number, .choice, .url, .endpoint,
            .path, .workspacePath, .glob, .condition, .object, .map, .entries, .either:
            nil
        }
    }

    /// The value of a default that is written as in a file; nil when it is described in words.
    fileprivate func value(written text: String) -> JSONValue? {
        switch self {
        case .boolean: text == "true" ? true : text == "false" ? false : nil
        case .integer: Int64(text).map(JSONValue.integer)
        case .choice(let values): values.contains(text) ? .string(text) : nil
        case .duration: Duration(configurationText: text).map { _ in .string(text) }
        case .percentage: Self.fraction(text).map { _ in .string(text) }
        case .constant, .name, .text, .onlyTrue, .oneOfIntegers, .number, .instant, .sendTime, .date, .recurrenceDay,
            .timeOfDay, .timeZone, .url,
            .endpoint, .path, .workspacePath, .glob, .secret, .reference, .condition, .object, .list, .map, .entries,
            .either:
            nil
        }
    }
}
