internal import Base

/// The keywords that look at members, elements and alternatives.
extension SchemaCheck {
    mutating func demand(_ names: JSONValue, of value: JSONValue, _ claim: Claim) {
        guard let object = value.object else { return }
        for name in (names.array ?? []).compactMap(\.string) where object[name] == nil {
            report(claim.keyword.rawValue, "'\(name)' is missing", at: claim.place)
        }
    }

    mutating func properties(_ value: JSONValue, _ claim: Claim) {
        for (name, member) in sortedMembers(value) {
            guard let rule = claim.operand[name] else { continue }
            check(member, against: rule, at: below(claim.place, name), depth: claim.depth + 1)
        }
    }

    mutating func patternProperties(_ value: JSONValue, _ claim: Claim) {
        for (pattern, rule) in sortedMembers(claim.operand) {
            for (name, member) in sortedMembers(value) where schema.finds(pattern, in: name) {
                check(member, against: rule, at: below(claim.place, name), depth: claim.depth + 1)
            }
        }
    }

    /// The members that neither `properties` nor `patternProperties` covers.
    mutating func additionalProperties(_ value: JSONValue, _ claim: Claim) {
        let known = claim.rule["properties"]?.object ?? [:]
        let patterns = (claim.rule["patternProperties"]?.object ?? [:]).keys
        for (name, member) in sortedMembers(value)
        where known[name] == nil && !patterns.contains(where: { schema.finds($0, in: name) }) {
            if claim.operand == false {
                report(claim.keyword.rawValue, "no member '\(name)' is known", at: claim.place)
            } else {
                check(member, against: claim.operand, at: below(claim.place, name), depth: claim.depth + 1)
            }
        }
    }

    /// The elements that `prefixItems` does not cover.
    mutating func items(_ value: JSONValue, _ claim: Claim) {
        let first = claim.rule["prefixItems"]?.array?.count ?? 0
        for (index, element) in (value.array ?? []).enumerated().dropFirst(first) {
            check(element, against: claim.operand, at: below(claim.place, String(index)), depth: claim.depth + 1)
        }
    }

    mutating func alternatives(_ value: JSONValue, _ claim: Claim, atMost limit: Int) {
        let outcomes = (claim.operand.array ?? []).map { faults(of: value, against: $0, claim) }
        let matching = outcomes.count(where: \.isEmpty)
        if matching == 0 {
            report(claim.keyword.rawValue, "none of the \(outcomes.count) alternatives fits", at: claim.place)
            // The alternative that fits best tells the most.
            violations += outcomes.min { $0.count < $1.count } ?? []
        } else if matching > limit {
            report(claim.keyword.rawValue, "\(matching) alternatives fit", at: claim.place)
        }
    }

    func faults(of value: JSONValue, against rule: JSONValue, _ claim: Claim) -> [SchemaViolation] {
        var inner = SchemaCheck(schema: schema)
        inner.check(value, against: rule, at: claim.place, depth: claim.depth + 1)
        return inner.violations
    }

    mutating func report(_ keyword: String, _ message: String, at place: String) {
        violations.append(SchemaViolation(place: place, keyword: keyword, message: message))
    }

    func below(_ place: String, _ name: String) -> String {
        "\(place)/\(name.replacing("~", with: "~0").replacing("/", with: "~1"))"
    }

    private func sortedMembers(_ value: JSONValue) -> [(key: String, value: JSONValue)] {
        (value.object ?? [:]).sorted { $0.key < $1.key }
    }
}
