/// The settings applied at the start of every transaction of a pool.
///
/// Sessions get no settings: a proxy that shares sessions between transactions would lose them.
package struct PostgresSettings: Hashable, Sendable {
    /// The connect timeout in seconds; the connection string's `connect_timeout` overrides it.
    package var connectTimeout = 10
    /// The statement timeout, in milliseconds.
    package var statementTimeout = 60_000
    /// The longest wait for a row locked by another transaction, in milliseconds.
    package var lockTimeout = 30_000
    /// True for read-only transactions, enforced by the server; no statement then runs outside a transaction.
    package var isReadOnly = false

    /// Creates the default settings.
    package init() {}

    /// Planner settings that an engine may lack.
    private static let planning = ["enable_seqscan", "enable_hashjoin", "enable_mergejoin"]

    /// The query for the optional settings that the engine knows.
    static let question =
        "SELECT name FROM pg_settings WHERE name IN ('jit', '\(planning.joined(separator: "', '"))')"

    /// Returns the statements that begin a transaction as one text; the first column of the last one is the current time
    /// in milliseconds. All settings are set by one statement, since each costs as much.
    ///
    /// `known` holds the optional settings that the engine knows.
    func opening(_ kind: PostgresTransaction, known: Set<String>) -> String {
        var begin = "BEGIN"
        if kind == .snapshot { begin += " ISOLATION LEVEL REPEATABLE READ" }
        if kind == .snapshot || isReadOnly { begin += " READ ONLY" }
        func setting(_ name: String, _ value: String) -> String { "set_config('\(name)', '\(value)', true)" }
        var columns = [
            "(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
            setting("statement_timeout", String(statementTimeout)), setting("lock_timeout", String(lockTimeout)),
            // A transaction whose client froze must not hold its rows forever.
            setting("idle_in_transaction_session_timeout", "60000"),
        ]
        // JIT compilation takes longer than most of our statements.
        if known.contains("jit") { columns.append(setting("jit", "off")) }
        if kind == .lookUps { columns += Self.planning.filter(known.contains).map { setting($0, "off") } }
        if kind != .snapshot {
            // Forces commits to disk if the database is configured otherwise; stricter modes stay.
            let isLax = "current_setting('synchronous_commit') IN ('off', 'local')"
            columns.append("CASE WHEN \(isLax) THEN \(setting("synchronous_commit", "on")) END")
        }
        return "\(begin); SELECT \(columns.joined(separator: ", "))"
    }
}

/// The access mode of a transaction.
package enum PostgresTransaction: Hashable, Sendable {
    /// Reads and writes; each statement sees what was committed before it.
    case writing
    /// Like `writing`, but reads by keys only: a thousand tokens are looked up one by one, where the planner would scan
    /// tables of a million devices.
    case lookUps
    /// Read-only, enforced by the server; all statements see the same snapshot.
    case snapshot
}
