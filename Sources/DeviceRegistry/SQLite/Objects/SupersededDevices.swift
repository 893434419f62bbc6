internal import Base
internal import Push

/// Transferred devices that gave way to a newer registration with their token or installation id.
///
/// They are set aside in full, and restored once no newer device has either. So the result depends only on the newest
/// version of each transferred device, never on the order of the transfers.
struct SupersededDevices {
    let db: any RegistryTransaction

    private var store: ObjectStore { ObjectStore(db: db, className: .installation, access: .master) }

    /// Writes a device that is newer than its version here, `known`, unless a newer rival exists.
    ///
    /// `put` writes it into the registry.
    ///
    /// - Returns: true if the device was written.
    func settle(
        _ object: TransferredObject, _ draft: DocumentDraft, _ known: StoredObject?, put: () throws -> Void
    ) throws -> Bool {
        let device = RivalDevice(object, draft)
        if let aside = try version(of: device.objectID), aside > device.updatedAt { return false }
        var freed: [RivalDevice] = []
        if let known, let old = try rival("objectId", known.objectID) { freed.append(old) }
        let rivals = try rivals(of: device)
        let isBeaten = rivals.contains { $0.isNewer(than: device) }
        if isBeaten {
            try add(object, draft)
            if let known { try store.remove(known) }
        } else {
            for rival in rivals { try setAside(rival) }
            try put()
            try forget(device)
            freed += rivals
        }
        try bringBack(whatGaveWayTo: freed)
        return !isBeaten
    }

    /// Restores devices that gave way to ones that have left the registry, or their token or id.
    private func bringBack(whatGaveWayTo devices: [RivalDevice]) throws {
        var freed = devices.flatMap(\.keys)
        while let key = freed.popLast() {
            for device in try waiting(for: key) {
                let rivals = try rivals(of: device)
                if rivals.contains(where: { $0.isNewer(than: device) }) { continue }
                for rival in rivals { try setAside(rival) }
                try putBack(device)
                freed += rivals.flatMap(\.keys)
                // All others that wait for this key are older.
                break
            }
        }
    }

    // MARK: Registered devices

    /// Returns registered devices with the same token or installation id.
    private func rivals(of device: RivalDevice) throws -> [RivalDevice] {
        var found: [RivalDevice] = []
        for key in device.keys {
            for other in try holders(of: key) where other.objectID != device.objectID && !found.contains(other) {
                found.append(other)
            }
        }
        return found
    }

    /// Returns the devices with a token or an installation id; other spellings only count for Apple devices.
    private func holders(of key: RivalDevice.Key) throws -> [RivalDevice] {
        try key.values.enumerated().compactMap { index, value in
            try rival(key.column, value, index == 0 ? "" : " AND deviceType IN (\(InstallationRules.appleList))")
        }
    }

    /// Returns the device with a value in a column; the statement is prepared once for all.
    private func rival(_ column: String, _ value: String, _ clause: String = "") throws -> RivalDevice? {
        let identity = store.table.identity(column, value)
        let sql = "SELECT \(RivalDevice.columns("id")) FROM installation AS t0 WHERE \(identity.sql)" + clause
        return try db.row(sql, identity.values).map(RivalDevice.init)
    }

    // MARK: Devices set aside

    private static let replacing = """
        ON CONFLICT (objectId) DO UPDATE SET createdAt = excluded.createdAt, updatedAt = excluded.updatedAt,
          document = excluded.document
        """

    private func version(of objectID: String) throws -> Instant? {
        let sql = "SELECT updatedAt FROM superseded WHERE objectId = ?"
        return try db.integer(sql, [objectID]).map(Instant.init(milliseconds:))
    }

