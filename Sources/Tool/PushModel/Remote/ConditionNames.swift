package import JSONValue

/// What a condition on installations names that may not be there: fields, and the classes of queries within it.
package struct ConditionNames: Hashable, Sendable {
    /// The installations' own fields that it tests, each once, in order; those that every service has are left out.
    package private(set) var fields: [String] = []
    /// Of these, those whose test a device may pass that lacks the field: a typing error in one lets devices in.
    package private(set) var permissive: Set<String> = []
    /// The classes that queries within it ask, each once, in order.
    package private(set) var classes: [String] = []

    /// The fields that installations have by themselves. Source: <doc:LeanCloudDevices#Fields>.
    package static let common: Set<String> = [
        "ACL", "apnsTeamId", "apnsTopic", "badge", "channels", "createdAt", "deviceProfile", "deviceToken",
        "deviceType", "installationId", "objectId", "registrationId", "timeZone", "updatedAt", "valid", "vendor",
    ]

    /// Reads a condition.
    package init(_ condition: JSONValue) {
        collectFields(condition, isOptional: false)
        collectClasses(condition)
    }

    private mutating func collectFields(_ condition: JSONValue, isOptional: Bool) {
        for part in condition.array ?? [] { collectFields(part, isOptional: isOptional) }
        // Sorted, so that the same condition asks the same questions in the same order.
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

/// What an audience's condition names that the remote has not, so that it may not mean what it says.
package enum AudienceDoubt: Hashable, Sendable {
    /// A class that does not exist.
    case absentClass(String)
    /// A field that no installation has, and the name of one that some have and that it may be meant for.
    case absentField(String, nearest: String?)
}
