package import Base
package import Push

/// Leaves out the devices that the rules of a policy hold back from a delivery.
///
/// Source: docs/features/holdout.md.
package struct AudienceSieve: Sendable {
    /// The time before which the registry no longer knows who was reached, although a rule looks back further; nil when
    /// it knows all. Where it is set, the sieve leaves everybody out.
    package let forgotten: Instant?
    /// The number of freezes under frequency rules that were complete when this was made; nil without such rules.
    let turn: Int?
    private let holdout: Holdout?
    private let buckets: Buckets
    private let caps: [Cap]
    /// The numbers of the installations that had a token before.
    private let former: [[UInt8]: [Int64]]

    /// One frequency rule, with the deliveries of each device that count.
    struct Cap: Sendable {
        let most: Int
        let counts: ReachCounts
    }

    /// The count of no device of an audience.
    var nobody: AudienceCount { AudienceCount(devices: 0, doubts: forgotten.map { [.forgotten($0)] } ?? []) }

    /// Creates the sieve of an audience without frequency rules.
    package init(holdout: Holdout?) { self.init(holdout: holdout, caps: [], turn: nil, forgotten: nil) }

    init(holdout: Holdout?, caps: [Cap], former: [[UInt8]: [Int64]] = [:], turn: Int?, forgotten: Instant?) {
        self.former = former
        self.holdout = holdout
        buckets = Buckets(salt: holdout?.salt ?? "")
        self.caps = caps
        self.turn = turn
        self.forgotten = forgotten
    }

    /// The fate of a device by these rules too, if a route reaches it.
    ///
    /// `number` is that of its installation. A device that is not registered has nothing but its token, and nobody knows
    /// what it received.
    package func fate(_ fate: AudienceFate, _ traits: DeviceTraits, number: Int64, token: [UInt8]) -> AudienceFate {
        guard case .reached = fate else { return fate }
        if let holdout, buckets.bucket(of: traits.key(token)) < holdout.share.parts { return .leftOut(.heldOut) }
        guard forgotten != nil || !caps.isEmpty else { return fate }
        if forgotten != nil || traits.objectID == nil { return .leftOut(.capped) }
        let numbers = [number] + earlier(number, token)
        let isCapped = caps.contains { cap in numbers.reduce(0) { $0 + cap.counts[$1] } >= cap.most }
        return isCapped ? .leftOut(.capped) : fate
    }

    /// The numbers of the other installations that had a token before: what they received, the same device did.
    private func earlier(_ number: Int64, _ token: [UInt8]) -> [Int64] {
        guard !former.isEmpty else { return [] }
        // Bit 5 distinguishes the cases of a letter, and is set in digits.
        return (former[token.map { $0 | 0x20 }] ?? []).filter { $0 != number }
    }
}

/// The properties of a device that decide on its part, on its words, and whether it is left out.
package struct DeviceTraits: Hashable, Sendable {
    /// The `objectId` of the installation in UTF-8; nil when the device is not registered, or nothing depends on it.
    package var objectID: [UInt8]?
    /// The reported time zone in UTF-8; nil when there is none, or nothing depends on it.
    package var timeZone: [UInt8]?
    /// The values of the fields that its words look at.
    package var values: [JSONValue] = []

    /// The text in UTF-8 that decides on the device's bucket: that of a device that is not registered is its token.
    package func key(_ token: [UInt8]) -> [UInt8] {
        objectID ?? Array(String(decoding: token, as: UTF8.self).lowercased().utf8)
    }

    /// The properties that something depends on.
    package struct Kinds: OptionSet, Hashable, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// The `objectId` of the installation.
        package static let objectID = Kinds(rawValue: 1)
        /// The `timeZone` of the installation.
        package static let timeZone = Kinds(rawValue: 2)
    }
}

// MARK: - Frequency

/// How often devices were reached, and by whom it was counted.
extension RegistryTransaction {
    /// Returns what leaves out devices of an audience; `delivery`, if it has begun, does not count for itself.
    ///
    /// What other deliveries have frozen and may still send counts as sent: whichever goes on first, no device gets more
    /// than a rule allows.
    package func sieve(
        of audience: DeliveryAudience, besides delivery: String?, at now: Instant
    ) throws -> AudienceSieve {
        guard let longest = audience.frequency.map(\.per).max() else { return AudienceSieve(holdout: audience.holdout) }
        let turn = try number("SELECT fence FROM deployRecord WHERE \(Dialect.isTurn)")
        let pending = try pending(besides: delivery)
        let reached = try texts("SELECT DISTINCT delivery FROM reached WHERE reachedAt >= ?", [now - longest])
        let others = Set(reached).union(pending.keys).subtracting([delivery].compactMap(\.self))
        let caps = try audience.frequency.map { rule in
            AudienceSieve.Cap(
                most: rule.most, counts: try reachCounts(of: others, since: now - rule.per, beside: pending))
        }
        let former = try formerNumbers()
        // Last: of these statements, too, each may see other commits, and what is forgotten meanwhile is in none.
        let forgotten = try lastForgotten().flatMap { $0 >= now - longest ? $0 : nil }
        return AudienceSieve(
            holdout: audience.holdout, caps: caps, former: former, turn: turn, forgotten: forgotten)
    }

