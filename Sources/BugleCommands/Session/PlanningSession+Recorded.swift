internal import Push

extension PlanningSession {
    /// Plans against a recorded state of the remote, at its time unless another is given.
    ///
    /// - Throws: ``Failure`` with `failed` when the file cannot be read, `stale` when it is another workspace's.
    func plan(recorded path: String, now: Instant? = nil) throws -> Plan {
        let snapshot: Snapshot
        do {
            snapshot = try Snapshot.read(try InputFile.read(path))
        } catch let error as SnapshotError {
            throw Failure(.failed, "\(path): \(error.description)")
        }
        guard snapshot.workspace == desired.name else {
            throw Failure(.stale, "\(path) was recorded for workspace \(snapshot.workspace), not \(desired.name)")
        }
        return Planner.plan(
            input(
                snapshot.state, description: bench.description(remote, recorded: snapshot.remote), now: now,
                isSimulated: true, explainsAudiences: true)
        ).plan
    }
}
