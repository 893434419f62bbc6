/// The tables of applies, which are the same in every database: locks, records, and the journals of deliveries.
package struct DeployTables {
    /// The type of a text key, ordered by its bytes.
    private let key: String
    private let text, number, boolean, bytes: String
    /// The suffix of a table that is stored in the order of its key.
    private let keyed: String

    /// Creates the tables in a database's dialect.
    package init(_ dialect: Dialect) {
        switch dialect {
        case .sqlite:
            keyed = " WITHOUT ROWID"
            (key, text, number, boolean, bytes) = ("TEXT", "TEXT", "INTEGER", "INTEGER", "BLOB")
        case .postgres:
            keyed = ""
            (key, text, number, boolean, bytes) = ("text COLLATE \"C\"", "text", "bigint", "boolean", "bytea")
        }
    }

    /// The statements that create the tables and their indexes.
    package var statements: [String] { applies + journal + reached + formerTokens + events }

    /// The tables that applies keep beside the devices.
    private var applies: [String] {
        [
            """
            CREATE TABLE deployLock (
              workspace \(key) PRIMARY KEY,
              holder \(text) NOT NULL,
              run \(text) NOT NULL,
              fence \(number) NOT NULL,
              acquiredAt \(number),
              expiresAt \(number) NOT NULL,
              lastApplied \(text)
            )\(keyed)
            """,
            """
            CREATE TABLE deployRecord (
              workspace \(key) NOT NULL,
              kind \(key) NOT NULL,
              key \(key) NOT NULL,
              document \(text) NOT NULL,
              fence \(number) NOT NULL,
              PRIMARY KEY (workspace, kind, key)
            )\(keyed)
            """,
        ]
    }

    /// The journals.
    ///
    /// A batch's devices are packed in its row until their outcome is known; `tries` is NULL on a first attempt. A
    /// device that was not accepted has a row of its own. An undivided journal has part 0 only, which has no row and is
    /// always open. `opensAt` is NULL while a part waits for a verdict; parts open in the order of their numbers. What
    /// differs from device to device within a part is the form of the message, and the values in its texts as JSON.
    private var journal: [String] {
        [
            """
            CREATE TABLE journal (
              delivery \(key) PRIMARY KEY,
              workspace \(text) NOT NULL,
              environment \(text) NOT NULL,
              batchSize \(number) NOT NULL,
              raisesBadges \(boolean) NOT NULL,
              freezing \(text),
              targets \(number) NOT NULL DEFAULT 0,
              missed \(number) NOT NULL DEFAULT 0,
              leftOut \(text) NOT NULL DEFAULT '{}',
              reopenedAt \(number),
              closedAt \(number)
            )\(keyed)
            """,
            """
            CREATE TABLE journalBatch (
              delivery \(key) NOT NULL,
              number \(number) NOT NULL,
              profile \(text) NOT NULL,
              devices \(number) NOT NULL,
              state \(number) NOT NULL,
              claimant \(text),
              fence \(number),
              claimedAt \(number),
              settledAt \(number),
              accepted \(number) NOT NULL DEFAULT 0,
              missed \(number) NOT NULL DEFAULT 0,
              targets \(bytes),
              tries \(bytes),
              part \(number) NOT NULL DEFAULT 0,
              form \(number) NOT NULL DEFAULT 0,
              texts \(text),
              PRIMARY KEY (delivery, number)
            )
            """,
            """
            CREATE TABLE journalTarget (
              delivery \(key) NOT NULL,
              token \(key) NOT NULL,
              installation \(number) NOT NULL,
              profile \(text) NOT NULL,
              state \(number) NOT NULL,
              badge \(number) NOT NULL,
              attempts \(number) NOT NULL,
              dueAt \(number),
              reason \(text),
              part \(number) NOT NULL DEFAULT 0,
              form \(number) NOT NULL DEFAULT 0,
              texts \(text),
              PRIMARY KEY (delivery, token)
            )\(keyed)
            """,
            """
            CREATE TABLE journalPart (
              delivery \(key) NOT NULL,
              number \(number) NOT NULL,
              opensAt \(number),
              devices \(number) NOT NULL,
              unplaced \(number) NOT NULL,
              missed \(number) NOT NULL DEFAULT 0,
              closedAt \(number),
              verdict \(text),
              PRIMARY KEY (delivery, number)
            )\(keyed)
            """,
            "CREATE INDEX journalBatchByPart ON journalBatch(delivery, state, part, number)",
            "CREATE INDEX journalTargetByState ON journalTarget(delivery, state, dueAt)",
        ]
    }

    /// The installations that each delivery was sent to, packed by ``NumberSet``.
    private var reached: [String] {
        [
            """
            CREATE TABLE reached (
              delivery \(key) NOT NULL,
              part \(number) NOT NULL,
              number \(number) NOT NULL,
              doubtful \(number) NOT NULL,
              reachedAt \(number) NOT NULL,
              lowest \(number) NOT NULL,
              highest \(number) NOT NULL,
              installations \(bytes) NOT NULL,
              form \(number) NOT NULL DEFAULT 0,
              PRIMARY KEY (delivery, part, number, doubtful)
            )
            """,
            "CREATE INDEX reachedByTime ON reached(reachedAt)",
        ]
    }

    /// The tokens of devices that have left the registry or have others now, with the numbers of their installations: who
    /// registers anew with one is the same device to rules on how often it is reached.
    private var formerTokens: [String] {
        [
            """
            CREATE TABLE formerToken (
              token \(key) NOT NULL,
              number \(number) NOT NULL,
              leftAt \(number) NOT NULL,
              PRIMARY KEY (token, number)
            )\(keyed)
            """
        ]
    }

    /// The events that devices report: how long those of a delivery are kept, single ones, and what became of them.
    ///
    /// `foldedAt` is NULL while events are accepted. `hour` is the instant at which it begins.
    private var events: [String] {
        [
            """
            CREATE TABLE eventWindow (
              delivery \(key) PRIMARY KEY,
              startedAt \(number) NOT NULL,
              keep \(number) NOT NULL,
              expiresAt \(number),
              foldedAt \(number)
            )\(keyed)
            """,
            """
            CREATE TABLE event (
              delivery \(key) NOT NULL,
              kind \(number) NOT NULL,
              installation \(number) NOT NULL,
              part \(number) NOT NULL,
              form \(number) NOT NULL,
              happenedAt \(number) NOT NULL,
              PRIMARY KEY (delivery, kind, installation)
            )\(keyed)
            """,
            """
            CREATE TABLE eventCount (
              delivery \(key) NOT NULL,
              kind \(number) NOT NULL,
              part \(number) NOT NULL,
              form \(number) NOT NULL,
              hour \(number) NOT NULL,
              devices \(number) NOT NULL,
              PRIMARY KEY (delivery, kind, part, form, hour)
            )\(keyed)
            """,
        ]
    }
}
