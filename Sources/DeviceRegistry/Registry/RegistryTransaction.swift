package import Push

/// One transaction with a registry's database: its clock, its statements, and what differs in its SQL.
///
/// Statements that are the same in every database are written once, in extensions, with ``dialect`` where they differ.
/// Figures are computed from the rows of batches and devices: senders on several machines share no row that all of them
/// write.
package protocol RegistryTransaction {
    /// The database's clock when the transaction began.
    var now: Instant { get set }

    /// Returns the rows of a statement, with values bound to its `?`; the statement is prepared once.
    func rows(_ sql: String, _ values: [any SQLBindable]) throws -> [any SQLRow]
    /// Returns the first row of a statement, which is prepared once; nil when there is none.
    func row(_ sql: String, _ values: [any SQLBindable]) throws -> (any SQLRow)?
    /// Runs a statement, which is prepared once; returns the number of written rows.
    @discardableResult
    func execute(_ sql: String, _ values: [any SQLBindable]) throws -> Int
    /// Calls `body` with each row of a composed statement until it returns false; only a few rows are in memory.
    func each(_ text: SQLText, _ body: (any SQLRow) throws -> Bool) throws
    /// Returns the rows of a composed statement.
    func rows(_ text: SQLText) throws -> [any SQLRow]
    /// Returns the integer that a composed statement counts; PostgreSQL keeps it, since planning can take longer.
    func number(_ text: SQLText) throws -> Int
    /// Runs a composed statement; returns the number of written rows.
    @discardableResult
    func execute(_ text: SQLText) throws -> Int
    /// Adds rows to a table, given with its columns: `t(a, b)`.
    func add(_ rows: [[any SQLBindable]], to table: String) throws

    /// Makes others that hold one of these names wait until the transaction ends; nothing where there is one writer.
    func hold(_ names: [String]) throws

    /// Says to all servers of the database, once the transaction is committed, that a push has changed
    /// (``RegistryDatabase/news()``); nothing where there is one server.
    func announce() throws

    /// Returns the suffix of a `SELECT` that locks its rows until the transaction ends.
    func clause(_ hold: RowHold) -> String
    var dialect: Dialect { get }

    // MARK: Devices of deliveries

    func count(_ audience: DeliveryAudience, at now: Instant) throws -> AudienceCount
    func explain(_ audience: DeliveryAudience, at now: Instant) throws -> AudienceCount
    /// Calls `body` with the number of each device that a delivery to an audience would reach; 0 for one that is not
    /// registered, or has no number yet.
    func eachNumber(of audience: DeliveryAudience, at now: Instant, _ body: (Int64) throws -> Void) throws
    /// Raises the badges of devices by one; returns 1 for an unknown device.
    func raiseBadges(of targets: TargetPack) throws -> [Int]
    /// Marks devices with dead tokens as invalid, and blocklists the tokens.
    ///
    /// A device whose app registered after the time given by Apple is unchanged: its `updatedAt`, which every
    /// registration renews, is later.
    func markDead(_ dead: [(target: TargetRow, since: Instant?)]) throws
    /// Returns the suspects whose tokens were accepted in an environment before.
    func proven(among suspects: [TargetRow], in environment: String) throws -> [TargetRow]
    /// Records that tokens were accepted, except those at the indices `failed`, for registered devices.
    func prove(_ targets: TargetPack, except failed: Set<Int>, in environment: String) throws
}

/// A row of a result.
package protocol SQLRow {
    func text(_ column: Int) -> String?
    func integer(_ column: Int) -> Int64?
    func bytes(_ column: Int) -> [UInt8]?
    /// The Boolean in a column; false for `NULL`.
    func boolean(_ column: Int) -> Bool
    /// The value of a column of any type; in PostgreSQL always a text.
    func value(_ column: Int) -> SQLValue
}

extension SQLRow {
    /// The integer in a column; 0 for `NULL`.
    package func number(_ column: Int) -> Int { integer(column).map { Int($0) } ?? 0 }

    /// The text in a column; empty for `NULL`.
    package func string(_ column: Int) -> String { text(column) ?? "" }

    /// The instant in a column; that of 0 milliseconds for `NULL`.
    package func instant(_ column: Int) -> Instant { time(column) ?? Instant(milliseconds: 0) }

