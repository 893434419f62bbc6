package import Base
package import Push

/// An object of another server, to be imported unchanged.
package struct TransferredObject: Hashable, Sendable {
    /// The id there, which is kept.
    package let objectID: String
    /// The time of its creation there.
    package let createdAt: Instant
    /// The time of its last write there, which counts for the three-month rule.
    package let updatedAt: Instant
    /// All other fields, including `ACL`.
    package private(set) var fields: JSONObject
    /// Invalid channel names that were dropped: with one of them no client could write to the device.
    package private(set) var droppedChannels: [String] = []
    /// Credentials of users, at any depth, that were dropped: the server keeps no accounts.
    package private(set) var droppedSecrets: [String] = []

    /// Reads an object in the form of an export or an API response; times are strings or Dates.
    ///
    /// - Throws: ``RegistryError`` with code 1 when it has no usable `objectId`, 111 when `createdAt` is missing or
    ///   invalid. Without an `updatedAt` it counts as never written after its creation.
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
        // Exports have null where API responses omit a member.
        for (key, value) in fields where value.isNull { fields[key] = nil }
        if className.isInstallation { dropChannels() }
        // Objects requested with 'include' are part of it in full.
        let kept = UserRules.withoutSecrets(.object(fields), isUsers: className == .user, dropped: &droppedSecrets)
        if let kept = kept?.object { fields = kept }
    }

    private mutating func dropChannels() {
        guard let channels = fields["channels"]?.array else { return }
        let names = channels.compactMap(\.string)
        // Other values than strings are rejected along with the other rules for devices.
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

/// The outcome for a transferred object.
package enum TransferOutcome: Hashable, Sendable {
    /// The object was new and has been added.
    case added
    /// The object was here in an older version and has been updated.
    case updated
    /// The object is here, as new or newer, and has been kept.
    case kept
    /// A newer device with its token or installation id stays instead.
    case superseded
    /// The device was dropped, since no push could reach it.
    case unreachable(RegistryError)
    /// The object violates a rule and was left out.
    case refused(RegistryError)
}

extension ChannelName {
    /// True for a valid name.
    package static func isValid(_ name: String) -> Bool {
        do throws(RegistryError) {
            try check(name)
            return true
        } catch {
            return false
        }
    }
}
