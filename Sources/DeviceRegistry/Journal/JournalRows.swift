internal import Base
internal import Push

/// The journal of one delivery, without its devices.
struct JournalRow {
    let delivery: String
    let workspace: String
    var environment: String
    var batchSize: Int
    var raisesBadges: Bool
    /// The id of the attempt that writes the audience; nil when it is complete.
    var freezing: String?
    var targets = 0
    /// The number of devices that waited for a retry when the delivery was closed.
    var missed = 0
    /// The number of devices left out of the audience by reason, as JSON.
    var leftOut = "{}"
    /// When devices in doubt were reopened, or a person let it go on after a stop.
    var reopenedAt: Instant?
    var closedAt: Instant?
}

struct BatchClaim {
    let claimant: String
    let fence: Int
    let at: Instant
}

/// A batch of a journal.
package struct BatchRow: Sendable {
    let delivery: String
    let number: Int
    /// The part of the devices; 0 for an undivided audience.
    let part: Int
    let form: Int
    let profile: String
    var state = BatchState.fresh
    var claim: BatchClaim?
    /// The devices; empty once the batch has ended.
    let targets: TargetPack
    var tries = TargetTries()
    /// Each device's own texts; empty when the message has no values of devices.
    var texts: [[String]] = []
}

/// A device of a journal that was not accepted.
package struct TargetRow {
    /// The device token, in lower case.
    package let token: String
    /// The number of its installation; 0 for an unregistered device.
    package let row: Int64
    let part: Int
    let form: Int
    let texts: [String]
    let profile: String
    let badge: Int
    /// What its attempts count for.
    package var attempts: Int
    var state: TargetState
    var dueAt: Instant?
    var reason: String?

    /// The reason of a waiting device that an earlier attempt may have reached: without an answer in its time it is in doubt
    /// as before.
    static let resend = "Resend"
    /// When a device is due that waits though nobody asked it to: that it was tried in vain moves no end of a delivery.
    static let atOnce = Instant(milliseconds: 0)
}

/// The devices of a part's batches in one state.
struct BatchSum {
    let part: Int
    let form: Int
    let profile: String
    let state: BatchState
    let devices, accepted, missed: Int
    /// The time when the last of them was settled.
    let settledAt: Instant?
}

/// The number of a part's devices with one state and reason that were not accepted.
struct TargetSum {
    let part: Int
    let form: Int
    let profile: String
    let state: TargetState
    let reason: String
    let devices: Int
    /// When the last of them is due.
    let dueAt: Instant?
}

package enum BatchState: Int64, Sendable {
    /// The batch has not been claimed.
    case fresh = 0
    /// The batch is being sent.
    case open = 1
    case settled = 2
    /// The outcome is in doubt.
    case givenUp = 3
    /// The delivery was closed before the batch was claimed.
    case missed = 4
}

/// The state of a device that was not accepted.
package enum TargetState: Int64, Sendable {
    case refused = 0
    /// The push is retried later.
    case waits = 1
    /// The response was lost.
    case inDoubt = 2
}

// MARK: - Journal

extension RegistryTransaction {
    func journal(of delivery: String, _ hold: RowHold) throws -> JournalRow? {
        try rows(
            """
            SELECT workspace, environment, batchSize, raisesBadges, freezing, targets, missed, leftOut, reopenedAt, closedAt
            FROM journal WHERE delivery = ?\(clause(hold))
            """, [delivery]
        ).first.map { row in
            JournalRow(
                delivery: delivery, workspace: row.string(0), environment: row.string(1),
                batchSize: row.number(2), raisesBadges: row.boolean(3), freezing: row.text(4), targets: row.number(5),
                missed: row.number(6), leftOut: row.text(7) ?? "{}", reopenedAt: row.time(8), closedAt: row.time(9))
        }
    }

    /// Adds a journal; false when it exists already. When two freeze the same delivery, one waits here for the other.
    func add(_ journal: JournalRow) throws -> Bool {
        try execute(
            """
            INSERT INTO journal(delivery, workspace, environment, batchSize, raisesBadges, freezing)
            VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (delivery) DO NOTHING
            """,
            [
                journal.delivery, journal.workspace, journal.environment, journal.batchSize, journal.raisesBadges,
                journal.freezing,
            ]) > 0
    }

    func write(_ journal: JournalRow) throws {
        try execute(
            """
            UPDATE journal SET environment = ?, batchSize = ?, raisesBadges = ?, freezing = ?, targets = ?, missed = ?,
              leftOut = ?, reopenedAt = ?, closedAt = ? WHERE delivery = ?
            """,
            [
                journal.environment, journal.batchSize, journal.raisesBadges, journal.freezing, journal.targets,
                journal.missed, journal.leftOut, journal.reopenedAt, journal.closedAt, journal.delivery,
            ])
    }

