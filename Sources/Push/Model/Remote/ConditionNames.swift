package import Base

/// The names in a condition on installations that may not exist: fields, and the classes of inner queries.
package struct ConditionNames: Hashable, Sendable {
    /// The installation fields that the condition tests, each once, in order, without those that every service has.
    package private(set) var fields: [String] = []
    /// The fields whose test a device without the field may pass: a typo in one lets devices in.
    package private(set) var permissive: Set<String> = []
    /// The classes of inner queries, each once, in order.
    package private(set) var classes: [String] = []

    /// The built-in fields of installations. Source: docs/background/leancloud/devices.md#fields.
    package static let common: Set<String> = [
        "ACL", "apnsTeamId", "apnsTopic", "badge", "channels", "createdAt", "deviceProfile", "deviceToken",
        "deviceType", "installationId", "objectId", "registrationId", "timeZone", "updatedAt", "valid", "vendor",
    ]

    /// Collects the names in a condition.
    package init(_ condition: JSONValue) {
        collectFields(condition, isOptional: false)
        collectClasses(condition)
    }

    private mutating func collectFields(_ condition: JSONValue, isOptional: Bool) {
        for part in condition.array ?? [] { collectFields(part, isOptional: isOptional) }
        // Sorted, so that the same condition always gives the same questions in the same order.
        for (key, value) in (condition.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard !key.hasPrefix("$") else {
                if key == "$and" || key == "$or" { collectFields(value, isOptional: isOptional || key == "$or") }
                continue
            }
            let field = String(key.prefix { $0 != "." })
            guard !Self.common.contains(field) else { continue }
            if !fields.contains(field) { fields.append(field) }
            if isOptional || Self.letsAbsentIn(value) { permissive.insert(field) }
        }
    }

    private static func letsAbsentIn(_ test: JSONValue) -> Bool {
        (test.object ?? [:]).contains { operation, argument in
            ["$ne", "$nin", "$notInQuery", "$dontSelect"].contains(operation)
                || operation == "$exists" && argument == false
        }
    }

    private mutating func collectClasses(_ value: JSONValue) {
        for element in value.array ?? [] { collectClasses(element) }
        for (key, member) in (value.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            let name: String? =
                switch key {
                // The short form, without `where` and `className`, leads to the class of each pointer.
                case "$inQuery", "$notInQuery": member["className"]?.string
                case "$select", "$dontSelect": member["query"]?["className"]?.string
                default: nil
                }
            if let name, !classes.contains(name) { classes.append(name) }
            collectClasses(member)
        }
    }
}

/// A name in an audience's condition that the remote does not have, so the condition may not mean what it says.
package enum AudienceDoubt: Hashable, Sendable {
    /// A class that does not exist.
    case absentClass(String)
    /// A field that no installation has, and an existing field that may have been meant.
    case absentField(String, nearest: String?)
    /// It is forgotten who was reached up to this time, although a rule looks back further: everybody is left out.
    case forgotten(Instant)
}
