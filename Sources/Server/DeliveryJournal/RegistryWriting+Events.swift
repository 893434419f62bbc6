package import RegistryModel

extension RegistryWriting {
    /// Records events that devices report: each that is accepted counts once, however often it is reported.
    ///
    /// - Parameters:
    ///   - events: the events, of any deliveries.
    ///   - index: what is known of the reached sets, shared by all calls of a process.
    /// - Returns: what became of each; those that are accepted are on disk.
    /// - Throws: ``RegistryError`` when the database cannot be used; then all may be reported again.
    package func record(
        _ events: [DeviceEvent], knowing index: ReachedIndex
    ) async throws(RegistryError) -> [DeviceEvent.Fate] {
        let judged = try await access.read { try DeployMachine($0).judge(events, index) }
        let rows = judged.compactMap(\.row)
        guard !rows.isEmpty else { return judged.map(\.fate) }
        let late = try await access.write { try DeployMachine($0).add(rows) }
        return zip(events, judged).map { late.contains($0.delivery) ? .refused : $1.fate }
    }

    /// Returns the newest deliveries that count events, at most so many.
    package func countedDeliveries(most: Int) async throws(RegistryError) -> [CountedDelivery] {
        try await access.read { try DeployMachine($0).countedDeliveries(most: most) }
    }

    /// Replaces the single events of deliveries whose time is over by counts, in steps that each take little time.
    ///
    /// Killed in between, it goes on where it was: each step is one transaction.
    package func foldEvents() async throws(RegistryError) {
        try await access.write { try DeployMachine($0).endEvents() }
        while try await access.write({ try DeployMachine($0).foldEvents() }) {}
    }
}
