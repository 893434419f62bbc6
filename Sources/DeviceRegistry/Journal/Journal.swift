package import Push

/// The locks, records and deliveries of a registry: what an apply and a server write.
///
/// A write with a lease only happens if the lock's row still has that run and fence, checked in the same transaction:
/// otherwise nothing is written, and the error is ``RegistryError/lockLost``. A nil lease is for the server, whose
/// registry has no second writer. What is written is durable when a method returns.
package struct Journal: JournalReading {
    package let reader: JournalReader
    /// The registry.
    package var database: any RegistryDatabase { reader.database }
    /// The clock in place of the database's own; nil for that.
    package var clock: (@Sendable () -> Instant)? { reader.clock }

    /// The journal in a registry, under a clock; nil for the database's own.
    package init(_ database: any RegistryDatabase, clock: (@Sendable () -> Instant)? = nil) {
        reader = JournalReader(database, clock: clock)
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any RegistryTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await database.write { [clock] db in try body(db.at(clock)) }
    }

    /// Writes about a delivery; without a lock only as the single process that does so.
    func write<Value: Sendable>(
        under lease: Lease?, _ body: @escaping @Sendable (any RegistryTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        if lease == nil { try database.own() }
        return try await write(body)
    }
}

/// What planning knows of a registry: it cannot name what writes.
package struct JournalReader: JournalReading {
    let database: any RegistryDatabase
    let clock: (@Sendable () -> Instant)?

    package var reader: JournalReader { self }

    /// The reading half of ``Journal``.
    package init(_ database: any RegistryDatabase, clock: (@Sendable () -> Instant)? = nil) {
        (self.database, self.clock) = (database, clock)
    }
}

/// The queries of planning, whose results are the same in every database.
package protocol JournalReading: Sendable {
    /// The connection that answers them.
    var reader: JournalReader { get }
}

extension JournalReading {
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any RegistryTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await reader.database.read(.journal) { [clock = reader.clock] db in try body(db.at(clock)) }
    }

    /// Returns the database's clock.
    ///
    /// - Throws: ``RegistryError`` when the database cannot be queried, like all methods here.
    package func now() async throws(RegistryError) -> Instant { try await read { db in db.now } }

    /// Returns the id of the database: random, assigned at its creation, and shared by its copies.
    package func identity() async throws(RegistryError) -> String { try await read { db in try db.identity() } }

    /// Checks that no copy into the registry was interrupted.
    ///
    /// - Throws: ``RegistryError`` that names what finishes it.
    package func checkIsWhole() async throws(RegistryError) { try await read { db in try db.checkIsWhole() } }

    /// Returns all records of a kind, sorted by key.
    package func records(
        _ kind: DeployRecord.Kind, of workspace: String
    ) async throws(RegistryError) -> [DeployRecord] {
        try await read { db in try db.records(kind, of: workspace) }
    }

    /// Returns the number of a kind's records by workspace.
    package func tally(_ kind: DeployRecord.Kind) async throws(RegistryError) -> [String: Int] {
        try await read { db in try db.tally(kind) }
    }

    /// Returns the workspace's lock; nil when it was never taken.
    package func lock(of workspace: String) async throws(RegistryError) -> DeployLock? {
        try await read { db in try db.lock(of: workspace, .free) }
    }

    /// Returns the number of devices that a delivery to this audience would reach now, and of those left out.
    package func count(
        _ audience: DeliveryAudience, at now: Instant
    ) async throws(RegistryError) -> AudienceFigures {
        try await read { db in try db.count(audience, at: now) }
    }

    /// Returns the breakdown of an audience now, for as many devices as ``count(_:at:)`` returns.
    package func explain(
        _ audience: DeliveryAudience, at now: Instant
    ) async throws(RegistryError) -> AudienceBreakdown {
        try await read { db in try db.explain(audience, at: now) }
    }

    /// Surveys the channels and profiles of the installations.
    ///
    /// Subscribers of `channels` and devices with one of `profiles` are counted over all installations.
    package func survey(channels: [String], profiles: [String]) async throws(RegistryError) -> DeviceSurvey {
        try await read { db in try db.survey(channels: channels, profiles: profiles) }
    }

    /// Returns the names that conditions on installations may use.
    package func names() async throws(RegistryError) -> RegistryNames { try await read { db in try db.names() } }

    /// Returns the journal of a delivery; nil when it was never started.
    package func journal(of delivery: String) async throws(RegistryError) -> JournalFigures? {
        try await read { db in try db.figures(of: delivery) }
    }

    /// True if a delivery was sent to the installation with an `objectId`, or its answer was lost; false after that was
    /// forgotten.
    package func reached(_ installation: String, by delivery: String) async throws(RegistryError) -> Bool {
        try await read { db in
            guard let number = try db.number(ofInstallation: installation) else { return false }
            return try db.reached(by: delivery, since: nil, holding: number).contains { row in
                try row.numbers().contains(number)
            }
        }
    }

    /// Returns the number of an audience's devices by the number of `deliveries` that were sent to them at `since` or
    /// later, or at any time.
    ///
    /// The devices are those that ``count(_:at:)`` counts. A part of a delivery that was closed counts from its last
    /// outcome.
    package func reach(
        of deliveries: Set<String>, since: Instant?, in audience: DeliveryAudience, at now: Instant
    ) async throws(RegistryError) -> [Int: Int] {
        try await read { db in
            let counts = try db.reachCounts(of: deliveries, since: since)
            var devices: [Int: Int] = [:]
            try db.eachNumber(of: audience, at: now) { devices[counts[$0], default: 0] += 1 }
            return devices
        }
    }

    /// Returns the devices that reported events of a delivery; nil when it counts none.
    package func events(of delivery: String) async throws(RegistryError) -> EventFigures? {
        try await read { db in try db.eventFigures(of: delivery) }
    }

    /// Closes the connection, after which nothing works any more.
    package func close() async { await reader.database.close() }
}
