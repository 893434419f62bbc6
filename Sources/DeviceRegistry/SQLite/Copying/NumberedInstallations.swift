/// The numbers by which journals and reached sets name installations, which each database gives by itself.
struct NumberedInstallations {
    let db: any RegistryTransaction

    /// The most numbers or ids of one statement.
    private static let mostAtOnce = 5000

    /// Returns the numbers in a row of a table.
    func numbers(in row: [SQLValue], of table: CopiedTable) throws -> [Int64] {
        switch (table.name, table.number.map { row[$0] }) {
        case ("reached", .bytes(let packed)?): try Self.set(packed)
        case ("journalBatch", .bytes(let packed)?): try Self.pack(packed).rows
        case (_, .integer(let number)?): [number]
        default: []
        }
    }

    /// Returns a row with its numbers replaced; nil for a set of which nothing is left. A device without a new number
    /// counts as not registered.
    func renumbered(_ row: [SQLValue], of table: CopiedTable, by new: [Int64: Int64]) throws -> [SQLValue]? {
        guard let column = table.number else { return row }
        var row = row
        switch (table.name, row[column]) {
        case ("reached", .bytes(let packed)):
            let numbers = try Self.set(packed).compactMap { new[$0] }.sorted()
            guard let lowest = numbers.first, let highest = numbers.last else { return nil }
            row.replaceSubrange(
                (column - 2)...column,
                with: [.integer(lowest), .integer(highest), .bytes(NumberSet.pack(numbers))])
        case ("journalBatch", .bytes(let packed)):
            let old = try Self.pack(packed)
            var pack = TargetPack(reserving: old.count)
            for index in 0..<old.count {
                pack.append(token: Array(old.token(index).utf8), row: new[old.rows[index]] ?? 0)
            }
            row[column] = .bytes(pack.bytes)
        // Part of the row's key: an event of a device that is gone still counts.
        case ("event", .integer(let number)): row[column] = .integer(new[number] ?? -abs(number))
        case (_, .integer(let number)): row[column] = .integer(new[number] ?? 0)
        default: break
        }
        return row
    }

    private static func set(_ packed: [UInt8]) throws -> [Int64] {
        guard let numbers = NumberSet.numbers(packed) else {
            throw RegistryError(internal: "a stored reached set is damaged")
        }
        return numbers
    }

    private static func pack(_ packed: [UInt8]) throws -> TargetPack {
        guard let pack = TargetPack(packed) else { throw RegistryError(internal: "a stored batch is damaged") }
        return pack
    }

    /// Returns the ids of the installations with these numbers.
    func objectIDs(_ numbers: Set<Int64>) throws -> [Int64: String] {
        var found: [Int64: String] = [:]
        try Self.inParts(numbers.sorted()) { part in
            let rows = try db.rows(
                "SELECT \(source.number), objectId FROM \(source.table) WHERE \(source.number) \(db.dialect.isOneNumberOf)",
                [SQLValue.integers(part)])
            for row in rows { found[row.integer(0) ?? 0] = row.text(1) }
        }
        return found
    }

    /// Returns the numbers of installations by their ids; in PostgreSQL those that have none get one.
    func numbers(of objectIDs: Set<String>) throws -> [String: Int64] {
        var found: [String: Int64] = [:]
        try Self.inParts(objectIDs.sorted()) { part in
            if db.dialect == .postgres {
                try db.execute(
                    "INSERT INTO reachedInstallation(objectId) SELECT value FROM \(db.dialect.listed) ON CONFLICT DO NOTHING",
                    [SQLValue.texts(part)])
            }
            let rows = try db.rows(
                "SELECT objectId, \(source.number) FROM \(source.table) WHERE objectId \(db.dialect.isOneOf)",
                [SQLValue.texts(part)])
            for row in rows { found[row.text(0) ?? ""] = row.integer(1) }
        }
        return found
    }

    private var source: (table: String, number: String) {
        switch db.dialect {
        case .sqlite: ("installation", "id")
        case .postgres: ("reachedInstallation", "number")
        }
    }

    private static func inParts<Element>(_ list: [Element], _ body: ([Element]) throws -> Void) rethrows {
        for start in stride(from: 0, to: list.count, by: mostAtOnce) {
            try body(Array(list[start..<min(start + mostAtOnce, list.count)]))
        }
    }
}

extension CopiedTable {
    /// The index of the column with numbers of installations; nil for none.
    var number: Int? {
        switch name {
        case "reached": columns.firstIndex { $0.name == "installations" }
        case "journalBatch": columns.firstIndex { $0.name == "targets" }
        case "event", "journalTarget": columns.firstIndex { $0.name == "installation" }
        default: nil
        }
    }
}
