internal import Push

/// Registers devices in one transaction with a few statements, where each is a round trip to the database.
///
/// The rules are those of ``DeviceRegistration``. A batch does what is plain: it adds a device that no identifier finds,
/// and changes one that keeps its identifiers. Others have no outcome here and need a transaction of their own.
struct RegistrationBatch {
    private let db: any RegistryTransaction
    private let limit: Duration
    private let table: ObjectTable
    /// What the identifiers found, by their names.
    private var seen: [String: LookUp] = [:]
    /// The names that several rows have.
    private var ambiguous: Set<String> = []
    /// The devices to write, by their tokens.
    private var writes: [String: (index: Int, device: DeviceWrite, time: Instant)] = [:]

    /// A batch in a transaction; each registration may take so long to compute.
    init(in db: any RegistryTransaction, limit: Duration) {
        self.db = db
        self.limit = limit
        table = ObjectTable(dialect: db.dialect, className: .installation, alias: "t0")
    }

    /// Registers devices; returns the outcome of each, nil for one that was left alone.
    mutating func run(_ wanted: [DeviceRegistration]) throws -> [Result<WrittenObject, RegistryError>?] {
        var outcomes = [Result<WrittenObject, RegistryError>?](repeating: nil, count: wanted.count)
        var (claimed, names): (Set<String>, [(index: Int, own: Set<String>)]) = ([], [])
        let wantedNames = wanted.map { DeviceRegistration.names($0.members) }
        for index in wanted.indices {
            let own = Set(wantedNames[index].map { table.name(of: $0.key, $0.value) })
            // Of two that share a name the second must see what the first did.
            guard claimed.isDisjoint(with: own) else { continue }
            claimed.formUnion(own)
            names.append((index, own))
        }
        try db.hold(Array(claimed))
        try look(names.flatMap { wantedNames[$0.index] })
        for (index, own) in names where own.isDisjoint(with: ambiguous) {
            do {
                let change = try prepared(wanted[index])
                guard let device = change.device, isPlain(device, own, change.names) else { continue }
                let key = device.key
                // Two that were found by different identifiers may be one device.
                guard writes[key] == nil else { continue }
                writes[key] = (index, device, wanted[index].time)
            } catch let error as RegistryError {
                outcomes[index] = .failure(error)
            }
        }
        for (key, row) in try write() {
            guard let write = writes[key] else { continue }
            outcomes[write.index] = .success(write.device.written(in: row, at: write.time))
        }
        return outcomes
    }

    /// Looks up all identifiers, with a statement for each of their columns.
    private mutating func look(_ names: [(key: String, value: String)]) throws {
        for (key, values) in Dictionary(grouping: names, by: \.key).mapValues({ $0.map(\.value) }) {
            let isToken = key == "deviceToken"
            for value in values {
                seen[table.name(of: key, value)] = LookUp(key: key, value: value, object: nil, document: "")
            }
            let rows = try db.rows(
                """
                SELECT \(ObjectStore.columns), listed.value FROM \(db.dialect.listed)
                JOIN installation AS t0 ON t0.\(isToken ? "token" : key) = listed.value
                """, [SQLValue.texts(Set(isToken ? values.map(DeviceKey.key(of:)) : values).sorted())])
            for row in rows {
                let (value, object) = (row.text(5) ?? "", try StoredObject(row))
                let name = table.name(of: key, value)
                if seen[name]?.object != nil { ambiguous.insert(name) }
                seen[name] = LookUp(key: key, value: value, object: object, document: row.text(4) ?? "")
            }
        }
    }

    private func prepared(_ registration: DeviceRegistration) throws -> PreparedChange<WrittenObject> {
        let store = ObjectStore(
            db: db, className: .installation, access: registration.access, end: .now + limit, seen: seen)
        return try registration.prepared(in: store)
    }

