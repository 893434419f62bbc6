internal import Base
internal import CPostgres
internal import Dispatch

/// A few sessions with one server, each on its own thread and lent to one body at a time.
package final class PostgresPool: Sendable {
    private let workers: Pool<Worker>
    private let address: PostgresAddress
    private let settings: PostgresSettings

    /// Creates `width` sessions, 4 by default; each connects on first use.
    package init(_ address: PostgresAddress, settings: PostgresSettings = PostgresSettings(), width: Int = 4) {
        (self.address, self.settings) = (address, settings)
        workers = Pool((0..<max(1, width)).map { _ in Worker(address, settings) })
    }

    /// Runs `body`, which blocks, with exclusive use of a session.
    ///
    /// - Throws: what `body` throws; ``PostgresError`` after ``close()``.
    @discardableResult
    package func use<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresSession) throws -> Value
    ) async throws -> Value {
        // The last that was used: those that are not needed never connect.
        guard let worker = await workers.take() else { throw PostgresError(.unreachable, "The registry was closed.") }
        defer { workers.giveBack(worker) }
        return try await worker.run(body)
    }

    /// Listens on a channel, in a session of its own, until the stream is dropped: true for each time something was
    /// said there, false when the connection broke; it is made anew.
    ///
    /// The first true says that listening works: behind a proxy that shares connections between transactions nothing
    /// is ever heard. The channel's name is the program's own.
    package func news(on channel: String) -> AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
        let (worker, over) = (Worker(address, settings), StopSignal())
        continuation.onTermination = { _ in over.raise() }
        Task {
            while !over.isRaised {
                do {
                    try await worker.run { session in _ = try session.execute("LISTEN \(channel)") }
                    try await use { session in _ = try session.execute("NOTIFY \(channel)") }
                    while !over.isRaised {
                        if try await worker.run({ session in try session.hears(within: 500) }) {
                            continuation.yield(true)
                        }
                    }
                } catch {
                    continuation.yield(false)
                    try? await Task.sleep(for: .seconds(1))
                }
            }
            await worker.end()
        }
        return stream
    }

    /// Closes every session once its body has returned. The pool cannot be used afterwards.
    package func close() async {
        for worker in workers.close() { await worker.end() }
    }
}

/// A session and its thread.
// Unchecked: only the serial queue touches the session.
private final class Worker: @unchecked Sendable {
    private let session: PostgresSession
    private let queue = DispatchQueue(label: "bugle.postgres")

    init(_ address: PostgresAddress, _ settings: PostgresSettings) {
        session = PostgresSession(address, settings)
    }

