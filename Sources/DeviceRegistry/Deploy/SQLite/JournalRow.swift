internal import GRDB
internal import JSONValue

/// The journal of one delivery, without its devices.
struct JournalRow {
    let id: Int64
    let delivery: String
    let workspace: String
    let environment: String
    let batchSize: Int
    let raisesBadges: Bool
    /// Who writes the audience down; nil when it is whole.
    let freezing: String?
    let isClosed: Bool

    /// Finds a journal; nil when the delivery was never begun.
    static func find(_ delivery: String, in db: Database) throws -> JournalRow? {
        try row(delivery, in: db).map(JournalRow.init)
    }

    /// The journal of a delivery whose audience is frozen.
    ///
    /// - Throws: ``RegistryError`` when it was not begun, or its audience is not whole yet.
    static func frozen(_ delivery: String, in db: Database) throws -> JournalRow {
        guard let journal = try find(delivery, in: db) else {
            throw RegistryError(.notFound, "The delivery '\(delivery)' was not begun.")
        }
        guard journal.freezing == nil else {
            throw RegistryError(.noEffect, "The audience of the delivery '\(delivery)' is not frozen yet.")
        }
        return journal
    }

    /// What a delivery has come to; nil when it was never begun.
    static func figures(_ delivery: String, in db: Database) throws -> JournalFigures? {
        guard let row = try row(delivery, in: db) else { return nil }
        let refusals = try Row.fetchAll(
            db, sql: "SELECT reason, devices FROM journalRefusal WHERE journal = ?", arguments: [row["id"] as Int64])
        let leftOut = try RecordTable.document(row["leftOut"]).object ?? [:]
        return JournalFigures(
            targets: row["targets"], waiting: row["waiting"], underWay: row["underWay"], accepted: row["accepted"],
            refused: Dictionary(uniqueKeysWithValues: refusals.map { ($0["reason"], $0["devices"]) }),
            inDoubt: row["inDoubt"], missed: row["missed"],
            leftOut: leftOut.reduce(into: [:]) { counts, entry in
                guard let reason = AudienceFigures.LeftOut(rawValue: entry.key) else { return }
                counts[reason] = entry.value.integer.map { Int($0) }
            },
            isFrozen: row["freezing"] == nil, isClosed: row["closedAt"] != nil,
            lastOutcomeAt: (row["lastOutcomeAt"] as Int64?).map { Timestamp(milliseconds: $0) })
    }

    /// What was left out, as it is written down.
    static func text(of leftOut: [AudienceFigures.LeftOut: Int]) -> String {
        JSONValue.object(
            Dictionary(uniqueKeysWithValues: leftOut.map { ($0.key.rawValue, .integer(Int64($0.value))) })
        ).canonicalText
    }

    private static func row(_ delivery: String, in db: Database) throws -> Row? {
        try Row.fetchOne(
            db.cachedStatement(sql: "SELECT * FROM journal WHERE delivery = ?"), arguments: [delivery])
    }

    private init(_ row: Row) {
        id = row["id"]
        delivery = row["delivery"]
        workspace = row["workspace"]
        environment = row["environment"]
        batchSize = row["batchSize"]
        raisesBadges = row["raisesBadges"]
        freezing = row["freezing"]
        isClosed = row["closedAt"] != nil
    }
}

/// Changes to the counts of a journal.
struct JournalChange {
    var waiting = 0
    var underWay = 0
    var accepted = 0
    var inDoubt = 0
    var missed = 0
    /// Newly refused devices, by reason.
    var refused: [String: Int] = [:]
    /// When something became of devices; nil: nothing did.
    var outcomeAt: Timestamp?

    /// Writes them down.
    func write(to journal: Int64, in db: Database) throws {
        try db.cachedStatement(
            sql: """
                UPDATE journal SET waiting = waiting + ?, underWay = underWay + ?, accepted = accepted + ?,
                  inDoubt = inDoubt + ?, missed = missed + ?, lastOutcomeAt = coalesce(?, lastOutcomeAt) WHERE id = ?
                """
        ).execute(arguments: [waiting, underWay, accepted, inDoubt, missed, outcomeAt?.milliseconds, journal])
        for (reason, devices) in refused {
            try db.cachedStatement(
                sql: """
                    INSERT INTO journalRefusal(journal, reason, devices) VALUES (?, ?, ?)
                    ON CONFLICT(journal, reason) DO UPDATE SET devices = devices + excluded.devices
                    """
            ).execute(arguments: [journal, reason, devices])
        }
    }
}
