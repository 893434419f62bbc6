internal import Base
internal import Push

/// The rows of one table in both registries after a copy.
package struct CopiedCount: Hashable, Sendable {
    package let table: String
    /// The number of rows in the source.
    package let source: Int
    /// The number of rows here.
    package let copied: Int
    /// The number of rows that are not meant to be here: in PostgreSQL texts with a NUL and second spellings of a
    /// token, in a file the claims of servers.
    package let leftOut: Int

    /// True if every row is accounted for.
    package var isComplete: Bool { source == copied + leftOut }
}

extension Registry {
    /// Copies everything of another registry into this one, with ids, numbers and times: devices, objects, pushes, and
    /// the data of applies.
    ///
    /// Nothing may use either registry meanwhile, which is checked at the beginning as far as the databases tell. The
    /// progress is written together with the rows, so a copy that was interrupted is continued by the next one; until
    /// then nothing else may use the target. Learnt anew are the tokens that Apple has accepted before, and who is
    /// logged in to the console. A copy from PostgreSQL into a file does not tell how often devices were reached that
    /// are removed, unless they came from a file.
    ///
    /// - Parameters:
    ///   - source: the registry to copy.
    ///   - progress: called with a table and the number of its rows read in this run.
    /// - Returns: the rows of each table in both registries.
    /// - Throws: ``RegistryError`` when this registry is neither empty nor the copy of that one, either is in use, or a
    ///   database failed.
    package func copy(
        everythingOf source: Registry, progress: @Sendable (String, Int) -> Void = { _, _ in }
    ) async throws(RegistryError) -> [CopiedCount] {
        try await source.checkIsUnused(as: "source")
        try await checkIsUnused(as: "target")
        let origin = try await source.read { try CopyWriter.identity(in: $0) }
        var state = try await copyState(from: origin)
        while state.table < CopiedTable.all.count {
            let table = CopiedTable.all[state.table]
            var read = 0
            while true {
                let page = try await source.read { [state] db in try table.page(after: state.after, in: db) }
                read += page.rows.count
                progress(table.name, read)
                state = try await write { [state] db in
                    var next = state
                    next.leftOut[table.name, default: 0] += try CopyWriter(db: db).write(page, into: table)
                    (next.table, next.after) = page.last == nil ? (state.table + 1, nil) : (state.table, page.last)
                    try next.save(in: db)
                    return next
                }
                if page.last == nil { break }
            }
        }
        if !state.isDone {
            let (last, transfers) = try await source.read { db in
                (try CopyWriter.lastNumbers(in: db), try db.transfers())
            }
            state.isDone = true
            try await write { [state] db in
                try CopyWriter(db: db).finish(origin, last)
                for transfer in transfers { try Self.write(transfer, in: db) }
                try state.save(in: db)
            }
        }
        return try await counts(with: source, state.leftOut)
    }

    /// The looks at a registry that seems to be in use: a session that has just ended is still listed for a moment.
    private static let looks = 20

    /// Checks that no apply holds a lock of the registry, and that no other program is connected with its database. A
    /// file that a server has open was refused when it was opened.
    private func checkIsUnused(as name: String) async throws(RegistryError) {
        var use: String?
        for look in 0..<Self.looks {
            if look > 0 { try? await Task.sleep(for: .milliseconds(100)) }
            use = try await read { db in try Self.use(in: db) }
            if use == nil { return }
        }
        throw RegistryError(internal: "the \(name) is in use: \(use ?? ""); stop what uses it, and copy again")
    }

    private static func use(in db: any RegistryTransaction) throws -> String? {
        if let lock = try db.row(
            "SELECT holder, expiresAt FROM deployLock WHERE run <> '' AND expiresAt > ? ORDER BY expiresAt DESC",
            [db.now])
        {
            return "\(lock.string(0)) holds a lock until \(lock.time(1)?.isoText ?? "")"
        }
        guard db.dialect == .postgres else { return nil }
        let others = try db.number(
            """
            SELECT COUNT(*) FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'bugle' AND pid <> pg_backend_pid()
            """)
        return others > 0 ? "bugle or bugle-server is connected with its database (\(others) sessions)" : nil
    }

    private func counts(with source: Registry, _ leftOut: [String: Int]) async throws(RegistryError) -> [CopiedCount] {
        let names = CopiedTable.all.map(\.name)
        func counts(_ registry: Registry) async throws(RegistryError) -> [Int] {
            try await registry.read { db in try names.map { try db.number("SELECT COUNT(*) FROM \($0)") } }
        }
        let (there, here) = (try await counts(source), try await counts(self))
        return names.indices.map {
            CopiedCount(table: names[$0], source: there[$0], copied: here[$0], leftOut: leftOut[names[$0]] ?? 0)
        }
    }

