internal import JSONValue
internal import PushModel
internal import RegistryModel

/// What frequency rules are counted from, besides the reached sets.
extension DeployTransaction {
    /// Calls `body` with the devices of each batch that is or may be sent, of every other delivery.
    func eachUnsentBatch(besides delivery: String?, _ body: (String, TargetPack) throws -> Void) throws {
        let text = SQLText(
            sql: """
                SELECT batch.delivery, batch.targets FROM journal
                JOIN journalBatch AS batch ON batch.delivery = journal.delivery
                  AND batch.state IN (\(BatchState.fresh.rawValue), \(BatchState.open.rawValue))
                WHERE journal.freezing IS NULL AND journal.delivery <> ?
                """, arguments: [delivery ?? ""])
        try each(text) { row in
            guard let bytes = row.bytes(1), let targets = TargetPack(bytes) else {
                throw RegistryError(internal: "a stored batch is damaged")
            }
            try body(row.text(0) ?? "", targets)
            return true
        }
    }

    /// Calls `body` with the installation of each device that waits for another attempt, of every other delivery.
    func eachWaiting(besides delivery: String?, _ body: (String, Int64) throws -> Void) throws {
        let text = SQLText(
            sql: """
                SELECT target.delivery, target.installation FROM journal
                JOIN journalTarget AS target ON target.delivery = journal.delivery
                  AND target.state = \(TargetState.waits.rawValue)
                WHERE journal.delivery <> ?
                """, arguments: [delivery ?? ""])
        try each(text) { row in
            try body(row.text(0) ?? "", row.integer(1) ?? 0)
            return true
        }
    }

    /// Returns the deliveries that were sent to somebody at a time or later.
    func deliveries(reachingSince time: Instant) throws -> Set<String> {
        Set(try texts("SELECT DISTINCT delivery FROM reached WHERE reachedAt >= ?", [time]))
    }

    // MARK: What was forgotten

    private static var forgottenKey: String { "reached" }

    /// Returns the latest time of what the reached sets have forgotten; nil when they never did.
    func lastForgotten() throws -> Instant? {
        try texts(
            "SELECT document FROM deployRecord WHERE kind = ? AND key = ?",
            [DeployRecord.Kind.mark.rawValue, Self.forgottenKey]
        ).compactMap { try DeployMachine.document($0)["forgotten"]?.integer.map { Instant(milliseconds: $0) } }.max()
    }

    /// Notes that reached sets up to a time are about to be forgotten.
    func noteForgotten(_ time: Instant, of workspace: String) throws {
        let known = try records(.mark, of: workspace).first { $0.key == Self.forgottenKey }
        let last = max(time.milliseconds, known?.document["forgotten"]?.integer ?? .min)
        try write(
            DeployRecord(
                workspace: workspace, kind: .mark, key: Self.forgottenKey, document: ["forgotten": .integer(last)],
                fence: known?.fence ?? 0))
    }

    // MARK: Turns

    /// The number of freezes under frequency rules is the fence of a mark that no workspace has.
    private var isTurn: String {
        "workspace = '' AND kind = '\(DeployRecord.Kind.mark.rawValue)' AND key = 'frequency'"
    }

    /// Returns the number of freezes under frequency rules so far.
    func frequencyTurn() throws -> Int { try number("SELECT fence FROM deployRecord WHERE \(isTurn)") }

    /// Makes others that freeze under frequency rules wait until the transaction ends.
    func holdFrequencyTurn() throws {
        try execute(
            """
            INSERT INTO deployRecord(workspace, kind, key, document, fence)
            VALUES ('', '\(DeployRecord.Kind.mark.rawValue)', 'frequency', '{}', 0)
            ON CONFLICT (workspace, kind, key) DO UPDATE SET document = excluded.document
            """, [])
    }

    /// Counts a freeze; false when there was another since `turn` was read.
    func endFrequencyTurn(_ turn: Int) throws -> Bool {
        try execute("UPDATE deployRecord SET fence = fence + 1 WHERE \(isTurn) AND fence = ?", [turn]) > 0
    }
}
