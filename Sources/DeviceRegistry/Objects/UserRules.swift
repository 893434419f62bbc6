internal import JSONValue

/// What an object of `_User` must not hold.
///
/// The server has no accounts: users are there so that pointers lead to them and conditions ask for them. Whatever lets
/// somebody sign in is refused, so that it is neither kept nor ever answered.
enum UserRules {
    /// What lets somebody sign in.
    static let secrets = ["authData", "password", "salt", "sessionToken"]

    /// Checks the fields.
    ///
    /// - Throws: ``RegistryError`` with code 1.
    static func check(_ fields: JSONObject) throws(RegistryError) {
        guard let secret = secrets.first(where: { fields[$0] != nil }) else { return }
        throw RegistryError(.other, "This server keeps no accounts: leave '\(secret)' out of _User.")
    }

    /// Leaves out what lets somebody sign in, and adds its names.
    static func dropSecrets(from fields: inout JSONObject, into dropped: inout [String]) {
        for secret in secrets where fields.removeValue(forKey: secret) != nil { dropped.append(secret) }
    }

    /// A value without what lets users sign in that stand in it, at any depth; nil when there is none.
    static func withoutSecrets(_ value: JSONValue, dropped: inout [String]) -> JSONValue? {
        let before = dropped.count
        switch value {
        case .object(var members):
            if members["className"]?.string == ClassName.user.name {
                dropSecrets(from: &members, into: &dropped)
            }
            for (key, member) in members {
                if let member = withoutSecrets(member, dropped: &dropped) { members[key] = member }
            }
            return dropped.count > before ? .object(members) : nil
        case .array(var elements):
            for index in elements.indices {
                if let element = withoutSecrets(elements[index], dropped: &dropped) { elements[index] = element }
            }
            return dropped.count > before ? .array(elements) : nil
        case .null, .bool, .integer, .number, .string: return nil
        }
    }
}
