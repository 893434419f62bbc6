internal import Base
package import Push

extension Workspace {
    /// The classes other than devices used in conditions of segments and campaigns: without their objects no device
    /// matches.
    package var pointedClasses: Set<String> {
        var classes: Set<String> = []
        for condition in segments.map(\.condition) + campaigns.compactMap(\.audience.condition) {
            collectClasses(in: condition, into: &classes)
        }
        return classes
    }
}

/// Collects the classes other than devices used in a condition, or in a value that contains conditions.
func collectClasses(in value: JSONValue, into classes: inout Set<String>) {
    switch value {
    case .object(let members):
        for (key, member) in members {
            if let name = pointedClass(key, member), name != "_Installation" { classes.insert(name) }
            collectClasses(in: member, into: &classes)
        }
    case .array(let elements): for element in elements { collectClasses(in: element, into: &classes) }
    case .null, .bool, .integer, .number, .string: break
    }
}

private func pointedClass(_ key: String, _ argument: JSONValue) -> String? {
    switch key {
    // The short form is the condition itself, and queries users.
    case "$inQuery", "$notInQuery": argument["className"]?.string ?? "_User"
    case "$select", "$dontSelect": argument["query"]?["className"]?.string
    case "$relatedTo": argument["object"]?["className"]?.string
    default: nil
    }
}
