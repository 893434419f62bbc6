internal import JSONValue

/// The rules for objects of `_User`.
///
/// The server has no accounts: users only exist as targets of pointers and conditions. Credentials are rejected, so
/// that they are neither stored nor ever returned.
enum UserRules {
    /// The fields that are credentials.
    static let secrets = ["authData", "password", "salt", "sessionToken"]

    /// Checks the fields.
    ///
    /// - Throws: ``RegistryError`` with code 1.
    static func check(_ fields: JSONObject) throws(RegistryError) {
        guard let secret = secrets.first(where: { fields[$0] != nil }) else { return }
        throw RegistryError(.other, "This server keeps no accounts: leave '\(secret)' out of _User.")
    }

    /// Removes credentials, and appends their names.
    static func dropSecrets(from fields: inout JSONObject, into dropped: inout [String]) {
        for secret in secrets where fields.removeValue(forKey: secret) != nil { dropped.append(secret) }
    }

    /// Returns the value without the credentials of users in it, at any depth; nil when there are none.
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
