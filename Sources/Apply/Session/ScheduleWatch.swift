internal import Push

/// Records the ids under which the service lists scheduled pushes, so that they can be cancelled whatever later lists say.
struct ScheduleWatch: Sendable {
    let context: ApplyContext

    /// The number of times that the list is requested: it can lag behind.
    private static let looks = 5

    /// Looks for the pushes that these results scheduled; one that is not listed in time gets no id.
    func follow(_ results: [ChangeResult], entries: [DeliveryID: LedgerEntry]) async {
        var open = results.filter { $0.outcome == .done }.compactMap { $0.change.delivery.flatMap { entries[$0.id] } }
            .filter { $0.state == .scheduled && $0.scheduledID == nil }
        for look in 0..<Self.looks where !open.isEmpty {
            if look > 0, !(await context.pause(.seconds(1), "waiting for the list of scheduled pushes")) { return }
            guard let listed = try? await context.reader.scheduledPushes() else { continue }
            for var entry in open {
                guard let push = listed.first(where: { $0.notification == entry.notificationID }) else { continue }
                entry.scheduledID = push.id
                _ = await context.record(entry)
                open.removeAll { $0.delivery == entry.delivery }
            }
        }
    }
}
