internal import DeliveryJournal
internal import JSONValue
internal import PostgresClient
internal import PushModel
internal import RegistryModel

/// A row of a device.
struct PostgresDevice {
    /// The primary key: ``/RegistryModel/DeviceKey``.
    var key: String
    var objectID: String
    var createdAt: Instant
    var updatedAt: Instant
    var fields: JSONObject
    /// The number of the row; nil for a new device.
    var row: Int64?
}

/// The rows of devices, within a transaction.
struct PostgresDevices {
    private let session: PostgresSession

    init(_ session: PostgresSession) {
        self.session = session
    }

    /// Returns the devices with one of the ids, installation ids or keys, and locks them until the transaction ends.
    func known(_ objectIDs: [String], _ installationIDs: [String], _ keys: [String]) throws -> [PostgresDevice] {
        try session.rows(
            """
            SELECT token, objectId, createdAt, updatedAt, document, id FROM installation
            WHERE token = ANY ($1::text[]) OR installationId = ANY ($2::text[]) OR objectId = ANY ($3::text[])
            ORDER BY token FOR UPDATE
            """, [.texts(keys), .texts(installationIDs), .texts(objectIDs)]
        ).map { row in
            PostgresDevice(
                key: row.text(0) ?? "", objectID: row.text(1) ?? "",
                createdAt: Instant(milliseconds: row.integer(2) ?? 0),
                updatedAt: Instant(milliseconds: row.integer(3) ?? 0),
                fields: try DeployMachine.document(row.text(4) ?? "").object ?? [:], row: row.integer(5))
        }
    }

    /// Removes the rows with these keys.
    func remove(_ keys: [String]) throws {
        guard !keys.isEmpty else { return }
        try session.execute("DELETE FROM installation WHERE token = ANY ($1::text[])", [.texts(keys)])
    }

    /// Adds rows; one that was removed before keeps its number.
    func add(_ devices: [PostgresDevice]) throws {
        for (isKnown, column) in [(false, ""), (true, ", id")] {
            let rows = try devices.filter { ($0.row != nil) == isKnown }.map { device in
                [
                    PostgresValue.text(device.key), .text(device.objectID), .integer(device.createdAt.milliseconds),
                    .integer(device.updatedAt.milliseconds), .text(try Self.document(device.fields)),
                ] + (device.row.map { [.integer($0)] } ?? [])
            }
            if rows.isEmpty { continue }
            try session.copy(rows, into: "installation(token, objectId, createdAt, updatedAt, document\(column))")
        }
    }

    /// Returns the text to store.
    ///
    /// - Throws: ``RegistryError`` with code 111 for a string with a NUL, 116 when it is too large.
    static func document(_ fields: JSONObject) throws(RegistryError) -> String {
        let value = JSONValue.object(fields)
        guard !value.holdsNUL else {
            throw RegistryError(.incorrectType, "A text holds a NUL, which PostgreSQL does not store.")
        }
        let text = value.canonicalText
        try DocumentDraft.checkSize(text.utf8.count, in: .installation)
        return text
    }

    /// Returns the tokens that Apple reported as dead; in lower case.
    func dead(among keys: [String]) throws -> Set<String> {
        Set(
            try session.rows(
                "SELECT token FROM deadToken WHERE token = ANY ($1::text[]) AND reportedAt IS NOT NULL", [.texts(keys)]
            )
            .compactMap { $0.text(0) })
    }

    /// Takes tokens off the list of dead ones: an app can only have got them from Apple.
    func forgive(_ keys: [String]) throws {
        guard !keys.isEmpty else { return }
        try session.execute("DELETE FROM deadToken WHERE token = ANY ($1::text[])", [.texts(keys)])
    }
}