    /// The instant in a column; nil for `NULL`.
    package func time(_ column: Int) -> Instant? { integer(column).map { Instant(milliseconds: $0) } }
}

/// The locking of a row that is read, where others write at the same time.
package enum RowHold {
    case free
    /// The row cannot change until the transaction ends.
    case shared
    /// The row is locked for a change.
    case changing
    /// The row is locked for a change; rows that others have locked are skipped.
    case passing
}

extension RegistryTransaction {
    /// Returns the transaction with another clock; nil for its own.
    package func at(_ clock: (() -> Instant)?) -> any RegistryTransaction {
        var copy = self
        if let clock { copy.now = clock() }
        return copy
    }

    /// Returns the first row of a statement without values; nil when there is none.
    package func row(_ sql: String) throws -> (any SQLRow)? { try row(sql, []) }

    /// Returns the integer in the first column of a statement's first row; nil for none.
    package func integer(_ sql: String, _ values: [any SQLBindable] = []) throws -> Int64? {
        try row(sql, values)?.integer(0)
    }

    /// Returns the integer in the first column of a statement's first row; 0 for none.
    package func number(_ sql: String, _ values: [any SQLBindable] = []) throws -> Int {
        try integer(sql, values).map { Int($0) } ?? 0
    }

    package func number(_ text: SQLText) throws -> Int { try rows(text).first?.number(0) ?? 0 }

    /// Returns the text in the first column of a statement's first row; nil for none.
    package func text(_ sql: String, _ values: [any SQLBindable] = []) throws -> String? {
        try row(sql, values)?.text(0)
    }

    /// Returns the texts in the first column of a statement.
    package func texts(_ sql: String, _ values: [any SQLBindable] = []) throws -> [String] {
        try rows(sql, values).compactMap { $0.text(0) }
    }

    /// Returns the integers in the second column of a statement, by the texts in the first.
    func counts(_ sql: String, _ values: [any SQLBindable] = []) throws -> [String: Int] {
        try rows(sql, values).reduce(into: [:]) { $0[$1.string(0)] = $1.number(1) }
    }

    /// True if a statement has a row.
    package func exists(_ sql: String, _ values: [any SQLBindable] = []) throws -> Bool {
        try !rows(sql, values).isEmpty
    }
}

/// A database that holds a registry, and runs transactions on it.
package protocol RegistryDatabase: Sendable {
    /// True if several servers may use the database at a time.
    var isShared: Bool { get }

    /// Runs `body` on one snapshot, read-only.
    func read<Value: Sendable>(
        _ kind: ReadKind, _ body: @escaping @Sendable (any RegistryTransaction) throws -> Value
    ) async throws(RegistryError) -> Value

    /// Runs `body` in one transaction, durable when this returns and rolled back when it throws; it is run again after
    /// a conflict with another.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any RegistryTransaction) throws -> Value
    ) async throws(RegistryError) -> Value

    /// Freezes an audience under a clock, in as many transactions as needed; returns the figures of one whose size is
    /// not allowed, of which nothing is left.
    func freeze(
        _ freeze: DeliveryFreeze, under lease: Lease?, at clock: (@Sendable () -> Instant)?
    ) async throws(RegistryError) -> AudienceCount?

    /// Ensures that no other process writes journals without a lock.
    func own() throws(RegistryError)

    /// Checks that changes are possible, by making one.
    func probe() async throws(RegistryError)

    /// Continues to build an index over a custom field, by one step; false when all are complete.
    func fillIndexes() async throws(RegistryError) -> Bool

    /// True each time any server's push has changed, as long as the stream is kept; false when that may go unheard for
    /// now. It is empty where nothing is ever heard.
    func news() -> AsyncStream<Bool>

    /// The size in bytes, without a log.
    func size() async throws(RegistryError) -> Int

    /// Closes the database, after which nothing works any more.
    func close() async
}

/// The ways to read a registry.
package enum ReadKind: Sendable {
    /// Reads the file that has the registry's name, where it is a file.
    case current
    /// Reads the journal, which tells what was sent even after a file that can be written to has lost its name: whatever
    /// is done about it writes.
    case journal
    /// Reads to the end even if the task was cancelled.
    case toTheEnd
    /// Reads until a time limit, and then fails with ``RegistryError/late``.
    case within(Duration)
}
