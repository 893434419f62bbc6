internal import Base
package import Push

/// A push to Apple that has not ended.
package struct ApplePush: Hashable, Sendable {
    /// The push to send.
    package let order: PushOrder
    /// The time when it was accepted.
    package let createdAt: Instant
}

/// The result of a push on Apple devices.
package struct ApplePushResult: Hashable, Sendable {
    /// The ending.
    package var ending: Ending
    /// The figures of its journal; nil when none was started.
    package var figures: JournalFigures?
    /// The number of refused tokens that are invalid.
    package var invalidTokens: Int

    /// The endings of a push to Apple.
    package enum Ending: Hashable, Sendable {
        /// Every device has an outcome, or is counted.
        case done
        /// The push expired before the first device.
        case expired
        /// The push failed for good, with the reason.
        case failed(String)
    }

    package init(ending: Ending, figures: JournalFigures?, invalidTokens: Int) {
        self.ending = ending
        self.figures = figures
        self.invalidTokens = invalidTokens
    }
}

extension Registry {
    /// The maximum number of devices for a push to development devices. Source:
    /// docs/background/leancloud/push.md#limits.
    package static let mostDevelopmentDevices = 20_000

    private static let isSending = "state = '\(PushDelivery.sendingToApple)'"

    /// Returns a push to be sent to Apple; nil when it has ended, or none has this `objectId`.
    package func applePush(objectID: String) async throws(RegistryError) -> ApplePush? {
        try await read { db in
            let sql = "SELECT request, createdAt FROM push WHERE objectId = ? AND \(Self.isSending)"
            return try db.row(sql, [objectID]).map { row in
                ApplePush(
                    order: try PushDelivery.order(row.text(0) ?? ""),
                    createdAt: row.time(1) ?? Instant(milliseconds: 0))
            }
        }
    }

    /// Returns the `objectId`s of all pushes to be sent to Apple, the oldest first.
    package func applePushes() async throws(RegistryError) -> [String] {
        try await read { db in
            try db.texts("SELECT objectId FROM push WHERE \(Self.isSending) ORDER BY id")
        }
    }

    /// Records the result of a push to Apple; does nothing when that was done already.
    package func finishApplePush(
        objectID: String, _ result: ApplePushResult, at now: Instant
    ) async throws(RegistryError) {
        try await change(objectID) { delivery, db in try delivery.finish(result, at: now, in: db) }
    }

    /// Records why a push to Apple waits, nil once it goes on; does nothing when it has ended.
    package func noteApplePush(
        objectID: String, waitsFor reason: String?, at now: Instant
    ) async throws(RegistryError) {
        try await change(objectID) { delivery, db in try delivery.wait(for: reason, at: now, in: db) }
    }

    private func change(
        _ objectID: String, _ body: @escaping @Sendable (PushDelivery, any RegistryTransaction) throws -> Void
    ) async throws(RegistryError) {
        try await write { db in
            let sql = "SELECT id, request FROM push WHERE objectId = ? AND \(Self.isSending)\(db.clause(.changing))"
            if let row = try db.row(sql, [objectID]) { try body(PushDelivery(row), db) }
        }
    }
}
