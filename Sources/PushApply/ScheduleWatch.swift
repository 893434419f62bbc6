internal import PushModel
internal import PushPlan

/// Notes by which ids the service lists what was scheduled, so that it can be cancelled whatever a later list shows.
struct ScheduleWatch: Sendable {
    let context: ApplyContext

    /// How often the list is asked for: it can be late.
    private static let looks = 5

    /// Looks for the pushes that these results scheduled; one that is not listed in time stays without.
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
