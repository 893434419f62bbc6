internal import Base
internal import CLibrary
internal import Push
internal import Synchronization

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
            return try store.change(known, basis, by: members, replacesInstallationID: key == "deviceToken", at: time)
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
            draft: draft, objectID: objectID, lookUp: nil, time: now,
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
                if Self.address(of: change.fields) == dead { forgiven = dead }
                try change.apply(["valid": true])
            }
        }
        let draft = try DocumentDraft(change, in: className)
        let (before, after) = (object.fields["deviceToken"], draft.fields["deviceToken"])
        // The clock that dated a copied object may be ahead of this one; what replaces it is newer all the same.
        let time = now < object.updatedAt ? object.updatedAt + .milliseconds(1) : now
        let device = DeviceWrite(
            draft: draft, objectID: object.objectID, lookUp: basis.last, time: time,
            forgiven: [forgiven, after == before ? nil : after?.string].compactMap(\.self))
        return PreparedChange(basis: basis, names: names(draft, object.objectID), device: device) {
            [forgiven] store in
            if let forgiven { try DeadTokens(db: store.db).forgive(forgiven) }
            let written = try store.replace(object, with: draft, at: time)
            return WrittenObject(object: written, isNew: false, changedKeys: draft.changedKeys)
        }
    }

    /// The address of a device at its service, as the list of dead ones has it.
    private static func address(of fields: JSONObject) -> String? {
        InstallationRules.deviceType(fields) == "android"
            ? PushAddress.address(of: fields)
            : fields["deviceToken"]?.string.map { AppleToken.normalized($0).lowercased() }
    }

    /// Returns the dead address of a device that was disabled for it and now sends an address: another one, or the same,
    /// which its app can only have got from its service again.
    private func deadToken(of old: StoredObject, _ change: DocumentChange, by members: JSONObject) throws -> String? {
        guard old.fields["valid"] == false, !change.changedKeys.contains("valid"),
            members["deviceToken"] != nil || members["registrationId"] != nil,
            let address = Self.address(of: old.fields), try DeadTokens(db: db).isListed(address)
        else { return nil }
        return address
    }

    /// Checks that a device keeps its type and its installation id; its token may change, because Apple issues new
    /// ones.
    private func checkIdentity(_ old: StoredObject, _ new: JSONObject, replacesInstallationID: Bool) throws {
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
    private var writes: [String: (index: Int, device: DeviceWrite)] = [:]

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
                writes[key] = (index, device)
            } catch let error as RegistryError {
                outcomes[index] = .failure(error)
            }
        }
        for (key, row) in try write() {
            guard let write = writes[key] else { continue }
            outcomes[write.index] = .success(write.device.written(in: row))
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
                let (value, object) = (row.string(5), try StoredObject(row))
                let name = table.name(of: key, value)
                if seen[name]?.object != nil { ambiguous.insert(name) }
                seen[name] = LookUp(key: key, value: value, object: object, document: row.string(4))
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
                SQLValue.integers(new.map(\.value.device.time.milliseconds)),
                SQLValue.texts(new.map(\.value.device.draft.text)),
                SQLValue.texts(known.map(\.key)), SQLValue.integers(known.map(\.write.device.time.milliseconds)),
                SQLValue.texts(known.map(\.write.device.draft.text)),
                SQLValue.integers(known.map { $0.seen.object?.updatedAt.milliseconds ?? 0 }),
                SQLValue.texts(known.map(\.seen.document)),
            ])
        return rows.reduce(into: [:]) { $0[$1.string(0)] = $1.integer(1) }
    }
}

/// The row of a device as it will be, computed from what was seen.
struct DeviceWrite: Sendable {
    let draft: DocumentDraft
    let objectID: String
    /// The look-up that found the device; nil for a new one.
    let lookUp: LookUp?
    /// The time of the write.
    let time: Instant
    /// The tokens that are taken off the list of dead ones.
    let forgiven: [String]

    var old: StoredObject? { lookUp?.object }
    /// The primary key in PostgreSQL.
    var key: String { DeviceKey.key(draft.fields, objectID: objectID) }

    /// The device, once it is in a row.
    func written(in row: Int64) -> WrittenObject {
        WrittenObject(
            object: StoredObject(
                row: row, objectID: objectID, createdAt: old?.createdAt ?? time, updatedAt: time, fields: draft.fields),
            isNew: lookUp == nil, changedKeys: draft.changedKeys)
    }
}

// MARK: - Registering

/// The registrations that wait for a transaction, which they will share.
final class RegistrationQueue: Sendable {
    typealias Outcome = Result<WrittenObject, RegistryError>

