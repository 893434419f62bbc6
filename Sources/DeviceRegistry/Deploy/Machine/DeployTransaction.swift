internal import JSONValue

/// One transaction with a registry's database, in the few steps that ``DeployMachine`` decides with.
///
/// What a step means is decided there, once; a database only reads and writes rows. Figures are told by the rows of
/// batches and devices: senders on several machines share no row that all of them write.
protocol DeployTransaction {
    /// The database's clock when the transaction began.
    var now: Timestamp { get }
    /// What tells the database from every other.
    func identity() throws -> String

    // Records and locks.
    func records(_ kind: DeployRecord.Kind, of workspace: String) throws -> [DeployRecord]
    func write(_ record: DeployRecord) throws
    func remove(_ record: DeployRecord) throws
    /// A workspace's lock; nil when it was never taken.
    func lock(of workspace: String, _ hold: RowHold) throws -> DeployLock?
    /// The same for whoever is about to take it: of two that come first one waits here for the other.
    func lockToTake(of workspace: String) throws -> DeployLock?
    func write(_ lock: DeployLock, of workspace: String) throws

    // Devices.
    func count(_ audience: DeliveryAudience, at now: Timestamp) throws -> AudienceFigures
    func explain(_ audience: DeliveryAudience, at now: Timestamp) throws -> AudienceBreakdown
    func survey(channels: [String], profiles: [String]) throws -> DeviceSurvey
    /// Raises the badges of devices by one; 1 for one that the registry does not know.
    func raiseBadges(of targets: TargetPack) throws -> [Int]
    /// Marks devices whose tokens are dead as invalid, and black-lists the tokens.
    ///
    /// A device whose app registered later than Apple knows it stays as it is: its `updatedAt`, which every
    /// registration renews, is after it.
    func markDead(_ dead: [(target: TargetRow, since: Timestamp?)]) throws
    /// Those of some devices whose tokens were accepted in an environment before.
    func proven(among suspects: [TargetRow], in environment: String) throws -> [TargetRow]
    /// Remembers that tokens were accepted, as far as the registry knows them still.
    ///
    /// - Parameter failed: the places of those that were not.
    func prove(_ targets: TargetPack, except failed: Set<Int>, in environment: String) throws

    // The journal of a delivery.
    func journal(of delivery: String, _ hold: RowHold) throws -> JournalRow?
    /// Adds a journal; false when there is one.
    func add(_ journal: JournalRow) throws -> Bool
    func write(_ journal: JournalRow) throws
    /// The devices of its batches, by how far these are.
    func batchSums(of journal: JournalRow) throws -> [BatchSum]
    /// The devices that were not accepted, by what became of them.
    func targetSums(of journal: JournalRow) throws -> [TargetSum]

    // Its batches.
    func add(_ batches: [BatchRow], to journal: JournalRow) throws
    /// The last number that a batch has; 0 without any.
    func lastNumber(in journal: JournalRow) throws -> Int
    /// Gives a batch that nobody was given yet to somebody, and passes over what others are about to take.
    func takeFresh(of journal: JournalRow, for claim: BatchClaim) throws -> BatchRow?
    func hasFresh(_ journal: JournalRow) throws -> Bool
    func batch(_ number: Int, of journal: JournalRow) throws -> BatchRow?
    /// The open batches of fences before one, and those claimed before an instant.
    func open(of journal: JournalRow, before fence: Int?, or instant: Timestamp?) throws -> [BatchRow]
    /// When the oldest open batch of others was claimed.
    func oldestOpen(of journal: JournalRow, besides claimant: String) throws -> Timestamp?
    /// Writes the badges of a batch's devices, and how often they were tried.
    func write(_ tries: TargetTries, of batch: BatchRow, in journal: JournalRow) throws
    /// Writes how a batch ended; its devices go.
    func end(_ batch: BatchRow, of journal: JournalRow, as ending: BatchEnding) throws
    /// Makes the batches that nobody was given missed.
    func missFresh(of journal: JournalRow) throws
    /// Removes some devices of batches that are of no use any more: all of them with `all`, else missed ones; false when
    /// nothing was left.
    func clear(_ journal: JournalRow, all: Bool) throws -> Bool

    // Its devices that were not accepted.
    func add(_ targets: [TargetRow], to journal: JournalRow) throws
    /// Takes the devices out that are due by now: of the profile of the one that waited longest, as many as a batch has.
    func takeDue(of journal: JournalRow) throws -> [TargetRow]
    func nextDue(of journal: JournalRow) throws -> Timestamp?
    /// Makes the devices in doubt wait, due now; how many there were.
    func reopenDoubtful(of journal: JournalRow) throws -> Int
    /// Removes the devices that wait; how many there were.
    func removeWaiting(of journal: JournalRow) throws -> Int
}

/// How a row that is read is held until the transaction ends, where others write at the same time.
enum RowHold {
    case free
    /// It stays as it is.
    case shared
    /// Nobody else holds it.
    case changing
}

/// The journal of one delivery, without its devices.
struct JournalRow {
    /// Its row's number, where rows have one.
    var id: Int64 = 0
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
    var reopenedAt: Timestamp?
    var closedAt: Timestamp?
}

/// Who takes a batch.
struct BatchClaim {
    let claimant: String
    let fence: Int
    let at: Timestamp
}

/// A batch of a journal.
struct BatchRow: Sendable {
    /// Its row's number, where rows have one.
    var id: Int64 = 0
    let number: Int
    /// The route's profile.
    let profile: String
    var state = BatchState.fresh
    var claim: BatchClaim?
    /// Its devices; none once it has ended.
    let targets: TargetPack
    var tries = TargetTries()
}

extension BatchRow {
    /// A batch as it is stored; nil in a state that no bugle knows.
    ///
    /// - Throws: ``RegistryError`` when its devices are damaged.
    init?(
        id: Int64 = 0, number: Int, profile: String, state: Int64, claim: BatchClaim?, targets: [UInt8]?,
        tries: [UInt8]?
    ) throws {
        guard let state = BatchState(rawValue: state) else { return nil }
        let isNeeded = state == .fresh || state == .open
        guard !isNeeded || targets != nil, let targets = TargetPack(isNeeded ? targets ?? [] : []),
            let tries = TargetTries(isNeeded ? tries : nil, count: targets.count)
        else { throw RegistryError(internal: "a stored batch is damaged") }
        self.init(
            id: id, number: number, profile: profile, state: state, claim: claim, targets: targets, tries: tries)
    }
}

/// How a batch ended.
struct BatchEnding {
    let state: BatchState
    var settledAt: Timestamp?
    var accepted = 0
    /// Devices that would have been tried again, had the delivery not been closed.
    var missed = 0
}

/// A device of a journal that was not accepted.
struct TargetRow {
    let token: String
    /// The row of its installation, where it has a number; 0: unknown.
    let row: Int64
    let profile: String
    let badge: Int
    /// How often it was tried.
    let attempts: Int
    var state: TargetState
    var dueAt: Timestamp?
    var reason: String?
}

/// The devices of the batches in one state.
struct BatchSum {
    let state: BatchState
    let devices, accepted, missed: Int
    /// When the last of them was settled.
    let settledAt: Timestamp?
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
