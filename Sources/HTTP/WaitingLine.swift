/// Jobs waiting for their turn, first come, first served.
///
/// They are kept outside libcurl, which is slow with more transfers than connections and streams.
struct WaitingLine {
    private var jobs: [ObjectIdentifier: Job] = [:]
    /// The order; jobs that left early stay in it until their turn.
    private var order: ArraySlice<ObjectIdentifier> = []
    /// A lower bound of the deadlines.
    private(set) var earliestDeadline: ContinuousClock.Instant?

    /// True when no job waits.
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

    /// Removes a job out of turn.
    mutating func remove(_ ticket: Ticket) -> Job? { jobs.removeValue(forKey: ticket.id) }

    /// Removes the jobs that have timed out; scans them only when one may have.
    mutating func removeExpired(at now: ContinuousClock.Instant) -> [Job] {
        guard let earliest = earliestDeadline, earliest <= now else { return [] }
        let expired = jobs.values.filter { $0.deadline <= now }
        for job in expired { jobs[job.ticket.id] = nil }
        earliestDeadline = jobs.values.map(\.deadline).min()
        return expired
    }

    /// Removes all jobs.
    mutating func removeAll() -> [Job] {
        defer { self = WaitingLine() }
        return order.compactMap { jobs[$0] }
    }
}
