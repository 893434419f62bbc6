internal import JSONValue

/// What a device's registration must look like.
///
/// Source: leancloud.md sections 2.2 and 2.6.
enum InstallationRules {
    /// The platforms of Apple's push service.
    static let applePlatforms = ["ios", "macos", "tvos", "watchos"]

    /// Checks the fields that the server itself reads.
    ///
    /// - Throws: ``RegistryError`` with code 111, 112 or 114, or 1 when the kind of device is missing.
    static func check(_ fields: [String: JSONValue]) throws(RegistryError) {
        for key in ["deviceType", "deviceToken", "installationId", "deviceProfile", "vendor", "registrationId"] {
            guard let value = fields[key], !value.isNull else { continue }
            guard let text = value.string else { throw RegistryError(.incorrectType, "'\(key)' is a text.") }
            guard text.utf8.count <= 1024 else { throw RegistryError(.incorrectType, "'\(key)' is too long.") }
        }
        if let badge = fields["badge"], !badge.isNull, badge.double == nil {
            throw RegistryError(.incorrectType, "'badge' is a number.")
        }
        if let valid = fields["valid"], valid.bool == nil {
            throw RegistryError(.incorrectType, "'valid' is true or false.")
        }
        try checkChannels(fields["channels"])
        guard let deviceType = fields["deviceType"]?.string, !deviceType.isEmpty else {
            throw RegistryError(.other, "deviceType must be specified.")
        }
        if deviceType == "ios", (fields["deviceToken"]?.string ?? "").isEmpty {
            throw RegistryError(.invalidDeviceToken, "Invalid device token.")
        }
        if deviceType == "android",
            ["installationId", "registrationId", "deviceToken"].allSatisfy({ (fields[$0]?.string ?? "").isEmpty })
        {
            throw RegistryError(.other, "installationId must be specified.")
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
