internal import DeliveryJournal
internal import PostgresClient
internal import RegistryModel

/// The tables of a registry in PostgreSQL.
///
/// Besides ``PostgresRegistry/register(_:)`` and ``PostgresRegistry/copy(from:)``, a team can add its devices by SQL of
/// its own:
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
    /// The version of these tables.
    ///
    /// 2 added `bugleRegistry`; 3 packs a batch's devices, and counts what a batch missed; 4 divides journals into
    /// parts; 6 added the reached sets; 7 gives the devices of one delivery different words; 8 added the tables of a
    /// server; 9 those of the events that devices report; 10 the tokens that devices had before.
    static let version: Int64 = 10

    /// The number of tables over which devices are spread in a new database.
    static let partitions = 4

    /// The current time, in milliseconds.
    static let now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

    /// One migration.
    struct Step {
        /// The version of the tables after it.
        let version: Int64
        /// The purpose, in words.
        let purpose: String
        let statements: [String]
    }

    /// Returns the migrations of tables of a version, in their order; nil for a database without tables.
    static func steps(partitions: Int = partitions, from known: Int64?) -> [Step] {
        let deploys = DeployTables(.postgres)
        let first = known == nil ? tables(partitions) + identity : identity + packs
        return [
            Step(version: 3, purpose: "devices, objects, and the journal of deliveries", statements: first),
            Step(version: 4, purpose: "parts of deliveries", statements: deploys.parts),
            Step(version: 6, purpose: "the installations that a delivery reached", statements: reached),
            Step(version: 7, purpose: "words that differ from device to device", statements: deploys.words),
            Step(version: 8, purpose: "the tables of a server", statements: PostgresServerSchema.statements),
            Step(version: 9, purpose: "the events that devices report", statements: deploys.events),
            Step(version: 10, purpose: "the tokens that devices had before", statements: deploys.formerTokens),
        ].filter { $0.version > known ?? 0 }
    }

    private static func tables(_ partitions: Int) -> [String] {
        let suffix = partitions > 0 ? " PARTITION BY HASH (token)" : ""
        return [
            "CREATE TABLE IF NOT EXISTS bugleSchema (version bigint NOT NULL)",
            installation + suffix,
            "CREATE INDEX IF NOT EXISTS installationByObjectId ON installation (objectId)",
            "CREATE INDEX IF NOT EXISTS installationByInstallationId ON installation (installationId)",
            "CREATE INDEX IF NOT EXISTS installationByProfile ON installation (deviceProfile)",
            "CREATE INDEX IF NOT EXISTS installationByUpdate ON installation (updatedAt)",
            "CREATE INDEX IF NOT EXISTS installationByChannel ON installation USING gin (channels jsonb_path_ops)",
            "CREATE TABLE IF NOT EXISTS deadToken (token text COLLATE \"C\" PRIMARY KEY, reportedAt bigint NOT NULL)"
                + suffix,
            """
            CREATE TABLE IF NOT EXISTS provenToken (
              token text COLLATE "C", environment text, PRIMARY KEY (token, environment))\(suffix)
            """,
        ] + ["installation", "deadToken", "provenToken"].flatMap { parts(of: $0, partitions) } + objects
            + DeployTables(.postgres).applies + DeployTables(.postgres).journal + DeployTables.indexes
    }

    private static func parts(of table: String, _ partitions: Int) -> [String] {
        (0..<partitions).map { part in
            """
            CREATE TABLE IF NOT EXISTS \(table)\(part) PARTITION OF \(table)
            FOR VALUES WITH (MODULUS \(partitions), REMAINDER \(part))
            """
        }
    }

    private static let installation = """
        CREATE TABLE IF NOT EXISTS installation (
          token text COLLATE "C" NOT NULL PRIMARY KEY,
          objectId text COLLATE "C" NOT NULL DEFAULT left(replace(gen_random_uuid()::text, '-', ''), 24),
          createdAt bigint NOT NULL DEFAULT \(now),
          updatedAt bigint NOT NULL DEFAULT \(now),
          document jsonb NOT NULL,
          deviceType text COLLATE "C" GENERATED ALWAYS AS (document ->> 'deviceType') STORED,
          deviceToken text COLLATE "C" GENERATED ALWAYS AS (nullif(document ->> 'deviceToken', '')) STORED,
          installationId text COLLATE "C" GENERATED ALWAYS AS (nullif(document ->> 'installationId', '')) STORED,
          deviceProfile text COLLATE "C" GENERATED ALWAYS AS (document ->> 'deviceProfile') STORED,
          channels jsonb GENERATED ALWAYS AS (document -> 'channels') STORED,
          valid boolean GENERATED ALWAYS AS (document -> 'valid' = 'true') STORED,
          CONSTRAINT installationIsObject CHECK (jsonb_typeof(document) = 'object'),
          CONSTRAINT installationToken CHECK (
            CASE WHEN coalesce(document ->> 'deviceToken', '') = '' THEN left(token, 1) = '\(DeviceKey.noToken)'
            ELSE token = lower((document ->> 'deviceToken') COLLATE "C") END)
        )
        """

    private static let objects = [
        """
        CREATE TABLE IF NOT EXISTS object (
          class text COLLATE "C" NOT NULL,
          objectId text COLLATE "C" NOT NULL DEFAULT left(replace(gen_random_uuid()::text, '-', ''), 24),
          createdAt bigint NOT NULL DEFAULT \(now),
          updatedAt bigint NOT NULL DEFAULT \(now),
          document jsonb NOT NULL,
          PRIMARY KEY (class, objectId)
        )
        """,
        """
        CREATE TABLE IF NOT EXISTS relation (
          ownerClass text COLLATE "C" NOT NULL,
          ownerId text COLLATE "C" NOT NULL,
          key text COLLATE "C" NOT NULL,
          targetClass text COLLATE "C" NOT NULL,
          targetId text COLLATE "C" NOT NULL,
          PRIMARY KEY (ownerClass, ownerId, key, targetClass, targetId)
        )
        """,
    ]

    /// The id of this registry; if two create it at the same time, one wins.
    private static let identity = [
        "CREATE TABLE IF NOT EXISTS bugleRegistry (one bigint PRIMARY KEY CHECK (one = 1), id text NOT NULL)",
        """
        INSERT INTO bugleRegistry(one, id) VALUES (1, replace(gen_random_uuid()::text, '-', ''))
        ON CONFLICT (one) DO NOTHING
        """,
    ]

    /// The reached sets, and the numbers of the installations in them: an installation gets one when an audience with it
    /// is frozen for the first time. Journals of earlier versions have 1 for every installation.
    private static let reached =
        DeployTables(.postgres).reached + [
            """
            CREATE TABLE IF NOT EXISTS reachedInstallation (
              objectId text COLLATE "C" PRIMARY KEY,
              number bigint NOT NULL GENERATED ALWAYS AS IDENTITY (START WITH 2)
            )
            """
        ]

    /// Packs the devices of batches whose outcome is not known, in the form of ``TargetPack`` and ``TargetTries``.
    private static let packs = [
        "SET LOCAL statement_timeout = 0",
        "ALTER TABLE journal ADD COLUMN IF NOT EXISTS freezing text",
        "ALTER TABLE journalBatch ADD COLUMN IF NOT EXISTS missed bigint NOT NULL DEFAULT 0",
        "ALTER TABLE journalTarget ADD COLUMN IF NOT EXISTS installation bigint NOT NULL DEFAULT 0",
        "ALTER TABLE journalBatch RENAME COLUMN tries TO attempts",
        "ALTER TABLE journalBatch ADD COLUMN targets bytea, ADD COLUMN tries bytea",
        """
        UPDATE journalBatch SET targets = (
          SELECT string_agg(\(bytes("octet_length(token)", 2)) || token || '\\x00'::bytea, ''::bytea ORDER BY n)
          FROM (SELECT decode(t.token, 'hex') AS token, n FROM unnest(tokens) WITH ORDINALITY AS t(token, n)) AS d)
        WHERE tokens IS NOT NULL
        """,
        """
        UPDATE journalBatch SET tries = (
          SELECT string_agg(\(bytes("coalesce(badges[n], 0)", 4)) || \(bytes("coalesce(attempts[n], 0)", 2)),
            ''::bytea ORDER BY n)
          FROM generate_series(1, cardinality(tokens)) AS n)
        WHERE tokens IS NOT NULL AND (badges IS NOT NULL OR attempts IS NOT NULL)
        """,
        "ALTER TABLE journalBatch DROP COLUMN tokens, DROP COLUMN badges, DROP COLUMN attempts",
    ]

    /// A number as `count` bytes, little-endian.
    private static func bytes(_ number: String, _ count: Int) -> String {
        (0..<count).reduce("decode('\(String(repeating: "00", count: count))', 'hex')") { text, place in
            "set_byte(\(text), \(place), ((\(number) >> \(8 * place)) & 255)::int)"
        }
    }
}
