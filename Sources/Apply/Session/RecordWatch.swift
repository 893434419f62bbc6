internal import Push

/// Waits for the records of sent pushes: the service reports some refusals, and all figures, only there.
struct RecordWatch: Sendable {
    let context: ApplyContext

    /// The results updated from the records; a record that does not come in time changes nothing, unless it says what
    /// the service waits for.
    func follow(_ results: [ChangeResult], entries: [DeliveryID: LedgerEntry]) async -> [ChangeResult] {
        var results = results
        var open = results.indices.filter { index in
            let result = results[index]
            guard result.outcome == .done, let entry = entry(of: result, entries) else { return false }
            return entry.state == .sent && entry.figures == nil
        }
        let end = context.time.now + context.options.recordTimeout
        var latest: [Int: PushRecord] = [:]
        var isStopped = false
        while !open.isEmpty {
            for index in open {
                guard let entry = entry(of: results[index], entries), let object = entry.objectID,
                    let record = try? await context.reader.record(objectID: object)
                else { continue }
                latest[index] = record
                switch record.standing {
                case .queued, .scheduled, .unknown: continue
                case .done, .refused: break
                }
                results[index] = await conclude(results[index], entry, record)
                open.removeAll { $0 == index }
            }
            guard !open.isEmpty, !isStopped, context.time.now < end else { break }
            // Whoever stops it gets what is known by then: one more look.
            isStopped = await !context.pause(.milliseconds(500), "waiting for records")
        }
        for index in open {
            guard let wait = latest[index]?.wait else { continue }
            (results[index].outcome, results[index].detail, results[index].cause) = (.ongoing, wait, .notHandedOn)
        }
        // A record with an undocumented status may still have been in progress; now it counts as it is.
        for index in open {
            guard let entry = entry(of: results[index], entries), let record = latest[index],
                case .unknown = record.standing
            else { continue }
            results[index] = await conclude(results[index], entry, record)
        }
        return results
    }

    private func entry(of result: ChangeResult, _ entries: [DeliveryID: LedgerEntry]) -> LedgerEntry? {
        result.change.delivery.flatMap { entries[$0.id] }
    }

    private func conclude(_ result: ChangeResult, _ entry: LedgerEntry, _ record: PushRecord) async -> ChangeResult {
        let recording = LedgerRecorder(context: context, change: result.change)
        if let doubt = record.doubt { return await recording.closed(entry, .unknown, .unknown, doubt) }
        return await recording.adopted(entry, record, isFinal: true)
    }
}
