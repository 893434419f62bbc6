internal import JSONValue

/// A device that registers: a new one is added, a known one is updated.
///
/// A device is known by `objectId`, else by `installationId`, else by `deviceToken`. Source: leancloud.md section 2.3.
struct DeviceRegistration {
    let store: ObjectStore
    let members: [String: JSONValue]
    /// What `valid` is on a new Android device that does not say.
    let androidIsValid: Bool

    /// Writes the device.
    func run(at now: Timestamp) throws -> WrittenObject {
        guard let (known, key) = try knownDevice() else { return try add(at: now) }
        guard store.allows("write", known) else { throw RegistryError.forbidden }
        // An app that was installed anew on the same device has a new id and may keep its token.
        return try store.write(members, to: known, replacesInstallationID: key == "deviceToken", at: now)
    }

    private func add(at now: Timestamp) throws -> WrittenObject {
        var change = DocumentChange()
        try change.apply(members)
        change.setDefault("valid", .bool(change.fields["deviceType"] == "android" ? androidIsValid : true))
        // A device whose row was cleaned up comes back under the id that it has kept.
        let given = members["objectId"]?.string.flatMap { ObjectID.isPlausible($0) ? $0 : nil }
        let object = try store.insert(change, objectID: given ?? ObjectID.object(), at: now)
        return WrittenObject(object: object, isNew: true, changedKeys: change.changedKeys)
    }

    private func knownDevice() throws -> (StoredObject, key: String)? {
        for key in ["objectId", "installationId", "deviceToken"] {
            guard let value = members[key]?.string, !value.isEmpty else { continue }
            if let object = try store.first(key, value) { return (object, key) }
        }
        return nil
    }
}

extension ObjectStore {
    /// Changes an object's fields by the members of a body.
    ///
    /// - Throws: ``RegistryError`` with code 117 when a device changes what it is, or what the members give.
    func write(
        _ members: [String: JSONValue], to object: StoredObject, replacesInstallationID: Bool = false,
        at now: Timestamp
    ) throws -> WrittenObject {
        var change = DocumentChange(object.fields)
        try change.apply(members)
        if className.isInstallation {
            try checkIdentity(object, change.fields, replacesInstallationID: replacesInstallationID)
            if try isRevived(object, change, by: members) { try change.apply(["valid": true]) }
        }
        let written = try replace(object, with: change, at: now)
        return WrittenObject(object: written, isNew: false, changedKeys: change.changedKeys)
    }

    /// Whether a device that was switched off because Apple declared its token dead has come with a token: another one, or
    /// the same, which its app can only have got from Apple anew.
    private func isRevived(
        _ old: StoredObject, _ change: DocumentChange, by members: [String: JSONValue]
    ) throws -> Bool {
        guard old.fields["valid"] == false, !change.changedKeys.contains("valid"), members["deviceToken"] != nil,
            let token = old.fields["deviceToken"]?.string?.lowercased(), try DeadTokens(db: db).isListed(token)
        else { return false }
        if change.fields["deviceToken"]?.string?.lowercased() == token { try DeadTokens(db: db).forgive(token) }
        return true
    }

    /// A device keeps its kind and its installation id; its token changes, because Apple hands out new ones.
    private func checkIdentity(
        _ old: StoredObject, _ new: [String: JSONValue], replacesInstallationID: Bool
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
