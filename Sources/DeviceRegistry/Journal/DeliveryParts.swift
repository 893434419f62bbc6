internal import Base
package import Push

/// The rule that gives each device of an audience its part.
package enum AudienceDivision: Hashable, Sendable {
    /// One part, open from the beginning.
    case whole
    /// A part for each instant at which clocks show a time: it opens then.
    case localTime(LocalSchedule)
    /// A part for each stage; the first is open, and each of the others opens by a verdict.
    case stages(Rollout, Buckets)
    /// A part that tests variants, open from the beginning, and the rest, which opens when one is chosen.
    case variants(VariantTest, Buckets)

    /// The property of a device that decides.
    package var traits: DeviceTraits.Kinds {
        switch self {
        case .whole: []
        case .localTime: .timeZone
        case .stages, .variants: .objectID
        }
    }
}

/// A part of a delivery and its progress.
package struct JournalPart: Hashable, Sendable {
    /// The number, in the order in which parts open; a stage's is that of the stage, from 1.
    package var number: Int
    /// The time from which it may be sent to; nil: it waits for a verdict.
    package var opensAt: Instant?
    /// Devices that are in it because their own time zone is missing or unknown.
    package var unplaced: Int = 0
    /// The progress of its devices; closed when the rest of it was missed.
    package var figures: JournalFigures
    /// The verdict on it, if it is a stage that was judged.
    package var verdict: StageVerdict?
    /// The progress of its devices by form, if it is the part that tests variants.
    package var forms: [Int: JournalFigures] = [:]
    /// The progress of its devices by profile.
    package var profiles: [String: JournalFigures] = [:]
}

// MARK: - Parts

extension Journal {
    /// Records the verdict on a stage, and opens the next one if it allows that and nothing of this one is left.
    ///
    /// The first verdict that opens the next stage stands: one whose answer was lost can be repeated.
    package func judge(_ delivery: String, _ verdict: StageVerdict, under lease: Lease?) async throws(RegistryError) {
        try await write(under: lease) { db in
            let journal = try db.frozen(delivery, .changing, under: lease)
            var parts = try db.parts(of: journal)
            guard let index = parts.firstIndex(where: { $0.number == verdict.stage }) else {
                throw RegistryError(.notFound, "The delivery '\(delivery)' has no stage \(verdict.stage).")
            }
            let hasNext = index + 1 < parts.count
            guard !hasNext || parts[index + 1].opensAt == nil, journal.closedAt == nil else { return }
            parts[index].verdict = StageVerdict.record.json(of: verdict).unordered.canonicalText
            try db.write(parts[index], of: journal)
            let stage = try db.figures(of: journal).parts[index].figures
            guard hasNext, verdict.opensNext, stage.waiting == 0, stage.underWay == 0 else { return }
            parts[index + 1].opensAt = db.now
            try db.write(parts[index + 1], of: journal)
        }
    }

    /// Ends one part of a delivery: its unsent devices count as missed.
    package func close(part number: Int, of delivery: String, under lease: Lease?) async throws(RegistryError) {
        try await write(under: lease) { db in
            let journal = try db.frozen(delivery, .changing, under: lease)
            guard let part = try db.parts(of: journal).first(where: { $0.number == number }) else {
                throw RegistryError(.notFound, "The delivery '\(delivery)' has no part \(number).")
            }
            try db.close(part, of: journal)
        }
    }

    /// Ends one part of a delivery, or an undivided one (0), for all devices but those that wait for a retry and were due
    /// since a time, or are later: the other unsent ones count as missed.
    package func miss(
        part number: Int, of delivery: String, notDueSince time: Instant, under lease: Lease?
    ) async throws(RegistryError) {
        try await write(under: lease) { db in
            var journal = try db.frozen(delivery, .changing, under: lease)
            try db.missFresh(of: journal, part: number)
            let missed = try db.removeWaiting(of: journal, part: number, dueBefore: time)
            guard missed > 0 else { return }
            if var part = try db.parts(of: journal).first(where: { $0.number == number }) {
                part.missed += missed
                try db.write(part, of: journal)
            } else {
                journal.missed += missed
                try db.write(journal)
            }
        }
    }
}

