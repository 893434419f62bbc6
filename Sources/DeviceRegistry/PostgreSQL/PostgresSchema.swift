/// The tables of a registry in PostgreSQL.
///
/// Besides registering them, a team can add its devices by SQL of its own:
///
///     INSERT INTO installation (token, document) VALUES
///       (lower('0A1B…'), '{"deviceType": "ios", "deviceToken": "0A1B…", "deviceProfile": "main", "channels": ["news"]}')
///     ON CONFLICT (token) DO UPDATE SET document = excluded.document, updatedAt = excluded.updatedAt
///
/// `document` has the contents of LeanCloud's `_Installation`. `token` is its `deviceToken` in lower case, which a
/// check enforces, or `-` and anything else for a device without one. `updatedAt`, in milliseconds, is the time when
/// the app was last seen: now by default; a push reaches devices of the last 90 days.
///
/// The registry relies on `jsonb` with `GIN` (`@>`), stored generated columns, `PARTITION BY HASH`, `ON CONFLICT`,
/// `RETURNING`, `WITH` that writes, `unnest` of arrays, `FOR SHARE`, `FOR UPDATE SKIP LOCKED`, cursors, sequences, and advisory locks of
/// transactions. There are no triggers, functions or extensions, and each table's primary key begins with its natural
/// distribution key. For an engine that distributes tables itself they can be created without partitions:
/// ``PostgresRegistry/create(_:partitions:)``.
enum PostgresSchema {
    /// The version of these tables; 1 is that of 0.1.0.
    static let version: Int64 = 1

    /// The number of tables over which devices are spread in a new database.
    static let partitions = 4

    /// The current time, in milliseconds.
    static let now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

    struct Step {
        /// The version of the tables after it.
        let version: Int64
        let purpose: String
        let statements: [String]
    }

    fileprivate static let common = CommonTables(.postgres)

    /// Returns the migrations of tables of a version, in their order; nil for a database without tables.
    static func steps(partitions: Int = partitions, from known: Int64?) -> [Step] {
        let tables = tables(partitions) + common.applies + PostgresServerSchema.statements
        return [Step(version: 1, purpose: "the tables of 0.1.0", statements: tables)]
            .filter { $0.version > known ?? 0 }
    }

    private static func tables(_ partitions: Int) -> [String] {
        let suffix = partitions > 0 ? " PARTITION BY HASH (token)" : ""
        return [
            "CREATE TABLE bugleSchema (version bigint NOT NULL)",
            "CREATE SEQUENCE installationNumber",
            installation + suffix,
            "CREATE INDEX installationByObjectId ON installation (objectId)",
            "CREATE INDEX installationByInstallationId ON installation (installationId)",
            "CREATE INDEX installationByProfile ON installation (deviceProfile)",
            "CREATE INDEX installationByUpdate ON installation (updatedAt)",
            "CREATE INDEX installationByChannel ON installation USING gin (channels jsonb_path_ops)",
            "CREATE INDEX installationById ON installation (id)",
            "CREATE INDEX installationByCreation ON installation (createdAt)",
            "CREATE INDEX invalidInstallation ON installation (id) WHERE NOT valid",
            "CREATE TABLE deadToken (token text COLLATE \"C\" PRIMARY KEY, reportedAt bigint)" + suffix,
            "CREATE INDEX deadTokenUnreported ON deadToken (token) WHERE reportedAt IS NULL",
            """
            CREATE TABLE provenToken (
              token text COLLATE "C", environment text, PRIMARY KEY (token, environment))\(suffix)
            """,
        ] + ["installation", "deadToken", "provenToken"].flatMap { parts(of: $0, partitions) } + objects + identity
            + reached
    }

    private static func parts(of table: String, _ partitions: Int) -> [String] {
        (0..<partitions).map { part in
            """
            CREATE TABLE \(table)\(part) PARTITION OF \(table)
            FOR VALUES WITH (MODULUS \(partitions), REMAINDER \(part))
            """
        }
    }

    private static let installation = """
        CREATE TABLE installation (
          token text COLLATE "C" NOT NULL PRIMARY KEY,
          objectId text COLLATE "C" NOT NULL DEFAULT left(replace(gen_random_uuid()::text, '-', ''), 24),
          createdAt bigint NOT NULL DEFAULT \(now),
          updatedAt bigint NOT NULL DEFAULT \(now),
          document jsonb NOT NULL,
          \(common.identifiers),
          deviceProfile text COLLATE "C" GENERATED ALWAYS AS (document ->> 'deviceProfile') STORED,
          channels jsonb GENERATED ALWAYS AS (document -> 'channels') STORED,
          valid boolean GENERATED ALWAYS AS (document -> 'valid' = 'true') STORED,
          id bigint NOT NULL DEFAULT nextval('installationNumber'),
          CONSTRAINT installationIsObject CHECK (jsonb_typeof(document) = 'object'),
          CONSTRAINT installationToken CHECK (
            CASE WHEN coalesce(document ->> 'deviceToken', '') = '' THEN left(token, 1) = '\(DeviceKey.noToken)'
            ELSE token = lower((document ->> 'deviceToken') COLLATE "C") END)
        )
        """

