/// What every session of a pool is told when it begins.
///
/// They are the session's own: a proxy that hands sessions round between transactions loses them.
package struct PostgresSettings: Hashable, Sendable {
    /// Seconds until the attempt to connect is given up; the connection string's `connect_timeout` wins.
    package var connectTimeout = 10
    /// How long a statement may take, in milliseconds.
    package var statementTimeout = 60_000
    /// How long a statement waits for a row that another transaction holds, in milliseconds.
    package var lockTimeout = 30_000
    /// Whether every transaction may only read, which the server itself sees to.
    package var isReadOnly = false

    /// The usual ones.
    package init() {}

    var statements: [String] {
        [
            "SET statement_timeout = \(statementTimeout)",
            "SET lock_timeout = \(lockTimeout)",
            // A transaction whose client froze must not hold its rows for ever.
            "SET idle_in_transaction_session_timeout = 60000",
            // What was committed is on the disk, whatever the database was told; stricter ways are left.
            "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
            // Compiling takes longer than most of our statements.
            "SELECT set_config(name, 'off', false) FROM pg_settings WHERE name = 'jit'",
        ] + (isReadOnly ? ["SET default_transaction_read_only = on"] : [])
    }
}

/// What a transaction may do.
package enum PostgresTransaction: String, Hashable, Sendable {
    /// It writes; each of its statements sees what was committed before it.
    case writing = "BEGIN"
    /// It writes nothing, which the server itself sees to; all of its statements see the same.
    case snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
}
