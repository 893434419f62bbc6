internal import Base
package import Push

extension Registry {
    /// The days before a push within which its delivery was first recorded.
    private static let ledgerDays: Int64 = 90

    /// Returns the ledger entry of the campaign that a push belongs to; nil for a push that `bugle apply` did not make.
    package func ledgerEntry(of order: PushOrder, createdAt: Instant) async throws(RegistryError) -> LedgerEntry? {
        func date(_ instant: Instant) -> JSONValue { ["__type": "Date", "iso": .string(instant.isoText)] }
        var query = ObjectQuery()
        // The index over the time of creation bounds what is read.
        query.condition = [
            "$or": [["notificationId": .string(order.notificationID)], ["pushId": .string(order.objectID)]],
            "createdAt": [
                "$gte": date(createdAt.advanced(byDays: -Self.ledgerDays)), "$lte": date(createdAt.advanced(byDays: 1)),
            ],
        ]
        query.order = ["-createdAt"]
        query.limit = 1
        let found: [JSONValue]
        do {
            found = try await find(query, in: try ClassName("BugleLedger"), as: .master).results
        } catch  where error == .notFound {
            return nil
        }
        return found.first?.object.flatMap { try? LedgerFields.entry(StoredFields($0, at: "BugleLedger")) }
    }
}