extension RegistryTransaction {
    func close(_ part: PartRow, of journal: JournalRow) throws {
        guard part.closedAt == nil else { return }
        var part = part
        try missFresh(of: journal, part: part.number)
        part.missed += try removeWaiting(of: journal, part: part.number)
        part.closedAt = now
        try write(part, of: journal)
    }

    func figures(
        of parts: [PartRow], _ batches: [BatchSum], _ targets: [TargetSum], reopenedAt: Instant?
    ) throws -> [JournalPart] {
        let batches = Dictionary(grouping: batches, by: \.part)
        let targets = Dictionary(grouping: targets, by: \.part)
        return try parts.map { part in
            let verdict = try part.judgement
            // What a person let proceed has its window from then.
            let proceedsFrom = verdict?.decision == .proceed ? verdict?.at : nil
            var figures = JournalFigures(
                targets: part.devices, missed: part.missed, isClosed: part.closedAt != nil,
                lastOutcomeAt: part.opensAt == nil ? nil : [reopenedAt, proceedsFrom].compactMap(\.self).max())
            figures.add(batches[part.number] ?? [], targets[part.number] ?? [])
            var shown = JournalPart(
                number: part.number, opensAt: part.opensAt, unplaced: part.unplaced, figures: figures,
                verdict: verdict)
            for sum in batches[part.number] ?? [] {
                shown.forms[sum.form, default: JournalFigures(targets: 0)].add([sum], [])
                shown.profiles[sum.profile, default: JournalFigures(targets: 0)].add([sum], [])
            }
            for sum in targets[part.number] ?? [] {
                shown.forms[sum.form, default: JournalFigures(targets: 0)].add([], [sum])
                shown.profiles[sum.profile, default: JournalFigures(targets: 0)].add([], [sum])
            }
            return shown
        }
    }
}

extension PartRow {
    /// The verdict on the part; nil when it was not judged.
    var judgement: StageVerdict? {
        get throws {
            guard let verdict else { return nil }
            let stored = try JSONValue(stored: verdict)
            do throws(RecordError) {
                return try StageVerdict.record.read(stored)
            } catch {
                throw RegistryError(internal: "a stored verdict is damaged")
            }
        }
    }
}

extension JournalFigures {
    /// Adds the devices of batches, and those that were not accepted.
    mutating func add(_ batches: [BatchSum], _ targets: [TargetSum]) {
        for sum in batches {
            accepted += sum.accepted
            missed += sum.missed
            lastOutcomeAt = [lastOutcomeAt, sum.settledAt].compactMap(\.self).max()
            switch sum.state {
            case .fresh: waiting += sum.devices
            case .open: underWay += sum.devices
            case .missed: missed += sum.devices
            case .settled, .givenUp: break
            }
        }
        for sum in targets {
            switch sum.state {
            case .refused: refused[sum.reason, default: 0] += sum.devices
            case .waits where sum.reason == TargetRow.resend:
                waiting += sum.devices
                resent += sum.devices
            case .waits:
                waiting += sum.devices
                let due = sum.dueAt.flatMap { $0 > TargetRow.atOnce ? $0 : nil }
                waitsUntil = [waitsUntil, due].compactMap(\.self).max()
            case .inDoubt: inDoubt += sum.devices
            }
        }
    }
}

// MARK: - Parts

extension RegistryTransaction {
    /// Returns the parts of a journal, in the order in which they open; none for an undivided one.
    func parts(of journal: JournalRow) throws -> [PartRow] {
        try rows(
            """
            SELECT number, opensAt, devices, unplaced, missed, closedAt, verdict FROM journalPart
            WHERE delivery = ? ORDER BY number
            """, [journal.delivery]
        ).map { row in
            PartRow(
                number: row.number(0), opensAt: row.time(1), devices: row.number(2), unplaced: row.number(3),
                missed: row.number(4), closedAt: row.time(5), verdict: row.text(6))
        }
    }

    func add(_ parts: [PartRow], to journal: JournalRow) throws {
        try add(
            parts.map { [journal.delivery, $0.number, $0.opensAt, $0.devices, $0.unplaced] },
            to: "journalPart(delivery, number, opensAt, devices, unplaced)")
    }

