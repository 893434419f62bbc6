package import Base

/// The JSON Schema of a configuration's documents, generated only from the tables of fields.
///
/// Every document of a workspace that `validate` accepts is valid. Of the documents that `validate` refuses, the schema
/// rejects all that a schema of one document can: it cannot know that a name is declared elsewhere, that a time zone
/// exists, or that a path leads out through a link.
package enum ConfigurationSchema {
    /// The draft of JSON Schema that it follows.
    package static let draft = "https://json-schema.org/draft/2020-12/schema"
    /// The schema's identifier, independent of its location.
    package static let identifier = "urn:bugle:schema:configuration"

    /// The schema; the same for every run of one version.
    package static var document: OrderedJSON {
        let kinds = DocumentKind.allCases
        return [
            "$schema": .string(draft), "$id": .string(identifier), "title": .string("bugle configuration"),
            "description": .string("One YAML document of a workspace; its kind says what it declares."),
            // A document with nothing but `---` declares nothing.
            "type": [.string("object"), .string("null")], "required": [.string("kind")],
            "properties": [
                "kind": [
                    "description": .string("The kind of the document."),
                    "enum": .array(kinds.map { .string($0.rawValue) }),
                ]
            ],
            "allOf": .array(kinds.map(choice)), "$defs": .object(definitions),
        ]
    }

    private static func choice(of kind: DocumentKind) -> OrderedJSON {
        func reference(_ dialect: SchemaDialect) -> OrderedJSON {
            .object(FieldType.reference(dialect.rawValue + kind.description.name))
        }
        let fields: OrderedJSON =
            switch kind {
            case .campaign:
                ["if": FieldTest.has(["use"]).schema, "then": reference(.part), "else": reference(.campaign)]
            case .part: reference(.part)
            case .workspace, .deviceProfile, .channel, .segment: reference(.plain)
            }
        return ["if": FieldTest.equals(["kind"], .string(kind.rawValue)).schema, "then": fields]
    }

    private static var definitions: [(String, OrderedJSON)] {
        var (definitions, names): ([(String, OrderedJSON)], Set<String>) = ([], [])
        /// Adds a mapping and those that are reachable from it, each once.
        func add(_ map: MapDescription, _ dialect: SchemaDialect) {
            let name = dialect.rawValue + map.name
            guard names.insert(name).inserted else { return }
            definitions.append((FieldType.definitionName(name), schema(of: map, dialect)))
            for inner in map.fields.flatMap(\.type.maps) { add(inner, dialect) }
        }
        for kind in DocumentKind.allCases {
            switch kind {
            case .campaign: add(kind.description, .campaign)
            case .part: for map in [.part, Campaign.fields.description] { add(map, .part) }
            case .workspace, .deviceProfile, .channel, .segment: add(kind.description, .plain)
            }
        }
        for map in [MapDescription.secret, .reference] + ConditionSchema.maps { add(map, .plain) }
        return definitions + ConditionSchema.definitions + [SchemaDialect.value]
    }

    private static func schema(of map: MapDescription, _ dialect: SchemaDialect) -> OrderedJSON {
        var members: [(String, OrderedJSON)] = [
            ("description", .string(map.documentation + ".")), ("type", .string("object")),
        ]
        let required = map.fields.filter { field in
            guard field.presence == .required else { return false }
            return dialect != .part || map === MapDescription.part || map.isOfCampaign && field.isLiteral
        }
        if !required.isEmpty { members.append(("required", .array(required.map { .string($0.name) }))) }
        let properties = map.fields.map { field in
            (field.name, field.schema(map.isOfCampaign && field.isLiteral ? .plain : dialect))
        }
        members.append(("properties", .object(properties)))
        members.append(("additionalProperties", .value(false)))
        if !map.rules.isEmpty, dialect != .part { members.append(("allOf", .array(map.rules.map(\.schema)))) }
        return .object(members)
    }
}

enum SchemaDialect: String {
    /// All that its fields and rules say.
    case plain = ""
    /// All that, but the name of a value may stand for any scalar.
    case campaign = "campaign."
    /// Each field by itself: others, and what rules ask for, may come from other parts, and null removes one.
    case part = "part."

    /// The definition of a text with the name of a value.
    static let value: (String, OrderedJSON) = (
        "value",
        [
            "description": .string("A text with ${name}, which stands for a value."),
            "type": .string("string"), "pattern": .string("\\$\\{"),
        ]
    )

