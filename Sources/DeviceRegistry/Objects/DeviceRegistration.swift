internal import JSONValue
internal import PushModel

/// A device that registers: a new one is added, a known one is updated.
///
/// A device is known by `objectId`, else by `installationId`, else by `deviceToken`.
/// Source: <doc:/PushModel/LeanCloudDevices#Registering>.
struct DeviceRegistration {
    let store: ObjectStore
    let members: JSONObject
    /// What `valid` is on a new Android device that does not say.
    let androidIsValid: Bool

    /// Works out what becomes of the device.
    ///
    /// - Parameter kept: the id that its app has kept, under which nothing is known.
    /// - Throws: ``RegistryError`` with code 101 when a device with such an id is known by nothing else and does not say
    ///   what it is, or what the rules refuse.
    func prepared(under kept: String? = nil, at now: Instant) throws -> PreparedChange<WrittenObject> {
        var members = members
        if let kept {
            guard ObjectID.isPlausible(kept) else {
                throw RegistryError(.other, "An objectId has 1 to 64 letters, digits and '_'.")
            }
            members["objectId"] = .string(kept)
        }
        var basis: [Sighting] = []
        for (key, value) in Self.names(members) {
            let sighting = try store.look(for: key, value)
            basis.append(sighting)
            guard let known = sighting.object else { continue }
            guard store.allows("write", known) else { throw RegistryError.forbidden }
            // An app that was installed anew on the same device has a new id and may keep its token.
            let write = try store.change(
                known, by: members, replacesInstallationID: key == "deviceToken", at: now)
            return PreparedChange(basis: basis, write: write)
        }
        if kept != nil, members["deviceType"] == nil { throw RegistryError.notFound }
        return PreparedChange(basis: basis, write: try add(members, at: now))
    }

    /// What a device may be known by, the surest first.
    private static func names(_ members: JSONObject) -> [(key: String, value: String)] {
        ["objectId", "installationId", "deviceToken"].flatMap { key -> [(key: String, value: String)] in
            guard let value = members[key]?.string, !value.isEmpty else { return [] }
            let mayBeApples = key == "deviceToken" && members["deviceType"] != "android"
            return (mayBeApples ? AppleToken.spellings(value) : [value]).map { (key, $0) }
        }
    }

    private func add(_ members: JSONObject, at now: Instant) throws -> @Sendable (ObjectStore) throws -> WrittenObject {
        var change = DocumentChange(until: store.end)
        try change.apply(members)
        change.setDefault("valid", .bool(change.fields["deviceType"] == "android" ? androidIsValid : true))
        // A device whose row was cleaned up comes back under the id that it has kept.
        let given = members["objectId"]?.string.flatMap { ObjectID.isPlausible($0) ? $0 : nil }
        return try store.addition(of: change, as: given ?? ObjectID.object(), at: now)
    }
}

extension ObjectStore {
    /// What adds an object.
    func addition(
        of change: DocumentChange, as objectID: String, at now: Instant
    ) throws -> @Sendable (ObjectStore) throws -> WrittenObject {
        let draft = try DocumentDraft(change, in: className)
        return { store in
            let object = try store.insert(draft, objectID: objectID, at: now)
            return WrittenObject(object: object, isNew: true, changedKeys: draft.changedKeys)
        }
    }

    /// What changes an object's fields by the members of a body.
    ///
    /// - Throws: ``RegistryError`` with code 117 when a device changes what it is, or what the members give.
    func change(
        _ object: StoredObject, by members: JSONObject, replacesInstallationID: Bool = false,
        at now: Instant
    ) throws -> @Sendable (ObjectStore) throws -> WrittenObject {
        var change = DocumentChange(object.fields, until: end)
        try change.apply(members)
        var forgiven: String?
        if className.isInstallation {
            try checkIdentity(object, change.fields, replacesInstallationID: replacesInstallationID)
            if let dead = try deadToken(of: object, change, by: members) {
                if let token = change.fields["deviceToken"]?.string, AppleToken.normalized(token).lowercased() == dead {
                    forgiven = dead
                }
                try change.apply(["valid": true])
            }
        }
        let draft = try DocumentDraft(change, in: className)
        return { [forgiven] store in
            if let forgiven { try DeadTokens(db: store.db).forgive(forgiven) }
            let written = try store.replace(object, with: draft, at: now)
            return WrittenObject(object: written, isNew: false, changedKeys: draft.changedKeys)
        }
    }

    /// The token of a device that was switched off because Apple declared it dead, and that has come with a token: another
    /// one, or the same, which its app can only have got from Apple anew.
    private func deadToken(
        of old: StoredObject, _ change: DocumentChange, by members: JSONObject
    ) throws -> String? {
        guard old.fields["valid"] == false, !change.changedKeys.contains("valid"), members["deviceToken"] != nil,
            let token = old.fields["deviceToken"]?.string?.lowercased(), try DeadTokens(db: db).isListed(token)
        else { return nil }
        return token
    }

    /// A device keeps its kind and its installation id; its token changes, because Apple hands out new ones.
    private func checkIdentity(
        _ old: StoredObject, _ new: JSONObject, replacesInstallationID: Bool
    ) throws {
        for key in ["deviceType", "installationId"] where !(replacesInstallationID && key == "installationId") {
            let before = old.fields[key]?.string ?? ""
            guard !before.isEmpty, new[key]?.string != before else { continue }
            // That the id is another device's matters more than that it may not change.
            if key == "installationId", let value = new[key]?.string, try first(key, value) != nil {
                throw RegistryError.valueTaken
            }
            throw RegistryError(.readOnlyKey, "The key is read only: '\(key)'.")
        }
    }
}