    func write(_ part: PartRow, of journal: JournalRow) throws {
        try execute(
            "UPDATE journalPart SET opensAt = ?, missed = ?, closedAt = ?, verdict = ? WHERE delivery = ? AND number = ?",
            [part.opensAt, part.missed, part.closedAt, part.verdict, journal.delivery, part.number])
    }

    func isClosed(part: Int, of journal: JournalRow) throws -> Bool {
        guard part > 0 else { return false }
        return try exists(
            "SELECT 1 FROM journalPart WHERE delivery = ? AND number = ? AND closedAt IS NOT NULL",
            [journal.delivery, part])
    }
}

/// Finds the parts of devices while an audience is frozen, and counts them.
package struct PartFinder {
    /// The parts so far, in no order.
    private(set) var parts: [PartRow] = []
    private let division: AudienceDivision
    /// The index of each wave's part, by the wave's number.
    private var places: [Int: Int] = [:]
    private var waves: [[UInt8]: Wave] = [:]

    /// The wave of devices that report a zone.
    private struct Wave {
        /// The index of its part.
        let place: Int
        /// True when the zone is unknown.
        let isUnplaced: Bool
    }

    /// Devices report any text as their zone; so many names are remembered.
    private static let mostNames = 4096

    package init(_ division: AudienceDivision, openedAt now: Instant) {
        self.division = division
        let count =
            switch division {
            case .whole, .localTime: 0
            case .stages(let rollout, _): rollout.stages.count
            case .variants: VariantTest.rest
            }
        parts = (0..<count).map { PartRow(number: $0 + 1, opensAt: $0 == 0 ? now : nil) }
    }

    /// The variant that a device tests; nil when it is part of the rest, or everybody gets the same.
    package func arm(_ traits: DeviceTraits, token: [UInt8]) -> Int? {
        guard case .variants(let test, let buckets) = division else { return nil }
        return test.arm(ofBucket: buckets.bucket(of: traits.key(token)))
    }

    /// Counts a device and returns its part; 0 for an undivided audience.
    package mutating func place(_ traits: DeviceTraits, token: [UInt8], arm: Int?) -> Int {
        switch division {
        case .whole: return 0
        case .variants:
            let part = arm == nil ? VariantTest.rest : VariantTest.test
            parts[part - 1].devices += 1
            return part
        case .stages(let rollout, let buckets):
            let stage = rollout.stage(ofBucket: buckets.bucket(of: traits.key(token)))
            parts[stage - 1].devices += 1
            return stage
        case .localTime(let schedule):
            let wave = wave(traits.timeZone ?? [], of: schedule)
            parts[wave.place].add(isUnplaced: wave.isUnplaced)
            return parts[wave.place].number
        }
    }

    private mutating func wave(_ zone: [UInt8], of schedule: LocalSchedule) -> Wave {
        if let known = waves[zone] { return known }
        let own = schedule.wave(in: String(decoding: zone, as: UTF8.self))
        let number = schedule.number(of: own ?? schedule.fallback)
        let wave = Wave(place: places[number] ?? parts.count, isUnplaced: own == nil)
        if wave.place == parts.count {
            parts.append(PartRow(number: number, opensAt: schedule.opening(of: number)))
            places[number] = wave.place
        }
        if waves.count < Self.mostNames { waves[zone] = wave }
        return wave
    }
}

/// One part of a journal, without its devices.
struct PartRow {
    let number: Int
    var opensAt: Instant?
    var devices = 0
    /// The number of devices without a known time zone.
    var unplaced = 0
    /// The number of devices that waited for a retry when the part was closed.
    var missed = 0
    var closedAt: Instant?
    /// The verdict, as JSON.
    var verdict: String?

    fileprivate mutating func add(isUnplaced: Bool) {
        devices += 1
        if isUnplaced { unplaced += 1 }
    }
}

extension LocalSchedule {
    /// A little more than a zone's clocks can be ahead of the easternmost ones by a future rule, in seconds.
    private static let margin: Int64 = 3600

    private var base: Instant { first.instant - .seconds(Self.margin) }

    /// The number of a wave counts the minutes from the earliest possible one.
    fileprivate func number(of wave: Instant) -> Int { 1 + Int((wave - base).wholeSeconds / 60) }

    fileprivate func opening(of number: Int) -> Instant { base + .seconds(60 * (number - 1)) }
}