    /// What may stand in the place of a collection, or of a scalar.
    fileprivate func others(ofCollection isCollection: Bool) -> [OrderedJSON] {
        let values: [OrderedJSON] = isCollection ? [] : [.object(FieldType.reference(Self.value.0))]
        return switch self {
        case .plain: []
        case .campaign: values
        case .part: values + [["type": .string("null")]]
        }
    }
}

// MARK: - Schema

extension FieldType {
    /// The type as members of a schema of a document by itself.
    var schema: [(String, OrderedJSON)] { schema(.plain) }

    func schema(_ dialect: SchemaDialect) -> [(String, OrderedJSON)] {
        let own = ownSchema(dialect)
        let others = dialect.others(ofCollection: isCollection)
        return others.isEmpty ? own : [("anyOf", .array([.object(own)] + others))]
    }

    private var isCollection: Bool {
        switch self {
        case .list, .map, .entries, .object, .condition: true
        default: false
        }
    }

    private func ownSchema(_ dialect: SchemaDialect) -> [(String, OrderedJSON)] {
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
        case .scalar: return [("type", [.string("string"), .string("number"), .string("boolean")])]
        case .recurrenceDay:
            let words = (Recurrence.Day.weekdays + ["last"]).map { OrderedJSON.string($0) }
            return [("enum", .array(words + (1...31).map { .integer($0) }))]
        case .choice(let values): return [("enum", .array(values.map { .string($0) }))]
        case .secret: return Self.reference(MapDescription.secret.name)
        case .reference(let type):
            return [("anyOf", [.object(type.schema), .object(Self.reference(MapDescription.reference.name))])]
        case .condition(let subject):
            return dialect == .part ? [("type", .string("object"))] : Self.reference(subject.definition)
        case .object(let keys): return Self.mapSchema(keys) + []
        case .list(let type, let rule): return Self.listSchema(type, rule, dialect)
        case .map(let map): return Self.reference(dialect.rawValue + map.name)
        case .entries(let type, let keys):
            return Self.mapSchema(keys) + [("additionalProperties", .object(type.schema(dialect)))]
        case .either(let types): return [("anyOf", .array(types.map { .object($0.ownSchema(dialect)) }))]
        }
    }

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
        var members: [(String, OrderedJSON)] = [("type", .string("integer")), ("minimum", .integer(range.lowerBound))]
        if range.upperBound < Int.max { members.append(("maximum", .integer(range.upperBound))) }
        return members
    }

    private static func mapSchema(_ keys: NameRule) -> [(String, OrderedJSON)] {
        [("type", .string("object")), ("propertyNames", ["pattern": .string(keys.pattern)])]
    }

    private static func listSchema(
        _ type: FieldType, _ rule: ListRule, _ dialect: SchemaDialect
    ) -> [(String, OrderedJSON)] {
        var members: [(String, OrderedJSON)] = [
            ("type", .string("array")), ("items", .object(type.schema(dialect))), ("minItems", .integer(rule.minimum)),
        ]
        if let maximum = rule.maximum { members.append(("maxItems", .integer(maximum))) }
        if !rule.allowsRepeats { members.append(("uniqueItems", .value(true))) }
        return members
    }
}

extension FieldSpec {
    /// The field as a schema that explains it.
    func schema(_ dialect: SchemaDialect) -> OrderedJSON {
        var explanation = documentation + "."
        var fallback: OrderedJSON?
        if case .byDefault(let text) = presence {
            fallback = type.value(written: text).map(OrderedJSON.value)
            if fallback == nil { explanation += " Default: \(text)." }
        }
        if let form = type.form { explanation += " Written as \(form)." }
        return .object(
            [("description", .string(explanation))] + type.schema(dialect) + (fallback.map { [("default", $0)] } ?? []))
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
        case .constant, .name, .text, .boolean, .onlyTrue, .integer, .oneOfIntegers, .number, .scalar, .choice, .url,
            .endpoint, .path, .workspacePath, .glob, .condition, .object, .map, .entries, .either:
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
        case .constant, .name, .text, .onlyTrue, .oneOfIntegers, .number, .scalar, .instant, .sendTime, .date,
            .recurrenceDay,
            .timeOfDay, .timeZone, .url,
            .endpoint, .path, .workspacePath, .glob, .secret, .reference, .condition, .object, .list, .map, .entries,
            .either:
            nil
        }
    }
}

// MARK: - Pattern

