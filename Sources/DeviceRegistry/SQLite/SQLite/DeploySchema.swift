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
    static let tables = DeployTables(.sqlite).statements + provenTokens + identity + [rowUsedAgain]

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
