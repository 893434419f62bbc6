internal import Base
internal import Apply
internal import Push

extension ApplySession {
    /// Creates an apply on a connected remote; `stop` ends its waits.
    ///
    /// - Throws: ``Failure`` when the remote cannot be written to.
    init(
        _ connected: Workbench.Connected, _ provenance: ApplyProvenance, retries: Int, keepGoing: Bool = false,
        lockTimeout: Duration = .zero, stop: StopSignal, report: @escaping @Sendable (ApplyEvent) -> Void
    ) async throws {
        let began = ContinuousClock.now
        let pausing = StoppablePause(stop)
        self.init(
            reader: connected.reader, writer: try await connected.makeWriter(pausing),
            options: ApplyOptions(
                keepGoing: keepGoing, retries: retries, lockTimeout: lockTimeout, requestTimeout: connected.timeout,
                holder: provenance.holder, run: RandomName.make(), provenance: provenance.provenance,
                committedAt: provenance.committedAt),
            stop: stop, pausing: pausing, elapsed: { ContinuousClock.now - began }, report: report)
    }
}