extension FieldType {
    /// The form of a string of this type, as a regular expression in ECMA-262's dialect with the `u` flag; nil when no
    /// pattern can express it.
    ///
    /// The pattern matches everything the readers accept and rejects, of what they refuse, all that a pattern can.
    var pattern: String? {
        switch self {
        case .name(let rule): rule.pattern
        case .duration(let range): Self.durationPattern(range)
        case .instant: Self.instantPattern
        case .sendTime: "(\(Self.instantPattern))|(\(Self.timePattern))|(\(LocalTime.pattern))"
        case .date: "^(19[7-9][0-9]|2[01][0-9]{2})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"
        case .percentage: "^(?=.{1,13}$)[0-9]+(\\.[0-9]+)?%$"
        case .timeOfDay: Self.timePattern
        // That there is such a place only its look-up tells.
        case .timeZone: "^(UTC|(?!Etc/)[A-Za-z]+(/[A-Za-z0-9_+-]+)+)$"
        // The version is part of each request.
        case .url: "^(?!.*/1\\.1/*$)\(Self.addressPattern)$"
        case .endpoint: "^([Hh][Tt][Tt][Pp][Ss]://)?\(Self.secureAuthority)/*$"
        // Neither absolute nor leading out at once; other ways out are found by following the path.
        case .workspacePath: "^(?!/)(?!(\\./+)*\\.\\.(/|$))[^\\u0000]+$"
        case .constant, .text, .boolean, .onlyTrue, .integer, .oneOfIntegers, .number, .scalar, .choice, .recurrenceDay,
            .path, .glob,
            .secret, .reference, .condition, .object, .list, .map, .entries, .either:
            nil
        }
    }

    private static let timePattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$"

    private static let instantPattern =
        "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt ]([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)"
        + "(\\.[0-9]+)?([Zz]|[+\\-]([01][0-9]|2[0-3]):[0-5][0-9])$"

    private static func durationPattern(_ range: ClosedRange<Int64>) -> String {
        guard range != anyDuration else { return "^[0-9]+[smhdw]$" }
        let units: [(name: String, seconds: Int64)] = [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400), ("w", 604_800)]
        let parts = units.compactMap { unit -> String? in
            let least = range.lowerBound / unit.seconds + (range.lowerBound % unit.seconds == 0 ? 0 : 1)
            let greatest = range.upperBound / unit.seconds
            guard least <= greatest else { return nil }
            return "(\(DecimalPattern.alternatives(least, greatest).joined(separator: "|")))\(unit.name)"
        }
        return "^0*(\(parts.joined(separator: "|")))$"
    }
}

/// The addresses that ``WebAddress`` accepts.
extension FieldType {
    private static let addressPattern =
        "([Hh][Tt][Tt][Pp][Ss]://\(secureAuthority)|[Hh][Tt][Tt][Pp]://\(loopbackAuthority))\(pathPattern)"
    private static let secureAuthority =
        "([A-Za-z0-9_\\-]+(\\.[A-Za-z0-9_\\-]+)*|\\[[0-9A-Fa-f:.]{2,}\\])\(portPattern)"
    private static let loopbackAuthority =
        "([Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt]|127(\\.0*(\(byteAlternatives))){3}|\\[::1\\])\(portPattern)"
    private static let byteAlternatives = DecimalPattern.alternatives(0, 255).joined(separator: "|")
    private static let portPattern = "(:0*(\(DecimalPattern.alternatives(1, 65_535).joined(separator: "|"))))?"
    private static let pathPattern = "(/[!\"$->@-\\[\\]-~]*)?"
}

/// Regular expressions for the numbers of a range.
enum DecimalPattern {
    /// Expressions that each match some of the numbers from `least` to `greatest`, written without leading zeros.
    static func alternatives(_ least: Int64, _ greatest: Int64) -> [String] {
        guard least <= greatest else { return [] }
        let (low, high) = (String(least), String(greatest))
        guard low.count == high.count else {
            let border = powerOfTen(low.count)
            return alternatives(least, border - 1) + alternatives(border, greatest)
        }
        return sameLength(Array(low), Array(high))
    }

    private static func powerOfTen(_ exponent: Int) -> Int64 { (0..<exponent).reduce(1) { power, _ in power * 10 } }

