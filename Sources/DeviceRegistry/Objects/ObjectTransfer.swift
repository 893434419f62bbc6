package import Base
package import Push

/// An object of another server, to be imported unchanged but for what has no meaning here.
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
        guard let id = members["objectId"]?.string, ObjectID.isPlausible(id) else {
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
        if className == .ledger { dropTies() }
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

    /// Drops what only the other server can follow up: here the push is neither received nor listed, so a delivery that
    /// was begun would be sent once more, and one that is scheduled there would be called cancelled.
    private mutating func dropTies() {
        fields["scheduledId"] = nil
        // A person can find out whether it was sent there.
        if fields["state"]?.string == DeliveryState.sending.rawValue {
            fields["state"] = .string(DeliveryState.unknown.rawValue)
        }
    }

    private static func time(_ key: String, of members: JSONObject) throws(RegistryError) -> Instant? {
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

// MARK: - Transfer

extension Registry {
    /// Imports objects of another server unchanged, ids and times included, in one transaction.
    ///
    /// Of two versions of an object the one written later stays; of two devices with one token or installation id the
    /// one written later, then the one with the greater id, as long as it exists itself: so the order of transfers does
    /// not matter, and a transfer can be repeated. `progress`, the new value of ``transferProgress(of:)``, is on disk
    /// if, and only if, the objects are; nil leaves that value unchanged.
    ///
    /// - Returns: the outcomes, in the order of the objects.
    /// - Throws: ``RegistryError`` when the database failed; then nothing was written.
    package func transfer(
        _ objects: [TransferredObject], into className: ClassName, progress: TransferProgress? = nil
    ) async throws(RegistryError) -> [TransferOutcome] {
        let drafts = objects.map { object in
            Result { () throws(RegistryError) in try object.draft(in: className) }
        }
        return try await write { db in
            let transfer = ObjectTransfer(db: db, className: className)
            // A class that is empty on the other server is created all the same.
            try db.execute("INSERT INTO class(name) VALUES (?) ON CONFLICT DO NOTHING", [className.name])
            if className.isInstallation {
                // A device that registers meanwhile may have the same token.
                let names = zip(objects, drafts).flatMap { object, draft in
                    (try? draft.get())?.names(transfer.store.table, objectID: object.objectID) ?? []
                }
                try db.hold(["transfer"] + names)
            }
            var outcomes = [TransferOutcome](repeating: .kept, count: objects.count)
            // The newest first: then each object in a chain of rivals moves only once, not with every newer one.
            for index in objects.indices.sorted(by: { objects[$0].isNewer(than: objects[$1], $0 < $1) }) {
                outcomes[index] = try transfer.take(objects[index], drafts[index])
            }
            try Self.write(progress ?? TransferProgress(name: "objects", value: true), in: db)
            return outcomes
        }
    }

    /// Returns the progress of a transfer; nil when none with this name was started in this file.
    ///
    /// - Throws: ``RegistryError`` when the database failed.
    package func transferProgress(of name: String) async throws(RegistryError) -> JSONValue? {
        try await read { db in try db.transferProgress(of: name) }
    }

    /// Returns the progress of every transfer into this file.
    ///
    /// - Throws: ``RegistryError`` when the database failed.
    package func transfers() async throws(RegistryError) -> [TransferProgress] {
        try await read { db in try db.transfers() }
    }

    /// Returns the number of transferred devices that are set aside, because a newer registration has their token or
    /// installation id.
    ///
    /// - Throws: ``RegistryError`` when the database failed.
    package func supersededDevices() async throws(RegistryError) -> Int {
        try await read { db in try db.number("SELECT COUNT(*) FROM superseded") }
    }

    /// True if objects of another server have been imported into this file.
    ///
    /// - Throws: ``RegistryError`` when the database failed.
    package func wasFilledFromElsewhere() async throws(RegistryError) -> Bool {
        try await !transfers().isEmpty
    }

    static func write(_ progress: TransferProgress, in db: any RegistryTransaction) throws {
        if db.dialect == .sqlite {
            try db.execute("CREATE TABLE IF NOT EXISTS transfer (name TEXT PRIMARY KEY, progress TEXT NOT NULL)", [])
        }
        try db.execute(
            """
            INSERT INTO transfer(name, progress) VALUES (?, ?)
            ON CONFLICT (name) DO UPDATE SET progress = excluded.progress
            """, [progress.name, progress.value.canonicalText])
    }
}

/// The progress of a transfer, stored together with its objects.
package struct TransferProgress: Hashable, Sendable {
    package let name: String
    /// The state that the transfer needs to continue.
    package let value: JSONValue

    package init(name: String, value: JSONValue) {
        self.name = name
        self.value = value
    }
}

/// Imports objects, within a transaction.
private struct ObjectTransfer {
    let db: any RegistryTransaction
    let className: ClassName

    var store: ObjectStore { ObjectStore(db: db, className: className, access: .master) }

    /// Imports one object; only a failure of the database is thrown.
    func take(_ object: TransferredObject, _ draft: Result<DocumentDraft, RegistryError>) throws -> TransferOutcome {
        do {
            return try write(object, try draft.get())
        } catch {
            guard let refusal = error as? RegistryError, !refusal.isInternal else { throw error }
            let isUnreachable = className.isInstallation && InstallationRules.unreachable(object.fields) == refusal
            return isUnreachable ? .unreachable(refusal) : .refused(refusal)
        }
    }

    private func write(_ object: TransferredObject, _ draft: DocumentDraft) throws -> TransferOutcome {
        // A statement that the database refuses would undo all the others.
        guard db.dialect == .sqlite || !JSONValue.object(draft.fields).holdsNUL else {
            throw RegistryError(.incorrectType, "a text in it holds a NUL, which PostgreSQL does not store")
        }
        let known = try known(object.objectID)
        if let known, known.updatedAt >= object.updatedAt { return .kept }
        func put() throws {
            let written =
                if let known {
                    try store.replace(known, with: draft, at: object.updatedAt)
                } else {
                    try store.insert(draft, objectID: object.objectID, at: object.updatedAt)
                }
            try db.execute("UPDATE \(table) SET createdAt = ? WHERE id = ?", [object.createdAt, written.row])
        }
        if className.isInstallation {
            guard try SupersededDevices(db: db).settle(object, draft, known, put: put) else { return .superseded }
        } else {
            try put()
        }
        return known == nil ? .added : .updated
    }

    private var table: String { store.table.name }

    /// Returns the object with an id, without its fields; the statement is prepared once for all objects.
    ///
    /// It stays as it is until the transaction ends: a registration holds the names that it sends, which need not be
    /// those of the version that is written here.
    private func known(_ objectID: String) throws -> StoredObject? {
        var sql = "SELECT id, objectId, createdAt, updatedAt FROM \(table) WHERE objectId = ?"
        var arguments: [any SQLBindable] = [objectID]
        if !className.isInstallation {
            sql += " AND class = ?"
            arguments.append(className.name)
        }
        return try db.row(sql + db.clause(.changing), arguments).map { row in
            StoredObject(
                row: row.integer(0) ?? 0, objectID: row.string(1), createdAt: row.instant(2),
                updatedAt: row.instant(3), fields: [:])
        }
    }
}

extension TransferredObject {
    /// True if it comes before the other; `isFirst` decides between equal versions of one object.
    fileprivate func isNewer(than other: TransferredObject, _ isFirst: Bool) -> Bool {
        let (mine, others) = ((updatedAt, objectID), (other.updatedAt, other.objectID))
        return mine == others ? isFirst : mine > others
    }

    fileprivate func draft(in className: ClassName) throws(RegistryError) -> DocumentDraft {
        var change = DocumentChange()
        try change.apply(fields)
        if className.isInstallation { change.setDefault("valid", true) }
        return try DocumentDraft(change, in: className)
    }
}

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
        let aside = try db.integer("SELECT updatedAt FROM superseded WHERE objectId = ?", [device.objectID])
        if let aside, aside > device.updatedAt.milliseconds { return false }
        var freed: [RivalDevice] = []
        if let known, let old = try rival("objectId", known.objectID) { freed.append(old) }
        let rivals = try rivals(of: device)
        let isBeaten = rivals.contains { $0.isNewer(than: device) }
        if isBeaten {
            try db.execute(
                """
                INSERT INTO superseded(objectId, createdAt, updatedAt, document) VALUES (?, ?, ?, ?) \(Self.replacing)
                """, [object.objectID, object.createdAt, object.updatedAt, draft.text])
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
            [SQLValue.texts(key.values), holder?.updatedAt ?? Instant(milliseconds: .min), holder?.objectID ?? ""]
        ).map(RivalDevice.init)
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
        objectID = columns.string(1)
        updatedAt = columns.instant(2)
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
