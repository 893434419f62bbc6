internal import JSONValue
internal import PostgresClient
internal import PushModel
internal import RegistryModel

/// Registers devices, within a transaction: new ones are added, known ones are updated.
///
/// A device is identified by `objectId`, else by `installationId`, else by `deviceToken`.
/// Source: docs/background/leancloud/devices.md#registering. The rules are those of `DeviceRegistration`; many devices
/// take only a few statements.
struct PostgresRegistration {
    private let table: PostgresDevices
    private let now: Instant
    /// The devices, existing or to be written, by `objectId`.
    private var devices: [String: PostgresDevice] = [:]
    private var byInstallation: [String: String] = [:]
    private var byKey: [String: String] = [:]
    /// The keys of the existing rows, by `objectId`.
    private var stored: [String: String] = [:]
    private var changed: Set<String> = []
    private var greeted: Set<String> = []
    private var dead: Set<String> = []

    /// Looks up the known devices.
    init(_ documents: [JSONObject], in session: PostgresSession, at now: Instant) throws {
        table = PostgresDevices(session)
        self.now = now
        func texts(_ key: String) -> [String] {
            // A value with a NUL is rejected by its rule, not by the look-up.
            documents.compactMap { $0[key]?.string }.filter { !$0.isEmpty && !$0.utf8.contains(0) }
        }
        let known = try table.known(
            texts("objectId"), texts("installationId"), texts("deviceToken").map(DeviceKey.key(of:)))
        for device in known {
            stored[device.objectID] = device.key
            keep(device)
        }
        dead = try table.dead(among: known.map(\.key))
    }

    /// Registers one device.
    ///
    /// - Throws: ``RegistryError`` for a violated rule.
    mutating func take(_ members: JSONObject) throws(RegistryError) {
        guard let (old, isByToken) = known(members) else { return try add(members) }
        var change = DocumentChange(old.fields)
        try change.apply(members)
        try checkIdentity(old, change.fields, isByToken: isByToken)
        // The token, whatever it is, can only have been issued by Apple after the old one was declared dead.
        if old.fields["valid"] == false, !change.changedKeys.contains("valid"), members["deviceToken"] != nil,
            dead.contains(old.key)
        {
            try change.apply(["valid": true])
            greeted.insert(DeviceKey.key(change.fields, objectID: old.objectID))
        }
        var device = old
        (device.fields, device.updatedAt) = (change.fields, now)
        try write(&device, change)
        forget(old)
        keep(device)
    }

    /// Writes the changes.
    func finish() throws {
        let changed = changed.sorted()
        try table.remove(changed.compactMap { stored[$0] })
        try table.add(changed.compactMap { devices[$0] })
        try table.forgive(greeted.sorted())
    }

    private mutating func add(_ members: JSONObject) throws(RegistryError) {
        var change = DocumentChange()
        try change.apply(members)
        change.setDefault("valid", true)
        let given = members["objectId"]?.string.flatMap { ObjectID.isPlausible($0) ? $0 : nil }
        var device = PostgresDevice(
            key: "", objectID: given ?? ObjectID.object(), createdAt: now, updatedAt: now, fields: change.fields)
        try write(&device, change)
        keep(device)
    }

    private mutating func write(_ device: inout PostgresDevice, _ change: DocumentChange) throws(RegistryError) {
        device.fields = try InstallationRules.checked(device.fields)
        guard change.relations.isEmpty else {
            throw RegistryError(.incorrectType, "A device that registers here has no relations.")
        }
        _ = try PostgresDevices.document(device.fields)
        let key = DeviceKey.key(device.fields, objectID: device.objectID)
        if let other = byKey[key], other != device.objectID { throw RegistryError.valueTaken }
        if key != device.key { greeted.insert(key) }
        device.key = key
        changed.insert(device.objectID)
    }

    private func known(_ members: JSONObject) -> (PostgresDevice, isByToken: Bool)? {
        let id = members["objectId"]?.string
        let installation = members["installationId"]?.string.flatMap { byInstallation[$0] }
        if let device = id.flatMap({ devices[$0] }) ?? installation.flatMap({ devices[$0] }) { return (device, false) }
        let token = members["deviceToken"]?.string ?? ""
        guard !token.isEmpty, let owner = byKey[DeviceKey.key(of: token)], let device = devices[owner] else {
            return nil
        }
        return (device, true)
    }

    /// Checks that a device keeps its type and its installation id; a reinstalled app may keep its token.
    private func checkIdentity(
        _ old: PostgresDevice, _ new: JSONObject, isByToken: Bool
    ) throws(RegistryError) {
        if let id = new["installationId"]?.string, let owner = byInstallation[id], owner != old.objectID {
            throw RegistryError.valueTaken
        }
        for key in ["deviceType", "installationId"] where !(isByToken && key == "installationId") {
            let before = old.fields[key]?.string ?? ""
            guard !before.isEmpty, new[key]?.string != before else { continue }
            throw RegistryError(.readOnlyKey, "The key is read only: '\(key)'.")
        }
    }

    private mutating func keep(_ device: PostgresDevice) {
        devices[device.objectID] = device
        byKey[device.key] = device.objectID
        if let id = device.fields["installationId"]?.string, !id.isEmpty { byInstallation[id] = device.objectID }
    }

    private mutating func forget(_ device: PostgresDevice) {
        byKey[device.key] = nil
        if let id = device.fields["installationId"]?.string { byInstallation[id] = nil }
    }
}