    private static let objects = [
        "CREATE SEQUENCE objectNumber",
        """
        CREATE TABLE object (
          class text COLLATE "C" NOT NULL,
          objectId text COLLATE "C" NOT NULL DEFAULT left(replace(gen_random_uuid()::text, '-', ''), 24),
          createdAt bigint NOT NULL DEFAULT \(now),
          updatedAt bigint NOT NULL DEFAULT \(now),
          document jsonb NOT NULL,
          id bigint NOT NULL DEFAULT nextval('objectNumber'),
          PRIMARY KEY (class, objectId)
        )
        """,
        "CREATE INDEX objectById ON object (id)",
        "CREATE INDEX objectByCreation ON object (class, createdAt)",
        "CREATE INDEX objectByUpdate ON object (class, updatedAt)",
        common.relation,
    ]

    /// The id of this registry.
    private static let identity = [
        "CREATE TABLE bugleRegistry (one bigint PRIMARY KEY CHECK (one = 1), id text NOT NULL)",
        "INSERT INTO bugleRegistry(one, id) VALUES (1, replace(gen_random_uuid()::text, '-', ''))",
    ]

    /// The numbers of the installations in the reached sets: one gets its number when an audience with it is frozen for
    /// the first time.
    private static let reached = [
        """
        CREATE TABLE reachedInstallation (
          objectId text COLLATE "C" PRIMARY KEY,
          number bigint NOT NULL GENERATED ALWAYS AS IDENTITY (START WITH 2)
        )
        """
    ]
}

/// The tables that a server needs beside those of applies: numbers of devices and objects, pushes and messages.
///
/// They are those of SQLite, with one difference: pushes and messages take their numbers from `serverNumber`, so that
/// these have no gaps and grow in the order of commits.
enum PostgresServerSchema {
    private static let common = PostgresSchema.common

    /// The statements that add them to the tables of applies.
    static let statements = objects + pushes + transfers + console + common.sharedState

    private static let objects =
        [
            """
            CREATE TABLE indexedField (
              id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE, path text NOT NULL,
              filledTo bigint)
            """
        ] + common.classes

    private static let pushes = [
        """
        CREATE TABLE serverNumber (name text COLLATE "C" PRIMARY KEY, last bigint NOT NULL)
        """,
        "INSERT INTO serverNumber(name, last) VALUES ('push', 0), ('inbox', 0), ('probe', 0), ('clock', 0)",
        common.push,
        "CREATE INDEX pushByNotification ON push (notificationId)",
        "CREATE INDEX pushByState ON push (id) WHERE state = 'queued'",
        "CREATE INDEX pushBeingSent ON push (id) WHERE state = 'sending'",
        "CREATE INDEX pushHeld ON push (id) WHERE state LIKE 'held:%'",
        common.scheduledPush,
        "CREATE INDEX scheduledPushByTime ON scheduledPush (fireAt)",
        common.pushRecord,
        "CREATE INDEX pushRecordByCreation ON pushRecord (createdAt)",
        common.pushRequest,
        common.inbox,
        "CREATE INDEX inboxByDevice ON inbox (device)",
        "CREATE INDEX inboxByPush ON inbox (push, device)",
    ]

    private static let transfers = [
        common.superseded,
        "CREATE INDEX supersededByToken ON superseded (deviceToken, updatedAt, objectId)",
        "CREATE INDEX supersededByInstallationId ON superseded (installationId, updatedAt, objectId)",
        "CREATE TABLE transfer (name text COLLATE \"C\" PRIMARY KEY, progress text NOT NULL)",
    ]

    /// The indexes that only the console needs.
    private static let console = [
        "CREATE INDEX journalTargetByToken ON journalTarget (token)",
        "CREATE INDEX pushByCreation ON push (createdAt)",
        "CREATE INDEX journalBatchBySettling ON journalBatch (settledAt, accepted)",
        "CREATE INDEX journalBatchFirst ON journalBatch (claimedAt, delivery) WHERE number = 1",
        "CREATE INDEX deadTokenByReport ON deadToken (reportedAt) WHERE reportedAt IS NOT NULL",
    ]
}
