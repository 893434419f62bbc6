/// What every transaction of a pool is told when it begins.
///
/// Nothing is told to sessions: a proxy that hands them round between transactions would lose it.
package struct PostgresSettings: Hashable, Sendable {
    /// Seconds until the attempt to connect is given up; the connection string's `connect_timeout` wins.
    package var connectTimeout = 10
    /// How long a statement may take, in milliseconds.
    package var statementTimeout = 60_000
    /// How long a statement waits for a row that another transaction holds, in milliseconds.
    package var lockTimeout = 30_000
    /// Whether every transaction may only read, which the server itself sees to; no statement runs outside of one then.
    package var isReadOnly = false

    /// The usual ones.
    package init() {}

    /// Settings of the planner that an engine need not know.
    private static let planning = ["enable_seqscan", "enable_hashjoin", "enable_mergejoin"]

    /// Asks which settings the engine knows of those that it need not.
    static let question =
        "SELECT name FROM pg_settings WHERE name IN ('jit', '\(planning.joined(separator: "', '"))')"

    /// The statements that begin a transaction, as one text; the last one asks for the present in milliseconds.
    ///
    /// - Parameter known: the settings that the engine knows of those that it need not.
    func opening(_ kind: PostgresTransaction, known: Set<String>) -> String {
        var begin = "BEGIN"
        if kind == .snapshot { begin += " ISOLATION LEVEL REPEATABLE READ" }
        if kind == .snapshot || isReadOnly { begin += " READ ONLY" }
        var statements = [
            begin, "SET LOCAL statement_timeout = \(statementTimeout)", "SET LOCAL lock_timeout = \(lockTimeout)",
            // A transaction whose client froze must not hold its rows for ever.
            "SET LOCAL idle_in_transaction_session_timeout = 60000",
        ]
        // Compiling takes longer than most of our statements.
        if known.contains("jit") { statements.append("SET LOCAL jit = off") }
        if kind == .lookUps {
            statements += Self.planning.filter(known.contains).map { "SET LOCAL \($0) = off" }
        }
        if kind != .snapshot {
            // What was committed is on the disk, whatever the database was told; stricter ways are left.
            statements.append(
                """
                SELECT set_config('synchronous_commit', 'on', true) \
                WHERE current_setting('synchronous_commit') IN ('off', 'local')
                """)
        }
        return (statements + ["SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"])
            .joined(separator: "; ")
    }
}

/// What a transaction may do.
package enum PostgresTransaction: Hashable, Sendable {
    /// It writes; each of its statements sees what was committed before it.
    case writing
    /// The same, and it reads by keys only. A thousand tokens are looked up one by one then: the planner would read tables
    /// of a million devices from end to end for them.
    case lookUps
    /// It writes nothing, which the server itself sees to; all of its statements see the same.
    case snapshot
}
