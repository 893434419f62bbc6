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