    private static func sameLength(_ low: [Character], _ high: [Character]) -> [String] {
        guard let first = low.first, let last = high.first else { return [""] }
        let rest = low.count - 1
        if first == last { return sameLength(Array(low[1...]), Array(high[1...])).map { String(first) + $0 } }
        guard let from = first.wholeNumberValue, let to = last.wholeNumberValue else { return [] }
        let isWholeLow = low[1...].allSatisfy { $0 == "0" }
        let isWholeHigh = high[1...].allSatisfy { $0 == "9" }
        var result: [String] = []
        if !isWholeLow {
            let nines = Array(repeating: Character("9"), count: rest)
            result += sameLength(Array(low[1...]), nines).map { String(first) + $0 }
        }
        let (start, end) = (isWholeLow ? from : from + 1, isWholeHigh ? to : to - 1)
        if start <= end { result.append(digits(start, end) + (rest > 1 ? "[0-9]{\(rest)}" : rest == 1 ? "[0-9]" : "")) }
        if !isWholeHigh {
            let zeros = Array(repeating: Character("0"), count: rest)
            result += sameLength(zeros, Array(high[1...])).map { String(last) + $0 }
        }
        return result
    }

    private static func digits(_ from: Int, _ to: Int) -> String { from == to ? "\(from)" : "[\(from)-\(to)]" }
}

// MARK: - Schema

extension FieldRule {
    /// The rule as members of a schema of the mapping.
    var schema: OrderedJSON {
        switch self {
        case .exactlyOne(let names): ["oneOf": .array(names.map { FieldTest.has([$0]).schema })]
        case .notEmpty: ["minProperties": .integer(1)]
        case .always(let test): test.schema
        case .when(let premise, let consequence): ["if": premise.schema, "then": consequence.schema]
        }
    }
}

extension FieldTest {
    /// The test as a schema of the mapping.
    var schema: OrderedJSON {
        switch self {
        case .has(let path): Self.below(path) { nil }
        case .lacks(let names, let path):
            Self.optional(path) { ["properties": .object(names.map { ($0, .value(false)) })] }
        case .equals(let path, let value): Self.below(path) { ["const": .value(value)] }
        case .matches(let path, let pattern):
            Self.below(path) { ["type": .string("string"), "pattern": .string(pattern)] }
        case .count(let path, let range): Self.below(path) { Self.bounds(range) }
        case .elements(let path, let pattern):
            Self.optional(path) { ["items": ["pattern": .string(pattern)]] }
        case .not(let test): ["not": test.schema]
        case .allOf(let tests): ["allOf": .array(tests.map(\.schema))]
        case .anyOf(let tests): ["anyOf": .array(tests.map(\.schema))]
        }
    }

    /// The schema for a value that must be present.
    private static func below(_ path: [String], _ value: () -> OrderedJSON?) -> OrderedJSON {
        guard let name = path.first else { return value() ?? .value(true) }
        let inner = path.count == 1 ? value() : below(Array(path.dropFirst()), value)
        var members: [(String, OrderedJSON)] = [("type", .string("object")), ("required", [.string(name)])]
        if let inner { members.append(("properties", .object([(name, inner)]))) }
        return .object(members)
    }

    /// The schema for a value that may be absent.
    private static func optional(_ path: [String], _ value: () -> OrderedJSON) -> OrderedJSON {
        guard let name = path.first else { return value() }
        return ["properties": .object([(name, optional(Array(path.dropFirst()), value))])]
    }

    /// The bounds for elements and entries alike: each keyword applies to one kind of value only.
    private static func bounds(_ range: ClosedRange<Int>) -> OrderedJSON {
        var members: [(String, OrderedJSON)] = [
            ("minItems", .integer(range.lowerBound)), ("minProperties", .integer(range.lowerBound)),
        ]
        if range.upperBound < Int.max {
            members += [("maxItems", .integer(range.upperBound)), ("maxProperties", .integer(range.upperBound))]
        }
        return .object(members)
    }
}

extension ConditionSubject {
    var definition: String {
        switch self {
        case .installations: "where"
        case .otherClass: "where.otherClass"
        }
    }
}

/// The definitions of conditions, as ``ConditionReader`` reads them.
enum ConditionSchema {
    private static let fieldNames = "^(?![0-9])[A-Za-z0-9_]+(\\.[A-Za-z0-9_]+)*$"
    private static let withoutOperators: OrderedJSON = ["propertyNames": ["pattern": .string("^(?!\\$)")]]

    static var definitions: [(String, OrderedJSON)] {
        [
            (ConditionSubject.installations.definition, condition(on: .installations)),
            (ConditionSubject.otherClass.definition, condition(on: .otherClass)), ("where.constraint", constraint),
            ("where.operators", operators), ("where.value", value), ("where.typed", typed),
        ]
    }

    /// The mappings that conditions use.
    static var maps: [MapDescription] {
        [
            .date, .geoPoint, .pointer,
            .relatedTo, .inQuery, .select,
            .within,
        ]
    }

