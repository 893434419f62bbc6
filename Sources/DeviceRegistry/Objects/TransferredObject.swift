package import JSONValue
package import PushModel

/// An object of another server, on its way into the registry as it is.
package struct TransferredObject: Hashable, Sendable {
    /// Its id there, which it keeps.
    package let objectID: String
    /// When it was created there.
    package let createdAt: Instant
    /// When it was last written there: the three-month rule goes by it.
    package let updatedAt: Instant
    /// Every other field, `ACL` among them.
    package private(set) var fields: JSONObject
    /// Names of channels that break the rule and were left out: with one of them no client could write to the device.
    package private(set) var droppedChannels: [String] = []
    /// Fields of users, at any depth, that let somebody sign in and were left out: the server keeps no accounts.
    package private(set) var droppedSecrets: [String] = []

    /// Reads an object as an export or an answer spells it; times are texts or Dates.
    ///
    /// - Throws: ``RegistryError`` with code 1 when it has no usable `objectId`, 111 when `createdAt` is missing or
    ///   no time. Without an `updatedAt` it counts as never written after its creation.
    package init(_ members: JSONObject, of className: ClassName = .installation) throws(RegistryError) {
        guard let id = members["objectId"]?.string, (1...64).contains(id.utf8.count), isIdentifier("_" + id) else {
            throw RegistryError(.other, "it has no 'objectId' of letters, digits and '_'")
        }
        objectID = id
        guard let created = try Self.time("createdAt", of: members) else {
            throw RegistryError(.incorrectType, "it has no 'createdAt'")
        }
        createdAt = created
        updatedAt = try Self.time("updatedAt", of: members) ?? created
        fields = members
        for key in ["objectId", "createdAt", "updatedAt", "className"] { fields[key] = nil }
        // What an export says with null, an answer leaves out.
        for (key, value) in fields where value.isNull { fields[key] = nil }
        if className.isInstallation { dropChannels() }
        if className == .user { UserRules.dropSecrets(from: &fields, into: &droppedSecrets) }
        // Whatever was asked for with 'include' stands in it whole.
        for (key, value) in fields {
            if let value = UserRules.withoutSecrets(value, dropped: &droppedSecrets) { fields[key] = value }
        }
    }

    private mutating func dropChannels() {
        guard let channels = fields["channels"]?.array else { return }
        let names = channels.compactMap(\.string)
        // Anything but texts is refused with the rest of what a device may be.
        guard names.count == channels.count else { return }
        droppedChannels = names.filter { !ChannelName.isValid($0) }
        guard !droppedChannels.isEmpty else { return }
        fields["channels"] = .array(names.filter(ChannelName.isValid).map { .string($0) })
    }

    private static func time(
        _ key: String, of members: JSONObject
    ) throws(RegistryError) -> Instant? {
        guard let value = members[key], !value.isNull else { return nil }
        let text = value["__type"]?.string == "Date" ? value["iso"]?.string : value.string
        guard let text, let time = Instant(iso: text) else {
            throw RegistryError(.incorrectType, "its '\(key)' is no time")
        }
        return time
    }
}

/// What became of an object that was transferred.
package enum TransferOutcome: Hashable, Sendable {
    /// It was not here, and is now.
    case added
    /// It was here, older, and is now as it came.
    case updated
    /// It was here, as new or newer: what is here stays.
    case kept
    /// A device that was written later has its token or installation id: that device stays.
    case superseded
    /// A device that has nothing by which a push could reach it: it is not kept.
    case unreachable(RegistryError)
    /// It breaks a rule and was left out.
    case refused(RegistryError)
}

extension ChannelName {
    /// Whether a name keeps to the rule.
    static func isValid(_ name: String) -> Bool {
        do throws(RegistryError) {
            try check(name)
            return true
        } catch {
            return false
        }
    }
}