    /// Sums the devices of a journal's batches by part and state.
    func batchSums(of journal: JournalRow) throws -> [BatchSum] {
        try rows(
            """
            SELECT state, part, SUM(devices), SUM(accepted), SUM(missed), MAX(settledAt), form, profile
            FROM journalBatch WHERE delivery = ? GROUP BY state, part, form, profile
            """, [journal.delivery]
        ).compactMap { row in
            row.integer(0).flatMap(BatchState.init).map {
                BatchSum(
                    part: row.number(1), form: row.number(6), profile: row.string(7), state: $0,
                    devices: row.number(2), accepted: row.number(3), missed: row.number(4), settledAt: row.time(5))
            }
        }
    }

    /// Counts the devices that were not accepted, by part, state and reason.
    func targetSums(of journal: JournalRow) throws -> [TargetSum] {
        try rows(
            """
            SELECT state, part, reason, COUNT(*), form, profile, MAX(dueAt) FROM journalTarget
            WHERE delivery = ? GROUP BY state, part, reason, form, profile
            """, [journal.delivery]
        ).compactMap { row in
            row.integer(0).flatMap(TargetState.init).map {
                TargetSum(
                    part: row.number(1), form: row.number(4), profile: row.string(5), state: $0,
                    reason: row.string(2), devices: row.number(3), dueAt: row.time(6))
            }
        }
    }
}

// MARK: - Batches

extension RegistryTransaction {
    func add(_ batches: [BatchRow]) throws {
        try add(
            batches.map { batch in
                [
                    batch.delivery, batch.number, batch.part, batch.profile, batch.targets.count, batch.state.rawValue,
                    batch.claim?.claimant, batch.claim?.fence, batch.claim?.at, SQLValue.bytes(batch.targets.bytes),
                    batch.tries.isEmpty ? SQLValue.null : .bytes(batch.tries.bytes), batch.form,
                    batch.texts.isEmpty ? nil : JSONValue.array(batch.texts.map(JSONValue.init(texts:))).canonicalText,
                ]
            },
            to: """
                journalBatch(
                  delivery, number, part, profile, devices, state, claimant, fence, claimedAt, targets, tries,
                  form, texts)
                """)
    }

    /// Claims a fresh batch of an open part, skipping those that others are about to claim.
    func takeFresh(
        of journal: JournalRow, upTo part: Int, besides profiles: [String], for claim: BatchClaim
    ) throws -> BatchRow? {
        let others = others(than: profiles)
        return try batches(
            """
            UPDATE journalBatch SET state = \(BatchState.open.rawValue), claimant = ?, fence = ?, claimedAt = ?
            WHERE delivery = ? AND number = (
              SELECT number FROM journalBatch
              WHERE delivery = ? AND state = \(BatchState.fresh.rawValue) AND part <= ?\(others.sql)
              ORDER BY part, number LIMIT 1\(clause(.passing)))
            RETURNING \(BatchRow.columns)
            """, [claim.claimant, claim.fence, claim.at, journal.delivery, journal.delivery, part] + others.values
        ).first
    }

    /// Returns what is left: when the next retry is due, when the oldest open batch of other claimants was claimed, and
    /// true if a batch of an open part is fresh.
    ///
    /// Of several statements each may see other commits: what others take or give back meanwhile would be in none.
    func rest(
        of journal: JournalRow, upTo part: Int, besides profiles: [String], claimant: String
    ) throws -> (nextDue: Instant?, oldestOpen: Instant?, hasFresh: Bool) {
        let others = others(than: profiles)
        let own: [any SQLBindable] = [journal.delivery, claimant, journal.delivery, part]
        let rest = try row(
            """
            SELECT (SELECT MIN(dueAt) FROM journalTarget WHERE \(waits)\(others.sql)),
              (SELECT MIN(claimedAt) FROM journalBatch
                WHERE delivery = ? AND state = \(BatchState.open.rawValue) AND claimant <> ?),
              EXISTS (SELECT 1 FROM journalBatch
                WHERE delivery = ? AND state = \(BatchState.fresh.rawValue) AND part <= ?\(others.sql))
            """, [journal.delivery] + others.values + own + others.values)
        return (rest?.time(0), rest?.time(1), rest?.boolean(2) ?? false)
    }

    /// The condition that a row is of none of these profiles.
    private func others(than profiles: [String]) -> (sql: String, values: [any SQLBindable]) {
        profiles.isEmpty ? ("", []) : (" AND NOT (profile \(dialect.isOneOf))", [SQLValue.texts(profiles)])
    }

