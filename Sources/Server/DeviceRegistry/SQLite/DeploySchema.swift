internal import DeliveryJournal
internal import RegistryModel

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

    /// The statements that create the tables.
    static let tables = DeployTables(.sqlite).applies + journal + provenTokens

    /// Divides the journals into parts.
    static let parts = DeployTables(.sqlite).parts

    /// Adds the reached sets.
    static let reached = DeployTables(.sqlite).reached

    /// Adds the events that devices report.
    static let events = DeployTables(.sqlite).events

    /// Adds the tokens that devices had before.
    static let formerTokens = DeployTables(.sqlite).formerTokens

    /// Gives devices of one delivery different words.
    static let words = DeployTables(.sqlite).words

    /// A trigger for devices added by a team's own SQL: they may reuse the number of a removed device, whose bit says
    /// nothing about their token.
    static let rowUsedAgain = """
        CREATE TRIGGER rowUsedAgain AFTER INSERT ON installation WHEN NEW.id <= (SELECT installation FROM rowUsed) BEGIN
          INSERT OR IGNORE INTO tokenChange(environment, installation)
            VALUES ('production', NEW.id), ('development', NEW.id);
        END
        """

    /// The id of this registry: 128 random bits, shared by copies of the file.
    static let identity = [
        "CREATE TABLE registryIdentity (id TEXT PRIMARY KEY) WITHOUT ROWID",
        "INSERT INTO registryIdentity VALUES (lower(hex(randomblob(16))))",
    ]

    /// Migrates the journals to the same tables as in PostgreSQL: figures come from the rows of batches and devices,
    /// and a batch's devices are in its row. Earlier counts are kept in the row of one settled batch.
    static let figuresFromRows =
        [
            "ALTER TABLE journal RENAME TO oldJournal",
            "ALTER TABLE journalBatch RENAME TO oldBatch",
            "ALTER TABLE journalTarget RENAME TO oldTarget",
        ] + DeployTables(.sqlite).journal + [
            """
            INSERT INTO journal SELECT delivery, workspace, environment, batchSize, raisesBadges, freezing, targets,
              missed - coalesce((SELECT SUM(b.devices) FROM oldBatch AS b
                WHERE b.journal = j.id AND b.state = \(BatchState.missed.rawValue)), 0),
              leftOut, lastOutcomeAt, closedAt FROM oldJournal AS j
            """,
            """
            INSERT INTO journalBatch(
              delivery, number, profile, devices, state, claimant, fence, claimedAt, accepted, targets, tries)
            SELECT j.delivery, b.number, b.profile, b.devices, b.state, b.claimant, b.fence, b.claimedAt,
              iif(b.id IN (SELECT MIN(id) FROM oldBatch WHERE state = \(BatchState.settled.rawValue) GROUP BY journal),
                j.accepted, 0), p.targets, t.tries
            FROM oldBatch AS b JOIN oldJournal AS j ON j.id = b.journal
            LEFT JOIN journalPack AS p ON p.batch = b.id LEFT JOIN journalTries AS t ON t.batch = b.id
            """,
            """
            INSERT INTO journalTarget SELECT j.delivery, t.token, t.installation, t.profile, t.state, t.badge, t.attempts,
              t.dueAt, t.reason FROM oldTarget AS t JOIN oldJournal AS j ON j.id = t.journal
            """,
        ]
        + ["oldBatch", "oldTarget", "oldJournal", "journalPack", "journalTries", "journalRefusal"].map {
            "DROP TABLE \($0)"
        } + DeployTables.indexes

    private static let journal = [
        // `freezing` is the id of the attempt that writes the audience; NULL when it is complete. `batches` is the last
        // number used.
        """
        CREATE TABLE journal (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          delivery TEXT NOT NULL UNIQUE,
          workspace TEXT NOT NULL,
          environment TEXT NOT NULL,
          batchSize INTEGER NOT NULL,
          raisesBadges INTEGER NOT NULL,
          freezing TEXT,
          batches INTEGER NOT NULL DEFAULT 0,
          targets INTEGER NOT NULL DEFAULT 0,
          waiting INTEGER NOT NULL DEFAULT 0,
          underWay INTEGER NOT NULL DEFAULT 0,
          accepted INTEGER NOT NULL DEFAULT 0,
          inDoubt INTEGER NOT NULL DEFAULT 0,
          missed INTEGER NOT NULL DEFAULT 0,
          leftOut TEXT NOT NULL DEFAULT '{}',
          lastOutcomeAt INTEGER,
          closedAt INTEGER
        )
        """,
        """
        CREATE TABLE journalBatch (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          journal INTEGER NOT NULL,
          number INTEGER NOT NULL,
          profile TEXT NOT NULL,
          devices INTEGER NOT NULL,
          state INTEGER NOT NULL,
          claimant TEXT,
          fence INTEGER,
          claimedAt INTEGER,
          UNIQUE (journal, number)
        )
        """,
        "CREATE INDEX journalBatchFresh ON journalBatch(journal, number) WHERE state = \(BatchState.fresh.rawValue)",
        "CREATE INDEX journalBatchOpen ON journalBatch(journal, claimedAt) WHERE state = \(BatchState.open.rawValue)",
        // Separate from the batch, so that a claim does not rewrite the devices.
        "CREATE TABLE journalPack (batch INTEGER PRIMARY KEY, targets BLOB NOT NULL)",
        // The badges and attempts of a batch's devices, where there are any.
        "CREATE TABLE journalTries (batch INTEGER PRIMARY KEY, tries BLOB NOT NULL)",
        // A device that was not accepted.
        """
        CREATE TABLE journalTarget (
          id INTEGER PRIMARY KEY,
          journal INTEGER NOT NULL,
          state INTEGER NOT NULL,
          profile TEXT NOT NULL,
          token TEXT NOT NULL,
          installation INTEGER NOT NULL,
          badge INTEGER NOT NULL,
          attempts INTEGER NOT NULL,
          dueAt INTEGER,
          reason TEXT
        )
        """,
        "CREATE INDEX journalTargetDue ON journalTarget(journal, dueAt) WHERE state = \(TargetState.waits.rawValue)",
        "CREATE INDEX journalTargetInDoubt ON journalTarget(journal) WHERE state = \(TargetState.inDoubt.rawValue)",
        """
        CREATE TABLE journalRefusal (
          journal INTEGER NOT NULL,
          reason TEXT NOT NULL,
          devices INTEGER NOT NULL,
          PRIMARY KEY (journal, reason)
        ) WITHOUT ROWID
        """,
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