    /// Returns the installations that deliveries have frozen and not sent to yet.
    private func pending(besides delivery: String?) throws -> [String: ReachedSet] {
        var pending: [String: ReachedSet] = [:]
        // What is or may be sent. Of two statements each may see other commits: whoever is taken for a retry meanwhile is
        // not in one any more, and not in the other yet.
        let unsent = SQLText(
            sql: """
                SELECT batch.delivery, batch.targets, NULL FROM journal
                JOIN journalBatch AS batch ON batch.delivery = journal.delivery
                  AND batch.state IN (\(BatchState.fresh.rawValue), \(BatchState.open.rawValue))
                WHERE journal.freezing IS NULL AND journal.delivery <> ?
                UNION ALL
                SELECT target.delivery, NULL, target.installation FROM journal
                JOIN journalTarget AS target ON target.delivery = journal.delivery
                  AND target.state = \(TargetState.waits.rawValue)
                WHERE journal.delivery <> ?
                """, arguments: [delivery ?? "", delivery ?? ""])
        try each(unsent) { row in
            let numbers = row.integer(2).map { [$0] } ?? row.bytes(1).flatMap { TargetPack($0)?.rows }
            guard let numbers else { throw RegistryError(internal: "a stored batch is damaged") }
            pending[row.string(0), default: ReachedSet()].insert(numbers.filter { $0 > 0 })
            return true
        }
        return pending
    }

    /// Counts a freeze.
    ///
    /// - Throws: ``FreezeOvertaken`` when another audience was frozen under frequency rules after the sieve was made.
    func endTurn(_ sieve: AudienceSieve) throws {
        guard let turn = sieve.turn else { return }
        let counted = try execute(
            "UPDATE deployRecord SET fence = fence + 1 WHERE \(Dialect.isTurn) AND fence = ?", [turn])
        guard counted > 0 else { throw FreezeOvertaken() }
    }
}

/// An audience was frozen meanwhile that counts for the rules of this one: it is frozen anew.
package struct FreezeOvertaken: Error {}

/// What frequency rules are counted from, besides the reached sets.
extension RegistryTransaction {
    // MARK: What was forgotten

    private static var forgottenKey: String { "reached" }

    /// Returns the latest time of what the reached sets have forgotten; nil when they never did.
    func lastForgotten() throws -> Instant? {
        try texts(
            "SELECT document FROM deployRecord WHERE kind = ? AND key = ?",
            [DeployRecord.Kind.mark.rawValue, Self.forgottenKey]
        ).compactMap { try JSONValue(stored: $0)["forgotten"]?.integer.map { Instant(milliseconds: $0) } }.max()
    }

    /// Notes that reached sets up to a time are about to be forgotten.
    func noteForgotten(_ time: Instant, of workspace: String) throws {
        let known = try records(.mark, of: workspace).first { $0.key == Self.forgottenKey }
        let last = max(time.milliseconds, known?.document["forgotten"]?.integer ?? .min)
        try write(
            DeployRecord(
                workspace: workspace, kind: .mark, key: Self.forgottenKey, document: ["forgotten": .integer(last)],
                fence: known?.fence ?? 0))
    }

    // MARK: Tokens

    /// Returns the numbers of the installations that had a token before, by its digits in lower case.
    func formerNumbers() throws -> [[UInt8]: [Int64]] {
        var numbers: [[UInt8]: [Int64]] = [:]
        try each(SQLText(sql: "SELECT token, number FROM formerToken")) { row in
            numbers[Array(row.string(0).utf8), default: []].append(row.integer(1) ?? 0)
            return true
        }
        return numbers
    }

    /// Forgets tokens that left before everything that the reached sets still know, and what was frozen then and sent
    /// later.
    func forgetFormerTokens() throws {
        let margin = Duration.seconds(30 * 86_400).milliseconds
        try execute(
            "DELETE FROM formerToken WHERE leftAt < (SELECT MIN(reachedAt) FROM reached) - CAST(? AS bigint)",
            [margin])
    }

    // MARK: Turns

    /// Makes others that freeze under frequency rules wait until the transaction ends: only one audience is completed at
    /// a time, where others freeze in the same transaction.
    func holdFrequencyTurn() throws {
        try execute(
            """
            INSERT INTO deployRecord(workspace, kind, key, document, fence)
            VALUES ('', '\(DeployRecord.Kind.mark.rawValue)', 'frequency', '{}', 0)
            ON CONFLICT (workspace, kind, key) DO UPDATE SET document = excluded.document
            """, [])
    }
}

extension Dialect {
    /// The number of freezes under frequency rules is the fence of a mark that no workspace has.
    fileprivate static var isTurn: String {
        "workspace = '' AND kind = '\(DeployRecord.Kind.mark.rawValue)' AND key = 'frequency'"
    }
}

extension RegistryTransaction {
    /// Remembers the tokens of devices that are about to leave or to get others, since the first delivery under frequency
    /// rules; `condition` chooses rows of `installation AS t0`.
    package func rememberTokens(where condition: String, _ values: [any SQLBindable]) throws {
        let source =
            switch dialect {
            case .sqlite:
                "lower(t0.deviceToken), t0.id, CAST(? AS bigint) FROM installation AS t0 WHERE t0.deviceToken IS NOT NULL"
            case .postgres:
                """
                t0.token, numbered.number, CAST(? AS bigint) FROM installation AS t0
                JOIN reachedInstallation AS numbered ON numbered.objectId = t0.objectId WHERE true
                """
            }
        try execute(
            """
            INSERT INTO formerToken(token, number, leftAt) SELECT \(source)
            AND \(condition) AND EXISTS (SELECT 1 FROM deployRecord WHERE \(Dialect.isTurn))
            ON CONFLICT (token, number) DO UPDATE SET leftAt = excluded.leftAt
            """, [now] + values)
    }
}
