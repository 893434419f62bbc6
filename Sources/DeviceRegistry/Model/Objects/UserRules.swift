internal import Base

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
        var found: [String] = []
        _ = withoutSecrets(.object(fields), isUsers: true, dropped: &found)
        guard let secret = found.first else { return }
        throw RegistryError(.other, "This server keeps no accounts: leave '\(secret)' out of _User.")
    }

    /// Returns the value without the credentials of users in it, at any depth; nil when there are none.
    ///
    /// With `isUsers` the value stands in a user, and everything in it is the user's. `dropped` gets the names of what was
    /// left out.
    static func withoutSecrets(
        _ value: JSONValue, isUsers: Bool = false, dropped: inout [String]
    ) -> JSONValue? {
        let before = dropped.count
        switch value {
        case .object(var members):
            let isUsers = isUsers || members["className"]?.string == ClassName.user.name
            if isUsers {
                for secret in secrets where members.removeValue(forKey: secret) != nil { dropped.append(secret) }
            }
            for (key, member) in members {
                if let member = withoutSecrets(member, isUsers: isUsers, dropped: &dropped) { members[key] = member }
            }
            return dropped.count > before ? .object(members) : nil
        case .array(var elements):
            for index in elements.indices {
                if let element = withoutSecrets(elements[index], isUsers: isUsers, dropped: &dropped) {
                    elements[index] = element
                }
            }
            return dropped.count > before ? .array(elements) : nil
        case .null, .bool, .integer, .number, .string: return nil
        }
    }
}
