internal import Base
internal import Push

/// A device registration: a new device is added, a known one is updated.
///
/// A device is identified by `objectId`, else by `installationId`, else by `deviceToken`.
/// Source: docs/background/leancloud/devices.md#registering.
struct DeviceRegistration: Sendable {
    /// The members as they were sent.
    let members: JSONObject
    let access: Access
    /// The default for `valid` on a new Android device.
    let androidIsValid: Bool
    let time: Instant

    /// Prepares the change; `kept` is the unknown id that the app has kept.
    ///
    /// - Throws: ``RegistryError`` with code 101 when a device with such an id is not found otherwise and does not give
    ///   its type, or the error of a violated rule.
    func prepared(in store: ObjectStore, under kept: String? = nil) throws -> PreparedChange<WrittenObject> {
        var members = try Registry.permitted(members, store)
        if let kept {
            guard ObjectID.isPlausible(kept) else {
                throw RegistryError(.other, "An objectId has 1 to 64 letters, digits and '_'.")
            }
            members["objectId"] = .string(kept)
        }
        var basis: [LookUp] = []
        for (key, value) in Self.names(members) {
            let lookUp = try store.look(for: key, value)
            basis.append(lookUp)
            guard let known = lookUp.object else { continue }
            guard store.allows("write", known) else { throw RegistryError.forbidden }
            // An app that was reinstalled on the same device has a new id and may keep its token.
            return try store.change(
                known, basis, by: members, replacesInstallationID: key == "deviceToken", at: time)
        }
        if kept != nil, members["deviceType"] == nil { throw Self.gone }
        return try add(members, basis, in: store)
    }

    /// The error of a change to a device that is not here and is not described.
    private static let gone = RegistryError(
        .notFound,
        "No device has this objectId: send its deviceType, and its deviceToken or installationId, and it is registered again."
    )

    /// The identifiers of a device, the most reliable first.
    static func names(_ members: JSONObject) -> [(key: String, value: String)] {
        ["objectId", "installationId", "deviceToken"].flatMap { key -> [(key: String, value: String)] in
            guard let value = members[key]?.string, !value.isEmpty else { return [] }
            let mayBeApples = key == "deviceToken" && members["deviceType"] != "android"
            return (mayBeApples ? AppleToken.spellings(value) : [value]).map { (key, $0) }
        }
    }

    private func add(
        _ members: JSONObject, _ basis: [LookUp], in store: ObjectStore
    ) throws -> PreparedChange<WrittenObject> {
        var change = DocumentChange(until: store.end)
        try change.apply(members)
        change.setDefault("valid", .bool(change.fields["deviceType"] == "android" ? androidIsValid : true))
        // A device whose row was cleaned up returns under the id that it has kept.
        let given = members["objectId"]?.string.flatMap { ObjectID.isPlausible($0) ? $0 : nil }
        return try store.addition(of: change, basis, as: given ?? ObjectID.object(), at: time)
    }
}

extension ObjectStore {
    /// Returns the operation that adds an object; it is based on some look-ups.
    func addition(
        of change: DocumentChange, _ basis: [LookUp] = [], as objectID: String, at now: Instant
    ) throws -> PreparedChange<WrittenObject> {
        let draft = try DocumentDraft(change, in: className)
        let device = DeviceWrite(
            draft: draft, objectID: objectID, lookUp: nil,
            forgiven: [draft.fields["deviceToken"]?.string].compactMap(\.self))
        return PreparedChange(basis: basis, names: names(draft, objectID), device: device) { store in
            let object = try store.insert(draft, objectID: objectID, at: now)
            return WrittenObject(object: object, isNew: true, changedKeys: draft.changedKeys)
        }
    }

    /// The identifiers that a device will have.
    private func names(_ draft: DocumentDraft, _ objectID: String) -> [String] {
        className.isInstallation ? draft.names(table, objectID: objectID) : []
    }

    /// Returns the operation that changes an object's fields by the members of a body; it is based on some look-ups.
    ///
    /// - Throws: ``RegistryError`` with code 117 when a device changes its identity, or the error of an invalid member.
    func change(
        _ object: StoredObject, _ basis: [LookUp], by members: JSONObject, replacesInstallationID: Bool = false,
        at now: Instant
    ) throws -> PreparedChange<WrittenObject> {
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
        let (before, after) = (object.fields["deviceToken"], draft.fields["deviceToken"])
        let device = DeviceWrite(
            draft: draft, objectID: object.objectID, lookUp: basis.last,
            forgiven: [forgiven, after == before ? nil : after?.string].compactMap(\.self))
        return PreparedChange(basis: basis, names: names(draft, object.objectID), device: device) {
            [forgiven] store in
            if let forgiven { try DeadTokens(db: store.db).forgive(forgiven) }
            let written = try store.replace(object, with: draft, at: now)
            return WrittenObject(object: written, isNew: false, changedKeys: draft.changedKeys)
        }
    }

    /// Returns the dead token of a device that was disabled for it and now sends a token: another one, or the same,
    /// which its app can only have got from Apple again.
    private func deadToken(
        of old: StoredObject, _ change: DocumentChange, by members: JSONObject
    ) throws -> String? {
        guard old.fields["valid"] == false, !change.changedKeys.contains("valid"), members["deviceToken"] != nil,
            let token = old.fields["deviceToken"]?.string?.lowercased(), try DeadTokens(db: db).isListed(token)
        else { return nil }
        return token
    }

    /// Checks that a device keeps its type and its installation id; its token may change, because Apple issues new
    /// ones.
    private func checkIdentity(
        _ old: StoredObject, _ new: JSONObject, replacesInstallationID: Bool
    ) throws {
        for key in ["deviceType", "installationId"] where !(replacesInstallationID && key == "installationId") {
            func text(_ fields: JSONObject) -> String {
                (key == "deviceType" ? InstallationRules.deviceType(fields) : fields[key]?.string) ?? ""
            }
            guard !text(old.fields).isEmpty, text(new) != text(old.fields) else { continue }
            // That the id belongs to another device is more important than that it is read-only.
            if key == "installationId", let value = new[key]?.string, try first(key, value) != nil {
                throw RegistryError.valueTaken
            }
            throw RegistryError(.readOnlyKey, "The key is read only: '\(key)'.")
        }
    }
}
