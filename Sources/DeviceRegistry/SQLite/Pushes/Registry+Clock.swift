package import Push

/// The clock of the servers that share a database: the database's own, and what tests have advanced it by.
extension Registry {
    /// Returns the shared time; nil where one server has the registry, whose clock is its own.
    package func sharedTime() async throws(RegistryError) -> Instant? {
        guard isShared else { return nil }
        return try await read { db in
            db.now + .milliseconds(try db.number("SELECT last FROM serverNumber WHERE name = 'clock'"))
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