    func batch(_ number: Int, of journal: JournalRow) throws -> BatchRow? {
        try batches(
            """
            SELECT \(BatchRow.columns) FROM journalBatch WHERE delivery = ? AND number = ?\(clause(.changing))
            """, [journal.delivery, number]
        ).first
    }

    /// Returns the open batches of earlier fences, and those claimed before an instant.
    func open(of journal: JournalRow, before fence: Int?, or instant: Instant?) throws -> [BatchRow] {
        try batches(
            """
            SELECT \(BatchRow.columns) FROM journalBatch
            WHERE delivery = ? AND state = \(BatchState.open.rawValue) AND (fence < ? OR claimedAt < ?)
            ORDER BY number\(clause(.changing))
            """,
            [journal.delivery, fence.map { Int64($0) } ?? Int64.min, instant ?? Instant(milliseconds: .min)])
    }

    private func batches(_ sql: String, _ values: [any SQLBindable]) throws -> [BatchRow] {
        try rows(sql, values).compactMap(BatchRow.init)
    }

    /// Returns the claim time of the oldest open batch of other claimants.
    func oldestOpen(of journal: JournalRow, besides claimant: String) throws -> Instant? {
        try rows(
            """
            SELECT MIN(claimedAt) FROM journalBatch
            WHERE delivery = ? AND state = \(BatchState.open.rawValue) AND claimant <> ?
            """, [journal.delivery, claimant]
        ).first?.time(0)
    }

    /// Writes the outcome of a batch and clears its devices; those are `missed` that would have been retried if the
    /// delivery had not been closed.
    func end(
        _ batch: BatchRow, as state: BatchState, at settledAt: Instant? = nil, accepted: Int = 0, missed: Int = 0
    ) throws {
        try execute(
            """
            UPDATE journalBatch SET state = ?, settledAt = ?, accepted = ?, missed = ?, targets = NULL, tries = NULL,
              texts = NULL
            WHERE delivery = ? AND number = ?
            """,
            [state.rawValue, settledAt, accepted, missed, batch.delivery, batch.number])
    }

    /// Marks the fresh batches of a part, or of all, as missed.
    func missFresh(of journal: JournalRow, part: Int?) throws {
        try execute(
            """
            UPDATE journalBatch SET state = \(BatchState.missed.rawValue)
            WHERE delivery = ? AND state = \(BatchState.fresh.rawValue) AND part = coalesce(?, part)
            """, [journal.delivery, part])
    }

    /// Clears the devices of some missed batches after one; returns the number of the last, nil when none were left.
    ///
    /// It goes on from there, so that it ends whatever a damaged file shows again.
    func clearMissed(of journal: JournalRow, after number: Int) throws -> Int? {
        let missed = "delivery = ? AND number > ? AND state = \(BatchState.missed.rawValue)"
        let last = try rows(
            "SELECT number FROM journalBatch WHERE \(missed) AND targets IS NOT NULL ORDER BY number LIMIT 200",
            [journal.delivery, number]
        ).last?.number(0)
        guard let last else { return nil }
        try execute(
            "UPDATE journalBatch SET targets = NULL, texts = NULL WHERE \(missed) AND number <= ?",
            [journal.delivery, number, last])
        return last
    }

    /// Removes some batches; false when none were left.
    func removeBatches(of journal: JournalRow) throws -> Bool {
        try execute(
            """
            DELETE FROM journalBatch WHERE delivery = ? AND number IN (
              SELECT number FROM journalBatch WHERE delivery = ? LIMIT 200)
            """, [journal.delivery, journal.delivery]) > 0
    }
}

extension BatchRow {
    fileprivate static let columns =
        "delivery, number, profile, state, claimant, fence, claimedAt, targets, tries, part, form, texts"

    /// Reads ``columns``; nil for a batch in an unknown state.
    ///
    /// - Throws: ``RegistryError`` when its devices are damaged.
    fileprivate init?(_ row: any SQLRow) throws {
        guard let state = row.integer(3).flatMap(BatchState.init) else { return nil }
        let written = state == .fresh || state == .open ? row.bytes(7) : []
        guard let written, let targets = TargetPack(written),
            let tries = TargetTries(written.isEmpty ? nil : row.bytes(8), count: targets.count)
        else { throw RegistryError(internal: "a stored batch is damaged") }
        let texts = try written.isEmpty ? nil : row.text(11).map { try JSONValue(stored: $0).array?.map(\.texts) ?? [] }
        guard texts.map({ $0.count == targets.count }) ?? true else {
            throw RegistryError(internal: "the texts of a stored batch are damaged")
        }
        self.init(
            delivery: row.string(0), number: row.number(1), part: row.number(9), form: row.number(10),
            profile: row.string(2), state: state,
            claim: row.text(4).map { BatchClaim(claimant: $0, fence: row.number(5), at: row.instant(6)) },
            targets: targets, tries: tries, texts: texts ?? [])
    }
}

