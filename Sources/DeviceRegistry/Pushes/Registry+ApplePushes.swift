internal import GRDB
internal import JSONValue
package import PushModel

/// A push that goes to Apple and has not ended.
package struct ApplePush: Hashable, Sendable {
    /// What is sent.
    package let order: PushOrder
    /// When it was taken.
    package let createdAt: Instant
}

/// What a push came to on Apple's devices.
package struct ApplePushResult: Hashable, Sendable {
    /// How it ended.
    package var ending: Ending
    /// What its journal says; nil when none was begun.
    package var figures: JournalFigures?
    /// How many of the refused tokens are no good.
    package var invalidTokens: Int

    /// How a push to Apple ended.
    package enum Ending: Hashable, Sendable {
        /// Every device has its answer, or is counted.
        case done
        /// Its time was over before the first device.
        case expired
        /// It stopped for good, and why.
        case failed(String)
    }

    /// Joins them.
    package init(ending: Ending, figures: JournalFigures?, invalidTokens: Int) {
        self.ending = ending
        self.figures = figures
        self.invalidTokens = invalidTokens
    }
}

extension Registry {
    /// A push to development devices may reach this many. Source: <doc:/PushModel/LeanCloudPush#Limits>.
    package static let mostDevelopmentDevices = 20_000

    private static let isSending = "state = '\(PushDelivery.sendingToApple)'"

    /// A push that is to be sent to Apple; nil when it has ended, or none has this `objectId`.
    package func applePush(objectID: String) async throws(RegistryError) -> ApplePush? {
        try await read { db in
            let sql = "SELECT request, createdAt FROM push WHERE objectId = ? AND \(Self.isSending)"
            guard let row = try Row.fetchOne(db, sql: sql, arguments: [objectID]) else { return nil }
            return ApplePush(
                order: try PushDelivery.order(row["request"]), createdAt: Instant(milliseconds: row["createdAt"]))
        }
    }

    /// The `objectId`s of all pushes that are to be sent to Apple, the oldest first.
    package func applePushes() async throws(RegistryError) -> [String] {
        try await read { db in
            try String.fetchAll(db, sql: "SELECT objectId FROM push WHERE \(Self.isSending) ORDER BY id")
        }
    }

    /// Records what became of a push that went to Apple; nothing when that was done already.
    package func finishApplePush(
        objectID: String, _ result: ApplePushResult, at now: Instant
    ) async throws(RegistryError) {
        try await write { db in
            let sql = "SELECT id, request FROM push WHERE objectId = ? AND \(Self.isSending)"
            guard let row = try Row.fetchOne(db, sql: sql, arguments: [objectID]) else { return }
            try PushDelivery(row).finish(result, at: now, in: db)
        }
    }
}
