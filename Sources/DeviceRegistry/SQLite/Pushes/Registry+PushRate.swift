package import Push

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