// MARK: - Targets

/// The devices of journals that were not accepted.
extension RegistryTransaction {
    func add(_ targets: [TargetRow], to journal: JournalRow) throws {
        try add(
            targets.map { target in
                [
                    journal.delivery, target.token, target.row, target.part, target.profile, target.state.rawValue,
                    target.badge, target.attempts, target.dueAt, target.reason, target.form,
                    target.texts.isEmpty ? nil : JSONValue(texts: target.texts).canonicalText,
                ]
            },
            to: """
                journalTarget(
                  delivery, token, installation, part, profile, state, badge, attempts, dueAt, reason, form, texts)
                """)
    }

    private var waits: String { "delivery = ? AND state = \(TargetState.waits.rawValue)" }

    /// Removes and returns devices that are due: up to one batch with the part, form and profile of the longest-waiting
    /// one.
    func takeDue(of journal: JournalRow, besides profiles: [String]) throws -> [TargetRow] {
        let others = others(than: profiles)
        let due = "FROM journalTarget WHERE \(waits) AND dueAt <= ?"
        let first = try rows(
            "SELECT part, profile, form \(due)\(others.sql) ORDER BY dueAt, token LIMIT 1\(clause(.passing))",
            [journal.delivery, now] + others.values
        ).first
        guard let first, let profile = first.text(1) else { return [] }
        let (part, form) = (first.number(0), first.number(2))
        let targets = try rows(
            """
            SELECT token, installation, badge, attempts, texts, reason, dueAt \(due)
            AND part = ? AND profile = ? AND form = ?
            ORDER BY dueAt, token LIMIT ?\(clause(.passing))
            """, [journal.delivery, now, part, profile, form, journal.batchSize]
        ).map { row in
            TargetRow(
                token: row.string(0), row: row.integer(1) ?? 0, part: part, form: form,
                texts: try row.text(4).map { try JSONValue(stored: $0).texts } ?? [], profile: profile,
                badge: row.number(2), attempts: row.number(3), state: .waits, dueAt: row.time(6), reason: row.text(5))
        }
        try execute(
            "DELETE FROM journalTarget WHERE delivery = ? AND token \(dialect.isOneOf)",
            [journal.delivery, SQLValue.texts(targets.map(\.token))])
        return targets
    }

    /// Schedules the devices in doubt for now; returns their number.
    func reopenDoubtful(of journal: JournalRow) throws -> Int {
        try execute(
            """
            UPDATE journalTarget SET state = \(TargetState.waits.rawValue), dueAt = ?, reason = NULL
            WHERE delivery = ? AND state = \(TargetState.inDoubt.rawValue)
            """, [now, journal.delivery])
    }

    /// Schedules the devices in doubt of parts that are not closed for now, as ``TargetRow/resend``.
    func resendDoubtful(of journal: JournalRow) throws {
        try execute(
            """
            UPDATE journalTarget SET state = \(TargetState.waits.rawValue), dueAt = ?, reason = '\(TargetRow.resend)'
            WHERE delivery = ? AND state = \(TargetState.inDoubt.rawValue) AND part NOT IN (
              SELECT number FROM journalPart WHERE delivery = ? AND closedAt IS NOT NULL)
            """, [now, journal.delivery, journal.delivery])
    }

    /// Removes the waiting devices of a part, or of all, that are due before a time, or at any, and returns their number;
    /// those that an earlier attempt may have reached are in doubt as before.
    func removeWaiting(of journal: JournalRow, part: Int? = nil, dueBefore time: Instant? = nil) throws -> Int {
        let left = "WHERE \(waits) AND part = coalesce(?, part) AND dueAt < coalesce(?, dueAt + 1)"
        let values: [any SQLBindable] = [journal.delivery, part, time]
        try execute(
            """
            UPDATE journalTarget SET state = \(TargetState.inDoubt.rawValue), dueAt = NULL, reason = NULL
            \(left) AND reason = '\(TargetRow.resend)'
            """, values)
        return try execute("DELETE FROM journalTarget \(left)", values)
    }
}

extension JSONValue {
    init(texts: [String]) { self = .array(texts.map { .string($0) }) }

    /// The texts of a list.
    var texts: [String] { array?.compactMap(\.string) ?? [] }
}
