internal import Apply
internal import Push
internal import PushReport

extension ApplySession.Outcome {
    /// The delivery that is due next: what waits or was scheduled, a recurring campaign's next day, a delivery's next part.
    var next: ApplyReport.Next? {
        guard let plan else { return nil }
        let done = Set(results.filter { $0.outcome == .done }.compactMap(\.change.delivery?.id))
        var times = results.compactMap { result in
            result.next.map { ApplyReport.Next(campaign: result.change.name, at: OffsetInstant($0)) }
        }
        for change in plan.changes where change.kind == .campaign && !change.isBlocked {
            let isPending =
                switch change.action {
                case .wait: true
                case .schedule, .reschedule: change.delivery.map { done.contains($0.id) } ?? false
                case .create, .update, .delete, .send, .cancel, .resume, .missed, .none: false
                }
            let at = isPending ? change.delivery?.at : nil
            times += [at, change.occurrences?.next.first?.at].compactMap(\.self)
                .map { ApplyReport.Next(campaign: change.name, at: $0) }
        }
        return times.filter { $0.at.instant > plan.createdAt }
            .min { ($0.at.instant, $0.campaign) < ($1.at.instant, $1.campaign) }
    }
}
