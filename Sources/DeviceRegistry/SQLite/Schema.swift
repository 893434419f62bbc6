internal import GRDB

/// The tables.
///
/// A document holds every field that a client wrote, as canonical JSON. Frequently looked-up fields have a generated
/// column beside it, so that the two cannot differ; channels have a table of their own, maintained by triggers.
enum Schema {
    /// The migrations from an empty file to the current tables.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for (name, statements) in steps {
            migrator.registerMigration(name) { db in
                for statement in statements { try db.execute(sql: statement) }
            }
        }
        return migrator
    }

    /// The names of the migrations, in their order.
    static var migrations: [String] { steps.map(\.0) }

    private static let common = CommonTables(.sqlite)

    /// From 0.1.0 on a change of the tables is a migration of its own, after those that released versions know.
    private static let steps = [
        (
            "0.1.0",
            installations + channels + objects + pushes + deadTokens + fields + rowsUsedOnce + DeploySchema.tables
                + superseded + console + common.sharedState
        )
    ]

    /// `reportedAt` is NULL until a push has found out.
    private static let deadTokens = [
        "CREATE TABLE deadToken (token TEXT PRIMARY KEY, reportedAt INTEGER) WITHOUT ROWID",
        "CREATE INDEX deadTokenUnreported ON deadToken(token) WHERE reportedAt IS NULL",
    ]

    private static let superseded = [
        common.superseded,
        "CREATE INDEX supersededByToken ON superseded(deviceToken, updatedAt, objectId)",
        "CREATE INDEX supersededByInstallationId ON superseded(installationId, updatedAt, objectId)",
    ]

    /// The indexes that only the console needs, so that each of its pages reads little however large the registry is.
    private static let console = [
        // The failures of one device.
        "CREATE INDEX journalTargetByToken ON journalTarget(token)",
        // What happened on a day.
        "CREATE INDEX pushByCreation ON push(createdAt)",
        "CREATE INDEX journalBatchBySettling ON journalBatch(settledAt, accepted)",
        "CREATE INDEX journalBatchFirst ON journalBatch(claimedAt, delivery) WHERE number = 1",
        "CREATE INDEX deadTokenByReport ON deadToken(reportedAt) WHERE reportedAt IS NOT NULL",
    ]

    private static let installations = [
        """
        CREATE TABLE installation (
          id INTEGER PRIMARY KEY,
          objectId TEXT NOT NULL UNIQUE,
          createdAt INTEGER NOT NULL,
          updatedAt INTEGER NOT NULL,
          document TEXT NOT NULL,
          \(common.identifiers),
          deviceProfile TEXT GENERATED ALWAYS AS (json_extract(document, '$.deviceProfile')) STORED,
          badge INTEGER GENERATED ALWAYS AS (json_extract(document, '$.badge')) STORED,
          valid INTEGER GENERATED ALWAYS AS (json_type(document, '$.valid') = 'true') STORED
        )
        """,
        "CREATE UNIQUE INDEX installationByToken ON installation(deviceToken)",
        "CREATE UNIQUE INDEX installationByInstallationId ON installation(installationId)",
        // Driving indexes need no second column: a device that is seen again then changes one of them, not four.
        "CREATE INDEX installationByProfile ON installation(deviceProfile)",
        "CREATE INDEX installationByType ON installation(deviceType)",
        "CREATE INDEX invalidInstallation ON installation(valid) WHERE valid = 0",
        "CREATE INDEX installationByUpdate ON installation(updatedAt)",
        // A scan continues without reading the earlier pages.
        "CREATE INDEX installationByCreation ON installation(createdAt)",
    ]

    private static let channels = [
        """
        CREATE TABLE channel (
          name TEXT NOT NULL,
          installation INTEGER NOT NULL,
          PRIMARY KEY (name, installation)
        ) WITHOUT ROWID
        """,
        "CREATE INDEX channelByInstallation ON channel(installation)",
        """
        CREATE TRIGGER channelAdded AFTER INSERT ON installation BEGIN
          INSERT OR IGNORE INTO channel(name, installation)
            SELECT value, NEW.id FROM json_each(NEW.document, '$.channels') WHERE type = 'text';
        END
        """,
        """
        CREATE TRIGGER channelChanged AFTER UPDATE OF document ON installation
        WHEN json_extract(OLD.document, '$.channels') IS NOT json_extract(NEW.document, '$.channels') BEGIN
          DELETE FROM channel WHERE installation = OLD.id;
          INSERT OR IGNORE INTO channel(name, installation)
            SELECT value, NEW.id FROM json_each(NEW.document, '$.channels') WHERE type = 'text';
        END
        """,
        """
        CREATE TRIGGER channelRemoved AFTER DELETE ON installation BEGIN
          DELETE FROM channel WHERE installation = OLD.id;
        END
        """,
    ]

    private static let objects =
        common.classes + [
            """
            CREATE TABLE object (
              id INTEGER PRIMARY KEY,
              class TEXT NOT NULL,
              objectId TEXT NOT NULL,
              createdAt INTEGER NOT NULL,
              updatedAt INTEGER NOT NULL,
              document TEXT NOT NULL,
              UNIQUE (class, objectId)
            )
            """,
            "CREATE INDEX objectByCreation ON object(class, createdAt)",
            "CREATE INDEX objectByUpdate ON object(class, updatedAt)",
            common.relation,
        ]

    private static let pushes = [
        common.push,
        "CREATE INDEX pushByNotification ON push(notificationId)",
        "CREATE INDEX pushByState ON push(state) WHERE state = 'queued'",
        "CREATE INDEX pushBeingSent ON push(state) WHERE state = '\(PushDelivery.sendingToApple)'",
        common.scheduledPush,
        "CREATE INDEX scheduledPushByTime ON scheduledPush(fireAt)",
        common.pushRecord,
        "CREATE INDEX pushRecordByCreation ON pushRecord(createdAt)",
        common.pushRequest,
        common.inbox,
        "CREATE INDEX inboxByDevice ON inbox(device)",
        "CREATE INDEX inboxByPush ON inbox(push, device)",
    ]

    private static let fields = [
        // `filledTo` is the last indexed device; NULL when all are indexed.
        "CREATE TABLE indexedField (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, path TEXT NOT NULL, filledTo INTEGER)",
        """
        CREATE TABLE fieldValue (
          field INTEGER NOT NULL,
          value NOT NULL,
          installation INTEGER NOT NULL,
          PRIMARY KEY (field, value, installation)
        ) WITHOUT ROWID
        """,
        """
        CREATE TRIGGER fieldAdded AFTER INSERT ON installation WHEN EXISTS (SELECT 1 FROM indexedField) BEGIN
          \(addedValues(of: "NEW", where: "1"));
        END
        """,
        """
        CREATE TRIGGER fieldChanged AFTER UPDATE OF document ON installation
        WHEN EXISTS (SELECT 1 FROM indexedField) BEGIN
          DELETE FROM fieldValue WHERE (field, value, installation) IN (\(values(of: "OLD", where: differs)));
          \(addedValues(of: "NEW", where: differs));
        END
        """,
        """
        CREATE TRIGGER fieldRemoved AFTER DELETE ON installation WHEN EXISTS (SELECT 1 FROM indexedField) BEGIN
          DELETE FROM fieldValue WHERE (field, value, installation) IN (\(values(of: "OLD", where: "1")));
        END
        """,
    ]

    private static let rowsUsedOnce = [
        "CREATE TABLE rowUsed (installation INTEGER NOT NULL)",
        "INSERT INTO rowUsed VALUES (0)",
        """
        CREATE TRIGGER rowRemoved AFTER DELETE ON installation WHEN OLD.id > (SELECT installation FROM rowUsed) BEGIN
          UPDATE rowUsed SET installation = OLD.id;
        END
        """,
    ]

    private static let differs = """
        (json_extract(OLD.document, f.path) IS NOT json_extract(NEW.document, f.path) \
        OR json_type(OLD.document, f.path) IS NOT json_type(NEW.document, f.path))
        """

    /// The statement that adds the values of one or more devices to the indexes over custom fields.
    static func addedValues(of device: String, from source: String = "", where condition: String) -> String {
        "INSERT OR IGNORE INTO fieldValue(field, value, installation) "
            + values(of: device, from: source, where: condition)
    }

    /// Fills the indexes over custom fields by one step; false when all are complete.
    static func fillIndexes(in db: Database) throws -> Bool {
        let sql = "SELECT id, filledTo FROM indexedField WHERE filledTo IS NOT NULL LIMIT 1"
        guard let row = try Row.fetchOne(db, sql: sql) else { return false }
        let (field, done): (Int64, Int64) = (row["id"], row["filledTo"])
        let last = try Int64.fetchOne(
            db, sql: "SELECT MAX(id) FROM (SELECT id FROM installation WHERE id > ? ORDER BY id LIMIT ?)",
            arguments: [done, FieldIndexes.devicesPerStep])
        if let last {
            try db.execute(
                sql: addedValues(
                    of: "device", from: " CROSS JOIN installation AS device",
                    where: "f.id = ? AND device.id > ? AND device.id <= ?"),
                arguments: [field, done, last])
        }
        try db.execute(sql: "UPDATE indexedField SET filledTo = ? WHERE id = ?", arguments: [last, field])
        return true
    }

    /// The values of a device under the indexed fields: a list's elements, or else the value itself.
    ///
    /// Booleans and pointers are stored as bytes, so that they equal no number and no string.
    private static func values(of device: String, from source: String = "", where condition: String) -> String {
        """
        SELECT field, value, installation FROM (
          SELECT f.id AS field, \(device).id AS installation, CASE v.type WHEN 'true' THEN x'01' WHEN 'false' THEN x'00'
            WHEN 'object' THEN CAST('p' || json_extract(v.value, '$.objectId') AS BLOB) ELSE v.value END AS value
          FROM indexedField AS f\(source), \(ObjectTable.values(of: device + ".document", at: "f.path")) AS v
          WHERE \(condition))
        WHERE value IS NOT NULL AND (typeof(value) <> 'text' OR length(value) <= \(ObjectTable.longestIndexed))
        """
    }
}

