package import Base

/// The rules for a device's registration.
///
/// Source: docs/background/leancloud/devices.md#fields, docs/background/leancloud/devices.md#channels.
package enum InstallationRules {
    /// The platforms of Apple's push service.
    package static let applePlatforms = ["ios", "macos", "tvos", "watchos"]
    /// The maximum number of days since a device was last seen; others get no push.
    package static let freshnessInDays: Int64 = 90
    /// The platforms as an SQL list.
    package static let appleList = applePlatforms.map { "'\($0)'" }.joined(separator: ", ")

    /// The type of a device as it is kept: Objective-C's SDK called `macos` `osx` before its version 12.
    package static func deviceType(_ fields: JSONObject) -> String? {
        fields["deviceType"]?.string.map { $0 == "osx" ? "macos" : $0 }
    }

    private static func isApple(_ fields: JSONObject) -> Bool {
        deviceType(fields).map(applePlatforms.contains) ?? false
    }

    private static let texts = [
        "apnsTeamId", "apnsTopic", "deviceProfile", "deviceToken", "deviceType", "installationId", "registrationId",
        "timeZone", "vendor",
    ]

    /// Returns the fields with a normalized type and token, after checking those that the server itself reads.
    ///
    /// - Throws: ``RegistryError`` with code 111, 112 or 114, or 1 when the device type is missing or the profile's
    ///   name is invalid.
    package static func checked(_ given: JSONObject) throws(RegistryError) -> JSONObject {
        var fields = given
        if let type = deviceType(given) { fields["deviceType"] = .string(type) }
        let isApple = isApple(given)
        if isApple, let token = given["deviceToken"]?.string {
            let normal = AppleToken.normalized(token)
            if normal != token { fields["deviceToken"] = .string(normal) }
        }
        try check(fields, isApple: isApple)
        return fields
    }

    private static func check(_ fields: JSONObject, isApple: Bool) throws(RegistryError) {
        for key in texts { try checkText(fields[key], key) }
        try checkProfile(fields["deviceProfile"]?.string ?? "")
        if let badge = fields["badge"], !badge.isNull {
            guard let number = badge.integer, Int32(exactly: number) != nil else {
                throw RegistryError(.incorrectType, "'badge' is a whole number of 32 bits.")
            }
        }
        if let valid = fields["valid"], valid.bool == nil {
            throw RegistryError(.incorrectType, "'valid' is true or false.")
        }
        try checkChannels(fields["channels"])
        guard !(fields["deviceType"]?.string ?? "").isEmpty else {
            throw RegistryError(.other, "deviceType must be specified.")
        }
        if let refusal = unreachable(fields, isApple: isApple) { throw refusal }
    }

    /// Returns the reason why no push could ever reach a device; nil when one could.
    package static func unreachable(_ fields: JSONObject) -> RegistryError? {
        unreachable(fields, isApple: isApple(fields))
    }

    private static func unreachable(_ fields: JSONObject, isApple: Bool) -> RegistryError? {
        let token = fields["deviceToken"]?.string ?? ""
        if isApple, token.isEmpty || AppleToken.isDescription(token) {
            return RegistryError(.invalidDeviceToken, "Invalid device token.")
        }
        if fields["deviceType"]?.string == "android",
            ["installationId", "registrationId", "deviceToken"].allSatisfy({ (fields[$0]?.string ?? "").isEmpty })
        {
            return RegistryError(.other, "installationId must be specified.")
        }
        return nil
    }

    private static func checkText(_ value: JSONValue?, _ key: String) throws(RegistryError) {
        guard let value, !value.isNull else { return }
        guard let text = value.string else { throw RegistryError(.incorrectType, "'\(key)' is a text.") }
        guard text.utf8.count <= 1024, !text.utf8.contains(0) else {
            throw RegistryError(.incorrectType, "'\(key)' has up to 1024 bytes, none of them NUL.")
        }
    }

    /// Checks that a profile's name is empty, or a letter followed by letters, digits and `_`.
    private static func checkProfile(_ name: String) throws(RegistryError) {
        guard name.isEmpty || (isIdentifier(name) && !name.hasPrefix("_")) else {
            throw RegistryError(
                .other, "Invalid deviceProfile. It is empty, or starts with a letter and has only a-zA-Z0-9_.")
        }
    }

    private static func checkChannels(_ value: JSONValue?) throws(RegistryError) {
        guard let value, !value.isNull else { return }
        guard let channels = value.array else { throw RegistryError(.incorrectType, "'channels' is a list.") }
        for channel in channels {
            guard let name = channel.string else { throw RegistryError(.invalidChannel, "A channel's name is a text.") }
            try ChannelName.check(name)
        }
    }
}

/// The primary key of devices in PostgreSQL: the token in lower case, or the id of a device without a token.
package enum DeviceKey {
    /// The prefix of the key of a device without a token; no token begins with it.
    package static let noToken = "-"

    /// Returns the key of a device with these fields.
    package static func key(_ fields: JSONObject, objectID: String) -> String {
        let token = fields["deviceToken"]?.string ?? ""
        return token.isEmpty ? noToken + objectID : AppleToken.lowercased(token)
    }

    /// Returns the key of a device for a client's spelling of its token.
    package static func key(of token: String) -> String { AppleToken.lowercased(AppleToken.normalized(token)) }
}

extension DocumentDraft {
    /// The identifiers that a device will have, under which changes to it are held: see ``ObjectTable/name(of:_:)``.
    package func names(_ table: ObjectTable, objectID: String) -> [String] {
        Self.names(of: fields, table, objectID: objectID)
    }

    /// The identifiers of a device with these fields, as ``names(_:objectID:)``.
    package static func names(of fields: JSONObject, _ table: ObjectTable, objectID: String) -> [String] {
        ["installationId", "deviceToken"].compactMap { key in
            fields[key]?.string.flatMap { $0.isEmpty ? nil : table.name(of: key, $0) }
        } + [table.name(of: "objectId", objectID)]
    }
}

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
    static func withoutSecrets(_ value: JSONValue, isUsers: Bool = false, dropped: inout [String]) -> JSONValue? {
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
