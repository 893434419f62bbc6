package import Push

extension Registry {
    /// The days after which a device that was not seen is removed. Source:
    /// docs/background/leancloud/devices.md#clean-up.
    static let deviceLifetimeInDays: Int64 = 90
    /// The days for which a simulated device keeps a message.
    static let inboxLifetimeInDays: Int64 = 30
    /// The number of rows removed per transaction, so that no other writer waits long.
    private static let rowsAtOnce = 5000

    /// Removes expired data: request ids, records of pushes, messages, and devices that were not seen for 90 days,
    /// unless `keepsStaleDevices` is true.
    ///
    /// - Returns: the number of removed devices.
    @discardableResult
    package func purge(at now: Instant, keepsStaleDevices: Bool = false) async throws(RegistryError) -> Int {
        try await write { db in
            try db.execute(
                "DELETE FROM pushRecord WHERE createdAt <= ?", [now.advanced(byDays: -PushRecord.lifetimeInDays)])
            try db.execute(
                "DELETE FROM pushRequest WHERE createdAt < ?", [now.advanced(bySeconds: -Self.requestWindow)])
            try db.forgetReached(
                before: now - Policy.defaultReachedKept, of: DeliveryFreeze.ofServer, under: nil)
            try db.execute("DELETE FROM pushRate WHERE minute < ?", [now.milliseconds / 60_000])
            // A push is claimed only while it is being sent.
            try db.execute(
                """
                DELETE FROM deployLock WHERE workspace LIKE '\(Self.claimPrefix)%' AND NOT EXISTS (
                  SELECT 1 FROM push WHERE state = '\(PushDelivery.sendingToApple)'
                  AND '\(Self.claimPrefix)' || objectId = deployLock.workspace)
                """, [])
        }
        try await Journal(self) { now }.foldEvents()
        let oldestMessage = now.advanced(byDays: -Self.inboxLifetimeInDays)
        // Rows are added in chronological order, so the oldest come first.
        try await removeInSteps(
            """
            DELETE FROM inbox WHERE id IN (
              SELECT id FROM (SELECT id, receivedAt FROM inbox ORDER BY id LIMIT \(Self.rowsAtOnce)) AS oldest
              WHERE receivedAt < ?)
            """, oldestMessage)
        try await removeInSteps(
            """
            DELETE FROM push WHERE id IN (
              SELECT id FROM (SELECT id, createdAt, state FROM push ORDER BY id LIMIT \(Self.rowsAtOnce)) AS oldest
              WHERE createdAt < ? AND state NOT IN ('queued', 'scheduled', '\(PushDelivery.sendingToApple)')
              AND NOT (\(HeldState.isHeld)))
            AND NOT EXISTS (SELECT 1 FROM inbox WHERE inbox.push = push.id)
            """, oldestMessage)
        guard !keepsStaleDevices else { return 0 }
        return try await removeInSteps(
            "DELETE FROM installation WHERE id IN (SELECT id FROM installation WHERE updatedAt < ? LIMIT \(Self.rowsAtOnce))",
            now.advanced(byDays: -Self.deviceLifetimeInDays))
    }

    @discardableResult
    private func removeInSteps(_ sql: String, _ oldest: Instant) async throws(RegistryError) -> Int {
        var total = 0
        while true {
            let removed = try await write { db in try db.execute(sql, [oldest]) }
            total += removed
            guard removed == Self.rowsAtOnce else { return total }
        }
    }
}