/// The tables of applies: records, locks, and the journal of deliveries.
///
/// A delivery to ten million devices has ten thousand rows: a batch's devices are packed in one value (``TargetPack``)
/// that is never rewritten, and only a device that was not accepted gets a row of its own.
enum DeploySchema {
    /// The tables that ``Registry/empty()`` clears; triggers clear those that depend on devices.
    static let emptied = [
        "installation", "deadToken", "deployLock", "deployRecord", "event", "eventCount", "eventWindow", "formerToken",
        "journal",
        "journalBatch", "journalPart", "journalTarget", "provenTokens", "reached", "tokenChange", "sqlite_sequence",
    ]

    static let tables = CommonTables(.sqlite).applies + provenTokens + identity + [rowUsedAgain]

    /// A trigger for devices added by a team's own SQL: they may reuse the number of a removed device, whose bit says
    /// nothing about their token.
    private static let rowUsedAgain = """
        CREATE TRIGGER rowUsedAgain AFTER INSERT ON installation WHEN NEW.id <= (SELECT installation FROM rowUsed) BEGIN
          INSERT OR IGNORE INTO tokenChange(environment, installation)
            VALUES ('production', NEW.id), ('development', NEW.id);
        END
        """

    /// The id of this registry: 128 random bits, shared by copies of the file.
    private static let identity = [
        "CREATE TABLE registryIdentity (id TEXT PRIMARY KEY) WITHOUT ROWID",
        "INSERT INTO registryIdentity VALUES (lower(hex(randomblob(16))))",
    ]

    /// One bit per installation and environment: Apple accepted its token there. An installation whose token has
    /// changed since is listed in `tokenChange`, and its bit is void.
    private static let provenTokens = [
        """
        CREATE TABLE provenTokens (
          environment TEXT NOT NULL,
          block INTEGER NOT NULL,
          bits BLOB NOT NULL,
          PRIMARY KEY (environment, block)
        )
        """,
        """
        CREATE TABLE tokenChange (
          environment TEXT NOT NULL,
          installation INTEGER NOT NULL,
          PRIMARY KEY (environment, installation)
        ) WITHOUT ROWID
        """,
        """
        CREATE TRIGGER tokenChanged AFTER UPDATE OF document ON installation
        WHEN OLD.deviceToken IS NOT NEW.deviceToken BEGIN
          INSERT OR IGNORE INTO tokenChange(environment, installation)
            VALUES ('production', NEW.id), ('development', NEW.id);
        END
        """,
        """
        CREATE TRIGGER tokenRemoved AFTER DELETE ON installation BEGIN
          DELETE FROM tokenChange
            WHERE environment IN ('production', 'development') AND installation = OLD.id;
        END
        """,
    ]
}