    func run<Value: Sendable>(_ body: @escaping @Sendable (PostgresSession) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body(self.session) }) }
        }
    }

    func end() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.session.disconnect()
                continuation.resume()
            }
        }
    }
}

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

    /// Planner settings that an engine may lack.
    private static let planning = ["enable_seqscan", "enable_hashjoin", "enable_mergejoin"]

    /// The query for the optional settings that the engine knows.
    static let question = "SELECT name FROM pg_settings WHERE name IN ('jit', '\(planning.joined(separator: "', '"))')"

    /// Returns the statements that begin a transaction as one text; the first column of the last one is the current time
    /// in milliseconds. All settings are set by one statement, since each costs as much.
    ///
    /// `limit` is another statement timeout; `known` holds the optional settings that the engine knows.
    func opening(_ kind: PostgresTransaction, within limit: Duration?, known: Set<String>) -> String {
        var begin = "BEGIN"
        if kind == .snapshot { begin += " ISOLATION LEVEL REPEATABLE READ" }
        if kind == .snapshot || isReadOnly { begin += " READ ONLY" }
        let timeout = limit.map { Int(max(1, $0 / .milliseconds(1))) } ?? statementTimeout
        func setting(_ name: String, _ value: String) -> String { "set_config('\(name)', '\(value)', true)" }
        var columns = [
            "(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
            setting("statement_timeout", String(timeout)), setting("lock_timeout", String(lockTimeout)),
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

/// The server and user to connect to, from a libpq connection string: a URI or `key=value` pairs.
///
/// `PGHOST`, `PGPASSWORD`, a service file and libpq's other sources fill in what the string omits. Over the network the
/// session must be encrypted: without an `sslmode` it is `require`; `verify-full` also checks the server's name;
/// `prefer` and `allow`, which silently fall back to plain text, are refused; `disable` must be explicit.
package struct PostgresAddress: Hashable, Sendable, CustomStringConvertible {
    private let text: String
    /// True when the session must be encrypted although the string does not say so.
    let requiresEncryption: Bool
    private let password: String?
    /// True if the string itself holds a password.
    package let holdsPassword: Bool
    /// The servers the string may lead to, each as `host:port`; local sockets are omitted.
    package let servers: [String]

    /// A fixed text that reveals nothing of the connection string.
    package var description: String { "a PostgreSQL database" }

    /// Parses a connection string.
    ///
    /// - Throws: ``PostgresError`` of kind `address`.
    package init(_ text: String) throws(PostgresError) {
        guard !text.utf8.contains(0), let options = unsafe Self.options(PQconninfoParse(text, nil)) else {
            throw PostgresError(
                .address, "The connection string is neither a URI (postgresql://…) nor a list of key=value pairs.")
        }
        // libpq takes the first @ for the end of the password, and the rest for a host, which it names in messages.
        guard !Self.hasStrayAt(text) else {
            throw PostgresError(
                .address, "The address has a second @: within a password, a user or a database write it as %40.")
        }
        // Only the service file says where a service leads, and nobody reviewed that file; PGSERVICE is among the
        // defaults.
        guard options["service"] == nil else {
            throw PostgresError(
                .address,
                "The connection string names a service, which hides where it leads: write its host and port instead."
            )
        }
        let defaults = unsafe Self.options(PQconndefaults()) ?? [:]
        let host = options["hostaddr"] ?? options["host"] ?? defaults["hostaddr"] ?? defaults["host"] ?? ""
        let hosts = host.split(separator: ",", omittingEmptySubsequences: false)
        let isLocal = hosts.allSatisfy(Self.isLocal)
        let given = options["sslmode"]
        // libpq's own default does not count as set; a value from the environment does.
        let mode = given ?? defaults["sslmode"].flatMap { $0 == "prefer" ? nil : $0 }
        if !isLocal, mode == "prefer" || mode == "allow" {
            throw PostgresError(
                .address,
                "sslmode=\(mode ?? "") may fall back to no encryption: use verify-full or require, or disable to go without."
            )
        }
        let ports = (options["port"] ?? defaults["port"] ?? "5432").split(separator: ",")
        // With both given, the name is only compared with the certificate: hostaddr decides where to connect.
        servers = hosts.enumerated().filter {
            !$0.element.isEmpty && !$0.element.hasPrefix("/") && !$0.element.hasPrefix("@")
        }
        .map { "\($0.element.lowercased()):\($0.offset < ports.count ? ports[$0.offset] : ports.last ?? "5432")" }
        self.text = text
        requiresEncryption = !isLocal && mode == nil
        holdsPassword = options["password"] != nil
        password = options["password"] ?? defaults["password"]
    }

    /// The keywords and values of a connection; later ones override earlier ones.
    func parameters(connectTimeout: Int) -> [(String, String)] {
        var parameters = [
            ("connect_timeout", String(connectTimeout)), ("tcp_user_timeout", "30000"), ("keepalives_idle", "30"),
            ("keepalives_interval", "10"), ("keepalives_count", "3"), ("fallback_application_name", "bugle"),
        ]
        if requiresEncryption { parameters.append(("sslmode", "require")) }
        parameters.append(("dbname", text))
        parameters.append(("client_encoding", "UTF8"))
        return parameters
    }

    /// A libpq message on one line, with the password removed in case it appears there.
    func redacted(_ message: String) -> String {
        var message = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        if message.contains(text) { message = "the connection failed" }
        if let password, !password.isEmpty { message = message.split(separator: password).joined(separator: "…") }
        return message
    }

    /// True if a URI has an @ that does not end its user and password.
    private static func hasStrayAt(_ text: String) -> Bool {
        guard let scheme = ["postgres://", "postgresql://"].first(where: text.hasPrefix) else { return false }
        let place = text.dropFirst(scheme.count).prefix { $0 != "?" }
        return place.count { $0 == "@" } > (place.prefix { $0 != "/" }.contains("@") ? 1 : 0)
    }

    static func isLocal(_ host: Substring) -> Bool {
        host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@")
            || ["localhost", "127.0.0.1", "::1"].contains(String(host))
    }

    /// Takes ownership of a libpq list of options; nil when there is none.
    static func options(_ list: UnsafeMutablePointer<PQconninfoOption>?) -> [String: String]? {
        guard let list = unsafe list else { return nil }
        defer { unsafe PQconninfoFree(list) }
        var options: [String: String] = [:]
        var entry = unsafe list
        while let key = unsafe entry.pointee.keyword {
            if let value = unsafe entry.pointee.val { unsafe options[String(cString: key)] = String(cString: value) }
            unsafe entry += 1
        }
        return options
    }
}
