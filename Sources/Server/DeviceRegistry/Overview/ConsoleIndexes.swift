/// The indexes that only the console needs, so that each of its pages reads little however large the registry is.
enum ConsoleIndexes {
    /// The statements that create them, in any database.
    static let statements = [
        // The failures of one device.
        "CREATE INDEX IF NOT EXISTS journalTargetByToken ON journalTarget(token)",
        // What happened on a day.
        "CREATE INDEX IF NOT EXISTS installationByCreation ON installation(createdAt)",
        "CREATE INDEX IF NOT EXISTS pushByCreation ON push(createdAt)",
        "CREATE INDEX IF NOT EXISTS journalBatchBySettling ON journalBatch(settledAt, accepted)",
        "CREATE INDEX IF NOT EXISTS journalBatchFirst ON journalBatch(claimedAt, delivery) WHERE number = 1",
        "CREATE INDEX IF NOT EXISTS deadTokenByReport ON deadToken(reportedAt) WHERE reportedAt IS NOT NULL",
    ]
}
