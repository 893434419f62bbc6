internal import PostgresClient

/// Freezes the audience of a delivery, within one transaction: what was cut short is not there.
///
/// The server gives the devices by a cursor, from one snapshot, and takes them back in batches: few are in memory.
struct PostgresFreezing {
    let session: PostgresSession
    let freeze: DeliveryFreeze
    let lease: DeployLease?
    let now: Timestamp

    /// Batches that are written at a time.
    private static let batchesAtOnce = 16

    /// Writes the audience down, unless it was frozen before.
    func run() throws {
        let id = PostgresValue.text(freeze.delivery)
        try PostgresLocks(session).check(lease, of: freeze.workspace, holds: false)
        // Of two that freeze one delivery one waits here until the other is done.
        let isNew = try session.execute(
            """
            INSERT INTO journal(delivery, workspace, environment, batchSize, raisesBadges) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (delivery) DO NOTHING
            """,
            [
                id, .text(freeze.workspace), .text(freeze.environment), .integer(Int64(freeze.batchSize)),
                .boolean(freeze.raisesBadges),
            ])
        guard isNew > 0 else {
            let journal = try PostgresJournal.frozen(freeze.delivery, in: session)
            guard journal.workspace == freeze.workspace else {
                throw RegistryError(.valueTaken, "The delivery '\(freeze.delivery)' is another workspace's.")
            }
            return try PostgresLocks(session).check(lease, of: freeze.workspace)
        }
        let (targets, leftOut) = try write()
        try session.execute(
            "UPDATE journal SET targets = $2, leftOut = $3 WHERE delivery = $1",
            [id, .integer(Int64(targets)), .text(PostgresJournal.text(of: leftOut))])
        // Last, so that the holder can renew the lock meanwhile.
        try PostgresLocks(session).check(lease, of: freeze.workspace)
    }

    private func write() throws -> (targets: Int, leftOut: [AudienceFigures.LeftOut: Int]) {
        let routes = freeze.audience.routes
        var (targets, number, reached) = (0, 0, 0)
        var leftOut: [AudienceFigures.LeftOut: Int] = [:]
        var tokens = routes.map { _ in [String]() }
        var rows: [[PostgresValue]] = []
        func finish(_ route: Int) throws {
            number += 1
            targets += tokens[route].count
            rows.append([
                .text(freeze.delivery), .integer(Int64(number)), .text(routes[route].profile),
                .integer(Int64(tokens[route].count)), .integer(BatchState.fresh.rawValue),
                .texts(tokens[route]),
            ])
            tokens[route].removeAll(keepingCapacity: true)
            if rows.count == Self.batchesAtOnce { try flush() }
        }
        func flush() throws {
            try session.copy(rows, into: "journalBatch(delivery, number, profile, devices, state, tokens)")
            rows.removeAll(keepingCapacity: true)
        }
        try PostgresAudience(freeze.audience, at: now).each(in: session) { fate, token in
            switch fate {
            case .leftOut(let reason): leftOut[reason, default: 0] += 1
            case .reached(let route):
                reached += 1
                if let most = freeze.mostDevices, reached > most { return }
                tokens[route].append(token)
                if tokens[route].count == freeze.batchSize { try finish(route) }
            }
        }
        try freeze.check(devices: reached)
        for route in routes.indices where !tokens[route].isEmpty { try finish(route) }
        if !rows.isEmpty { try flush() }
        return (targets, leftOut)
    }
}
