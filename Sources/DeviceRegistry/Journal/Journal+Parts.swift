internal import Base
package import Push

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

    /// Returns the progress of each part.
    func figures(
        of parts: [PartRow], _ batches: [BatchSum], _ targets: [TargetSum], reopenedAt: Instant?
    ) throws -> [JournalPart] {
        let batches = Dictionary(grouping: batches, by: \.part)
        let targets = Dictionary(grouping: targets, by: \.part)
        return try parts.map { part in
            var figures = JournalFigures(
                targets: part.devices, missed: part.missed, isClosed: part.closedAt != nil,
                lastOutcomeAt: part.opensAt == nil ? nil : reopenedAt)
            figures.add(batches[part.number] ?? [], targets[part.number] ?? [])
            var shown = JournalPart(
                number: part.number, opensAt: part.opensAt, unplaced: part.unplaced, figures: figures,
                verdict: try part.judgement)
            for (form, sums) in Dictionary(grouping: batches[part.number] ?? [], by: \.form) {
                shown.forms[form, default: JournalFigures(targets: 0)].add(sums, [])
            }
            for (form, sums) in Dictionary(grouping: targets[part.number] ?? [], by: \.form) {
                shown.forms[form, default: JournalFigures(targets: 0)].add([], sums)
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
            case .waits: waiting += sum.devices
            case .inDoubt: inDoubt += sum.devices
            }
        }
    }
}