    /// Returns the progress of a copy of a registry; that of a new one if this registry is empty.
    private func copyState(from origin: String) async throws(RegistryError) -> CopyState {
        try await write { db in
            if let state = try CopyState(in: db) {
                guard state.origin == origin else {
                    throw RegistryError(internal: "the target is a copy of another registry: empty it first")
                }
                return state
            }
            let used = try CopiedTable.all.first { table in
                try !["class", "indexedField"].contains(table.name) && db.exists("SELECT 1 FROM \(table.name) LIMIT 1")
            }
            guard used == nil else {
                throw RegistryError(internal: "the target is not empty: a registry is copied into an empty one")
            }
            let state = CopyState(origin: origin)
            try state.save(in: db)
            return state
        }
    }
}

/// The progress of a copy, as the target keeps it.
private struct CopyState: Sendable {
    /// The id of the source.
    let origin: String
    /// The index of the table that is being copied.
    var table = 0
    /// The key of its last copied row.
    var after: [SQLValue]?
    var leftOut: [String: Int] = [:]
    /// True once the target is whole.
    var isDone = false

    static let name = "copy"

    init(origin: String) { self.origin = origin }

    /// Reads the progress; nil when there is none.
    init?(in db: any RegistryTransaction) throws {
        guard let json = try db.transferProgress(of: Self.name), let origin = json["from"]?.string else { return nil }
        self.origin = origin
        table = json["table"]?.integer.map { Int($0) } ?? 0
        after = json["after"]?.array?.map { $0.integer.map(SQLValue.integer) ?? .text($0.string ?? "") }
        isDone = json["isDone"]?.bool ?? false
        leftOut = (json["leftOut"]?.object ?? [:]).reduce(into: [:]) { $0[$1.key] = Int($1.value.integer ?? 0) }
    }

    func save(in db: any RegistryTransaction) throws {
        var json: JSONValue = ["from": .string(origin), "table": .integer(Int64(table)), "isDone": .bool(isDone)]
        if let after {
            json["after"] = .array(
                after.map { value in
                    switch value {
                    case .integer(let number): .integer(number)
                    case .text(let text): .string(text)
                    case .null, .real, .bytes, .texts, .integers: .null
                    }
                })
        }
        json["leftOut"] = .object(JSONObject(leftOut.mapValues { JSONValue.integer(Int64($0)) }))
        try Registry.write(TransferProgress(name: Self.name, value: json), in: db)
    }
}

extension RegistryTransaction {
    /// True if a table exists; `name` is one of our own.
    package func hasTable(_ name: String) throws -> Bool {
        switch dialect {
        case .sqlite: try exists("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", [name])
        case .postgres: try row("SELECT to_regclass('\(name)') IS NOT NULL")?.boolean(0) ?? false
        }
    }

    /// The progress of every transfer; a copy of a registry is none.
    func transfers() throws -> [TransferProgress] {
        guard try hasTable("transfer") else { return [] }
        return try rows("SELECT name, progress FROM transfer WHERE name <> ?", [CopyState.name]).compactMap { row in
            guard let name = row.text(0), let text = row.text(1),
                let value = try? JSONValue(parsing: text, limits: .anyMemory)
            else { return nil }
            return TransferProgress(name: name, value: value)
        }
    }

    /// The progress of a transfer, or of a copy, as the target keeps it; nil when there never was one.
    func transferProgress(of name: String) throws -> JSONValue? {
        guard try hasTable("transfer"), let text = try text("SELECT progress FROM transfer WHERE name = ?", [name])
        else { return nil }
        return try? JSONValue(parsing: text, limits: .anyMemory)
    }
}

extension JournalReading {
    /// Checks that the registry is not a part of another: with half of a ledger, what was sent would be sent again.
    ///
    /// - Throws: ``RegistryError`` when a copy into it was interrupted, naming what finishes it.
    package func checkIsWhole() async throws(RegistryError) {
        let progress = try await read { db in try db.transferProgress(of: CopyState.name) }
        guard let progress, progress["isDone"]?.bool != true else { return }
        throw RegistryError(
            internal: "the registry holds a part only of another that is being copied into it: run 'bugle-server copy "
                + "--from SOURCE --to TARGET' again with the same registries, which finishes it, before anything else uses "
                + "it")
    }
}