    private static func condition(on subject: ConditionSubject) -> OrderedJSON {
        var properties = ConditionOperator.allCases.filter(\.isTopLevel).map {
            ($0.rawValue, schema(of: $0, in: subject))
        }
        if subject == .installations {
            let name: OrderedJSON = [
                "description": .string("Devices with this profile; equality only."), "type": .string("string"),
                "minLength": .integer(1),
            ]
            properties.append(("deviceProfile", name))
        }
        return [
            "description": .string("A condition in LeanCloud's query language; every field must fit."),
            "type": .string("object"), "minProperties": .integer(1), "properties": .object(properties),
            "patternProperties": .object([(fieldNames, .object(FieldType.reference("where.constraint")))]),
            "additionalProperties": .value(false),
        ]
    }

    /// The constraint on one field: operators, or a value to equal.
    private static var constraint: OrderedJSON {
        let operators = OrderedJSON.object(FieldType.reference("where.operators"))
        let value = OrderedJSON.object(FieldType.reference("where.value"))
        return ["anyOf": .array([operators, ["allOf": .array([value, withoutOperators])]])]
    }

    private static var operators: OrderedJSON {
        let known = ConditionOperator.allCases.filter { !$0.isTopLevel }
        let companions = known.compactMap { known in
            known.companion.map { (known.rawValue, OrderedJSON.array([.string($0.rawValue)])) }
        }
        return [
            "description": .string("Tests of the field; every operator must hold."),
            "type": .string("object"), "minProperties": .integer(1),
            "properties": .object(known.map { ($0.rawValue, schema(of: $0, in: .installations)) }),
            "dependentRequired": .object(companions), "additionalProperties": .value(false),
        ]
    }

    private static var value: OrderedJSON {
        let simple: OrderedJSON = ["type": [.string("string"), .string("number"), .string("boolean")]]
        let list: OrderedJSON = ["type": .string("array"), "items": .object(FieldType.reference("where.value"))]
        let mapping: OrderedJSON = [
            "type": .string("object"), "minProperties": .integer(1), "if": ["required": [.string("__type")]],
            "then": .object(FieldType.reference("where.typed")),
        ]
        return [
            "description": .string("A value to compare with; anything but null."),
            "anyOf": .array([simple, list, mapping]),
        ]
    }

    private static var typed: OrderedJSON {
        let tables: [MapDescription] = [.date, .geoPoint, .pointer]
        return ["oneOf": .array(tables.map { .object(FieldType.map($0).schema) })]
    }

    private static func schema(of known: ConditionOperator, in subject: ConditionSubject) -> OrderedJSON {
        let operand = operand(known.operand, in: subject)
        let members: [(String, OrderedJSON)] =
            switch known.operand {
            // The name of a value may stand in a campaign's.
            case .boolean, .count, .distance, .regexOptions:
                [("anyOf", .array([.object(operand)] + SchemaDialect.campaign.others(ofCollection: false)))]
            case .conditions, .relation, .value, .ordered, .values, .text, .point, .box, .query, .selection: operand
            }
        return .object([("description", .string(known.documentation + "."))] + members)
    }

    private static func operand(
        _ operand: ConditionOperator.Operand, in subject: ConditionSubject
    ) -> [(String, OrderedJSON)] {
        switch operand {
        case .conditions:
            return FieldType.list(of: .condition(on: subject), ListRule(allowsRepeats: true)).schema
        case .relation: return FieldType.map(.relatedTo).schema
        case .value: return FieldType.reference("where.value")
        case .ordered:
            let simple: OrderedJSON = ["type": [.string("number"), .string("string")]]
            return [("anyOf", .array([simple, .object(FieldType.map(.date).schema)]))]
        case .values:
            return [
                ("type", .string("array")), ("items", .object(FieldType.reference("where.value"))),
                ("minItems", .integer(1)),
            ]
        case .boolean: return FieldType.boolean.schema
        case .count: return FieldType.integer(FieldType.anyCount).schema
        case .text: return FieldType.text.schema
        case .regexOptions: return [("type", .string("string")), ("pattern", .string("^(?!.*(.).*\\1)[imxs]+$"))]
        case .point: return FieldType.map(.geoPoint).schema
        case .distance: return [("type", .string("number")), ("minimum", .integer(0))]
        case .box: return FieldType.map(.within).schema
        case .query:
            let query = MapDescription.inQuery
            return [
                ("if", FieldTest.hasAny(query.fields.map(\.name)).schema),
                ("then", .object(FieldType.map(query).schema)),
                ("else", .object(FieldType.condition(on: .otherClass).schema)),
            ]
        case .selection: return FieldType.map(.select).schema
        }
    }
}