    /// Returns the devices that wait for a token or an installation id and are newer than its holder, the newest first.
    private func waiting(for key: RivalDevice.Key) throws -> [RivalDevice] {
        let holder = try holders(of: key).max { $1.isNewer(than: $0) }
        let sql = """
            SELECT \(RivalDevice.columns("0")) FROM superseded
            WHERE \(key.column) \(db.dialect.isOneOf) AND (updatedAt, objectId) > (?, ?)
            AND NOT EXISTS (SELECT 1 FROM installation WHERE installation.objectId = superseded.objectId)
            ORDER BY updatedAt DESC, objectId DESC
            """
        return try db.rows(
            sql,
            [
                SQLValue.texts(key.values), holder?.updatedAt ?? Instant(milliseconds: .min), holder?.objectID ?? "",
            ]
        ).map(RivalDevice.init)
    }

    private func add(_ object: TransferredObject, _ draft: DocumentDraft) throws {
        try db.execute(
            "INSERT INTO superseded(objectId, createdAt, updatedAt, document) VALUES (?, ?, ?, ?) \(Self.replacing)",
            [object.objectID, object.createdAt, object.updatedAt, draft.text])
    }

    private func forget(_ device: RivalDevice) throws {
        try db.execute("DELETE FROM superseded WHERE objectId = ?", [device.objectID])
    }

    /// Moves a device out of the registry.
    private func setAside(_ device: RivalDevice) throws {
        try db.execute(
            """
            INSERT INTO superseded(objectId, createdAt, updatedAt, document)
            SELECT objectId, createdAt, updatedAt, document FROM installation WHERE objectId = ? \(Self.replacing)
            """, [device.objectID])
        try store.remove(
            StoredObject(
                row: device.row, objectID: device.objectID, createdAt: device.updatedAt, updatedAt: device.updatedAt,
                fields: [:]))
    }

    /// Moves a device into the registry.
    private func putBack(_ device: RivalDevice) throws {
        let (columns, values) =
            switch db.dialect {
            case .sqlite: ("id", ObjectStore.nextInstallation)
            case .postgres:
                ("token", "coalesce(lower(deviceToken COLLATE \"C\"), '\(DeviceKey.noToken)' || objectId)")
            }
        try db.execute(
            """
            INSERT INTO installation(\(columns), objectId, createdAt, updatedAt, document)
            SELECT \(values), objectId, createdAt, updatedAt, document FROM superseded WHERE objectId = ?
            """, [device.objectID])
        try forget(device)
    }
}

/// The parts of a device that matter for rivalry.
struct RivalDevice: Hashable {
    /// A value that only one device may have.
    struct Key: Hashable {
        let column: String
        /// The possible spellings, the canonical one first.
        let values: [String]
    }

    /// The row in the table that holds it.
    let row: Int64
    let objectID: String
    let updatedAt: Instant
    let keys: [Key]

    /// The columns to read, of which `row` is the first.
    static func columns(_ row: String) -> String {
        "\(row), objectId, updatedAt, deviceType, deviceToken, installationId"
    }

    init(_ columns: any SQLRow) {
        row = columns.integer(0) ?? 0
        objectID = columns.text(1) ?? ""
        updatedAt = columns.time(2) ?? Instant(milliseconds: 0)
        keys = Self.keys(columns.text(3), columns.text(4), columns.text(5))
    }

    init(_ object: TransferredObject, _ draft: DocumentDraft) {
        row = 0
        objectID = object.objectID
        updatedAt = object.updatedAt
        func text(_ key: String) -> String? { draft.fields[key]?.string.flatMap { $0.isEmpty ? nil : $0 } }
        keys = Self.keys(text("deviceType"), text("deviceToken"), text("installationId"))
    }

    private static func keys(_ type: String?, _ token: String?, _ installationID: String?) -> [Key] {
        let isApple = type.map(InstallationRules.applePlatforms.contains) ?? false
        return [
            token.map { Key(column: "deviceToken", values: isApple ? AppleToken.spellings($0) : [$0]) },
            installationID.map { Key(column: "installationId", values: [$0]) },
        ].compactMap(\.self)
    }

    /// True if it stays and the other gives way.
    func isNewer(than other: RivalDevice) -> Bool { (updatedAt, objectID) > (other.updatedAt, other.objectID) }
}
