package import Push

/// The clock of the servers that share a database: the database's own, and what tests have advanced it by.
extension Registry {
    /// Returns the shared time, and the machine's when the database looked at its clock, from the quickest of three looks
    /// when they take long; nil where one server has the registry, whose clock is its own.
    package func sharedTime() async throws(RegistryError) -> (time: Instant, machine: Instant)? {
        guard isShared else { return nil }
        return try await read { db in
            // Here the wait for a session, which may be long, is over.
            var looks: [(asked: Instant, shown: Int, took: Duration)] = []
            repeat {
                let asked = Instant.system
                let shown = try db.number("SELECT \(PostgresSchema.now) + last FROM serverNumber WHERE name = 'clock'")
                looks.append((asked, shown, Instant.system - asked))
            } while looks.count < 3 && looks.allSatisfy { $0.took > ServerTime.longestLook }
            return looks.min { $0.took < $1.took }.map { look in
                (Instant(milliseconds: Int64(look.shown)), look.asked + look.took / 2)
            }
        }
    }

    /// Advances the shared clock, for all servers.
    package func advanceSharedClock(bySeconds seconds: Double) async throws(RegistryError) {
        _ = try await write { db in
            try db.execute(
                "UPDATE serverNumber SET last = last + ? WHERE name = 'clock'", [Int64((seconds * 1000).rounded())])
        }
    }
}

// MARK: - Push rate

extension Registry {
    /// Counts a push in the current minute, for all servers of the registry together; `false`, and not counted, when it
    /// exceeds the limit.
    ///
    /// Above the limit, pushes are refused until the minute is over.
    /// Source: docs/background/leancloud/push.md#limits.
    package func countPush(at now: Instant, limit: Int) async throws(RegistryError) -> Bool {
        let counted = try await write { db in
            try db.execute(
                """
                INSERT INTO pushRate(minute, pushes) VALUES (?, 1)
                ON CONFLICT (minute) DO UPDATE SET pushes = pushRate.pushes + 1 WHERE pushRate.pushes < ?
                """, [now.milliseconds / 60_000, limit])
        }
        return counted > 0
    }
}

// MARK: - Console sessions

/// A session of the console, by the hash of its cookie.
package struct ConsoleSession: Hashable, Sendable {
    /// The token that a form must send.
    package let token: String
    /// The rights of the person, as the server names them.
    package let role: String
    /// The notice for the next page; nil for none.
    package var notice: String?
    /// True if the notice is about a failure.
    package var isProblem: Bool
    /// The time of the last use.
    package let seenAt: Instant

    package init(token: String, role: String, notice: String? = nil, isProblem: Bool = false, seenAt: Instant) {
        self.token = token
        self.role = role
        self.notice = notice
        self.isProblem = isProblem
        self.seenAt = seenAt
    }
}

extension Registry {
    /// Adds a session; removes those not used since `end`, and the least recently used of the same role beyond `most`.
    package func addConsoleSession(
        _ key: String, _ session: ConsoleSession, endingOthersBefore end: Instant, most: Int
    ) async throws(RegistryError) {
        try await write { db in
            try db.execute(
                """
                DELETE FROM consoleSession WHERE seenAt <= ? OR (role = ? AND key NOT IN
                  (SELECT key FROM consoleSession WHERE role = ? ORDER BY seenAt DESC, key LIMIT \(most - 1)))
                """, [end, session.role, session.role])
            try db.execute(
                "INSERT INTO consoleSession(key, token, role, seenAt) VALUES (?, ?, ?, ?)",
                [key, session.token, session.role, session.seenAt])
        }
    }

    /// Returns a session; nil when there is none.
    package func consoleSession(_ key: String) async throws(RegistryError) -> ConsoleSession? {
        try await read { db in
            try db.row("SELECT token, role, notice, isProblem, seenAt FROM consoleSession WHERE key = ?", [key]).map {
                ConsoleSession(
                    token: $0.string(0), role: $0.string(1), notice: $0.text(2), isProblem: $0.boolean(3),
                    seenAt: $0.instant(4))
            }
        }
    }

    /// Records a use of a session, and its notice.
    package func update(_ key: String, _ session: ConsoleSession) async throws(RegistryError) {
        _ = try await write { db in
            let isProblem = db.dialect == .sqlite ? "?" : "CAST(? AS integer) <> 0"
            try db.execute(
                "UPDATE consoleSession SET notice = ?, isProblem = \(isProblem), seenAt = ? WHERE key = ?",
                [session.notice, session.isProblem, session.seenAt, key])
        }
    }

    package func removeConsoleSession(_ key: String) async throws(RegistryError) {
        _ = try await write { db in try db.execute("DELETE FROM consoleSession WHERE key = ?", [key]) }
    }
}
