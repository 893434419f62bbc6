internal import Base
package import Push

// Stops need no lock: whoever sends has it, and looks at them in the transaction that claims a batch.

extension JournalReading {
    /// Returns the orders to stop deliveries of a workspace.
    package func stops(of workspace: String) async throws(RegistryError) -> [StopOrder] {
        try await read { db in try db.records(.stop, of: workspace).map { try $0.stop } }
    }

    /// Returns the order that stops a delivery, its own or that of all; nil: nothing stops it.
    package func stop(of delivery: String, in workspace: String) async throws(RegistryError) -> StopOrder? {
        try await read { db in try db.stop(of: delivery, in: workspace) }
    }
}

extension Journal {
    /// Writes an order, unless there is one with its key: no batch is claimed against it once this returns.
    package func stop(_ order: StopOrder, in workspace: String) async throws(RegistryError) {
        try await write { db in
            guard try !db.records(.stop, of: workspace).contains(where: { $0.key == order.key }) else { return }
            try db.write(DeployRecord(order, of: workspace))
        }
        guard database.isShared else { return }
        // A claim that looked before holds these rows until it is committed; to wait for it first would delay the order.
        try await write { db in
            _ = try db.journal(of: order.key, .changing)
            _ = try db.lock(of: workspace, .changing)
        }
    }

    /// Removes an order, if it exists.
    package func lift(_ order: StopOrder, in workspace: String) async throws(RegistryError) {
        try await remove(DeployRecord(order, of: workspace), under: nil)
    }
}

extension RegistryTransaction {
    /// The order that stops a delivery: its own before that of all.
    func stop(of delivery: String, in workspace: String) throws -> StopOrder? {
        // '*' and '**' sort before every id.
        try rows(
            """
            SELECT key, document FROM deployRecord WHERE workspace = ? AND kind = ? AND key IN (?, ?, ?)
            ORDER BY key DESC
            """,
            [workspace, DeployRecord.Kind.stop.rawValue, delivery, StopOrder.all, StopOrder.copying]
        ).first.map { row in
            try DeployRecord(
                workspace: workspace, kind: .stop, key: row.string(0), document: try JSONValue(stored: row.string(1))
            ).stop
        }
    }
}

extension DeployRecord {
    fileprivate init(_ order: StopOrder, of workspace: String) {
        self.init(workspace: workspace, kind: .stop, key: order.key, document: .object(order.members))
    }

    /// The order in a record of a stop; one that cannot be read stops everything by its error.
    fileprivate var stop: StopOrder {
        get throws {
            do throws(RemoteError) {
                return try StopOrder(StoredFields(document.object ?? [:], at: "the registry's stop \(key)"))
            } catch {
                throw RegistryError(internal: error.description)
            }
        }
    }
}
