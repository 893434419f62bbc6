internal import JSONValue
internal import PostgresClient
internal import PushModel
internal import RegistryModel

/// Copies pages of another registry, within a transaction.
struct PostgresCopy {
    private let session: PostgresSession

    init(_ session: PostgresSession) {
        self.session = session
    }

    /// Copies devices.
    ///
    /// A device that is here under another id with the same token is replaced if it was written earlier.
    func devices(_ page: [StoredObject]) throws -> PostgresRegistry.CopyFigures {
        let table = PostgresDevices(session)
        var figures = PostgresRegistry.CopyFigures()
        var incoming: [String: PostgresDevice] = [:]
        for object in page {
            guard Self.isStorable(object, &figures) else { continue }
            let device = PostgresDevice(
                key: DeviceKey.key(object.fields, objectID: object.objectID), objectID: object.objectID,
                createdAt: object.createdAt, updatedAt: object.updatedAt, fields: object.fields)
            // Two spellings of one token are one device here.
            guard incoming[device.key].map({ $0.updatedAt < device.updatedAt }) ?? true else {
                figures.kept += 1
                continue
            }
            incoming[device.key] = device
        }
        let known = try table.known(incoming.values.map(\.objectID), [], Array(incoming.keys))
        let newest = known.reduce(into: [String: Instant]()) { newest, device in
            for name in [device.key, "=" + device.objectID] {
                newest[name] = max(newest[name] ?? device.updatedAt, device.updatedAt)
            }
        }
        let wanted = incoming.values.filter { device in
            [device.key, "=" + device.objectID].allSatisfy { newest[$0].map { $0 < device.updatedAt } ?? true }
        }
        figures.kept += incoming.count - wanted.count
        let (ids, keys) = (Set(wanted.map(\.objectID)), Set(wanted.map(\.key)))
        try table.remove(known.filter { ids.contains($0.objectID) || keys.contains($0.key) }.map(\.key))
        let places = Dictionary(page.enumerated().map { ($1.objectID, $0) }) { first, _ in first }
        try table.add(wanted.sorted { places[$0.objectID] ?? 0 < places[$1.objectID] ?? 0 })
        figures.copied = wanted.count
        return figures
    }

    /// Copies objects of a class.
    func objects(_ page: [StoredObject], of className: ClassName) throws -> PostgresRegistry.CopyFigures {
        var figures = PostgresRegistry.CopyFigures()
        let wanted = page.filter { Self.isStorable($0, &figures) }
        figures.copied = try session.execute(
            """
            INSERT INTO object(class, objectId, createdAt, updatedAt, document)
            SELECT $1, o.id, o.createdAt, o.updatedAt, o.document::jsonb
            FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::text[]) AS o(id, createdAt, updatedAt, document)
            ON CONFLICT (class, objectId) DO UPDATE SET createdAt = excluded.createdAt,
              updatedAt = excluded.updatedAt, document = excluded.document
            WHERE object.updatedAt < excluded.updatedAt
            """,
            [
                .text(className.name), .texts(wanted.map(\.objectID)),
                .integers(wanted.map(\.createdAt.milliseconds)), .integers(wanted.map(\.updatedAt.milliseconds)),
                .texts(wanted.map { JSONValue.object($0.fields).canonicalText }),
            ])
        figures.kept = wanted.count - figures.copied
        return figures
    }

    /// Copies relations.
    func relations(_ page: [RelationRow]) throws {
        try session.execute(
            """
            INSERT INTO relation(ownerClass, ownerId, key, targetClass, targetId)
            SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) ON CONFLICT DO NOTHING
            """, (0..<5).map { column in .texts(page.map { $0.columns[column] }) })
    }

    private static func isStorable(_ object: StoredObject, _ figures: inout PostgresRegistry.CopyFigures) -> Bool {
        guard JSONValue.object(object.fields).holdsNUL else { return true }
        figures.refused.append(object.objectID)
        return false
    }
}
