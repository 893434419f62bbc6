/// The numbers of pushes and messages: from 1, in the order of their commits, without gaps.
///
/// SQLite numbers rows itself. In PostgreSQL one row holds the last number, so that whoever takes the next ones waits
/// for whoever took the last.
extension RegistryTransaction {
    /// Adds a push; returns its number.
    func addPush(_ columns: [(name: String, value: any SQLBindable)]) throws -> Int64 {
        var columns = columns
        if dialect == .postgres { columns.insert(("id", try numbers(1, of: "push")), at: 0) }
        let names = columns.map(\.name).joined(separator: ", ")
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        return try integer("INSERT INTO push(\(names)) VALUES (\(places)) RETURNING id", columns.map(\.value)) ?? 0
    }

    /// Adds the messages that a statement selects, without their numbers.
    func addMessages(_ selected: SQLText) throws {
        let columns = "device, push, installation, platform, vendor, badge, receivedAt"
        guard dialect == .postgres else {
            try execute(SQLText(sql: "INSERT INTO inbox(\(columns)) ") + selected)
            return
        }
        let last = try numbers(0, of: "inbox")
        let added = try execute(
            SQLText(
                sql: """
                    INSERT INTO inbox(id, \(columns)) SELECT CAST(? AS bigint) + row_number() OVER (), selected.* FROM (
                    """, arguments: [last]) + selected + SQLText(sql: ") AS selected"))
        _ = try numbers(Int64(added), of: "inbox")
    }

    /// Takes the next numbers of a table; returns the last one taken.
    private func numbers(_ count: Int64, of table: String) throws -> Int64 {
        try integer("UPDATE serverNumber SET last = last + ? WHERE name = ? RETURNING last", [count, table]) ?? 0
    }
}
