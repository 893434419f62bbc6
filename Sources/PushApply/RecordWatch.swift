internal import PushModel
internal import PushPlan
internal import PushRemote

/// Waits for the records of what was sent: the service tells some refusals, and all figures, only there.
struct RecordWatch: Sendable {
    let context: ApplyContext

    /// The results with what the records say; a record that does not come in time changes nothing.
    func follow(_ results: [ChangeResult], entries: [DeliveryID: LedgerEntry]) async -> [ChangeResult] {
        var results = results
        var open = results.indices.filter { index in
            let result = results[index]
            guard result.outcome == .done, let id = result.change.delivery?.id else { return false }
            return entries[id]?.state == .sent && entries[id]?.figures == nil
        }
        let end = context.time.now + context.options.recordTimeout
        while !open.isEmpty {
            for index in open {
                guard let id = results[index].change.delivery?.id, let entry = entries[id], let object = entry.objectID,
                    let record = try? await context.reader.record(objectID: object),
                    record.isDone || record.failure != nil
                else { continue }
                results[index] = await conclude(results[index], entry, record)
                open.removeAll { $0 == index }
            }
            guard !open.isEmpty, context.time.now < end, await context.pause(.milliseconds(500), "waiting for records")
            else { break }
        }
        return results
    }

    private func conclude(
        _ result: ChangeResult, _ entry: LedgerEntry, _ record: PushRecord
    ) async -> ChangeResult {
        let delivering = Delivering(context: context, change: result.change)
        if let failure = record.failure { return await delivering.closed(entry, .refused, .refused, failure) }
        return await delivering.accepted(entry, objectID: entry.objectID, figures: record.figures)
    }
}