    /// A registration, and who waits for its outcome: nil for one that needs a transaction of its own.
    struct Waiting: Sendable {
        let registration: DeviceRegistration
        let answer: CheckedContinuation<Outcome?, Never>
    }

    /// Registrations that share a transaction.
    struct Transaction: Sendable {
        let number: Int
        let waiting: [Waiting]
    }

    private struct State {
        var waiting: [Waiting] = []
        /// The numbers of the transactions that are under way, and of those among them that are computed.
        var underWay: Set<Int> = []
        var computing: Set<Int> = []
        var last = 0
    }

    private let state = Mutex(State())
    /// The number of transactions that are computed at a time, for two processors each: more at once would be smaller
    /// ones, and a registration costs the database less in a larger one.
    private static let mostAtOnce = min(4, max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)) / 2))
    /// The number of transactions at a time with those on their way to the disk, which need no processor.
    private static let mostUnderWay = mostAtOnce + 2
    /// The number of registrations in a transaction, so that the first does not wait long for the last.
    private static let mostTogether = 64
    /// The size up to which a registration shares a transaction, in bytes: others wait for it.
    private static let mostBytes = 4096

    /// True for a registration that may share a transaction: it names its device, and is not large.
    static func takes(_ registration: DeviceRegistration) -> Bool {
        let body = JSONValue.object(registration.members)
        return !DeviceRegistration.names(registration.members).isEmpty && body.canonicalByteCount <= mostBytes
            && !body.holdsNUL
    }

    /// Adds a registration; returns a transaction that the caller must begin.
    func add(_ waiting: Waiting) -> Transaction? {
        state.withLock { state in
            state.waiting.append(waiting)
            return Self.next(&state)
        }
    }

    /// Notes that a transaction is computed, which a conflict makes it again.
    func isComputing(_ transaction: Transaction) {
        state.withLock { _ = $0.computing.insert(transaction.number) }
    }

    /// Notes that a transaction only waits for the disk; returns one that the caller must begin.
    func wasComputed(_ transaction: Transaction) -> Transaction? {
        state.withLock { state in
            state.computing.remove(transaction.number)
            return Self.next(&state)
        }
    }

    /// Notes that a transaction is over; returns whether it had been computed, and one that the caller must begin.
    func isOver(_ transaction: Transaction) -> (wasComputed: Bool, next: Transaction?) {
        state.withLock { state in
            state.underWay.remove(transaction.number)
            let wasComputed = state.computing.remove(transaction.number) == nil
            return (wasComputed, Self.next(&state))
        }
    }

    private static func next(_ state: inout State) -> Transaction? {
        guard !state.waiting.isEmpty, state.computing.count < mostAtOnce, state.underWay.count < mostUnderWay
        else { return nil }
        state.last += 1
        state.computing.insert(state.last)
        state.underWay.insert(state.last)
        let next = Array(state.waiting.prefix(mostTogether))
        state.waiting.removeFirst(next.count)
        return Transaction(number: state.last, waiting: next)
    }
}

extension Registry {
    /// Registers a device together with others that wait, where copies of the server share a database; nil for one that
    /// needs a transaction of its own.
    func registerTogether(_ registration: DeviceRegistration) async throws(RegistryError) -> WrittenObject? {
        guard isShared, RegistrationQueue.takes(registration) else { return nil }
        let outcome = await withCheckedContinuation { answer in
            begin(registrations.add(RegistrationQueue.Waiting(registration: registration, answer: answer)))
        }
        return try outcome?.get()
    }

    /// Registers devices in a transaction, then what waits by then.
    private func begin(_ transaction: RegistrationQueue.Transaction?) {
        guard let transaction else { return }
        // Not run by a caller's task: a cancelled one must not take the others with it.
        Task {
            let outcomes: [RegistrationQueue.Outcome?]
            do throws(RegistryError) {
                outcomes = try await register(transaction)
            } catch {
                outcomes = transaction.waiting.map { _ in .failure(error) }
            }
            let (wasComputed, next) = registrations.isOver(transaction)
            begin(next)
            for (index, waiting) in transaction.waiting.enumerated() {
                // What did not come to its commit was undone: one of them may be at fault, so each is tried alone.
                waiting.answer.resume(returning: wasComputed ? outcomes[index] : nil)
            }
        }
    }

    private func register(
        _ transaction: RegistrationQueue.Transaction
    ) async throws(RegistryError) -> [RegistrationQueue.Outcome?] {
        try await write { [self] db in
            registrations.isComputing(transaction)
            var batch = RegistrationBatch(in: db, limit: changeTimeLimit)
            let outcomes = try batch.run(transaction.waiting.map(\.registration))
            begin(registrations.wasComputed(transaction))
            return outcomes
        }
    }
}
