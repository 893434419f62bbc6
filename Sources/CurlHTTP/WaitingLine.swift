/// Jobs that wait for their turn, first come, first served.
///
/// They are kept outside libcurl, which is slow with more transfers than connections and streams.
struct WaitingLine {
    private var jobs: [ObjectIdentifier: Job] = [:]
    /// The order; those that left early stay in it until their turn.
    private var order: ArraySlice<ObjectIdentifier> = []
    /// No deadline is before this.
    private(set) var earliestDeadline: ContinuousClock.Instant?

    /// Whether nobody waits.
    var isEmpty: Bool { jobs.isEmpty }

    /// Adds a job at the end.
    mutating func append(_ job: Job) {
        jobs[job.ticket.id] = job
        order.append(job.ticket.id)
        earliestDeadline = min(earliestDeadline ?? job.deadline, job.deadline)
    }

    /// Takes the job that has waited longest.
    mutating func popFirst() -> Job? {
        while let id = order.popFirst() {
            if let job = jobs.removeValue(forKey: id) { return job }
        }
        return nil
    }

    /// Takes a job out of turn.
    mutating func remove(_ ticket: Ticket) -> Job? { jobs.removeValue(forKey: ticket.id) }

    /// Takes the jobs whose time is over; looks at all of them only when one may be.
    mutating func removeExpired(at now: ContinuousClock.Instant) -> [Job] {
        guard let earliest = earliestDeadline, earliest <= now else { return [] }
        let expired = jobs.values.filter { $0.deadline <= now }
        for job in expired { jobs[job.ticket.id] = nil }
        earliestDeadline = jobs.values.map(\.deadline).min()
        return expired
    }

    /// Takes all of them.
    mutating func removeAll() -> [Job] {
        defer { self = WaitingLine() }
        return order.compactMap { jobs[$0] }
    }
}
