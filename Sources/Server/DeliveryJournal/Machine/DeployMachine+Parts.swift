internal import JSONValue
internal import PushModel
internal import Records
internal import RegistryModel

extension DeployMachine {
    /// Records the verdict on a stage, and opens the next one if it allows that and nothing of this one is left.
    ///
    /// The first verdict that opens the next stage stands: one whose answer was lost can be repeated.
    func judge(_ delivery: String, _ verdict: StageVerdict, under lease: Lease?) throws {
        let journal = try frozen(delivery, .changing, under: lease)
        var parts = try transaction.parts(of: journal)
        guard let index = parts.firstIndex(where: { $0.number == verdict.stage }) else {
            throw RegistryError(.notFound, "The delivery '\(delivery)' has no stage \(verdict.stage).")
        }
        let hasNext = index + 1 < parts.count
        guard !hasNext || parts[index + 1].opensAt == nil, journal.closedAt == nil else { return }
        parts[index].verdict = StageVerdict.record.json(of: verdict).unordered.canonicalText
        try transaction.write(parts[index], of: journal)
        let stage = try figures(of: journal).parts[index].figures
        guard hasNext, verdict.opensNext, stage.waiting == 0, stage.underWay == 0 else { return }
        parts[index + 1].opensAt = transaction.now
        try transaction.write(parts[index + 1], of: journal)
    }

    /// Ends a part: devices that wait count as missed.
    func close(part number: Int, of delivery: String, under lease: Lease?) throws {
        let journal = try frozen(delivery, .changing, under: lease)
        guard let part = try transaction.parts(of: journal).first(where: { $0.number == number }) else {
            throw RegistryError(.notFound, "The delivery '\(delivery)' has no part \(number).")
        }
        try close(part, of: journal)
    }

    func close(_ part: PartRow, of journal: JournalRow) throws {
        guard part.closedAt == nil else { return }
        var part = part
        try transaction.missFresh(of: journal, part: part.number)
        part.missed += try transaction.removeWaiting(of: journal, part: part.number)
        part.closedAt = transaction.now
        try transaction.write(part, of: journal)
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
                verdict: try part.verdict.map(Self.verdict))
            for (form, sums) in Dictionary(grouping: batches[part.number] ?? [], by: \.form) {
                shown.forms[form, default: JournalFigures(targets: 0)].add(sums, [])
            }
            for (form, sums) in Dictionary(grouping: targets[part.number] ?? [], by: \.form) {
                shown.forms[form, default: JournalFigures(targets: 0)].add([], sums)
            }
            return shown
        }
    }

    static func verdict(_ text: String) throws -> StageVerdict {
        let stored = try document(text)
        do throws(RecordError) {
            return try StageVerdict.record.read(stored)
        } catch {
            throw RegistryError(internal: "a stored verdict is damaged")
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
