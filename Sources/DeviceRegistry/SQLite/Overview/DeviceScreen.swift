internal import Base

/// A device with the newest messages that it received.
package struct DeviceScreen: Hashable, Sendable {
    /// The device.
    package let device: StoredObject
    /// The messages, the newest first.
    package let messages: [ReceivedPush]
}

extension Registry {
    /// Returns the device with this `objectId` and its newest messages, at most `limit`; `nil` when there is no such
    /// device.
    package func screen(ofDevice objectID: String, limit: Int) async throws(RegistryError) -> DeviceScreen? {
        try await read { db in
            let store = ObjectStore(db: db, className: .installation, access: .master)
            return try store.object(objectID).map { try DeviceScreen($0, limit: limit, in: db) }
        }
    }

    /// Returns up to `apple` devices on Apple's platforms and `others` on other platforms, with the newest `limit`
    /// messages each: devices that received something lately, else those written last.
    package func sampleScreens(
        apple: Int, others: Int, limit: Int
    ) async throws(RegistryError) -> [DeviceScreen] {
        try await read { db in
            let recent = """
                SELECT \(ObjectStore.columns) FROM
                (SELECT DISTINCT installation FROM (SELECT installation FROM inbox ORDER BY id DESC LIMIT 400) AS newest) AS seen
                \(db.dialect.thenJoin) installation AS t0 ON t0.id = seen.installation ORDER BY t0.id
                """
            let written = """
                SELECT \(ObjectStore.columns) FROM installation AS t0 ORDER BY t0.updatedAt DESC, t0.id DESC LIMIT 40
                """
            var chosen: [StoredObject] = []
            for sql in [recent, written] {
                for object in try db.rows(sql, []).map(StoredObject.init) {
                    let isApple = object.isApple
                    let room = isApple ? apple : others
                    if chosen.count(where: { $0.isApple == isApple }) < room, !chosen.contains(object) {
                        chosen.append(object)
                    }
                }
            }
            chosen.sort { left, right in left.isApple && !right.isApple }
            return try chosen.map { try DeviceScreen($0, limit: limit, in: db) }
        }
    }
}

extension StoredObject {
    /// True for a device of one of Apple's platforms.
    package var isApple: Bool {
        InstallationRules.applePlatforms.contains(fields["deviceType"]?.string ?? "")
    }
}

extension DeviceScreen {
    /// Reads the messages under each name that a device can have in an inbox, each name by the index.
    fileprivate init(_ device: StoredObject, limit: Int, in db: any RegistryTransaction) throws {
        let sql = """
            SELECT \(ReceivedPush.columns), inbox.id
            FROM inbox \(db.dialect.thenJoin) push ON push.id = inbox.push WHERE device = ? ORDER BY inbox.id DESC LIMIT ?
            """
        var rows: [any SQLRow] = []
        let names = [device.fields["deviceToken"]?.string, device.fields["installationId"]?.string, device.objectID]
        for name in Set(names.compactMap(\.self)) {
            rows += try db.rows(sql, [name, limit])
        }
        rows.sort { $0.number(7) > $1.number(7) }
        self.device = device
        messages = try rows.prefix(limit).map(ReceivedPush.init)
    }
}
