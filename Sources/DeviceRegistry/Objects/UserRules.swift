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
}
