package import Push

extension RemoteWriting {
    /// Carries out a person's decision about the rest of a delivery that was stopped, or whose rollout was halted or
    /// holds: to go on with it, or to leave it unsent.
    ///
    /// - Returns: the entry, which the caller writes before it lifts the order.
    /// - Throws: ``RemoteError`` with `refused` when a service may still have it; any other when it is not certain that
    ///   the decision was recorded.
    package func decided(
        _ entry: LedgerEntry, proceeds: Bool, reason: String, under lease: Lease
    ) async throws(RemoteError) -> LedgerEntry {
        var decided = entry.unstopped
        decided.reason = .verbatim("\(proceeds ? "proceed" : "abandoned"): \(reason)")
        guard let journaling else {
            guard !proceeds else {
                // Whoever stopped it has cancelled its push: the next apply makes sure of that, and schedules another.
                if decided.state == .scheduled { decided.state = .cancelling }
                return decided
            }
            guard entry.state == .halted else {
                throw RemoteError(
                    .refused,
                    "\(entry.title) is still \(entry.state.rawValue) at the service: 'bugle apply' settles that")
            }
            (decided.state, decided.isMissed) = (.unsent, true)
            return decided
        }
        if proceeds {
            guard decided.state.isStopped else {
                // However long the person took.
                try await journaling.renewWindow(of: entry, under: lease)
                return decided
            }
            decided.expiresAt = try await journaling.proceed(entry, reason: reason, under: lease)
            decided.state = .sending
        } else {
            let figures = try await journaling.conclude(entry, under: lease)
            (decided.figures, decided.isMissed) = (figures, figures.isUntried)
            decided.state = figures.isUntried ? .unsent : .sent
        }
        return decided
    }
}