    /// True if a device keeps its key, and gets no identifier of its `names` that was not looked up or that another has.
    private func isPlain(_ device: DeviceWrite, _ own: Set<String>, _ names: [String]) -> Bool {
        let known =
            device.old.map { DocumentDraft.names(of: $0.fields, table, objectID: $0.objectID) }
            ?? [table.name(of: "objectId", device.objectID)]
        return device.draft.relations.isEmpty
            && own.allSatisfy { seen[$0]?.object.map { $0.objectID == device.old?.objectID } ?? true }
            && names.allSatisfy { own.contains($0) || known.contains($0) }
            && device.old.map { DeviceKey.key($0.fields, objectID: $0.objectID) == device.key } ?? true
    }

    /// Adds the new devices, and changes the known ones that are as they were seen, all in one round trip to the database;
    /// returns the numbers of their rows, by their keys.
    ///
    /// Known ones are found by their tokens, however many have one time: an index serves no `IS NOT DISTINCT FROM`.
    private func write() throws -> [String: Int64] {
        guard !writes.isEmpty else { return [:] }
        let sorted = writes.sorted { $0.key < $1.key }
        let new = sorted.filter { $0.value.device.lookUp == nil }
        let known = sorted.compactMap { key, write in write.device.lookUp.map { (key: key, write: write, seen: $0) } }
        let forgiving = DeadTokens(db: db).forgiving(sorted.flatMap { $0.value.device.forgiven })
        let rows = try db.rows(
            """
            WITH forgiven AS (\(forgiving.sql)),
            added AS (
              INSERT INTO installation(token, objectId, createdAt, updatedAt, document)
              SELECT n.token, n.objectId, n.time, n.time, n.document::jsonb
              FROM unnest(?::text[], ?::text[], ?::bigint[], ?::text[]) AS n(token, objectId, time, document)
              RETURNING token, id),
            changed AS (
              UPDATE installation AS t0 SET updatedAt = n.time, document = n.document::jsonb
              FROM unnest((SELECT ?::text[]), ?::bigint[], ?::text[], ?::bigint[], ?::text[])
                AS n(token, time, document, seenAt, seen)
              WHERE t0.token = n.token AND t0.updatedAt IS NOT DISTINCT FROM n.seenAt AND t0.document = n.seen::jsonb
              RETURNING t0.token, t0.id)
            SELECT token, id FROM added UNION ALL SELECT token, id FROM changed
            """,
            forgiving.values + [
                SQLValue.texts(new.map(\.key)), SQLValue.texts(new.map(\.value.device.objectID)),
                SQLValue.integers(new.map(\.value.time.milliseconds)),
                SQLValue.texts(new.map(\.value.device.draft.text)),
                SQLValue.texts(known.map(\.key)), SQLValue.integers(known.map(\.write.time.milliseconds)),
                SQLValue.texts(known.map(\.write.device.draft.text)),
                SQLValue.integers(known.map { $0.seen.object?.updatedAt.milliseconds ?? 0 }),
                SQLValue.texts(known.map(\.seen.document)),
            ])
        return rows.reduce(into: [:]) { $0[$1.text(0) ?? ""] = $1.integer(1) }
    }
}

/// The row of a device as it will be, computed from what was seen.
struct DeviceWrite: Sendable {
    let draft: DocumentDraft
    let objectID: String
    /// The look-up that found the device; nil for a new one.
    let lookUp: LookUp?
    /// The tokens that are taken off the list of dead ones.
    let forgiven: [String]

    var old: StoredObject? { lookUp?.object }
    /// The primary key in PostgreSQL.
    var key: String { DeviceKey.key(draft.fields, objectID: objectID) }

    /// The device, once it is in a row.
    func written(in row: Int64, at time: Instant) -> WrittenObject {
        WrittenObject(
            object: StoredObject(
                row: row, objectID: objectID, createdAt: old?.createdAt ?? time, updatedAt: time, fields: draft.fields),
            isNew: lookUp == nil, changedKeys: draft.changedKeys)
    }
}
