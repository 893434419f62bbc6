internal import PushModel

/// One transaction with a registry's database, in which ``DeployMachine`` decides.
///
/// Applies keep their tables alike in every database, so the statements about them stand once, below this; a database
/// carries them out, and has statements of its own where devices are read or written. Figures are told by the rows of
/// batches and devices: senders on several machines share no row that all of them write.
protocol DeployTransaction {
    /// The database's clock when the transaction began.
    var now: Instant { get }

    /// The rows of a statement, whose values are bound to its `?`.
    func rows(_ sql: String, _ values: [any SQLBindable]) throws -> [any SQLRow]
    /// Runs a statement; how many rows it wrote.
    @discardableResult
    func execute(_ sql: String, _ values: [any SQLBindable]) throws -> Int
    /// Adds rows to a table, which is given with its columns: `t(a, b)`.
    func add(_ rows: [[any SQLBindable]], to table: String) throws

    /// What a `SELECT` ends with that holds its rows until the transaction ends.
    func clause(_ hold: RowHold) -> String
    /// How the database spells what not all of them spell alike.
    var dialect: Dialect { get }

    func count(_ audience: DeliveryAudience, at now: Instant) throws -> AudienceFigures
    func explain(_ audience: DeliveryAudience, at now: Instant) throws -> AudienceBreakdown
    /// Raises the badges of devices by one; 1 for one that the registry does not know.
    func raiseBadges(of targets: TargetPack) throws -> [Int]
    /// Marks devices whose tokens are dead as invalid, and black-lists the tokens.
    ///
    /// A device whose app registered later than Apple knows it stays as it is: its `updatedAt`, which every
    /// registration renews, is after it.
    func markDead(_ dead: [(target: TargetRow, since: Instant?)]) throws
    /// Those of some devices whose tokens were accepted in an environment before.
    func proven(among suspects: [TargetRow], in environment: String) throws -> [TargetRow]
    /// Remembers that tokens were accepted, as far as the registry knows them.
    ///
    /// - Parameter failed: the places of those that were not.
    func prove(_ targets: TargetPack, except failed: Set<Int>, in environment: String) throws
}

/// A row that a database gave.
protocol SQLRow {
    func text(_ column: Int) -> String?
    func integer(_ column: Int) -> Int64?
    func bytes(_ column: Int) -> [UInt8]?
    /// A truth value; false for `NULL`.
    func boolean(_ column: Int) -> Bool
}

extension SQLRow {
    /// The whole number of a column; 0 for `NULL`.
    func number(_ column: Int) -> Int { integer(column).map { Int($0) } ?? 0 }

    /// The instant of a column; nil for `NULL`.
    func time(_ column: Int) -> Instant? { integer(column).map { Instant(milliseconds: $0) } }
}

/// How a row that is read is held until the transaction ends, where others write at the same time.
enum RowHold {
    case free
    /// It stays as it is.
    case shared
    /// Nobody else holds it.
    case changing
    /// The same; what others hold is passed over.
    case passing
}

/// The journal of one delivery, without its devices.
struct JournalRow {
    let delivery: String
    let workspace: String
    var environment: String
    var batchSize: Int
    var raisesBadges: Bool
    /// Who writes the audience down; nil when it is whole.
    var freezing: String?
    var targets = 0
    /// Devices that waited for another try when the delivery was closed.
    var missed = 0
    /// What was left out of the audience, as JSON.
    var leftOut = "{}"
    var reopenedAt: Instant?
    var closedAt: Instant?
}

/// Who takes a batch.
struct BatchClaim {
    let claimant: String
    let fence: Int
    let at: Instant
}

/// A batch of a journal.
struct BatchRow: Sendable {
    let delivery: String
    let number: Int
    /// The route's profile.
    let profile: String
    var state = BatchState.fresh
    var claim: BatchClaim?
    /// Its devices; none once it has ended.
    let targets: TargetPack
    var tries = TargetTries()
}

/// How a batch ended.
struct BatchEnding {
    let state: BatchState
    var settledAt: Instant?
    var accepted = 0
    /// Devices that would have been tried again, had the delivery not been closed.
    var missed = 0
}

/// A device of a journal that was not accepted.
struct TargetRow {
    let token: String
    /// The row of its installation, 1 where rows have no number; 0: the registry does not know it.
    let row: Int64
    let profile: String
    let badge: Int
    /// How often it was tried.
    let attempts: Int
    var state: TargetState
    var dueAt: Instant?
    var reason: String?
}

/// The devices of the batches in one state.
struct BatchSum {
    let state: BatchState
    let devices, accepted, missed: Int
    /// When the last of them was settled.
    let settledAt: Instant?
}

/// The devices of one state and reason that were not accepted.
struct TargetSum {
    let state: TargetState
    let reason: String
    let devices: Int
}

/// How far a batch of a journal is.
enum BatchState: Int64, Sendable {
    /// Nobody has claimed it.
    case fresh = 0
    /// Somebody sends it.
    case open = 1
    /// Its outcome is known.
    case settled = 2
    /// Its outcome is in doubt.
    case givenUp = 3
    /// The delivery was closed before it was claimed.
    case missed = 4
}

/// What becomes of a device that was not accepted.
enum TargetState: Int64 {
    /// Nothing more.
    case refused = 0
    /// It is tried again.
    case waits = 1
    /// Nobody knows whether it got the notification.
    case inDoubt = 2
}
