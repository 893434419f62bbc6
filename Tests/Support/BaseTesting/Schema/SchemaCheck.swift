internal import Base

/// One walk over a value with its schema.
struct SchemaCheck {
    let schema: JSONSchema
    var violations: [SchemaViolation] = []

    init(schema: JSONSchema) { self.schema = schema }

    mutating func check(_ value: JSONValue, against rule: JSONValue, at place: String, depth: Int) {
        guard depth < 200 else { return report("$ref", "the schema goes round in a circle", at: place) }
        if rule == false { return report("false", "nothing may stand here", at: place) }
        guard let members = rule.object else { return }
        for (name, operand) in members.sorted(by: { $0.key < $1.key }) {
            guard let keyword = SchemaKeyword(rawValue: name) else { continue }
            let claim = Claim(keyword: keyword, operand: operand, rule: members, place: place, depth: depth)
            check(value, against: claim)
        }
    }

    /// One keyword of a schema, and what it is held against.
    struct Claim {
        let keyword: SchemaKeyword
        let operand: JSONValue
        /// All keywords beside it.
        let rule: JSONObject
        let place: String
        let depth: Int
    }

    private mutating func check(_ value: JSONValue, against claim: Claim) {
        let operand = claim.operand
        switch claim.keyword {
        case .schema, .id, .comment, .title, .description, .markdownDescription, .examples, .deprecated, .format,
            .defaultValue, .definitions:
            break
        case .then, .otherwise: break  // `if` looks at them.
        case .reference:
            guard let target = operand.string.flatMap(schema.target) else { return }
            check(value, against: target, at: claim.place, depth: claim.depth + 1)
        case .type:
            let names = (operand.array ?? [operand]).compactMap(\.string)
            expect(names.contains { SchemaType(rawValue: $0)?.includes(value) ?? false }, value, claim)
        case .values: expect(operand.array?.contains(value) ?? false, value, claim)
        case .const: expect(operand == value, value, claim)
        case .minimum: compare(value, claim) { $0 >= $1 }
        case .maximum: compare(value, claim) { $0 <= $1 }
        case .exclusiveMinimum: compare(value, claim) { $0 > $1 }
        case .exclusiveMaximum: compare(value, claim) { $0 < $1 }
        case .multipleOf: compare(value, claim) { $0.remainder(dividingBy: $1) == 0 }
        case .pattern:
            guard let text = value.string, let pattern = operand.string else { return }
            expect(schema.finds(pattern, in: text), value, claim)
        case .minLength: bound(value.string?.unicodeScalars.count, claim) { $0 >= $1 }
        case .maxLength: bound(value.string?.unicodeScalars.count, claim) { $0 <= $1 }
        case .minItems: bound(value.array?.count, claim) { $0 >= $1 }
        case .maxItems: bound(value.array?.count, claim) { $0 <= $1 }
        case .minProperties: bound(value.object?.count, claim) { $0 >= $1 }
        case .maxProperties: bound(value.object?.count, claim) { $0 <= $1 }
        case .required: demand(operand, of: value, claim)
        case .dependentRequired:
            for (name, needed) in operand.object ?? [:] where value[name] != nil { demand(needed, of: value, claim) }
        case .properties: properties(value, claim)
        case .patternProperties: patternProperties(value, claim)
        case .additionalProperties: additionalProperties(value, claim)
        case .propertyNames:
            for name in (value.object ?? [:]).keys.sorted() {
                check(.string(name), against: operand, at: below(claim.place, name), depth: claim.depth + 1)
            }
        case .items: items(value, claim)
        case .prefixItems:
            for (index, pair) in zip(value.array ?? [], operand.array ?? []).enumerated() {
                check(pair.0, against: pair.1, at: below(claim.place, String(index)), depth: claim.depth + 1)
            }
        case .uniqueItems:
            guard operand == true, let elements = value.array, Set(elements).count < elements.count else { return }
            report(claim.keyword.rawValue, "an element stands twice", at: claim.place)
        case .allOf:
            for element in operand.array ?? [] {
                check(value, against: element, at: claim.place, depth: claim.depth + 1)
            }
        case .anyOf: alternatives(value, claim, atMost: .max)
        case .oneOf: alternatives(value, claim, atMost: 1)
        case .not:
            guard faults(of: value, against: operand, claim).isEmpty else { return }
            report(claim.keyword.rawValue, "it is what it must not be", at: claim.place)
        case .condition:
            let holds = faults(of: value, against: operand, claim).isEmpty
            guard let rule = claim.rule[holds ? "then" : "else"] else { return }
            check(value, against: rule, at: claim.place, depth: claim.depth + 1)
        }
    }

    private mutating func compare(_ value: JSONValue, _ claim: Claim, _ holds: (Double, Double) -> Bool) {
        guard let number = value.double, let bound = claim.operand.double else { return }
        expect(holds(number, bound), value, claim)
    }

    private mutating func bound(_ count: Int?, _ claim: Claim, _ holds: (Int64, Int64) -> Bool) {
        guard let count, let limit = claim.operand.integer, !holds(Int64(count), limit) else { return }
        report(claim.keyword.rawValue, "\(count) against \(limit)", at: claim.place)
    }

    private mutating func expect(_ holds: Bool, _ value: JSONValue, _ claim: Claim) {
        if holds { return }
        report(claim.keyword.rawValue, "\(shown(value)) against \(shown(claim.operand))", at: claim.place)
    }

    private func shown(_ value: JSONValue) -> String {
        let text = value.canonicalText
        return text.count > 120 ? text.prefix(120) + "…" : text
    }
}
